"""The files inside old Office files. LibreOffice loses most of them on the way to a modern file.

In a workbook each stands in a storage `MBD…`, in a document in one of `ObjectPool`, in a presentation in a record of
its main stream, often packed. Each comes out as a compound file, from which `ole.unwrapped` takes the file itself.
"""

import io
import struct
import zlib
from collections.abc import Iterator

import olefile

from protocol.sources.formats.olewriting import Tree, compound

MAX_OBJECTS = 1000
MAX_DEPTH = 10
ROOM = 2**24
"""Bytes of all objects beyond twice the size of the file; a hostile one may use its sectors many times."""

_OBJECT_RECORD = 0x1011
_STORAGE = 1


class _TooMuch(Exception):
    """The objects are larger than the file could honestly hold."""


def objects(content: bytes, kind: str) -> list[bytes]:
    """The embedded objects, each as a compound file; those that can be read, of a damaged file."""
    found: list[bytes] = []
    left = 2 * len(content) + ROOM
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as ole:
            for each in _in_presentation(ole, left) if kind == "ppt" else _in_storages(ole, kind, left):
                left -= len(each)
                if left < 0 or len(found) == MAX_OBJECTS:
                    break
                found.append(each)
    except Exception:  # olefile raises all kinds of errors on damaged files
        return found
    return found


def _in_storages(ole: olefile.OleFileIO, kind: str, most: int) -> Iterator[bytes]:
    pool = ole.root if kind == "xls" else next((each for each in ole.root.kids if each.name == "ObjectPool"), None)
    for entry in pool.kids if pool else ():
        path = [entry.name] if kind == "xls" else ["ObjectPool", entry.name]
        if entry.entry_type == _STORAGE and entry.name.startswith("MBD" if kind == "xls" else "_"):
            yield compound(_tree(ole, entry, path, _Room(most)))


class _Room:
    """How many bytes may still be read."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise _TooMuch


def _tree(ole: olefile.OleFileIO, entry: olefile.olefile.OleDirectoryEntry, path: list[str], room: _Room) -> Tree:
    """A storage with all that is in it."""
    if len(path) > MAX_DEPTH:
        raise _TooMuch
    tree: dict[str, bytes | Tree] = {}
    for inner in entry.kids:
        place = [*path, inner.name]
        if inner.entry_type == _STORAGE:
            tree[inner.name] = _tree(ole, inner, place, room)
        else:
            room.take(inner.size)
            tree[inner.name] = ole.openstream(place).read()
    return tree


def _in_presentation(ole: olefile.OleFileIO, most: int) -> Iterator[bytes]:
    """The records of objects in the main stream; each is a compound file, but for those with macros."""
    raw = ole.openstream("PowerPoint Document").read()
    place = 0
    while place + 8 <= len(raw):
        version, kind, size = struct.unpack_from("<HHI", raw, place)
        content = raw[place + 8 : place + 8 + size]
        place += 8 + size
        if kind != _OBJECT_RECORD:
            continue
        if version >> 4 == 1:
            content = _unpacked(content[4:], most)
        if content.startswith(olefile.MAGIC) and "VBA".encode("utf-16-le") + b"\0\0" not in content:
            yield content


def _unpacked(packed: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error:
        return b""
