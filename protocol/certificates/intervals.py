"""How many responsive documents there are, estimated from a draw, with an exact two-sided interval.

Of M documents d were drawn, each with chance / ONE. The interval takes every M for which neither so few nor so many
drawn documents would be rarer than half of the level (Clopper and Pearson's way, here for M).
"""

from fractions import Fraction

from protocol.certificates.binomial import last_above
from protocol.certificates.collection import most
from protocol.certificates.exact import ONE


def interval(hits: int, chance: int, level: Fraction) -> tuple[int, int]:
    """The least and the largest number of documents that fit the hits; each side errs with half of the level."""
    high = most(hits, chance, level / 2)
    return _least(hits, chance, level / 2), high


def estimate(hits: int, chance: int) -> int:
    """How many there are most likely: hits * ONE / chance, rounded half up."""
    return (2 * hits * ONE + chance) // (2 * chance)


def _least(hits: int, chance: int, level: Fraction) -> int:
    """The least M of which at least `hits` are drawn with a probability above the level."""
    return 1 + last_above(hits - 1, chance, 1 - level, or_equal=True) if hits else 0
