"""Which parts and documents of a corpus are alike: equal, or nearly the same text.

`alike.npy` has a row for each part, and behind them one for each document as a whole. The first number of a row is the
first part or document with the same content, the second the first one of its group of near-duplicates: itself, if there
is none. A document of one part is its part. What has no content, or no token, is like nothing.

The file is Trent's help for Alice's question, and no commitment covers it: what it says can be found again in the
documents. Only keys and signatures are held in the memory, or in a file beside it, never a text.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ledger import reading
from protocol.corpus import pool
from protocol.corpus.arrays import open_array
from protocol.corpus.likeness import Likeness
from protocol.corpus.listing import TEXT, Listing
from protocol.corpus.manifest import ALIKE, TEXTS
from protocol.sources import nearduplicates
from protocol.sources.equals import Groups
from protocol.sources.nearduplicates import PLACES

_ALONE = 2**23  # bytes of text that one process has done before others would have started
_EMPTY = sha256(b"").digest()

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alike:
    """The groups of a corpus."""

    starts: Numbers  # where the parts of each document begin
    groups: Numbers

    @classmethod
    def open(cls, folder: Path, listing: Listing) -> Self:
        """What is stored in a corpus folder."""
        return cls(starts=listing.starts, groups=open_array(folder / ALIKE, "<i8", len(Likeness)))

    def fits(self) -> bool:
        """Whether there is a row for each part and each document."""
        return len(self.groups) == int(self.starts[-1]) + len(self.starts) - 1

    def of(self, document: int) -> Iterator[tuple[int | None, Likeness, int]]:
        """The groups of a document's parts, by their numbers, and of the document as a whole (None).

        Two that have the same group are alike. The whole of a document of one part is not named again.
        """
        first, end = self.starts[document : document + 2].tolist()
        rows = [(part - first, part) for part in range(first, end)]
        rows += [(None, int(self.starts[-1]) + document)] if end - first > 1 else []
        for number, row in rows:
            for likeness, group in zip(Likeness, self.groups[row].tolist(), strict=True):
                yield number, likeness, group

    def copies(self, group: int) -> int:
        """How many parts of the corpus equal the first one of a group."""
        return int(np.count_nonzero(self.groups[: int(self.starts[-1]), 0] == group))


def write(folder: Path, *, workers: int | None = None) -> None:
    """Find the groups of a corpus whose texts and listing are in its folder, and store them there."""
    listing = Listing.open(folder)
    parts, documents = int(listing.starts[-1]), len(listing.starts) - 1
    found = np.repeat(np.arange(parts + documents), len(Likeness)).reshape(-1, len(Likeness))
    for column, (rows, firsts) in enumerate((_equal(listing), _near(folder, listing, workers))):
        found[rows, column] = firsts
    alone = np.flatnonzero(np.diff(listing.starts) == 1)
    found[parts + alone] = found[listing.starts[alone]]
    np.save(folder / ALIKE, found.astype("<i8"))


def _equal(listing: Listing) -> tuple[Numbers, Numbers]:
    """The parts, and the documents of several parts, that have any content, with the first one that equals each."""
    contents = np.ascontiguousarray(listing.digests[:, 0])
    filled = np.flatnonzero((contents != np.frombuffer(_EMPTY, np.uint8)).any(axis=1))
    several = np.flatnonzero(np.diff(listing.starts) > 1)
    whole = b"".join(
        sha256(contents[listing.starts[each] : listing.starts[each + 1]].tobytes()).digest() for each in several
    )
    rows = np.concatenate([filled, len(contents) + several])
    return rows, rows[Groups(contents[filled].tobytes() + whole).firsts()]


def _near(folder: Path, listing: Listing, workers: int | None) -> tuple[Numbers, Numbers]:
    """Those with a token, with the first one of the group of each."""
    sizes = np.add.reduceat(np.diff(listing.places[:, TEXT], axis=1).ravel(), listing.starts[:-1]) + 100
    ranges = pool.shares(sizes, alone=_ALONE, workers=workers)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        stems = [str(Path(scratch) / str(number)) for number in range(len(ranges))]
        pool.gather(
            write_signatures,
            [(str(folder), stem, *each) for stem, each in zip(stems, ranges, strict=True)],
            workers=len(ranges),
        )
        rows = np.concatenate([np.fromfile(f"{stem}.rows", "<i8") for stem in stems])
        if not len(rows):
            return rows, rows
        whole = Path(scratch) / "signatures"
        with whole.open("wb") as joined:
            for stem in stems:
                with Path(f"{stem}.signatures").open("rb") as file:
                    while piece := file.read(2**20):
                        joined.write(piece)
        firsts = nearduplicates.groups(np.memmap(whole, "<u2", "r").reshape(-1, PLACES))
    return rows, _first_rows(rows, firsts)


def _first_rows(rows: Numbers, firsts: Numbers) -> Numbers:
    """The smallest row of each group, whatever the order in which the workers came to them."""
    smallest = np.full(len(rows), np.iinfo(np.int64).max)
    np.minimum.at(smallest, firsts, rows)
    return smallest[firsts]


def write_signatures(corpus: str, stem: str, first: int, last: int) -> None:
    """Write the signatures of documents `first` to `last` - 1 and of their parts, and beside them their rows."""
    folder = Path(corpus)
    listing = Listing.open(folder)
    parts = int(listing.starts[-1])
    rows: list[int] = []
    with Path(f"{stem}.signatures").open("wb") as out, reading.opened(folder / TEXTS) as texts:
        for document in range(first, last):
            own = listing.parts(document)
            read = []
            for part in own:
                _, start, end = listing.text_place(part)
                texts.seek(start)
                read.append(texts.read(end - start).decode())
            each, whole = nearduplicates.signatures(read)
            named = [*zip(own, each, strict=True), *([(parts + document, whole)] if len(own) > 1 else [])]
            for row, signature in named:
                if signature:
                    out.write(signature)
                    rows.append(row)
    np.array(rows, "<i8").tofile(f"{stem}.rows")
