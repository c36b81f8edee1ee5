"""The toy rule once more, as the verifier would have it; it takes nothing from its twin `toy_rule`."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from verifier.certificates.exact import cost
from verifier.record.shapes import shaped, text
from verifier.rules import bound
from verifier.rules.base import ALL_COINS, Coins, Evidences, Examined, Report, Rule, Settled, Words
from verifier.rules.terms import Terms
from verifier.rules.terms import probability as decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed(Terms):
    """What is agreed beside the common terms."""

    odds: str = shaped(text)


def check(agreed: Agreed) -> None:
    """Whether the odds are a probability."""
    decimal("odds", agreed.odds)


def examine(agreed: Agreed, report: Report, coins: Coins, _settled: Settled, counted: frozenset[int]) -> Examined:
    """What Alice reports as responsive is due, and of the rest what is drawn."""
    limit = ceil(decimal("odds", agreed.odds) * ALL_COINS)
    responsive, chances, drawn = set(), {}, set()
    for position, (label, coin) in enumerate(zip(report.labels, coins, strict=True), 1):
        if label:
            responsive.add(position)
        else:
            chances[position] = limit
            if coin < limit or position in counted:
                drawn.add(position)
    return Examined(
        threshold=0,
        error=len(responsive),
        due=frozenset(responsive | drawn),
        chances=chances,
        drawn=frozenset(drawn),
        compelled_at=None,
    )


def certain(_agreed: Agreed, report: Report, _threshold: int) -> dict[int, str]:
    """What Alice reports."""
    return {position: "the toy shows what is reported" for position, label in enumerate(report.labels, 1) if label}


def at_most(_agreed: Agreed, rounds: Evidences, doubt: Fraction) -> int:
    """All that was missed, if a coin has ever found anything."""
    chances = bound.missed(rounds)
    if [number for closed in rounds for number in closed.found]:
        return len(chances)
    return bound.affordable(chances, cost, bound.log_of_inverse(doubt))


RULE = Rule(
    protocol="toy",
    terms=Agreed,
    check=check,
    with_threshold=False,
    examine=examine,
    certain=certain,
    at_most=at_most,
    words=Words(
        guarantee=f"In each round every document is drawn with the probability `odds`. {bound.LEFT_ASIDE}",
        plain="A coin decides about each document that Alice leaves out.",
        explained="Bob was to see what a toy coin drew.",
        story="The rule was a toy. Coins with one probability draw from what Alice leaves out.",
        numbers=lambda agreed: f"odds is {agreed.odds}",
    ),
)
