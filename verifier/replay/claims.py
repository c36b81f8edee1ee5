"""The claims recomputed from the entries (V17), and the bound on hidden documents from the coins (V18)."""

from collections.abc import Sequence
from dataclasses import fields

from verifier.replay.contents import Claims, HiddenBound, Opened, RoundClaim, Truth
from verifier.replay.rounds import ClosedRound
from verifier.rules import table
from verifier.rules.base import Evidence
from verifier.rules.bound import hidden_at_most
from verifier.rules.terms import ASSUMPTIONS, probability


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
        compelled_rounds=sum(each.closed.compelled for each in rounds),
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


def differences(stated: Claims, due: Claims) -> list[tuple[str, str, str]]:
    """The numbers that differ, the bound aside: name, what is due, what is stated."""
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
        compelled=each.closed.compelled,
        error=each.closed.error,
        near_cut=each.near_cut,
        round=each.number,
        sampled=each.closed.sampled,
        size=each.size,
        threshold=each.closed.threshold,
        unread=each.unread,
        withheld=each.withheld,
    )


def _truth(opened: Opened, rounds: Sequence[ClosedRound]) -> Truth | None:
    if opened.simulation is None:
        return None
    revealed = sum(each.closed.truth.revealed for each in rounds if each.closed.truth)
    return Truth(responsive=opened.simulation.responsive, revealed=revealed)
