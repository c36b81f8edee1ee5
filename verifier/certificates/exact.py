"""Chances and costs: a coin below the chance draws, and the cost of a chance is how much it tells when it does not.

threshold(x) = ceil(2^64 x)        cost(t) = floor(2^64 (-ln(1 - t / 2^64)))
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from math import ceil

from verifier.logarithms import ln_floor

ONE = 2**64
"""The chance that is certain, and the unit of costs."""


def threshold(value: Fraction) -> int:
    """The chance for a rate."""
    return ceil(value * ONE)


@cache
def cost(chance: int) -> int:
    """The cost of a chance below ONE."""
    if not 0 <= chance < ONE:
        raise ValueError(f"{chance} is not a chance from 0 to below 2^64")
    return ln_floor(ONE, ONE - chance, 64)


def chance_for(least: int) -> int:
    """The least chance that costs at least this, or ONE if none does.

    cost(t) >= x says t >= 2^64 (1 - e^(-x / 2^64)), which is never an integer but for x = 0.
    """
    if least <= 0:
        return 0
    digits = 60
    while True:
        below, above = (ceil(ONE * (1 - kept)) for kept in exponential(-least, digits))
        if below == above:
            return below
        digits *= 2


def exponential(exponent: int, digits: int) -> tuple[Fraction, Fraction]:
    """A number below e^(exponent / 2^64) and one above, which agree in nearly all of so many digits."""
    work = Context(prec=digits)
    whole = Context(prec=len(str(exponent)) + 64)  # n / 2^64 = n 5^64 / 10^64 needs no more digits
    value = work.exp(whole.divide(Decimal(exponent), Decimal(ONE)))  # rounded to the nearest
    return Fraction(work.next_minus(value)), Fraction(work.next_plus(value))
