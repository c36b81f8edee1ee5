"""The feature rows of a whole corpus, by document number, whatever shard each lies in."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from protocol.corpus.features import Features, Integers, entry_bytes
from protocol.corpus.manifest import REMEDY
from protocol.corpus.shard import Shard
from protocol.errors import BadCorpus

_first = attrgetter("first")


class Places:
    """Where each document is, by its number: four bytes a document, made when it is first needed."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._shards = shards
        self._firsts = np.array([shard.first for shard in shards], np.int64)
        self._sources: NDArray[np.int32] | None = None

    @property
    def sources(self) -> NDArray[np.int32]:
        """The place in the source of each document."""
        if self._sources is None:
            self._sources = self._inverse()
        return self._sources

    def _inverse(self) -> NDArray[np.int32]:
        size = sum(shard.size for shard in self._shards)
        found = np.full(size, -1, np.int32)
        for shard in self._shards:
            numbers = shard.numbers
            if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < size:
                raise _not_numbered(shard)
            found[numbers] = np.arange(shard.first, shard.first + shard.size, dtype=np.int32)
        if (found < 0).any():  # then another number occurs twice
            raise _not_numbered(self._shards[0])
        return found

    def place(self, document: int) -> tuple[Shard, int]:
        """The shard of a document, and its row there."""
        source = int(self.sources[document])
        shard = self._shards[bisect_right(self._shards, source, key=_first) - 1]
        return shard, source - shard.first

    def split(self, documents: Integers) -> list[tuple[Shard, Integers, Integers]]:
        """Some documents by shard: which of them are in each, counted from 0, and their rows there."""
        sources = self.sources[documents].astype(np.int64)
        owners = np.searchsorted(self._firsts, sources, side="right") - 1
        found = []
        for owner in np.unique(owners).tolist():
            chosen = np.flatnonzero(owners == owner)
            found.append((self._shards[owner], chosen, sources[chosen] - self._shards[owner].first))
        return found


def _not_numbered(shard: Shard) -> BadCorpus:
    return BadCorpus(f"the documents of {shard.path.parent} do not have the numbers from 0 on, each once; {REMEDY}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """The rows of a corpus."""

    shards: Sequence[Shard]
    places: Places
    terms: int
    """The number of columns."""

    @property
    def size(self) -> int:
        """The number of rows."""
        return sum(shard.size for shard in self.shards)

    def row(self, document: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        """The columns and values of one document."""
        if not 0 <= document < self.size:
            raise IndexError(f"row {document} of {self.size}")
        shard, row = self.places.place(document)
        return shard.rows.row(row)

    def row_bytes(self, document: int) -> bytes:
        """The bytes of a row that are hashed."""
        return entry_bytes(*self.row(document))

    def some(self, documents: Integers) -> Features:
        """The rows of these documents, copied, in their order."""
        lengths = np.zeros(len(documents), np.int64)
        split = self.places.split(documents)
        for shard, chosen, rows in split:
            starts = shard.rows.starts
            lengths[chosen] = starts[rows + 1] - starts[rows]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.uint16)
        for shard, chosen, rows in split:
            part = shard.rows.some(rows)
            into = np.repeat(starts[chosen] - part.starts[:-1], lengths[chosen]) + np.arange(part.starts[-1])
            columns[into], values[into] = part.columns, part.values
        return Features(starts=starts, columns=columns, values=values, terms=self.terms)

    def joined(self) -> Features:
        """All rows by number, in memory."""
        return self.some(np.arange(self.size))
