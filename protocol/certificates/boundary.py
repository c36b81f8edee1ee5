"""How much exposure all hidden documents together can have survived, after so many hits: the boundary b_d.

Hits come as the points of a Poisson process of rate 1, with the exposure of what is hidden as its time (Theorem 1).
That the exposure ever exceeds B_d = b_d / 2^32 while there are d hits has a probability of at most `doubt`, shared out
over all d with 1 / ((d + 1)(d + 2)) for each. The definition, with v_0 = 1:

    v_d = sum over k < d of (-1)^(d - k + 1) * binom(d, k) * v_k * b_k^(d - k)
    b_d = max(b_(d - 1), ceil(2^32 * ln(v_d (d + 1)(d + 2) / (d! * 2^(32 d) * doubt))))

Up to 500 hits the same integers come from a recursion without cancellation. Let q_d[k] be the probability of k points
up to B_(d - 1) without a crossing so far, so that k >= d. Then

    b_d = b_(d - 1) + max(0, ceil(2^32 * ln(q_d[d] * (d + 1)(d + 2) / doubt)))
    q_(d + 1) = q_d convolved with Poisson(B_d - B_(d - 1)), without k = d

Probabilities are rounded down to integers of 2^-bits, and what that loses in all is counted. If it could change b_d,
the recursion starts again with twice the bits. This ends, because e to the power of a fraction is irrational.

Beyond 500 hits b_d is the least b >= 2^32 d with b >= 2^32 * ln(b^d (d + 1)(d + 2) / (d! * 2^(32 d) * doubt)): there
alone, without looking back, the probability of exactly d points is small enough. This never falls below an earlier
b_d. The condition at d implies the condition at d - 1, because b >= 2^32 d; and v_d <= b_(d - 1)^d, so by induction the
recursion stays at or below this form.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache

from protocol.fixedpoint import DIGITS, ceil_ln, floor_exp, roundings

UNIT_BITS = 32
UNIT = 1 << UNIT_BITS
"""The boundary is counted in 2^-32."""

LAST_OF_RECURSION = 500
"""From here on the closed form takes over; the boundary itself never ends."""

_SPARE_BITS = 128


def boundary(doubt: Fraction, hits: int) -> int:
    """b_d for d = `hits`, in units of 2^-32."""
    if not 0 < doubt < 1:
        raise ValueError(f"a doubt of {doubt} is not between 0 and 1")
    if hits < 0:
        raise ValueError(f"there cannot be {hits} hits")
    if hits > LAST_OF_RECURSION:
        return closed_form(doubt, hits)
    known, more = _table(doubt)
    while len(known) <= hits:
        known.append(next(more))
    return known[hits]


@cache
def _table(doubt: Fraction) -> tuple[list[int], Iterator[int]]:
    """What is known of the boundary, and where its next values come from."""
    return [], recursion(doubt)


def recursion(doubt: Fraction) -> Iterator[int]:
    """b_0, b_1, and so on without end, each exact."""
    bits = _SPARE_BITS + (doubt.denominator // doubt.numerator).bit_length()
    known = 0
    while True:
        for hits, value in enumerate(_attempt(doubt, bits)):
            if hits == known:
                known += 1
                yield value
        bits *= 2


def _attempt(doubt: Fraction, bits: int) -> Iterator[int]:
    """b_0, b_1, and so on, as far as these bits tell.

    `state` holds q_d[d], q_d[d + 1], ... side by side in one integer, so that one multiplication convolves them all.
    Each takes a place that a sum of products cannot overflow: all probabilities together are at most 1.
    """
    place = 2 * bits + 1
    kept, lowest = (2 << bits) - 1, (1 << place) - 1
    state, lost, hits, value = 1 << bits, 0, 0, 0
    while True:
        least = state & lowest
        step = _step(doubt, hits, least, bits)
        if step != _step(doubt, hits, least + lost, bits):
            return
        value += step
        yield value
        kernel, missing = _poisson(step, bits, place)
        state = state * kernel
        places = state.bit_length() // place + 1
        state = (state >> bits) & _repeated(kept, place, places + -places % 64)
        state >>= place  # k = d: too few points up to here
        lost += missing + places
        hits += 1


def _step(doubt: Fraction, hits: int, probability: int, bits: int) -> int:
    """How far b_d is above b_(d - 1), if q_d[d] is this probability."""
    if not probability:
        return 0
    scaled = probability * (hits + 1) * (hits + 2) * doubt.denominator
    return max(0, ceil_ln(scaled, doubt.numerator << bits, UNIT_BITS))


def _poisson(mean: int, bits: int, place: int) -> tuple[int, int]:
    """The probabilities of 0, 1, 2, ... points in a time of `mean`, rounded down, and what they lack of 1."""
    term = floor_exp(-mean, UNIT, 2 * bits)  # with twice the bits, because what this loses is multiplied
    packed, total, points = 0, 0, 0
    while points * UNIT < mean or term >> bits:
        packed |= (term >> bits) << points * place
        total += term >> bits
        points += 1
        term = term * mean // (points * UNIT)
    return packed, (1 << bits) - total


@lru_cache(2**10)
def _repeated(mask: int, place: int, places: int) -> int:
    """The mask once in each place."""
    return mask * (((1 << place * places) - 1) // ((1 << place) - 1))


@lru_cache(2**10)
def closed_form(doubt: Fraction, hits: int) -> int:
    """The least b >= 2^32 d at which exactly d points have at most the probability doubt / ((d + 1)(d + 2))."""
    digits = DIGITS
    while True:
        low, high = (_closed_form(doubt, hits, digits, upward=upward) for upward in (False, True))
        if low == high:
            return low
        digits *= 2


def _closed_form(doubt: Fraction, hits: int, digits: int, *, upward: bool) -> int:
    """The same with every logarithm on one side of its exact value: the two sides enclose what is exact."""
    down, up = roundings(digits)
    this, other = (up, down) if upward else (down, up)
    factorial = Decimal(1)
    for factor in range(2, hits + 1):
        factorial = other.multiply(factorial, factor)
    inverse = this.divide(
        Decimal((hits + 1) * (hits + 2) * doubt.denominator), other.multiply(factorial, doubt.numerator)
    )

    def enough(value: int) -> bool:
        """Whether value / 2^32 is at least ln((value / 2^32)^d) + ln(inverse)."""
        logarithms = (this.ln(this.divide(Decimal(value), UNIT)), this.ln(inverse))
        one, rest = (number.next_plus(this) if upward else number.next_minus(this) for number in logarithms)
        needed = this.multiply(this.add(this.multiply(one, hits), rest), UNIT)
        return value >= needed

    low, high = hits * UNIT - 1, 2 * hits * UNIT + 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
