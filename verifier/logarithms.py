"""Logarithms as integers, right to the last unit (specification, section "Numbers").

    ln_floor(a, b, bits) = floor(2^bits ln(a / b)),   and ln_ceil, and ln_round (half up)

A decimal logarithm with a known error decides, unless the error could change the integer; then more digits are taken.
That ends, since ln of a fraction other than 1 is irrational.
"""

from decimal import ROUND_FLOOR, Context, Decimal
from functools import cache


@cache
def ln_floor(numerator: int, denominator: int, bits: int) -> int:
    """2^bits ln(numerator / denominator), rounded down."""
    return _floor_of(numerator, denominator, bits, Decimal(0))


def ln_ceil(numerator: int, denominator: int, bits: int) -> int:
    """2^bits ln(numerator / denominator), rounded up."""
    return -ln_floor(denominator, numerator, bits)


@cache
def ln_round(numerator: int, denominator: int, bits: int) -> int:
    """2^bits ln(numerator / denominator), rounded half up."""
    return _floor_of(numerator, denominator, bits, Decimal("0.5"))


def _floor_of(numerator: int, denominator: int, bits: int, shift: Decimal) -> int:
    """floor(2^bits ln(numerator / denominator) + shift)."""
    if numerator == denominator:
        return 0
    # ln a - ln b, each off by at most one unit in its last digit, loses no more than their size
    digits = 50
    while True:
        work = Context(prec=digits)
        logs = work.ln(Decimal(numerator)), work.ln(Decimal(denominator))
        scaled = work.add(work.multiply(work.subtract(*logs), Decimal(2**bits)), shift)
        size = work.add(work.add(work.abs(logs[0]), work.abs(logs[1])), Decimal(2))
        doubt = work.multiply(work.multiply(size, Decimal(2**bits)), Decimal(10) ** (3 - digits))
        low, high = work.subtract(scaled, doubt), work.add(scaled, doubt)
        if _whole(low) == _whole(high):
            return _whole(low)
        digits *= 2


def _whole(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_FLOOR))
