"""Which parts and documents of a corpus are alike: equal, or nearly the same text.

`alike.npy` has a row for each part, and behind them one for each document as a whole, counted over all shards in the
order of the source. The first number of a row is the first part or document with the same content, the second the
first one of its group of near-duplicates: itself, if there is none. A document of one part is its part. What has no
content, or no token, is like nothing.

The file is Trent's help for Alice's question, and no commitment covers it: what it says can be found again in the
documents. Only keys and signatures are held in the memory, or in a file beside it, never a text.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest
from protocol.corpus import hashed
from protocol.corpus.arrays import open_array
from protocol.corpus.likeness import Likeness
from protocol.corpus.manifest import ALIKE, DIGESTS, PARTS
from protocol.corpus.rows import Places
from protocol.corpus.scratch import Scratch
from protocol.corpus.shard import Shard
from protocol.sources import nearduplicates
from protocol.sources.equals import Groups

_EMPTY = sha256(b"").digest()
_KEY = 8  # bytes of a hash that are compared first

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alike:
    """The groups of a corpus."""

    shards: Sequence[Shard]
    places: Places
    groups: Numbers

    @classmethod
    def open(cls, folder: Path, shards: Sequence[Shard], places: Places) -> Self:
        """What is stored in a corpus folder."""
        return cls(shards=shards, places=places, groups=open_array(folder / ALIKE, "<i8", len(Likeness)))

    @property
    def parts(self) -> int:
        """The number of parts in the corpus."""
        return sum(shard.parts for shard in self.shards)

    def fits(self) -> bool:
        """Whether there is a row for each part and each document."""
        return len(self.groups) == self.parts + sum(shard.size for shard in self.shards)

    def of(self, document: int) -> Iterator[tuple[int | None, Likeness, int]]:
        """The groups of a document's parts, by their numbers, and of the document as a whole (None).

        Two that have the same group are alike. The whole of a document of one part is not named again.
        """
        shard, row = self.places.place(document)
        own = shard.listing.parts(row)
        rows: list[tuple[int | None, int]] = [(part - own[0], shard.first_part + part) for part in own]
        rows += [(None, self.parts + shard.first + row)] if len(own) > 1 else []
        for number, place in rows:
            for likeness, group in zip(Likeness, self.groups[place].tolist(), strict=True):
                yield number, likeness, group

    def copies(self, group: int) -> int:
        """How many parts of the corpus equal the first one of a group."""
        return int(np.count_nonzero(self.groups[: self.parts, 0] == group))


def write(
    folder: Path, shards: Sequence[Path], stems: Sequence[str], progress: Callable[[int], None] = lambda _: None
) -> Digest:
    """Find the groups of a corpus whose shards are listed and signed (`counting`), and store them in its folder.

    `progress` is told how many documents are done, as if they were done one after the other.
    """
    counts = np.concatenate([np.diff(open_array(shard / PARTS, "<i8")).astype(np.int32) for shard in shards])
    parts, documents = int(counts.sum()), len(counts)
    both = _equal(shards, counts), _near(shards, stems, parts, lambda share: progress(int(share * documents)))
    found = np.repeat(np.arange(parts + documents, dtype="<i8"), len(Likeness)).reshape(-1, len(Likeness))
    for column, (rows, firsts) in enumerate(both):
        found[rows, column] = firsts
    alone = np.flatnonzero(counts == 1)
    found[parts + alone] = found[(np.cumsum(counts, dtype=np.int64) - 1)[alone]]
    return hashed.save(folder / ALIKE, found)


def _equal(shards: Sequence[Path], counts: NDArray[np.int32]) -> tuple[Numbers, Numbers]:
    """The parts, and the documents of several parts, that equal another one, with the first one that equals each.

    Only those whose hashes begin alike are compared, so hardly any hash has to be held in memory.
    """
    whole = np.frombuffer(b"".join(_whole_digests(_digests(shards), counts)), np.uint8).reshape(-1, Digest.size)
    keys = np.concatenate([_begin(some) for some in chain(_digests(shards), [whole])])
    parts = len(keys) - len(whole)
    places = np.concatenate([np.arange(parts), parts + np.flatnonzero(counts > 1)])
    order = np.argsort(keys, kind="stable")
    same = np.zeros(len(keys) + 1, bool)
    same[1:-1] = keys[order[1:]] == keys[order[:-1]]
    shared = np.sort(order[same[1:] | same[:-1]])  # those that are equal to a neighbour
    full = _picked(chain(_digests(shards), [whole]), shared)
    filled = (full != np.frombuffer(_EMPTY, np.uint8)).any(axis=1)
    rows = places[shared[filled]]
    return rows, rows[Groups(full[filled].tobytes()).firsts()] if len(rows) else rows


def _digests(shards: Iterable[Path]) -> Iterator[NDArray[np.uint8]]:
    """The hashes of all contents, one shard at a time."""
    for shard in shards:
        yield open_array(shard / DIGESTS, "u1", 2, Digest.size)[:, 0]


def _begin(digests: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The first bytes of each hash."""
    return np.ascontiguousarray(digests[:, :_KEY]).view("<u8").ravel()


def _whole_digests(digests: Iterable[NDArray[np.uint8]], counts: NDArray[np.int32]) -> Iterator[bytes]:
    """What the documents of several parts are compared by: the hash of their parts' hashes."""
    ends = np.cumsum(counts, dtype=np.int64)
    first_document = first_part = 0
    for some in digests:
        last = int(np.searchsorted(ends, first_part + len(some), side="right"))
        for document in (first_document + np.flatnonzero(counts[first_document:last] > 1)).tolist():
            end = int(ends[document]) - first_part
            yield sha256(some[end - int(counts[document]) : end].tobytes()).digest()
        first_document, first_part = last, first_part + len(some)


def _picked(tables: Iterable[NDArray[np.uint8]], rows: Numbers) -> NDArray[np.uint8]:
    """Some rows, ascending, of tables that stand one after the other."""
    found, first = [np.zeros((0, Digest.size), np.uint8)], 0
    for table in tables:
        some = rows[slice(*np.searchsorted(rows, (first, first + len(table))).tolist())]
        found.append(table[some - first])
        first += len(table)
    return np.concatenate(found)


def _near(
    shards: Sequence[Path], stems: Sequence[str], parts: int, progress: Callable[[Fraction], None]
) -> tuple[Numbers, Numbers]:
    """Those with a token, with the first one of the group of each."""
    rows = np.concatenate(list(_rows(shards, stems, parts)))
    whole = Path(f"{stems[0]}.joined")
    with whole.open("wb") as joined:
        for stem in stems:
            with Scratch(stem).path("signatures").open("rb") as file:
                shutil.copyfileobj(file, joined, 2**20)
            Scratch(stem).remove("signatures", "rows")
    if not len(rows):  # what is empty cannot be mapped
        whole.unlink()
        return rows, rows
    firsts = nearduplicates.groups(np.memmap(whole, "<u2", "r").reshape(-1, nearduplicates.PLACES), progress)
    whole.unlink()
    return rows, _first_rows(rows, firsts)


def _rows(shards: Sequence[Path], stems: Sequence[str], parts: int) -> Iterator[Numbers]:
    """The rows of the signatures, counted over all shards."""
    first, first_part = parts, 0
    for shard, stem in zip(shards, stems, strict=True):
        starts = open_array(shard / PARTS, "<i8")
        own = int(starts[-1])
        rows = Scratch(stem).load("rows", "<i8")
        yield np.where(rows < own, first_part + rows, first + rows - own)
        first, first_part = first + len(starts) - 1, first_part + own


def _first_rows(rows: Numbers, firsts: Numbers) -> Numbers:
    """The smallest row of each group, whatever the order in which the workers came to them."""
    smallest = np.full(len(rows), np.iinfo(np.int64).max)
    np.minimum.at(smallest, firsts, rows)
    return smallest[firsts]
