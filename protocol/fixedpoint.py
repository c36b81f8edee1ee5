"""Logarithms and powers of e as integers, exact in every digit, and the fractions that terms are written in.

    floor_ln(a, b, bits) = floor(2^bits * ln(a / b)),  and round_ln (half up) and ceil_ln
    floor_exp(a, b, bits) = floor(2^bits * e^(a / b))

Python's decimals are the same on every machine, and their `ln` and `exp` are correctly rounded. The error is bounded;
if it could change the integer, more digits are taken. This ends, because the logarithm of a fraction other than 1 is
irrational, hence neither an integer nor half of one after scaling; so is e to the power of a fraction other than 0.
"""

import re
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from protocol.errors import BadTerms

DIGITS = 60
"""Significant digits of the first try."""

MAX_FRACTION_LENGTH = 30

_HALF = Decimal("0.5")
_PLAIN = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")


@lru_cache(2**12)
def floor_ln(numerator: int, denominator: int, bits: int) -> int:
    """2^bits * ln(numerator / denominator), rounded down."""
    return _shifted_floor(numerator, denominator, bits, Decimal(0))


def round_ln(numerator: int, denominator: int, bits: int) -> int:
    """2^bits * ln(numerator / denominator), rounded half up."""
    return _shifted_floor(numerator, denominator, bits, _HALF)


def ceil_ln(numerator: int, denominator: int, bits: int) -> int:
    """2^bits * ln(numerator / denominator), rounded up."""
    return -floor_ln(denominator, numerator, bits)


def _shifted_floor(numerator: int, denominator: int, bits: int, shift: Decimal) -> int:
    """floor(2^bits * ln(numerator / denominator) + shift)."""
    if numerator <= 0 or denominator <= 0 or bits < 0:
        raise ValueError(f"no logarithm of {numerator}/{denominator} to {bits} bits")
    if numerator == denominator:
        return 0
    factor = Decimal(2**bits)
    digits = DIGITS
    while True:
        context = Context(prec=digits)
        found = context.ln(context.divide(Decimal(numerator), Decimal(denominator)))
        scaled = context.add(context.multiply(found, factor), shift)
        # quotient, logarithm, product and sum are off by a relative 10^(1 - digits) each; this is 100 times as much
        error = context.scaleb(context.multiply(context.add(context.abs(found), Decimal(1)), factor), 4 - digits)
        low, high = context.subtract(scaled, error), context.add(scaled, error)
        if (found_floor := _floor(low)) == _floor(high):
            return found_floor
        digits *= 2


def floor_exp(numerator: int, denominator: int, bits: int) -> int:
    """2^bits * e^(numerator / denominator), rounded down."""
    if denominator <= 0 or bits < 0:
        raise ValueError(f"no power of e to {numerator}/{denominator} to {bits} bits")
    if numerator == 0:
        return 1 << bits
    digits = DIGITS + bits // 3
    while True:
        down, up = roundings(digits)
        low = down.multiply(down.exp(down.divide(Decimal(numerator), Decimal(denominator))).next_minus(down), 1 << bits)
        high = up.multiply(up.exp(up.divide(Decimal(numerator), Decimal(denominator))).next_plus(up), 1 << bits)
        if (found_floor := _floor(low)) == _floor(high):
            return found_floor
        digits *= 2


def roundings(digits: int) -> tuple[Context, Context]:
    """Two contexts for decimals of so many digits: one rounds every sum, product and quotient down, the other up.

    What both of them compute encloses the exact value. Their `exp` and `ln` round to nearest all the same: take
    `next_minus` and `next_plus` of these.
    """
    down, up = (
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    return down, up


def _floor(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_FLOOR))


def parse_fraction(text: str) -> Fraction:
    """The exact value of a plain decimal: digits, and a point with more digits if need be."""
    if len(text) > MAX_FRACTION_LENGTH or not _PLAIN.fullmatch(text):
        shown = text if len(text) <= MAX_FRACTION_LENGTH else f"{text[:MAX_FRACTION_LENGTH]}..."
        raise BadTerms(
            f"{shown!r} is not a plain decimal of at most {MAX_FRACTION_LENGTH} characters; write, for example, 0.01"
        )
    return Fraction(text)
