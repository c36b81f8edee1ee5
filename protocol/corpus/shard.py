"""A shard of a corpus: a run of documents in the order of the source, in a folder of its own, open for reading.

How many shards there are and where they are cut enters no hash and no decision. Nothing is read before it is used, and
only what was used last stays open, so that a corpus of any size opens at once. A file is compared with the manifest
when it is first used.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest
from protocol.corpus.arrays import open_array
from protocol.corpus.features import Features
from protocol.corpus.listing import Listing
from protocol.corpus.manifest import (
    LISTED,
    NUMBERS,
    PARTS,
    PICTURES,
    REMEDY,
    ROWS,
    STARTS,
    ShardFiles,
    Watched,
    shard_name,
)
from protocol.errors import BadCorpus

T = TypeVar("T")

_MOST_OPEN = 32  # arrays of a shard stay open for so many uses of others: each takes a few file handles


class Held:
    """What is open of the shards of a corpus: the last few things that were used."""

    def __init__(self, most: int = _MOST_OPEN) -> None:
        self._most = most
        self._open: OrderedDict[tuple[str, str], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, folder: Path, name: str, make: Callable[[], T]) -> T:
        """What is open under a name in a folder; made now if nothing is."""
        key = str(folder), name  # a path's own hash is slow, and there is a call for each document
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                found: T = self._open[key]
                return found
        made = make()
        with self._lock:
            self._open[key] = made
            while len(self._open) > self._most:
                self._open.popitem(last=False)
        return made

    def close(self) -> None:
        """Close everything that nobody uses."""
        with self._lock:
            self._open.clear()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shard:
    """One shard. Rows and parts are counted within it."""

    path: Path
    first: int
    """How many documents come before it."""
    first_part: int
    """How many parts come before it."""
    size: int
    """The number of its documents."""
    parts: int
    terms: int
    """The number of columns, which all shards have in common."""
    _watched: Watched | None = None
    _held: Held = field(default_factory=Held)
    _nnz: int | None = None

    @classmethod
    def open(cls, path: Path, *, first: int = 0, first_part: int = 0, terms: int = 0) -> Self:
        """The shard in a folder, as a worker finds it that knows no manifest."""
        size = len(open_array(path / STARTS, "<i8")) - 1
        parts = int(open_array(path / PARTS, "<i8")[-1])
        return cls(path=path, first=first, first_part=first_part, size=size, parts=parts, terms=terms)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """The number of each document."""
        return self._open(NUMBERS, (NUMBERS,), self._numbers)

    @property
    def rows(self) -> Features:
        """The feature rows of its documents."""
        return self._open("rows", ROWS, self._rows)

    @property
    def entries(self) -> int:
        """How many entries its rows have."""
        return len(self.rows.columns) if self._nnz is None else self._nnz

    def digests(self, *names: str) -> dict[str, Digest]:
        """What the manifest says of files, for a worker elsewhere that compares them."""
        return {} if self._watched is None else {name: self._watched.files[name] for name in names}

    @property
    def listing(self) -> Listing:
        """The parts of its documents."""
        return self._open("listing", LISTED, self._listing)

    def close(self) -> None:
        """Close what is open of it, and of the shards that were opened with it."""
        self._held.close()

    def check(self, *names: str) -> None:
        """Compare files with the manifest, those of them that were not compared yet."""
        if self._watched is not None:
            self._watched.check(*names)

    def fits(self) -> None:
        """Raise unless its arrays have the shapes that the manifest states."""
        for make in (self._numbers, self._rows, self._listing):
            make()

    @property
    def pictures(self) -> Path | None:
        """Its folder, if it holds pictures of pages."""
        return self.path if all((self.path / name).exists() for name in PICTURES) else None

    def _open(self, name: str, files: tuple[str, ...], make: Callable[[], T]) -> T:
        def checked() -> T:
            self.check(*files)
            try:
                return make()
            except (OSError, ValueError) as error:
                raise BadCorpus(f"{self.path} holds an array of another shape or kind ({error}); {REMEDY}") from None

        return self._held.get(self.path, name, checked)

    def _numbers(self) -> NDArray[np.int32]:
        found = open_array(self.path / NUMBERS, "<i4")
        self._require(len(found) == self.size)
        return found

    def _rows(self) -> Features:
        found = Features.open(self.path, self.terms)
        entries = {len(found.columns), len(found.values), *found.starts[-1:].tolist()}
        if self._nnz is not None:
            entries.add(self._nnz)
        self._require(found.size == self.size and len(entries) == 1)
        return found

    def _listing(self) -> Listing:
        found = Listing.open(self.path)
        fits = found.fits(self.size, self.parts)
        self._require(fits and all(_size(self.path / name) == size for name, size in found.sizes().items()))
        return found

    def _require(self, fits: bool) -> None:  # noqa: FBT001
        if not fits:
            raise BadCorpus(f"the files in {self.path} do not fit together as the manifest says; {REMEDY}")


def shards(folder: Path, listed: Iterable[ShardFiles], terms: int, held: Held) -> tuple[Shard, ...]:
    """The shards in a folder, as the manifest lists them. What they have open is held in one place."""
    found: list[Shard] = []
    first = first_part = 0
    for number, each in enumerate(listed):
        path = folder / shard_name(number)
        found.append(
            Shard(
                path=path,
                first=first,
                first_part=first_part,
                size=each.documents,
                parts=each.parts,
                terms=terms,
                _watched=Watched(path, each.files),
                _held=held,
                _nnz=each.nnz,
            )
        )
        first, first_part = first + each.documents, first_part + each.parts
    return tuple(found)


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
