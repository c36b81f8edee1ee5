"""Binomial probabilities against a level, without a logarithm, a power or a factorial.

Only the ratios of neighbouring probabilities are used. The most likely count gets the weight 2^bits, and from there the
weights fall on both sides. A weight divided by the sum of all is its probability.

    weight(j - 1) = weight(j) j (ONE - t) / ((M - j + 1) t)        of M documents, each drawn with the chance t

Every weight is rounded down. A ratio is at most 1, so n steps from the largest weight at most n is missing, and where a
weight has come to 0 after n steps, the true one and all beyond are at most n.
"""

from collections.abc import Callable
from fractions import Fraction
from math import gcd

from verifier.certificates.exact import ONE


def side(hits: int, number: int, chance: int, level: Fraction) -> int:
    """1, 0 or -1: P(at most `hits` of `number` documents are drawn) is above the level, equal to it, or below.

    The probability is a whole number of 2^-grain. So it equals the level if it is closer to it than another can be.
    """
    if hits >= number or chance == ONE:
        return _sign((hits >= number) - level)
    grain = number * (ONE // gcd(chance, ONE)).bit_length() - number
    bits = 96
    while True:
        few, many, error = _weights(hits, number, chance, bits)
        # few / (few + many) against the level, with up to `error` more on either side
        least = few * (level.denominator - level.numerator) - (many + error) * level.numerator
        most = (few + error) * (level.denominator - level.numerator) - many * level.numerator
        if least > 0 or most < 0:
            return _sign(least)
        if grain + (error * level.denominator).bit_length() <= bits:
            return 0
        bits *= 2


def last(holds: Callable[[int], bool], least: int, guess: int, step: int) -> int:
    """The largest number for which it holds, if it holds for `least`, up to some number, and not beyond."""
    low = high = max(least, guess)
    if holds(low):
        while holds(high := low + step):
            low, step = high, 2 * step
    else:
        while (low := max(least, high - step)) > least and not holds(low):
            high, step = low, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _weights(hits: int, number: int, chance: int, bits: int) -> tuple[int, int, int]:
    """The weights of up to `hits` and of more than that, added up, and how much can be missing from each."""
    mode = (number + 1) * chance // ONE
    below = _falling(number, chance, mode, bits)
    above = _falling(number, ONE - chance, number - mode, bits)[1:]
    if hits < mode:
        few, many = sum(below[mode - hits :]), sum(below[: mode - hits]) + sum(above)
    else:
        few, many = sum(below) + sum(above[: hits - mode]), sum(above[hits - mode :])
    return few, many, (len(below) + len(above)) * (number + 1)


def _falling(number: int, chance: int, mode: int, bits: int) -> list[int]:
    """The weights of mode, mode - 1 and so on, as far as they are above 0, and the 0 after them."""
    weight = 1 << bits
    weights = [weight]
    for drawn in range(mode, 0, -1):
        weight = weight * (drawn * (ONE - chance)) // ((number - drawn + 1) * chance)
        weights.append(weight)
        if not weight:
            break
    return weights


def _sign(value: Fraction | int) -> int:
    return (value > 0) - (value < 0)
