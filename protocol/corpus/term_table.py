"""The table of terms: the tokens (`protocol.tokens`) that occur in several documents.

The table has every term with the number of documents that it occurs in. It is stored as `terms.bin`, the terms sorted
bytewise, each followed by a newline (which no token holds), and `frequencies.npy`, their document frequencies in the
same order.
"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from protocol.corpus.arrays import open_array
from protocol.corpus.manifest import FREQUENCIES, TERMS


class TermTable:
    """The terms by column."""

    def __init__(self, stored: bytes, frequencies: NDArray[np.int32]) -> None:
        self._stored = stored
        self._ends = np.flatnonzero(np.frombuffer(stored, np.uint8) == ord("\n"))
        self.frequencies = frequencies

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The table stored in a folder."""
        return cls((folder / TERMS).read_bytes(), open_array(folder / FREQUENCIES, "<i4"))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, column: int) -> bytes:
        if not 0 <= column < len(self):
            raise IndexError(f"column {column} of {len(self)}")
        return self._stored[int(self._ends[column - 1]) + 1 if column else 0 : int(self._ends[column])]

    def find(self, token: bytes) -> int | None:
        """The column of a token, if it is a term."""
        column = bisect_left(self, token)
        return column if column < len(self) and self[column] == token else None

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over each term in order: its length in 4 bytes, the term, its frequency in 4 bytes, big-endian."""
        found = sha256()
        for term, frequency in zip(self._stored.splitlines(), self.frequencies.tolist(), strict=True):
            found.update(len(term).to_bytes(4, "big") + term + frequency.to_bytes(4, "big"))
        return found.digest()


def write_table(folder: Path, terms: Iterable[bytes], frequencies: NDArray[np.int32]) -> None:
    """Store a table for `TermTable.open`."""
    (folder / TERMS).write_bytes(b"".join(term + b"\n" for term in terms))
    np.save(folder / FREQUENCIES, frequencies)
