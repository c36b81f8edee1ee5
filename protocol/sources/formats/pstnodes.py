"""A way into messages that are attached to messages of a mailbox, to which libpff gives none.

Such a message is stored as any other, but below its attachment instead of in the tree of all nodes. So the library is
shown a mailbox in which the outer message's node leads to the inner message: the same file but for one page. What has
to be read for this is not encrypted (MS-PST 2.2.2): the header, the two trees of nodes and blocks, and the lists of
subnodes. Mailboxes of Outlook 2003 to 2010 and newer have this layout (version 23); for others there is no such way.
"""

import struct
import zlib
from collections.abc import Iterator, Mapping
from io import SEEK_CUR, SEEK_END, SEEK_SET
from typing import IO

_VERSION_AT, _VERSION = 10, 23
_NODES_AT, _BLOCKS_AT = 0xE0, 0xF0
_PAGE, _COUNT_AT, _SIZE_AT, _LEVEL_AT, _CHECKED, _CHECKSUM_AT = 512, 488, 490, 491, 496, 500
_NODE, _BLOCK = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFE  # the bits of a number that count
_SUBNODES = 2
_MAX_LEVELS, _MAX_SUBNODES = 10, 100_000


class NoWay(ValueError):
    """There is no way to the message in an attachment."""


class View:
    """A file as the library reads it: with a place of its own, and with some pages replaced."""

    def __init__(self, stream: IO[bytes], replaced: Mapping[int, bytes] | None = None) -> None:
        self.stream = stream
        self.replaced = dict(replaced or {})
        self.place = 0

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Go to a place, as in any file."""
        starts = {SEEK_SET: 0, SEEK_CUR: self.place}
        self.place = offset + (self.get_size() if whence == SEEK_END else starts[whence])
        return self.place

    def tell(self) -> int:
        """The place of the next byte that is read."""
        return self.place

    def get_size(self) -> int:
        """The size of the file."""
        return self.stream.seek(0, SEEK_END)

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        self.stream.seek(self.place)
        content = bytearray(self.stream.read(size))
        for start, page in self.replaced.items():
            first, last = max(start, self.place), min(start + len(page), self.place + len(content))
            if first < last:
                content[first - self.place : last - self.place] = page[first - start : last - start]
        self.place += len(content)
        return bytes(content)

    def at(self, place: int, size: int) -> bytes:
        """Bytes at a place; `ValueError` if they are not there."""
        self.place = place
        content = self.read(size)
        if len(content) != size:
            raise ValueError("the file ends too early")
        return content


def inside(view: View, message: int, attachment: int, inner: int) -> View:
    """The mailbox in which this message's node leads to the message in its attachment; or `NoWay`."""
    try:
        (version,) = struct.unpack("<H", view.at(_VERSION_AT, 2))
        if version != _VERSION:
            raise NoWay("another layout")
        place, within, entry = _found(view, _NODES_AT, message, _NODE)
        below = _subnode(view, struct.unpack_from("<Q", entry, 16)[0], attachment)
        data, subnodes = _subnode_pair(view, below, inner)
    except (ValueError, struct.error, IndexError, OverflowError) as error:
        raise NoWay(str(error)) from None
    page = bytearray(view.at(place, _PAGE))
    struct.pack_into("<QQ", page, within + 8, data, subnodes)
    struct.pack_into("<I", page, _CHECKSUM_AT, _checksum(bytes(page[:_CHECKED])))
    return View(view.stream, view.replaced | {place: bytes(page)})


def _found(view: View, root_at: int, key: int, mask: int) -> tuple[int, int, bytes]:
    """The leaf of a tree with this key: the place of its page, its place within that, and its bytes."""
    (place,) = struct.unpack("<Q", view.at(root_at, 8))
    for _ in range(_MAX_LEVELS):
        page = view.at(place, _PAGE)
        count, size, level = page[_COUNT_AT], page[_SIZE_AT], page[_LEVEL_AT]
        entries = [page[number * size : (number + 1) * size] for number in range(count)]
        keys = [struct.unpack_from("<Q", entry)[0] & mask for entry in entries]
        if not level:
            number = keys.index(key & mask)
            return place, number * size, entries[number]
        below = [entry for entry, first in zip(entries, keys, strict=True) if first <= key & mask]
        (place,) = struct.unpack_from("<Q", below[-1], 16)
    raise ValueError("a tree that is too deep")


def _subnode(view: View, block: int, node: int) -> int:
    """The list of subnodes of a subnode."""
    return _subnode_pair(view, block, node)[1]


def _subnode_pair(view: View, block: int, node: int) -> tuple[int, int]:
    """The blocks of a subnode: of its data, and of its own subnodes."""
    for number, data, subnodes in _subnodes(view, block, 0):
        if number & _NODE == node:
            return data, subnodes
    raise ValueError("no such subnode")


def _subnodes(view: View, block: int, level: int) -> Iterator[tuple[int, int, int]]:
    _, _, entry = _found(view, _BLOCKS_AT, block, _BLOCK)
    place, size = struct.unpack_from("<QH", entry, 8)
    content = view.at(place, size)
    kind, is_upper, count = struct.unpack_from("<BBH", content)
    if kind != _SUBNODES or level > 1 or count > _MAX_SUBNODES:
        raise ValueError("not a list of subnodes")
    for number in range(count):
        if is_upper:
            yield from _subnodes(view, struct.unpack_from("<Q", content, 16 + 16 * number)[0], level + 1)
        else:
            yield struct.unpack_from("<QQQ", content, 8 + 24 * number)


def _checksum(content: bytes) -> int:
    """The checksum of MS-PST 5.3: CRC-32, but it begins and ends with zeros."""
    return zlib.crc32(content, 0xFFFFFFFF) ^ 0xFFFFFFFF
