"""Many feature rows at a time: numpy is fast on long arrays, and fastest while they stay in the processor's cache."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Span = tuple[int, int]
"""Rows from the first number up to, and without, the second."""

BLOCK = 2**17
"""Entries: two int64 arrays of so many fit a processor's own cache."""


class HasRows(Protocol):
    """Rows one after the other: row i has the entries from starts[i] up to starts[i + 1]."""

    @property
    def starts(self) -> Integers: ...
    @property
    def columns(self) -> NDArray[Any]: ...
    @property
    def values(self) -> NDArray[Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Some rows of their own; the first begins at 0."""

    starts: Integers
    columns: NDArray[Any]
    values: NDArray[Any]


def starts_of(lengths: Integers) -> Integers:
    """Where rows of these lengths begin, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def gathered(rows: HasRows, numbers: Integers) -> Rows:
    """Copies of the rows with these numbers, in their order."""
    begins = rows.starts[numbers]
    lengths = rows.starts[numbers + 1] - begins
    starts = starts_of(lengths)
    entries = np.repeat(begins - starts[:-1], lengths)
    entries += np.arange(len(entries))
    return Rows(starts=starts, columns=rows.columns[entries], values=rows.values[entries])


def ordered(parts: Sequence[Rows], places: Sequence[Integers]) -> Rows:
    """The rows of all parts, each at its place; the places of all parts are those of one array."""
    found = Rows(starts=np.zeros(1, np.int64), columns=np.zeros(0, np.int32), values=np.zeros(0, np.uint16))
    if not parts:
        return found
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    found = Rows(
        starts=starts_of(lengths),
        columns=np.concatenate([part.columns for part in parts]),
        values=np.concatenate([part.values for part in parts]),
    )
    return gathered(found, np.argsort(np.concatenate(places)))


def joined(rows: Rows, others: Rows) -> Rows:
    """The rows, and after them the others."""
    return Rows(
        starts=np.concatenate((rows.starts, others.starts[1:] + rows.starts[-1])),
        columns=np.concatenate((rows.columns, others.columns)),
        values=np.concatenate((rows.values, others.values)),
    )


def spans(starts: Integers, first: int = 0, last: int | None = None, *, entries: int = BLOCK) -> Iterator[Span]:
    """The rows from `first` up to `last`, or to the end, in spans of at most so many rows and entries, unless one row
    has more.
    """
    end = len(starts) - 1 if last is None else last
    while first < end:
        fitting = int(np.searchsorted(starts, int(starts[first]) + entries, side="right")) - 1
        until = min(max(fitting, first + 1), first + entries, end)
        yield first, until
        first = until


def sums(entries: Integers, starts: Integers) -> Integers:
    """The sum of each row's entries. Behind the last one the array has a 0, for the rows that begin there.

    A sum is exact wherever it fits 64 bits: what overflows on the way there comes back.
    """
    found: Integers = np.add.reduceat(entries, starts[:-1])
    found[starts[:-1] == starts[1:]] = 0  # reduceat gives an empty row the entry at its start
    return found


def are_sound(rows: HasRows, span: Span, terms: int) -> bool:
    """Whether the columns of each row of the span ascend, and lie below the number of terms."""
    starts = rows.starts[span[0] : span[1] + 1]
    columns = rows.columns[int(starts[0]) : int(starts[-1])]
    descends = columns[1:] <= columns[:-1]
    inner = starts - starts[0]
    descends[inner[(inner > 0) & (inner < len(columns))] - 1] = False  # from one row to the next
    return not descends.any() and bool(columns.min(initial=0) >= 0 and columns.max(initial=-1) < terms)
