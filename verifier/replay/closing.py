"""The close of a round and of the matter: what follows, and whether Trent says so (V13, V16 to V18)."""

from collections.abc import Sequence
from itertools import pairwise

from verifier.checks import Check, Role
from verifier.findings import Fault
from verifier.record.copy import Told
from verifier.replay import claims as claimed
from verifier.replay import contents
from verifier.replay.rounds import ClosedRound, Round, detail
from verifier.replay.state import State, some
from verifier.replay.turns import broken
from verifier.replay.waves import Wrong, first_wrong
from verifier.rules import coins
from verifier.rules.base import Evidence, Examined
from verifier.rules.bound import evidence, without_answer


def closed(state: State, content: contents.Closed, told: Told) -> None:
    """The close of a round."""
    current = state.round_with_coins(told)
    state.check_ruled(told, current)
    _take_link(state, content, told, current)
    if told.entry.body.releases != current.released_at_close():
        raise broken(
            told,
            Check.OUTCOMES,
            Role.TRENT,
            "A close releases Alice's labels and threshold to Bob, and nothing else",
            ", ".join(each.field for each in current.released_at_close()) or "nothing",
            "another release",
        )
    if (content.truth is None) != (state.opened.simulation is None):
        raise broken(
            told,
            Check.OUTCOMES,
            Role.TRENT,
            "A simulation states the truth, and nothing else does",
            "none" if state.opened.simulation is None else "the truth",
            content.truth,
        )
    _check_plausible(content, told, current)
    judged = None
    if current.known:
        judged = _judge(state, content, told, current)
    else:
        state.evidence = None
    if state.details is not None:
        state.details.append(detail(current, state.opened.terms, told.entry.body.sequence, judged))
    shown, sealed = current.shown, set() if current.known else current.unread
    state.rounds.append(
        ClosedRound(
            number=current.number,
            size=current.size,
            near_cut=current.near_cut,
            revealed=len(shown),
            found=sum(current.settled.values()) + len(sealed.intersection(content.responsive)),
            disputes=len(current.rulings),
            alice_errors=current.alice_errors(),
            withheld=len(current.withheld),
            unread=len(current.unread),
            closed=content,
        )
    )
    state.claims_shown = state.claims_shown and current.claims_shown
    state.reviewed += current.size
    state.responsive += len(content.responsive)
    state.drawing = state.current = None
    if state.corpus:
        state.corpus.close(told, content, shown)


def _take_link(state: State, content: contents.Closed, told: Told, current: Round) -> None:
    """Trent's link (V08); where there is no report there is no draw."""
    if current.reported:
        state.take_link(told, Role.TRENT, content.draw, content.link)
    elif content.draw is not None or content.link is not None:
        raise broken(
            told, Check.COINS, Role.TRENT, "Without a report of Alice's there is no draw", "no link", "a link or a draw"
        )


def _check_plausible(content: contents.Closed, told: Told, current: Round) -> None:
    """What every copy shows of an outcome: labels of what was disclosed, and numbers no larger than the batch."""
    responsive = set(content.responsive)
    settled = all((position in responsive) is label for position, label in current.settled.items())
    ascending = all(one < other for one, other in pairwise((*content.responsive, current.size + 1)))
    largest = max(content.threshold, content.error, content.sampled)
    if not settled or not ascending or largest > current.size:
        raise broken(
            told,
            Check.OUTCOMES,
            Role.TRENT,
            "A round ends with the labels that were agreed or ruled, and with numbers of its batch",
            f"positions in order and numbers up to {current.size}, as settled",
            f"{some(content.responsive)}; numbers up to {largest}",
        )


def _judge(state: State, content: contents.Closed, told: Told, current: Round) -> tuple[Examined, Sequence[int]]:
    """The waves (V13), what went to the court before them (V25), and the outcome (V16), the coins being known."""
    agreed = state.opened.terms
    flips = coins.coins(state.seed, range(1, current.size + 1)) if current.reported else ()
    wrong = first_wrong(current, lambda settled, counted: current.examine(agreed, flips, settled, counted))
    if wrong is not None:
        raise _wrong_step(told, wrong, current, agreed.protocol)
    state.tally.passed(Check.DISCLOSURES)
    state.tally.passed(Check.PRIVILEGE, len(current.privileged))
    examined = current.examine(agreed, flips, current.settled, frozenset(current.late))
    due = {
        "responsive": current.responsive(),
        "compelled": examined.compelled_at is not None,
        "error": examined.error,
        "sampled": len(examined.drawn),
        "threshold": examined.threshold,
    }
    for name, value in due.items():
        if getattr(content, name) != value:
            raise broken(
                told,
                Check.OUTCOMES,
                Role.TRENT,
                f"A round ends as its entries say: `{name}` of round {current.number}",
                some(value) if isinstance(value, tuple) else value,
                some(content.responsive) if name == "responsive" else getattr(content, name),
            )
    state.tally.passed(Check.OUTCOMES)
    if state.evidence is not None:
        alone = current.examine(agreed, flips, current.settled, frozenset())
        state.evidence.append(_evidence(current, examined, alone))
    return examined, flips


def _wrong_step(told: Told, wrong: Wrong, current: Round, protocol: str) -> Fault:
    where = f"wave {wrong.wave} of round {current.number}"
    if wrong.check is Check.PRIVILEGE:
        return broken(
            told,
            Check.PRIVILEGE,
            Role.TRENT,
            "What Alice claims of a wave goes to the court first, all of it and nothing else",
            f"before {where} in camera also {some(wrong.omitted)}" if wrong.omitted else f"no more of {where}",
            f"not due, or not ruled on: {some(wrong.added)}" if wrong.added else "not shown to the court",
        )
    return broken(
        told,
        Check.DISCLOSURES,
        Role.TRENT,
        f"Bob is shown what the rule `{protocol}` and the coins say, wave by wave, no more and no less",
        f"in {where} also {some(wrong.omitted)}" if wrong.omitted else f"nothing more in {where}",
        f"shown without cause: {some(wrong.added)}" if wrong.added else "not shown",
    )


def _evidence(current: Round, examined: Examined, alone: Examined) -> Evidence:
    """What the round's coins prove about hidden documents; `alone`, without late claims, says what they drew."""
    shown = evidence(examined, alone, current.settled, current.withheld)
    return without_answer(shown, examined, alone, current.unread, current.unproven()) if current.unread else shown


def claims(state: State, content: contents.Claims, told: Told) -> None:
    """The close of the matter."""
    state.check_round(told, 0)
    if state.current is not None or state.drawing is not None or not state.complete:
        raise broken(
            told,
            Check.ORDER,
            Role.TRENT,
            "Claims are made when all rounds are closed, or no document is left",
            f"{state.rounds_agreed} rounds",
            f"{len(state.rounds)} closed",
        )
    due = claimed.recompute(state.opened, state.rounds, state.evidence, defaults=state.defaults)
    wrong = claimed.differences(content, due)
    if wrong:
        raise broken(
            told,
            Check.CLAIMS,
            Role.TRENT,
            "Trent claims the numbers that follow from the entries",
            "; ".join(f"{name} {one}" for name, one, _ in wrong),
            "; ".join(f"{name} {other}" for name, _, other in wrong),
        )
    state.tally.passed(Check.CLAIMS, len(contents.Claims.__dataclass_fields__))
    if state.evidence is not None:
        if content.hidden.at_most != due.hidden.at_most:
            raise broken(
                told,
                Check.BOUND,
                Role.TRENT,
                "The bound on hidden documents is the one that the coins give",
                f"at most {due.hidden.at_most}",
                f"at most {content.hidden.at_most}",
            )
        state.tally.passed(Check.BOUND, len(state.rounds))
    state.claims = content
