"""The close of a round and of the matter: what follows, and whether Trent says so (V13, V16 to V18)."""

from collections.abc import Sequence
from itertools import pairwise

from verifier.checks import Check, Role
from verifier.record.copy import Told
from verifier.replay import claims as claimed
from verifier.replay import contents
from verifier.replay.rounds import ClosedRound, Round, detail
from verifier.replay.state import State, some
from verifier.replay.turns import broken
from verifier.rules import coins
from verifier.rules.bound import evidence
from verifier.rules.verification import Examined


def closed(state: State, content: contents.Closed, told: Told) -> None:
    """The close of a round."""
    current = state.round_with_coins(told)
    state.check_ruled(told, current)
    state.take_link(told, Role.TRENT, content, state.draws)
    if told.entry.body.releases != current.released_at_close():
        raise broken(
            told,
            Check.OUTCOMES,
            Role.TRENT,
            "A close releases Alice's report to Bob, and nothing else",
            ", ".join(sorted(current.report_fields)),
            "another release",
        )
    if (content.truth is None) != (state.opened.simulation is None):
        raise broken(
            told, Check.OUTCOMES, Role.TRENT, "A simulation states the truth, and nothing else does",
            "none" if state.opened.simulation is None else "the truth", content.truth,
        )  # fmt: skip
    _check_plausible(content, told, current)
    judged = None
    if current.report is not None:
        judged = _judge(state, content, told, current)
    else:
        state.evidence = None
    if state.details is not None:
        state.details.append(detail(current, told.entry.body.sequence, judged))
    settled = current.settled
    state.rounds.append(
        ClosedRound(
            number=current.number,
            size=current.size,
            near_cut=current.near_cut,
            revealed=len(settled),
            found=sum(settled.values()),
            disputes=len(current.rulings),
            alice_errors=current.alice_errors(),
            closed=content,
        )
    )
    state.reviewed += current.size
    state.responsive += len(content.responsive)
    state.drawing = state.current = None
    if state.corpus:
        state.corpus.close(told, content, set(settled))


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
    """The waves (V13) and the outcome (V16), now that Trent's link has told the coins, which are returned."""
    agreed = state.opened.terms
    flips = coins.coins(state.seed, range(1, current.size + 1))
    wrong = current.wrong_wave(agreed, flips)
    if wrong is not None:
        number, omitted, added = wrong
        raise broken(
            told,
            Check.DISCLOSURES,
            Role.TRENT,
            f"Bob is shown what the rule `{agreed.protocol}` and the coins say, wave by wave, no more and no less",
            f"in wave {number} of round {current.number} also {some(omitted)}" if omitted
            else f"nothing more in wave {number} of round {current.number}",
            f"shown without cause: {some(added)}" if added else "not shown",
        )  # fmt: skip
    state.tally.passed(Check.DISCLOSURES)
    examined = current.examined(agreed, flips)
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
        state.evidence.append(evidence(examined, current.settled))
    return examined, flips


def claims(state: State, content: contents.Claims, told: Told) -> None:
    """The close of the matter."""
    state.check_round(told, 0)
    if state.current is not None or state.drawing is not None or not state.complete:
        raise broken(
            told,
            Check.ORDER,
            Role.TRENT,
            "Claims are made when all rounds are closed, or no document is left",
            f"{state.opened.terms.rounds} rounds",
            f"{len(state.rounds)} closed",
        )
    due = claimed.recompute(state.opened, state.rounds, state.evidence)
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
