"""Integer arithmetic beyond 64 bits, on arrays of 64-bit integers."""

from math import isqrt

from verifier.corpus.rows import Integers

_LIMB = 21
_SAFE = 2**20  # as many products of two limbs, each at most 2^42, add up within 64 bits


def sum_of_squares(numbers: Integers) -> int:
    """Exactly, whatever the numbers: each is cut into a + 2^21 b + 2^42 c, with a and b from 0 to 2^21 - 1."""
    total = 0
    for start in range(0, len(numbers), _SAFE):
        part = numbers[start : start + _SAFE]
        low = (1 << _LIMB) - 1
        limbs = part & low, part >> _LIMB & low, part >> 2 * _LIMB
        total += sum(
            int(one.dot(other)) << _LIMB * (place + second)
            for place, one in enumerate(limbs)
            for second, other in enumerate(limbs)
        )
    return total


def ceil_sqrt(number: int) -> int:
    """The square root, rounded up."""
    root = isqrt(number)
    return root + (root * root < number)
