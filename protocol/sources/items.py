"""What a source was found to hold, item by item, and what became of each: the raw material of the population account.

    received = Received()
    received.add(Item(where="mail.jsonl", outcome=Outcome.CONTAINER))
    received.add(Item(where="mail.jsonl/line 1", outcome=Outcome.ENTERED, documents=range(1)))

Documents are counted from 0 in the order in which the source gives them. There may be many million items, so they are
kept in a file.
"""

import json
import os
import struct
import weakref
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile

_PIECE = 2**18  # bytes that are written or read at a time; fewer stay in memory
_FEW = 2**12  # bytes that are read of a single item
_HEAD = struct.Struct(
    "<BIqqII"
)  # outcome, reason, first document and the one after the last, sizes of where and origin


class Outcome(StrEnum):
    """What became of an item."""

    CONTAINER = "container"  # it was opened, and is no document
    EXCEPTION = "exception"  # it could not enter
    DUPLICATE = "duplicate"  # of an earlier family
    ENTERED = "entered"


_OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A file of the source, or one that was found in a container."""

    where: str
    """Its path, also inside containers."""
    outcome: Outcome
    reason: str = ""
    """Of an exception, in a few words; many items have the same."""
    documents: range = range(0)
    """Of what has entered its documents, of a duplicate those of the family that it equals; else none."""
    custodians: tuple[str, ...] = ()
    """Whose it was, if that is known; many items have the same."""
    paths: tuple[str, ...] = ()
    """Where it was before, if a load file says so."""


class Received:
    """All items of a source, in the order in which they were found.

    They are kept in a file without a name, so that nothing is left of it however the program ends. A few stay in
    memory. `folder` is where the file is made; it needs some hundred bytes for each item there.
    """

    def __init__(self, protections: tuple[str, ...] = (), folder: Path | None = None) -> None:
        self.unused = Counter[str]()
        """Columns of a table, or keys of JSON, that nothing was taken from, with the number of lines that have them."""
        self._held: frozenset[str] | None = frozenset(protections) or None
        self._folder, self._file = folder, -1
        self._tail, self._written, self._count = bytearray(), 0, 0
        self._reasons: dict[str, int] = {"": 0}
        self._merged = array("q")  # of each duplicate: the document that it equals, and where its item is

    @property
    def protections(self) -> tuple[str, ...]:
        """What kept a file from harming the machine that read it, whenever one was read."""
        return tuple(sorted(self._held or ()))

    def protect(self, held: frozenset[str]) -> None:
        """Files were read under these protections."""
        self._held = held if self._held is None else self._held & held

    def add(self, item: Item) -> None:
        """Take note of the next item."""
        where = item.where.encode("utf-8", "replace")
        origin = _origin(item.custodians, item.paths)
        reason = self._reasons.setdefault(item.reason, len(self._reasons))
        found = item.documents
        if item.outcome is Outcome.DUPLICATE:
            for document in found:
                self._merged.extend((document, self._written + len(self._tail)))
        head = (_OUTCOMES.index(item.outcome), reason, found.start, found.stop, len(where), len(origin))
        self._tail += _HEAD.pack(*head) + where + origin
        self._count += 1
        if len(self._tail) >= _PIECE:
            self._pass_on()

    def _pass_on(self) -> None:
        if self._file < 0:
            with TemporaryFile(dir=self._folder) as made:
                self._file = os.dup(made.fileno())
            weakref.finalize(self, os.close, self._file)
        left = memoryview(self._tail)
        while left:
            done = os.pwrite(self._file, left, self._written)
            self._written, left = self._written + done, left[done:]
        self._tail = bytearray()

    def duplicates(self, first: int, last: int) -> dict[int, list[Item]]:
        """The items that equal what entered before, by the documents of that, from `first` to `last` - 1."""
        import numpy as np  # which a party that only answers does not have

        pairs = np.frombuffer(self._merged, np.int64).reshape(-1, 2) if self._merged else np.zeros((0, 2), np.int64)
        found: dict[int, list[Item]] = {}
        for document, start in pairs[(pairs[:, 0] >= first) & (pairs[:, 0] < last)].tolist():
            found.setdefault(document, []).append(next(self._items(start, _FEW)))
        return found

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        return self._items(0)

    def _items(self, at: int, piece: int = _PIECE) -> Iterator[Item]:
        """The items from a place in the file on."""
        reasons = list(self._reasons)
        data, begin = b"", at
        while at < self._written + len(self._tail):
            if len(data) < at - begin + _HEAD.size:
                data, begin = self._read(at, piece), at
            outcome, reason, first, last, *sizes = _HEAD.unpack_from(data, at - begin)
            size = _HEAD.size + sum(sizes)
            if len(data) < at - begin + size:
                data, begin = self._read(at, max(piece, size)), at
            own = data[at - begin + _HEAD.size : at - begin + size]
            custodians, paths = _read_origin(own[sizes[0] :])
            yield Item(
                where=own[: sizes[0]].decode(),
                outcome=_OUTCOMES[outcome],
                reason=reasons[reason],
                documents=range(first, last),
                custodians=custodians,
                paths=paths,
            )
            at += size

    def _read(self, start: int, size: int) -> bytes:
        """Some bytes from a place in the file on, or from what is not in it yet."""
        data = os.pread(self._file, min(size, self._written - start), start) if start < self._written else b""
        place = start + len(data) - self._written
        return data + self._tail[place : place + size - len(data)] if place >= 0 else data


@lru_cache(maxsize=2**10)
def _origin(custodians: tuple[str, ...], paths: tuple[str, ...]) -> bytes:
    """Custodians and paths as they are kept; many items have the same."""
    return json.dumps([custodians, paths]).encode() if custodians or paths else b""


@lru_cache(maxsize=2**10)
def _read_origin(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    custodians, paths = json.loads(data) if data else ((), ())
    return tuple(custodians), tuple(paths)
