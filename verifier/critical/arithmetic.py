"""Exact products of whole numbers, as fast as their sizes allow.

The rows' largest absolute value is passed on wherever it counts, so that nobody looks for it twice.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from verifier.critical.form import Integers

_LEAST = 8  # bits of a piece, for cutting into them to be worth it
_ENTRIES = 1 << 16  # of the rows that are Python's integers at a time: each takes 40 bytes or more


def is_long(largest: int, plane: list[int]) -> bool:
    """Whether products of rows and this plane, or the plane itself, outgrow the processor's numbers."""
    return _limb(len(plane) * largest) < _LEAST or max(1, largest) * sum(abs(each) for each in plane) >= 2**63


def is_long_sum(largest: int, factors: list[int]) -> bool:
    """The same for a sum of so many rows, times these factors."""
    return _limb_of_sum(len(factors) * largest) < _LEAST or max(abs(each) for each in factors) >= 2**62


def effort(products: int, first: int, second: int) -> int:
    """Products of two numbers, or smaller ones, counted in products of short numbers that take as long."""
    return products * (1 + ((first.bit_length() + 64) * (second.bit_length() + 64) >> 16))


def signs(rows: Integers, largest: int, planes: list[list[int]]) -> NDArray[np.int8]:
    """The signs of rows @ planes.T.

    Floats are exact as long as no sum of absolute values reaches 2^53. So the planes are cut into limbs, pieces of so
    few bits that their products stay below that, and the pieces' products are put together as 64-bit integers, if
    those suffice, else as Python's.
    """
    if any(is_long(largest, plane) for plane in planes):
        return _long_signs(rows, planes)
    limb = _limb(rows.shape[1] * largest)
    left, floats = np.array(planes, np.int64), rows.astype(np.float64)
    minus, left = np.sign(left), np.abs(left)
    longest = int(left.max()).bit_length()
    total: NDArray[np.int64] = np.zeros((len(rows), len(planes)), np.int64)
    for shift in range(0, max(1, longest), limb):
        piece = (minus * ((left >> shift) & ((1 << limb) - 1))).astype(np.float64)
        total += (floats @ piece.T).astype(np.int64) << shift
    return np.sign(total).astype(np.int8)


def combined(rows: Integers, largest: int, factors: list[int]) -> list[int]:
    """The sum of factors times rows, by limbs as above."""
    if is_long_sum(largest, factors):
        long = np.array(factors, object)
        parts = (long[each] @ rows[each].astype(object) for each in _slices(rows))
        return [int(each) for each in sum(parts, np.zeros(rows.shape[1], object))]
    limb = _limb_of_sum(len(factors) * largest)
    minus = np.array([-1 if each < 0 else 1 for each in factors], np.int64)
    left = np.array([abs(each) for each in factors], np.int64)
    total = [0] * rows.shape[1]
    for shift in range(0, max(1, int(left.max()).bit_length()), limb):
        piece = minus * ((left >> shift) & ((1 << limb) - 1))
        total = [each + (int(more) << shift) for each, more in zip(total, (piece @ rows).tolist(), strict=True)]
    return total


def _long_signs(rows: Integers, planes: list[list[int]]) -> NDArray[np.int8]:
    columns = np.array(planes, object).T
    found = np.empty((len(rows), len(planes)), np.int8)
    for each in _slices(rows):
        values = rows[each].astype(object) @ columns
        found[each] = (values > 0).astype(np.int8) - (values < 0).astype(np.int8)
    return found


def _slices(rows: Integers) -> Iterator[slice]:
    step = max(1, _ENTRIES // rows.shape[1])
    return (slice(start, start + step) for start in range(0, len(rows), step))


def _limb(most: int) -> int:
    """How many bits a piece may have: most * 2^limb < 2^53."""
    return 52 - most.bit_length()


def _limb_of_sum(most: int) -> int:
    """The same for 64-bit integers: most * 2^limb < 2^63."""
    return 62 - most.bit_length()
