"""Chances and what they cost, as integers of 2^-64.

A chance t is the number of coins, out of ONE, that draw a document. To stay undrawn at that chance costs
-ln(1 - t / ONE): the costs of independent draws add up.
"""

from fractions import Fraction
from functools import lru_cache

from protocol.fixedpoint import floor_exp, floor_ln

BITS = 64
ONE = 1 << BITS
"""How many coins there are."""


def threshold(value: Fraction) -> int:
    """How many coins draw at this rate, rounded upward: a coin draws if it is below."""
    if not 0 <= value <= 1:
        raise ValueError(f"{value} is not a rate: it must be from 0 to 1")
    return -(-value.numerator * ONE // value.denominator)


@lru_cache(2**12)
def cost(chance: int) -> int:
    """-ln(1 - chance / ONE) * ONE, rounded downward. A larger chance costs strictly more."""
    if not 0 <= chance < ONE:
        raise ValueError(f"a chance of {chance} coins has no cost: it must be at least 0 and below {ONE}")
    return floor_ln(ONE, ONE - chance, BITS)


def least_chance(exposure: int) -> int:
    """The least chance that costs at least `exposure`: ONE * (1 - e^(-exposure / ONE)), rounded upward.

    The cost is rounded downward, so it is at least an integer exactly if the logarithm itself is.
    """
    if exposure <= 0:
        return 0
    if exposure > cost(ONE - 1):
        raise ValueError(f"no chance below {ONE} coins costs {exposure}")
    return ONE - floor_exp(-exposure, ONE, BITS)
