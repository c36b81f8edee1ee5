"""The rows of a shard in blocks small enough for the processor's cache, so that no more of a corpus is in memory.

The entries of a large corpus are read from their files each time, since memory-mapped pages would fill the memory.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from io import SEEK_END, RawIOBase
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protocol.corpus.features import Features
from protocol.corpus.manifest import COLUMNS, VALUES
from protocol.learning.model import Integers, divided, row_sums

BLOCK = 2**18
"""Entries of a block, or a little more; a row may be longer."""

SPACE = BLOCK + BLOCK // 8
"""Entries that hardly any block exceeds. Memory that is used again is faster than fresh memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows, one after the other."""

    rows: slice
    starts: Integers
    """Where each row begins among the entries."""
    columns: NDArray[np.int32]
    values: NDArray[np.uint16]

    def products(self, factors: NDArray[Any], space: NDArray[Any]) -> NDArray[Any]:
        """The product of each row with a factor for each column. `space` is for the values as numbers of that kind."""
        values = (
            space[: len(self.values)] if len(self.values) <= len(space) else np.empty(len(self.values), space.dtype)
        )
        values[:] = self.values
        shape = (len(self.starts) - 1, len(factors))
        found: NDArray[Any] = csr_array((values, self.columns, self.starts.astype(np.int32)), shape=shape) @ factors
        return found

    def largest_square(self) -> int:
        """The largest sum of squared values of a row."""
        values = self.values.astype(np.int64)
        return int(row_sums(values * values, self.starts).max())


def blocks(rows: Features, folder: Path | None = None) -> Iterator[Block]:
    """All rows; with a folder, their entries are read from its files instead of memory."""
    parts = divided(rows.starts, int(rows.starts[-1]) // BLOCK + 1)
    with ExitStack() as files:
        stored = None if folder is None else [_opened(folder / name, files) for name in (COLUMNS, VALUES)]
        for part in parts:
            starts = rows.starts[part.start : part.stop + 1]
            first, last = int(starts[0]), int(starts[-1])
            if stored is None:
                columns, values = rows.columns[first:last], rows.values[first:last]
            else:
                columns = _read(stored[0], rows.columns, first, last)
                values = _read(stored[1], rows.values, first, last)
            yield Block(part, starts - first, columns, values)


def _opened(path: Path, files: ExitStack) -> RawIOBase:
    return files.enter_context(path.open("rb", buffering=0))


def _read(file: RawIOBase, mapped: NDArray[Any], first: int, last: int) -> NDArray[Any]:
    """Numbers `first` to `last` - 1 of the array that the file ends with."""
    found = np.empty(last - first, mapped.dtype)
    file.seek((first - len(mapped)) * mapped.itemsize, SEEK_END)
    view = memoryview(found.view(np.uint8))  # type: ignore[arg-type] # an array is a buffer
    while len(view):
        count = file.readinto(view)
        if not count:
            raise OSError("a file of rows ends too early")
        view = view[count:]
    return found
