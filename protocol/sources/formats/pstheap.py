"""The properties of a message that is attached to a message in a mailbox of Outlook.

The library gives such a message only as the bytes of its heap (MS-PST 2.3.1 to 2.3.3). What stands in that heap is
read here: its properties, up to those that are too long for it. Its attachments stand elsewhere, out of reach.
"""

import struct
from collections.abc import Iterator

from protocol.sources.formats.mapi import BOOLEAN, INTEGER_16, INTEGER_32

_BLOCK = 8176
_HEAP, _PROPERTY_CONTEXT, _TREE = 0xEC, 0xBC, 0xB5
_MAX_LEVELS = 8


def properties(heap: bytes) -> tuple[dict[int, tuple[int, bytes]], int]:
    """The properties that can be read, and how many cannot; none of what is no heap."""
    values: dict[int, tuple[int, bytes]] = {}
    out_of_reach = 0
    try:
        if heap[2] != _HEAP or heap[3] != _PROPERTY_CONTEXT:
            return {}, 0
        for number, kind, value in _records(heap, int.from_bytes(heap[4:8], "little")):
            if kind in (INTEGER_16, INTEGER_32, BOOLEAN):
                values[number] = (kind, value)
                continue
            place = int.from_bytes(value, "little")
            if place & 0x1F:  # not in the heap
                out_of_reach += 1
            elif place:
                values[number] = (kind, _item(heap, place))
    except (IndexError, struct.error, ValueError):
        return values, out_of_reach + 1
    return values, out_of_reach


def _records(heap: bytes, root: int) -> Iterator[tuple[int, int, bytes]]:
    """The records of the tree of properties: number, type, and a value or its place."""
    kind, key, size, levels, top = struct.unpack_from("<BBBBI", _item(heap, root))
    if kind != _TREE or (key, size) != (2, 6) or levels > _MAX_LEVELS:
        raise ValueError("not a tree of properties")
    pages = [top] if top else []
    for _ in range(levels):
        pages = [place for page in pages for (_, place) in struct.iter_unpack("<HI", _whole(_item(heap, page), 6))]
        if len(pages) > len(heap):
            raise ValueError("a tree that repeats itself")
    for page in pages:
        yield from struct.iter_unpack("<HH4s", _whole(_item(heap, page), 8))


def _whole(raw: bytes, size: int) -> bytes:
    return raw[: len(raw) // size * size]


def _item(heap: bytes, place: int) -> bytes:
    """The bytes at a place in the heap: a block, and a number in the list at the block's end."""
    block = heap[(place >> 16) * _BLOCK :][:_BLOCK]
    (listed,) = struct.unpack_from("<H", block)
    start, end = struct.unpack_from("<HH", block, listed + 4 + ((place >> 5 & 0x7FF) - 1) * 2)
    if not start <= end <= len(block):
        raise ValueError("an item outside its block")
    return block[start:end]
