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
from protocol.corpus.manifest import COLUMNS, REMEDY, VALUES
from protocol.errors import BadCorpus
from protocol.learning.model import Integers, divided, row_sums

BLOCK = 2**18
"""Entries of a block, or a little more; a row may be longer."""

SPACE = BLOCK + BLOCK // 8
"""Entries that hardly any block exceeds. Memory that is used again is faster than fresh memory."""


_BEFORE_HEADER = 10  # bytes of a .npy file, the last two of which say how long its header is


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
        stored = None
        if folder is not None:
            stored = (_Stored(folder / COLUMNS, rows.columns, files), _Stored(folder / VALUES, rows.values, files))
        for part in parts:
            starts = rows.starts[part.start : part.stop + 1]
            first, last = int(starts[0]), int(starts[-1])
            if stored is None:
                columns, values = rows.columns[first:last], rows.values[first:last]
            else:
                columns, values = (each.read(first, last) for each in stored)
            yield Block(part, starts - first, columns, values)


class _Stored:
    """The numbers of an array, read from its file. A file that has another length by now would give others."""

    def __init__(self, path: Path, mapped: NDArray[Any], files: ExitStack) -> None:
        self._path, self._mapped = path, mapped
        self._file: RawIOBase = files.enter_context(path.open("rb", buffering=0))
        self._start = self._file.seek(0, SEEK_END) - mapped.nbytes
        self._file.seek(0)
        before = self._file.read(_BEFORE_HEADER) or b""
        if self._start != _BEFORE_HEADER + int.from_bytes(before[-2:], "little"):
            raise self._changed()

    def read(self, first: int, last: int) -> NDArray[Any]:
        """Numbers `first` to `last` - 1."""
        found = np.empty(last - first, self._mapped.dtype)
        self._file.seek(self._start + first * self._mapped.itemsize)
        view = memoryview(found.view(np.uint8))  # type: ignore[arg-type] # an array is a buffer
        while len(view):
            count = self._file.readinto(view)
            if not count:
                raise self._changed()
            view = view[count:]
        return found

    def _changed(self) -> BadCorpus:
        return BadCorpus(f"{self._path} was changed while it was in use; {REMEDY}")
