"""The boundary: with d hits, the time on test is at most b_d / 2^32, at every moment, except with probability `doubt`.

Up to 500 hits it is the recursion of the specification itself, in whole numbers:

    v_0 = 1;   v_d = sum over k < d of (-1)^(d-k+1) binom(d, k) v_k b_k^(d-k)
    b_d = max(b_(d-1), ceil(2^32 ln(v_d (d + 1) (d + 2) / (d! 2^(32 d) doubt))))

Term k of v_d is term k of v_(d-1) times b_k d / (d - k), so no power is computed twice.

For more hits it is the least b >= 2^32 d whose Poisson probability e^-B B^d / d!, B = b / 2^32, is at most
doubt / ((d + 1) (d + 2)). This c_d never falls below b_500, and need not be compared with it:
- c_(d-1) <= c_d, since from d to d - 1 the probability changes by the factor d / B <= 1, and the share grows.
- b_d <= c_d, since v_d / (d! 2^(32 d)) is the volume of the d-tuples that ascend below bounds of at most
  B_(d-1) <= C_(d-1) <= C_d. So it is at most C_d^d / d!, and the logarithm for b_d is at most that for c_d.
"""

from collections.abc import Iterator
from decimal import MAX_EMAX, Context, Decimal
from fractions import Fraction
from functools import cache
from math import ceil

from verifier.logarithms import ln_ceil

LAST = 500
"""The largest number of hits for which the recursion is used."""

_UNIT = 2**32
_NEAR = Decimal("1e-10")  # Newton's method ends with such a step: less than a unit
_KEPT = 256  # bits of a ratio that are enough for nearly every logarithm


def boundary(doubt: Fraction, hits: int) -> int:
    """b_d for so many hits d, in units of 2^-32."""
    if hits > LAST:
        return closed_form(doubt, hits)
    known, further = _table(doubt)
    while len(known) <= hits:
        known.append(next(further))
    return known[hits]


@cache
def _table(doubt: Fraction) -> tuple[list[int], Iterator[int]]:
    return [], recursion(doubt)


def recursion(doubt: Fraction) -> Iterator[int]:
    """b_0, b_1, b_2 and so on without end, by the recursion."""
    bounds: list[int] = []
    terms: list[int] = []
    volume, scale, hits = 1, 1, 0
    while True:
        ratio = volume * (hits + 1) * (hits + 2) * doubt.denominator, scale * doubt.numerator
        bounds.append(max([*bounds[-1:], _ceil_ln(*ratio)]))
        yield bounds[-1]
        terms.append(volume)
        hits += 1
        scale *= hits * _UNIT
        terms = [
            term * (bound * hits) // left for term, bound, left in zip(terms, bounds, range(hits, 0, -1), strict=True)
        ]
        volume = sum(terms[::-2]) - sum(terms[-2::-2])


def _ceil_ln(numerator: int, denominator: int) -> int:
    """ceil(2^32 ln(numerator / denominator)), by the leading bits where they decide."""
    shift = max(0, min(numerator.bit_length(), denominator.bit_length()) - _KEPT)
    above, below = numerator >> shift, denominator >> shift
    least, most = ln_ceil(above, below + 1, 32), ln_ceil(above + 1, below, 32)
    return most if least == most else ln_ceil(numerator, denominator, 32)


def closed_form(doubt: Fraction, hits: int) -> int:
    """c_d, for at least one hit: Newton's method comes close, and then the definition decides.

    The excess B - d ln B + ln(d! doubt / ((d + 1) (d + 2))) is convex, grows with B from d on, and is negative at d.
    """
    work = Context(prec=40)
    guess, step = Decimal(2 * hits), Decimal(1)
    while work.abs(step) > _NEAR:
        step = work.divide(_excess(doubt, hits, guess, 40)[0], work.subtract(1, work.divide(hits, guess)))
        guess = work.subtract(guess, step)
    bound = ceil(Fraction(guess) * _UNIT)
    while _suffices(doubt, hits, bound - 1):
        bound -= 1
    while not _suffices(doubt, hits, bound):
        bound += 1
    return bound


def _suffices(doubt: Fraction, hits: int, bound: int) -> bool:
    """Whether the Poisson probability at bound / 2^32 is small enough: e^B is irrational, so never just so."""
    digits = 60
    exact = Context(prec=len(str(bound)) + 32)  # n / 2^32 = n 5^32 / 10^32 needs no more digits
    while True:
        excess, error = _excess(doubt, hits, exact.divide(bound, _UNIT), digits)
        if excess.copy_abs() > error:
            return excess > 0
        digits *= 2


def _excess(doubt: Fraction, hits: int, time: Decimal, digits: int) -> tuple[Decimal, Decimal]:
    """How far the Poisson probability is below its limit, as a logarithm, and how wrong that can be."""
    work = Context(prec=digits)
    ratio = work.divide((hits + 1) * (hits + 2) * doubt.denominator, doubt.numerator)
    parts = time, work.multiply(hits, work.ln(time)), _ln_factorial(hits, digits), work.ln(ratio)
    excess = work.subtract(work.add(work.subtract(parts[0], parts[1]), parts[2]), parts[3])
    # an operation is off by less than 10^(1 - digits) of its result, the factorial by `hits` times that
    size = hits + 10 + sum(ceil(each.copy_abs()) for each in parts)
    return excess, work.multiply(size, Decimal(10) ** (2 - digits))


@cache
def _ln_factorial(number: int, digits: int) -> Decimal:
    """ln(number!), of a product that is rounded at each factor."""
    work = Context(prec=digits, Emax=MAX_EMAX)
    product = Decimal(1)
    for factor in range(2, number + 1):
        product = work.multiply(product, factor)
    return work.ln(product)
