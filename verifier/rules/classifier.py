"""The classifier report: Alice names a threshold, and what the coins find below it raises the chances of the rest.

Specification, "Label verification" and "The bound".
"""

from collections import Counter
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache

from verifier.certificates.exact import cost
from verifier.logarithms import ln_ceil
from verifier.record.shapes import positive, shaped, text
from verifier.rules import bound
from verifier.rules.base import (
    ALL_COINS,
    NOTHING,
    Coins,
    Evidences,
    Examined,
    Report,
    Rule,
    Settled,
    Words,
    above_the_threshold,
    chance,
)
from verifier.rules.terms import Terms, probability

_UNIT = 2**64
_DIGITS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierTerms(Terms):
    """The failure probability of a round; k is idle."""

    delta: str = shaped(text)
    k: int = shaped(positive)


def check(terms: ClassifierTerms) -> None:
    """Whether delta is a probability."""
    probability("delta", terms.delta)


def tickets(delta: Fraction, size: int) -> int:
    """C of the classifier report: 2 ceil(2^32 ln(N/delta)), N being the batch's size."""
    return 2 * ln_ceil(size * delta.denominator, delta.numerator, 32)


def examine(
    terms: ClassifierTerms,
    report: Report,
    coins: Coins,
    settled: Settled,
    counted: frozenset[int] = NOTHING,
) -> Examined:
    """All above the threshold is due, and below it what the coins draw, one position after the other."""
    size, threshold = len(report.labels), report.threshold or 0
    sold = tickets(probability("delta", terms.delta), size)
    drawn, chances = set(), {}
    balance, weight, compelled_at = 0, 1, None  # M- less M+, W
    for position in range(threshold + 1, size + 1):
        chances[position] = chance(sold, weight)
        is_drawn = coins[position - 1] < chances[position] or position in counted
        if is_drawn:
            drawn.add(position)
        confirmed = is_drawn and settled.get(position, False)
        balance, weight = (balance - 1, 1) if confirmed else (balance + 1, weight + 1)
        if balance < 0:
            compelled_at = position
            break
    shown = range(1, threshold + 1) if compelled_at is None else range(1, size + 1)
    return Examined(
        threshold=threshold,
        error=sum(label is False for label in report.labels),
        due=frozenset(shown) | drawn,
        chances=chances,
        drawn=frozenset(drawn),
        compelled_at=compelled_at,
    )


def certain(_terms: ClassifierTerms, _report: Report, threshold: int) -> dict[int, str]:
    """All above the reported threshold."""
    return above_the_threshold(threshold)


@dataclass(frozen=True, slots=True)
class Bet:
    """g = min(limit, share c), with a part of the money; the limit is in units of 2^-64, None is infinite."""

    weight: Fraction
    share: Fraction
    limit: int | None

    def gain(self, number: int) -> int:
        """floor(2^64 g) for a chance that misses."""
        part = cost(number) * self.share.numerator // self.share.denominator
        return part if self.limit is None else min(self.limit, part)


BETS = (
    Bet(Fraction(4, 5), Fraction(1), None),
    Bet(Fraction(1, 35), Fraction(1, 2), None),
    *(Bet(Fraction(1, 35), Fraction(9, 10), _UNIT // 2**power) for power in (3, 4, 5, 6, 7, 8)),
)


@cache
def loss(bet: Bet, number: int) -> int:
    """ceil(2^64 (-ln((1 - (1 - p) e^g) / p))) for a find, with the rounded g that a miss would have gained."""
    work = Context(prec=_DIGITS)
    probability = work.divide(Decimal(number), Decimal(ALL_COINS))
    growth = work.exp(work.divide(Decimal(bet.gain(number)), Decimal(_UNIT)))
    kept = work.divide(work.subtract(1, work.multiply(work.subtract(1, probability), growth)), probability)
    return int(work.multiply(-work.ln(kept), Decimal(_UNIT)).to_integral_value(ROUND_CEILING))


def at_most(_terms: ClassifierTerms, rounds: Evidences, doubt: Fraction) -> int:
    """The least of what the bets allow."""
    missed = bound.missed(rounds)
    found = Counter(number for each in rounds for number in each.found if number < ALL_COINS)
    bounds = []
    for bet in BETS:
        if found and bet.share == 1:
            continue  # the first find took all of this bet's money
        lost = sum(times * loss(bet, number) for number, times in found.items())
        bounds.append(bound.affordable(missed, bet.gain, bound.log_of_inverse(bet.weight * doubt) + lost))
    return min(bounds)


RULE = Rule(
    protocol="classifier",
    terms=ClassifierTerms,
    check=check,
    with_threshold=True,
    examine=examine,
    certain=certain,
    at_most=at_most,
    words=Words(
        guarantee=(
            "In each round, whatever threshold Alice reports, with probability at least 1 - delta at most 3 err* of "
            "the batch's responsive documents were not disclosed, err* being the least error that any threshold has "
            f"on the true labels. {bound.LEFT_ASIDE}"
        ),
        plain=(
            "Of each batch, Bob almost surely gets all responsive documents but for a few: at most three times as many "
            "as the best threshold through the ranking would get wrong."
        ),
        explained=(
            "Alice reported a threshold and labels above it. Bob was to see all above it, and others drawn by coin "
            "below; if, going down from the threshold, the drawn ones found responsive ever outnumbered all others "
            "passed, he was to get the whole batch."
        ),
        story=(
            "The rule was the classifier report. Alice names a threshold and labels what is above it, before anybody "
            "knows the coins. Bob sees all above it, and below it documents drawn by coin, with a chance that falls "
            "from one position to the next and rises again after each responsive one that is found. If, going down, "
            "the drawn ones found responsive ever outnumber all others passed, he gets the whole batch."
        ),
        numbers=lambda terms: f"delta is {terms.delta}",
    ),
)
