"""V17, V18: are the counts that Trent claims those of the entries, and is the bound the one that the coins give?"""

from collections.abc import Sequence
from dataclasses import fields

from verifier.checks import Check
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Claims, HiddenBound, Opened, RoundClaim, Truth
from verifier.replay.rounds import ClosedRound
from verifier.replay.state import State
from verifier.rules import table
from verifier.rules.base import Evidence
from verifier.rules.bound import hidden_at_most
from verifier.rules.terms import ASSUMPTIONS, probability


@condition(Check.ORDER, Blamed.TRENT, "Claims are made when all rounds are closed, or no document is left")
def review_is_over(entry: Candidate[Claims]) -> Broken | None:
    """No round is open, and no draw is under way. T rounds are closed, or no document is left."""
    state = entry.state
    if state.current is None and state.drawing is None and state.complete:
        return None
    return Broken(f"{state.rounds_agreed} rounds", f"{len(state.rounds)} closed")


def recomputed(state: State) -> Claims:
    """What can be claimed of the closed rounds."""
    return recompute(state.opened, state.rounds, state.evidence, defaults=state.defaults)


def _due(entry: Candidate[Claims]) -> Claims:
    return recomputed(entry.state)


@condition(Check.CLAIMS, Blamed.TRENT, "Trent claims the numbers that follow from the entries")
def numbers_follow(entry: Candidate[Claims]) -> Broken | None:
    """All numbers and texts except `hidden.at_most` follow from the entries."""
    wrong = _differences(entry.content, entry.once(_due))
    if not wrong:
        return None
    return Broken(
        "; ".join(f"{name} {one}" for name, one, _ in wrong), "; ".join(f"{name} {other}" for name, _, other in wrong)
    )


@condition(
    Check.BOUND,
    Blamed.TRENT,
    "The bound on hidden documents is the one that the coins give",
    shown="Alice's labels in all rounds",
)
def bound_follows(entry: Candidate[Claims]) -> Broken | None:
    """`hidden.at_most` is the bound."""
    due, found = entry.once(_due).hidden.at_most, entry.content.hidden.at_most
    return None if entry.state.evidence is None or found == due else Broken(f"at most {due}", f"at most {found}")


def take_claims(entry: Candidate[Claims]) -> None:
    """The close of the matter."""
    state = entry.state
    state.tally.passed(Check.CLAIMS, len(fields(Claims)))
    if state.evidence is not None:
        state.tally.passed(Check.BOUND, len(state.rounds))
    state.claims = entry.content


def recompute(
    opened: Opened, rounds: Sequence[ClosedRound], evidence: Sequence[Evidence] | None, *, defaults: int
) -> Claims:
    """What can be claimed of these closed rounds; without evidence the bound is left at 0."""
    terms, rule = opened.terms, table.of(opened.terms)
    revealed, found = (sum(getattr(each, name) for each in rounds) for name in ("revealed", "found"))
    hidden = 0
    if evidence is not None:
        hidden = hidden_at_most(rule, terms, evidence, probability("doubt", terms.doubt))
    return Claims(
        alice_errors=sum(each.alice_errors for each in rounds),
        compelled_rounds=sum(each.compelled for each in rounds),
        defaults=defaults,
        disputes=sum(each.disputes for each in rounds),
        found=found,
        guarantee=rule.words.guarantee,
        hidden=HiddenBound(assumes=ASSUMPTIONS, at_most=hidden, doubt=terms.doubt),
        nrd=revealed - found,
        revealed=revealed,
        reviewed=sum(each.size for each in rounds),
        rounds=tuple(_round_claim(each) for each in rounds),
        truth=_truth(opened, rounds),
        withheld=sum(each.withheld for each in rounds),
    )


def _differences(stated: Claims, due: Claims) -> list[tuple[str, str, str]]:
    """The numbers that differ, except the bound: name, what is due, what is stated."""
    found = []
    for field in fields(Claims):
        one, other = getattr(due, field.name), getattr(stated, field.name)
        if field.name == "hidden":
            one, other = ((each.assumes, each.doubt) for each in (due.hidden, stated.hidden))
        if one != other:
            found.append((field.name, _shown(one), _shown(other)))
    return found


def _shown(value: object) -> str:
    return str(value)[:300]


def _round_claim(each: ClosedRound) -> RoundClaim:
    return RoundClaim(
        compelled=each.compelled,
        error=each.error,
        near_cut=each.near_cut,
        round=each.number,
        sampled=each.sampled,
        size=each.size,
        threshold=each.threshold,
        unread=each.unread,
        withheld=each.withheld,
    )


def _truth(opened: Opened, rounds: Sequence[ClosedRound]) -> Truth | None:
    if opened.simulation is None:
        return None
    revealed = sum(each.truth.revealed for each in rounds if each.truth)
    return Truth(responsive=opened.simulation.responsive, revealed=revealed)
