"""On which side of a level the distribution of a binomial variable lies, exactly.

    P(X <= d),  X the number of drawn documents among M, each drawn with chance / ONE

The sum is P(X = d) times the sum of the ratios of all terms to this one. Both are computed twice, with every operation
rounded down and with every operation rounded up. If the level lies between the two results, more digits are taken.
Equality cannot be seen in digits. The probability is a fraction with a power of two below, so a level with another
denominator is never equal to it; for a level with a power of two below, integers decide.
"""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import isqrt, prod

from protocol.certificates.exact import ONE
from protocol.fixedpoint import roundings

_DIGITS = 30
_BITS_IN_A_DIGIT = 4
_FACTORS = 32


def last_above(drawn: int, chance: int, level: Fraction, *, or_equal: bool = False) -> int:
    """The largest number of documents of which at most `drawn` are drawn with a probability above the level.

    The probability falls as the number grows, so the search doubles its steps from the likeliest number, and halves.
    """
    least = 0 if or_equal else 1

    def holds(number: int) -> bool:
        return side(drawn, number, chance, level) >= least

    stride = (isqrt(drawn) + 1) * ONE // chance
    low = drawn * ONE // chance
    high = low + 1
    while holds(high):
        low, high, stride = high, high + stride, 2 * stride
    while not holds(low):
        low, high, stride = max(drawn, low - stride), low, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def side(drawn: int, number: int, chance: int, level: Fraction) -> int:
    """1 if P(X <= drawn) is above the level, -1 if it is below, 0 if it is equal; X is of `number` documents."""
    if drawn >= number or chance == 0:
        return _sign(1 - level)
    if drawn < 0 or chance == ONE:
        return _sign(-level)
    digits = _DIGITS
    while True:
        down, up = roundings(digits)
        if down.multiply(_sum(drawn, number, chance, down), level.denominator) > level.numerator:
            return 1
        if up.multiply(_sum(drawn, number, chance, up), level.denominator) < level.numerator:
            return -1
        if level.denominator & (level.denominator - 1) == 0:
            return _exact_side(drawn, number, chance, level)
        digits *= 2


def _sum(drawn: int, number: int, chance: int, context: Context) -> Decimal:
    """P(X <= drawn), with every operation rounded as the context says."""
    bits = context.prec * _BITS_IN_A_DIGIT
    ratios = _ratios(drawn, number, chance, bits, upward=context.rounding == ROUND_CEILING)
    return context.multiply(_term(drawn, number, chance, context), context.divide(Decimal(ratios), 1 << bits))


def _ratios(drawn: int, number: int, chance: int, bits: int, *, upward: bool) -> int:
    """P(X <= drawn) / P(X = drawn) in units of 2^-bits.

    The terms may rise at first, but once they fall they go on falling. So when one has become negligible, no later one
    is larger, and it is known what those that are left out add up to at most.
    """
    missed, extra, negligible = ONE - chance, int(upward), 1 << bits // 4
    term = total = 1 << bits
    for left in range(drawn, 0, -1):
        if term < negligible:
            return total + extra * term * left
        term = term * left * missed // ((number - left + 1) * chance) + extra
        total += term
    return total


def _term(drawn: int, number: int, chance: int, context: Context) -> Decimal:
    """P(X = drawn): some factors at a time, so that the integers stay small."""
    ways = Decimal(1)
    for start in range(0, drawn, _FACTORS):
        end = min(start + _FACTORS, drawn)
        ways = context.multiply(ways, prod(range(number - end + 1, number - start + 1)))
        ways = context.divide(ways, prod(range(start + 1, end + 1)))
    hit = _power(context.divide(Decimal(chance), ONE), drawn, context)
    missed = _power(context.divide(Decimal(ONE - chance), ONE), number - drawn, context)
    return context.multiply(context.multiply(ways, hit), missed)


def _power(base: Decimal, exponent: int, context: Context) -> Decimal:
    """By squaring, because `Context.power` does not promise on which side of the exact value it lies."""
    result = Decimal(1)
    for bit in f"{exponent:b}":
        result = context.multiply(result, result)
        if bit == "1":
            result = context.multiply(result, base)
    return result


def _exact_side(drawn: int, number: int, chance: int, level: Fraction) -> int:
    """The same in integers, for any level; slow if the chance has many bits and the number is large."""
    rate = Fraction(chance, ONE)
    hit, missed = rate.numerator, rate.denominator - rate.numerator
    term: int = missed**number
    total = term
    for taken in range(drawn):
        term = term * (number - taken) * hit // ((taken + 1) * missed)
        total += term
    one: int = rate.denominator**number
    return _sign(total * level.denominator - level.numerator * one)


def _sign(number: int | Fraction) -> int:
    return (number > 0) - (number < 0)
