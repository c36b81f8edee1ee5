"""Exact products of whole-number matrices, by floats where they are exact and Python's integers where not."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protocol.paper.geometry.points import Floats, Integers

_LIMB = 18  # bits of a factor that are multiplied at a time
_LEAST = 4  # fewer are not worth it


def rounded(values: Floats, bits: int) -> list[int]:
    """Whole numbers in about the same ratios, the largest of `bits` bits."""
    largest = float(np.abs(values).max())
    return [int(each) for each in np.rint(values * (2.0**bits / largest))] if largest else [0] * len(values)


def products(rows: Integers, planes: Integers) -> NDArray[np.int64] | NDArray[np.object_]:
    """Exactly rows @ planes.T."""
    size = rows.shape[1]
    largest = int(np.abs(rows).max(initial=0))
    bound = size * largest * int(np.abs(planes).max(initial=0))
    if size * largest << _LIMB >= 2**53 or bound >= 2**63:
        return np.asarray(rows.astype(object) @ planes.T.astype(object))
    high, low = planes >> _LIMB, planes & ((1 << _LIMB) - 1)
    floats = rows.astype(np.float64)
    if size * largest * int(np.abs(high).max(initial=0)) >= 2**53:
        return np.asarray(rows @ planes.T)
    upper = (floats @ high.T.astype(np.float64)).astype(np.int64)
    return np.asarray((upper << _LIMB) + (floats @ low.T.astype(np.float64)).astype(np.int64))


def combinations(factors: csr_array, rows: Integers) -> NDArray[np.object_]:
    """Exactly factors @ rows, for few factors of at most 53 bits in each row.

    Floats are exact as long as no sum of absolute values reaches 2^53, so the more factors, the fewer bits at a time.
    """
    most = int(np.diff(factors.indptr).max(initial=0)) * int(np.abs(rows).max(initial=0))
    bits = min(_LIMB, 52 - most.bit_length())
    if bits < _LEAST:
        return _slow_combinations(factors, rows)
    total: NDArray[np.object_] = np.zeros((factors.shape[0], rows.shape[1]), object)
    data, floats = factors.data.astype(np.int64), rows.astype(np.float64)
    for shift in range(0, 54, bits):
        limb = np.sign(data) * ((np.abs(data) >> shift) & ((1 << bits) - 1))
        part = csr_array((limb.astype(np.float64), factors.indices, factors.indptr), shape=factors.shape)
        total += (part @ floats).astype(np.int64).astype(object) << shift
    return total


def _slow_combinations(factors: csr_array, rows: Integers) -> NDArray[np.object_]:
    total: NDArray[np.object_] = np.zeros((factors.shape[0], rows.shape[1]), object)
    for row, (start, end) in enumerate(pairwise(factors.indptr.tolist())):
        chosen = rows[factors.indices[start:end]].astype(object)
        total[row] = factors.data[start:end].astype(np.int64).astype(object) @ chosen
    return total
