"""Estimates with exact two-sided intervals: how many responsive documents a draw speaks for."""

from fractions import Fraction
from math import isqrt

from verifier.certificates.binomial import last, side
from verifier.certificates.collection import most
from verifier.certificates.exact import ONE


def interval(hits: int, chance: int, alpha: Fraction) -> tuple[int, int]:
    """The least and the largest number that leave the hits a probability above alpha / 2 on their side."""
    return _least(hits, chance, alpha / 2), most(hits, chance, alpha / 2)


def estimate(hits: int, chance: int) -> int:
    """How many there are if the hits are their proportional part, rounded half up."""
    return (2 * hits * ONE + chance) // (2 * chance)


def _least(hits: int, chance: int, level: Fraction) -> int:
    """The least M with P(at least `hits` of M drawn) > level.

    That is one more than the largest M with P(fewer drawn) >= 1 - level.
    """
    if not hits:
        return 0
    guess, step = hits * ONE // chance, (isqrt(hits) + 1) * ONE // chance
    return 1 + last(lambda number: side(hits - 1, number, chance, 1 - level) >= 0, hits - 1, guess - step, step)
