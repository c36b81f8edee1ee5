"""Exact products of whole numbers, as fast as their sizes allow."""

import numpy as np
from numpy.typing import NDArray

from verifier.critical.form import Integers

_LEAST = 8  # bits of a piece, for cutting into them to be worth it


def is_long(rows: Integers, plane: list[int]) -> bool:
    """Whether products of this plane outgrow the processor's numbers."""
    size, largest = rows.shape[1], _largest(rows)
    return _limb(size * largest) < _LEAST or size * largest * max(abs(each) for each in plane) >= 2**62


def signs(rows: Integers, planes: list[list[int]]) -> NDArray[np.int8]:
    """The signs of rows @ planes.T.

    Floats are exact as long as no sum of absolute values reaches 2^53. So the planes are cut into limbs, pieces of so
    few bits that their products stay below that, and the pieces' products are put together as 64-bit integers, if
    those suffice, else as Python's.
    """
    if any(is_long(rows, plane) for plane in planes):
        values = rows.astype(object) @ np.array(planes, object).T
        return np.asarray((values > 0).astype(np.int8) - (values < 0).astype(np.int8), np.int8)
    limb = _limb(rows.shape[1] * _largest(rows))
    left, floats = np.array(planes, np.int64), rows.astype(np.float64)
    minus, left = np.sign(left), np.abs(left)
    largest = int(left.max())
    total: NDArray[np.int64] = np.zeros((len(rows), len(planes)), np.int64)
    for shift in range(0, max(1, largest.bit_length()), limb):
        piece = (minus * ((left >> shift) & ((1 << limb) - 1))).astype(np.float64)
        total += (floats @ piece.T).astype(np.int64) << shift
    return np.sign(total).astype(np.int8)


def combined(rows: Integers, factors: list[int]) -> list[int]:
    """The sum of factors times rows, by limbs as above."""
    limb = 62 - (len(factors) * max(1, _largest(rows))).bit_length()
    largest = max(abs(each) for each in factors)
    if limb < _LEAST or largest >= 2**62:
        return [int(each) for each in np.array(factors, object) @ rows.astype(object)]
    minus = np.array([-1 if each < 0 else 1 for each in factors], np.int64)
    left = np.array([abs(each) for each in factors], np.int64)
    total = [0] * rows.shape[1]
    for shift in range(0, max(1, largest.bit_length()), limb):
        piece = minus * ((left >> shift) & ((1 << limb) - 1))
        total = [each + (int(more) << shift) for each, more in zip(total, (piece @ rows).tolist(), strict=True)]
    return total


def _limb(most: int) -> int:
    """How many bits a piece may have: most * 2^limb < 2^53."""
    return 52 - most.bit_length()


def _largest(rows: Integers) -> int:
    return max(int(rows.max()), -int(rows.min()))
