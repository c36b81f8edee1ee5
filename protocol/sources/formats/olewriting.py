"""Writing OLE compound files (MS-CFB, version 3): an object that is embedded in one becomes a file of its own.

The same tree always gives the same bytes. All times and class numbers are zero: no reader of documents needs them.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

Tree = Mapping[str, "bytes | Tree"]
"""Storages and streams by their names."""

_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
_SECTOR, _MINI, _CUTOFF, _PLACES = 512, 64, 4096, 512 // 4
_END, _FREE, _FAT_SECTOR, _DIFAT_SECTOR, _NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFC, 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_IN_HEADER = 109  # sectors of the table of sectors that the header lists


@dataclass(slots=True)
class _Entry:
    """A line of the directory."""

    name: str
    kind: int
    content: bytes = b""
    right: int = _NONE
    child: int = _NONE
    start: int = _END


@dataclass(slots=True)
class _Sectors:
    """The sectors so far, and which follows which."""

    content: list[bytes] = field(default_factory=list)
    following: list[int] = field(default_factory=list)

    def store(self, content: bytes) -> int:
        """Put bytes into sectors of their own; the first of these."""
        content += bytes(-len(content) % _SECTOR)
        self.content += [content[at : at + _SECTOR] for at in range(0, len(content), _SECTOR)]
        return chain(self.following, len(content) // _SECTOR)


def compound(tree: Tree) -> bytes:
    """A compound file with these storages and streams."""
    entries: list[_Entry] = []
    _list(entries, "Root Entry", tree, _ROOT)
    sectors, following = _Sectors(), list[int]()
    small = bytearray()
    for entry in entries:
        if entry.kind == _STREAM and entry.content:
            if len(entry.content) < _CUTOFF:
                entry.start = chain(following, -(-len(entry.content) // _MINI))
                small += entry.content + bytes(-len(entry.content) % _MINI)
            else:
                entry.start = sectors.store(entry.content)
    if small:
        entries[0].content, entries[0].start = bytes(small), sectors.store(bytes(small))
    listed = sectors.store(struct.pack(f"<{len(following)}I", *following)) if following else _END
    directory = sectors.store(b"".join(map(_line, entries)))
    return _finished(sectors, directory, listed, -(-len(following) // _PLACES))


def chain(table: list[int], length: int) -> int:
    """Places that follow each other, at the end of a table; the first of these."""
    first = len(table)
    table += [*range(first + 1, first + length), _END]
    return first


def _list(entries: list[_Entry], name: str, content: "bytes | Tree", kind: int) -> int:
    """Put an entry and all below it into the directory, each on the right of the one before it; its number."""
    number = len(entries)
    entry = _Entry(name=name, kind=kind, content=content if isinstance(content, bytes) else b"")
    entries.append(entry)
    before = None
    for inner, value in ({} if isinstance(content, bytes) else content).items():
        child = _list(entries, inner, value, _STREAM if isinstance(value, bytes) else _STORAGE)
        if before is None:
            entry.child = child
        else:
            entries[before].right = child
        before = child
    return number


def _line(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le", "replace")[:62] + b"\0\0"
    kind, size = entry.kind, len(entry.content)
    return struct.pack("<64sHBBIII36xIQ", name, len(name), kind, 1, _NONE, entry.right, entry.child, entry.start, size)


def _finished(sectors: _Sectors, directory: int, listed: int, lists: int) -> bytes:
    """The file: its header, which says where all else is, and the sectors with their table at the end."""
    used = len(sectors.following)
    tables, more = next(
        (tables, more)
        for tables in count(1)
        for more in [-(-max(0, tables - _IN_HEADER) // (_PLACES - 1))]
        if used + tables + more <= tables * _PLACES
    )
    following = [*sectors.following, *[_FAT_SECTOR] * tables, *[_DIFAT_SECTOR] * more]
    following += [_FREE] * (tables * _PLACES - len(following))
    places = [used + number for number in range(tables)]
    head, rest = places[:_IN_HEADER], places[_IN_HEADER:]
    first_more = used + tables if more else _END
    header = struct.pack("<8s16xHHHHH6x", _MAGIC, 62, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9I", 0, tables, directory, 0, _CUTOFF, listed, lists, first_more, more)
    header += _places(head, _IN_HEADER)
    out = [header, *sectors.content]
    out += [_places(following[at : at + _PLACES], _PLACES) for at in range(0, len(following), _PLACES)]
    for number in range(more):
        part = rest[number * (_PLACES - 1) : (number + 1) * (_PLACES - 1)]
        after = first_more + number + 1 if number + 1 < more else _END
        out.append(_places(part, _PLACES - 1) + struct.pack("<I", after))
    return b"".join(out)


def _places(listed: list[int], size: int) -> bytes:
    return struct.pack(f"<{size}I", *listed, *[_FREE] * (size - len(listed)))
