"""What the model knows about a document: a row of integers, the same on every machine.

Definition, version 1. The corpus has n documents, n < 2^31; ln is the natural logarithm, round is half up.

    terms      the tokens that occur in at least two documents, sorted bytewise; column j is the j-th (from 0)
    df         of a term: the number of documents that it occurs in
    TF(t)      round(2^14 * (1 + ln t)) for a term that occurs t times in a document; t > 65535 counts as 65535
    IDF(df)    round(2^14 * (1 + ln((1 + n) / (1 + df))))
    v          floor(TF(t) * IDF(df) / 2^14), for each different term of the document
    norm       floor(sqrt(sum of v^2 over these terms))
    x          floor((2^16 * v + norm) / (2 * norm)), which is 2^15 * v / norm rounded half up

The row has the columns with x > 0, ascending. A document without terms has an empty row, and so has an oversized
one, with more than 2^17 different terms; its terms still count in df. TF < 2^18 and IDF < 2^19, hence
v < 2^23 and the sum is below 2^63. norm is no smaller than any v, hence x <= 2^15.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from protocol.corpus.arrays import open_array
from protocol.corpus.leaves import MAX_DOCUMENTS
from protocol.errors import BadSource
from protocol.fixedpoint import round_ln

VERSION = 1
MAX_TERMS = 2**17
"""Different terms of a document that is not oversized."""
MAX_COUNT = 65535
MIN_FREQUENCY = 2

_BITS = 14
_MAX_WEIGHT = 2**23  # v stays below

Integers = NDArray[np.int64]

_ENTRY = np.dtype([("column", ">u4"), ("value", ">u2")])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """Rows of documents, one after the other."""

    starts: Integers
    """Where each row begins in the two arrays below, and where the last one ends."""
    columns: NDArray[np.int32]
    values: NDArray[np.uint16]
    terms: int
    """The number of columns."""

    @classmethod
    def open(cls, folder: Path, terms: int) -> Self:
        """The rows stored in a folder, memory-mapped."""
        return cls(
            starts=open_array(folder / "starts.npy", "<i8"),
            columns=open_array(folder / "columns.npy", "<i4"),
            values=open_array(folder / "values.npy", "<u2"),
            terms=terms,
        )

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    def row(self, document: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """The columns and values of one document."""
        if not 0 <= document < self.size:
            raise IndexError(f"row {document} of {self.size}")
        part = slice(int(self.starts[document]), int(self.starts[document + 1]))
        return self.columns[part], self.values[part]

    def row_bytes(self, document: int) -> bytes:
        """The bytes of a row that are hashed."""
        return entry_bytes(*self.row(document))

    def some(self, documents: Integers) -> Self:
        """The rows of these documents, copied, in their order."""
        begins = self.starts[documents]
        lengths = self.starts[documents + 1] - begins
        starts = np.concatenate(([0], np.cumsum(lengths)))
        entries = np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])
        return type(self)(starts=starts, columns=self.columns[entries], values=self.values[entries], terms=self.terms)


ENTRY_SIZE = _ENTRY.itemsize


def entry_bytes(columns: NDArray[np.int32], values: NDArray[np.uint16]) -> bytes:
    """Each entry in ENTRY_SIZE bytes: its column in 4, then its value in 2, both big-endian."""
    entries = np.empty(len(columns), _ENTRY)
    entries["column"], entries["value"] = columns, values
    return entries.tobytes()


@cache
def tf(count: int) -> int:
    """TF(t) of the definition."""
    return (1 << _BITS) + round_ln(min(count, MAX_COUNT), 1, _BITS)


def idf(frequency: int, documents: int) -> int:
    """IDF(df) of the definition, among n documents."""
    if not MIN_FREQUENCY <= frequency <= documents <= MAX_DOCUMENTS:
        raise BadSource(f"a term in {frequency} of {documents} documents: at most 2^31 - 1 documents make a corpus")
    return (1 << _BITS) + round_ln(1 + documents, 1 + frequency, _BITS)


def mapped(function: Callable[[int], int], numbers: NDArray[np.integer]) -> Integers:
    """The function of each number, computed once for each different number."""
    present = np.bincount(numbers)
    table = np.zeros(len(present), np.int64)
    for number in np.flatnonzero(present).tolist():
        table[number] = function(number)
    found: Integers = table[numbers]
    return found


def row_values(tfs: Integers, idfs: Integers, lengths: Integers) -> NDArray[np.uint16]:
    """The x of the definition for the terms of several documents, zeros included.

    TF and IDF of each term stand one document after the other; `lengths` has the number of terms of each.
    """
    weights = tfs * idfs >> _BITS
    if len(weights) and (weights.max() >= _MAX_WEIGHT or lengths.max() > MAX_TERMS):
        raise BadSource(
            f"a weight of {weights.max()} among {lengths.max()} terms of a document: the sum of squares is exact only "
            f"for weights below 2^23 and at most 2^17 terms; split the document or leave it out"
        )
    filled = lengths[lengths > 0]  # reduceat takes no empty range
    sums = np.add.reduceat(weights * weights, np.cumsum(filled) - filled) if len(filled) else filled
    norms = np.repeat(integer_sqrt(sums), filled)
    return (((weights << 16) + norms) // (2 * norms)).astype(np.uint16)


def integer_sqrt(numbers: Integers) -> Integers:
    """The square root of each number from 0 to 2^63 - 1, rounded down, exactly.

    The float's root is one off at most; unsigned, the squares of its neighbours stay below 2^64.
    """
    exact = numbers.astype(np.uint64)
    root = np.sqrt(exact).astype(np.uint64)
    root -= root * root > exact
    root += (root + 1) * (root + 1) <= exact
    return root.astype(np.int64)
