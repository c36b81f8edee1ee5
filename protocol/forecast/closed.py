"""What can be said without trials: what a target costs if nothing is hit, and what one validation costs."""

from collections.abc import Iterator
from fractions import Fraction

from protocol.certificates.binomial import side
from protocol.certificates.collection import most
from protocol.certificates.exact import ONE, threshold
from protocol.certificates.reviewed import Standing, next_chance
from protocol.matter.validations import meets

COUNTLESS = 10**12
"""More documents than any review withholds."""

LARGEST_RATE = Fraction(1, 2)
"""A validation that shows more than half of everything is no validation."""

_LEAST_RATE = Fraction(1, 10_000)
_STEP = Fraction(101, 100)
_DIGITS = 10**6


def share_shown(found: int, target: Fraction, doubt: Fraction) -> float:
    """Which share of what is withheld Bob must see for the target, if so many were found and nothing is hit."""
    standing = Standing(found=found, hits=0, credit=0, exposures={0: COUNTLESS})
    return next_chance(standing, target, doubt) / ONE


def highest_target(found: int, share: float, doubt: Fraction) -> Fraction | None:
    """The highest target, in hundredths, for which Bob sees at most this share of what is withheld."""
    targets = (Fraction(each, 100) for each in range(99, 0, -1))
    return next((each for each in targets if share_shown(found, each, doubt) <= share), None)


def rate_of_validation(
    *, found: int, missing: int, target: Fraction, level: Fraction, likely: Fraction
) -> Fraction | None:
    """The least rate, to about 1 %, at which one validation in one stage certifies the target with this probability.

    Bob has found so many responsive documents, and so many are missing. None if even the largest rate is too small.
    """
    for rate in _rates():
        chance = threshold(rate)
        allowed = most_hits(found, target, level, chance)
        if allowed is not None and side(allowed, missing, chance, likely) >= 0:
            return rate
    return None


def most_hits(found: int, target: Fraction, level: Fraction, chance: int) -> int | None:
    """With how many hits at most a validation at this chance still certifies the target; None if with none."""

    def enough(hits: int) -> bool:
        return meets(target, found + hits, found + most(hits, chance, level))

    if not enough(0):
        return None
    low, high = 0, 1
    while enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


def _rates() -> Iterator[Fraction]:
    rate = _LEAST_RATE
    while rate < LARGEST_RATE:
        yield Fraction(round(rate * _DIGITS), _DIGITS)
        rate = Fraction(round(rate * _STEP * _DIGITS * _DIGITS), _DIGITS * _DIGITS)
