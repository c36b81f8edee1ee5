"""A shard: a run of documents in the order of the source, in a folder of its own.

A `Shard` only says where it lies. Whoever needs its files opens them, and closes them by letting go of them, so that no
process has more of a corpus in its memory than a shard. Each opening checks that every array has the right shape, and
that every offset lies within its file.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.errors import CorpusDamaged, shown
from verifier.corpus.files import mapped, mapped_array
from verifier.corpus.listing import Listing
from verifier.corpus.rows import Rows

FILES = frozenset(
    {
        *("numbers.npy", "parts.npy", "places.npy", "contents.bin", "texts.bin", "fields.bin", "digests.npy"),
        *("starts.npy", "columns.npy", "values.npy", "images.npy", "images.bin"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """The documents from `first` on in the order of the source, `size` of the `total` of the corpus."""

    path: Path
    first: int
    size: int
    total: int

    def numbers(self) -> NDArray[np.int32]:
        """The number of each document."""
        found = mapped_array(self.path / "numbers.npy", "<i4")
        if len(found) != self.size:
            raise CorpusDamaged(f"{shown(self.path)} holds {len(found)} documents now, and held {self.size} before")
        if found.min() < 0 or found.max() >= self.total:
            raise CorpusDamaged(
                f"numbers.npy in {shown(self.path)} has numbers from {found.min()} to {found.max()}, but the documents "
                f"are numbered from 0 to {self.total - 1}"
            )
        return found

    def rows(self) -> Rows:
        """The feature rows."""
        rows = Rows(
            starts=mapped_array(self.path / "starts.npy", "<i8"),
            columns=mapped_array(self.path / "columns.npy", "<i4"),
            values=mapped_array(self.path / "values.npy", "<u2"),
        )
        if len(rows.starts) != self.size + 1:
            raise CorpusDamaged(
                f"the numbers of documents in {shown(self.path)} do not fit together: {self.size} in numbers.npy, "
                f"{len(rows.starts) - 1} in starts.npy"
            )
        entries = {"columns.npy": len(rows.columns), "values.npy": len(rows.values), "starts.npy": int(rows.starts[-1])}
        if len(set(entries.values())) > 1:
            found = ", ".join(f"{count} in {name}" for name, count in entries.items())
            raise CorpusDamaged(f"the entries of feature rows in {shown(self.path)} do not fit together: {found}")
        if rows.starts[0] or (rows.starts[1:] < rows.starts[:-1]).any():
            raise CorpusDamaged(f"starts.npy in {shown(self.path)} does not ascend from 0")
        return rows

    def listing(self) -> Listing:
        """The documents themselves."""
        found = Listing(
            path=self.path,
            numbers=self.numbers(),
            parts=mapped_array(self.path / "parts.npy", "<i8"),
            places=mapped_array(self.path / "places.npy", "<i8", 6),
            digests=mapped_array(self.path / "digests.npy", "|u1", 2, 32),
            contents=mapped(self.path / "contents.bin"),
            texts=mapped(self.path / "texts.bin"),
            fields=mapped(self.path / "fields.bin"),
        )
        found.check()
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some consecutive documents of a shard, from row `first` up to, and without, row `last`: the work of one task."""

    shard: Shard
    first: int
    last: int

    @property
    def size(self) -> int:
        """How many documents there are."""
        return self.last - self.first


def pieces(shards: tuple[Shard, ...], most: int) -> list[Piece]:
    """All documents in their order, at most so many in a piece."""
    return [
        Piece(shard=shard, first=first, last=min(first + most, shard.size))
        for shard in shards
        for first in range(0, shard.size, most)
    ]
