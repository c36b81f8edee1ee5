"""DER (X.690), as far as a token needs it: tag, length, content, in the one encoding that DER allows.

Only tags of one byte occur in a token. Nothing here calls itself, so nested bytes cannot exhaust the stack.
"""

from dataclasses import dataclass

BOOLEAN, INTEGER, OCTETS, OID, SEQUENCE, SET, TIME = 0x01, 0x02, 0x04, 0x06, 0x30, 0x31, 0x18
FIRST, SECOND = 0xA0, 0xA1
"""[0] and [1] around others."""
PLAIN_FIRST, PLAIN_SECOND = 0x80, 0x81
"""[0] and [1] in the place of a plain type's own tag."""

_LONG_TAG = 0x1F
_LONG_LENGTH = 0x80
_MOST_LENGTH_BYTES = 3
_MOST_INTEGER_BYTES = 64  # serial numbers have at most 20; Python does not write out ones of thousands


class NotDer(Exception):
    """The bytes are not DER, or not of the form that is expected in their place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One value: its tag, its content, and all its bytes."""

    tag: int
    content: bytes
    whole: bytes


class Fields:
    """What stands in a value, one after the other; each is taken in its turn, and none may be left over."""

    def __init__(self, content: bytes) -> None:
        self._rest = items(content)[::-1]

    def take(self, tag: int) -> Item:
        """The next one, which must have this tag."""
        found = self.maybe(tag)
        if found is None:
            raise NotDer
        return found

    def maybe(self, tag: int) -> Item | None:
        """The next one if it has this tag."""
        return self._rest.pop() if self._rest and self._rest[-1].tag == tag else None

    def end(self) -> None:
        """Nothing may be left."""
        if self._rest:
            raise NotDer


def items(data: bytes) -> list[Item]:
    """The values that the bytes hold, one after the other."""
    found, start = list[Item](), 0
    while start < len(data):
        item = _item(data, start)
        found.append(item)
        start += len(item.whole)
    return found


def only(data: bytes, tag: int) -> Item:
    """The one value that the bytes hold, and which must have this tag."""
    fields = Fields(data)
    found = fields.take(tag)
    fields.end()
    return found


def integer(item: Item) -> int:
    """The number in a value; a tag in the place of its own is fine."""
    content = item.content
    if not 0 < len(content) <= _MOST_INTEGER_BYTES or (
        len(content) > 1 and content[0] in (0x00, 0xFF) and (content[0] ^ content[1]) < _LONG_LENGTH
    ):
        raise NotDer
    return int.from_bytes(content, "big", signed=True)


def written(tag: int, content: bytes) -> bytes:
    """A value as bytes."""
    size = len(content)
    if size < _LONG_LENGTH:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, _LONG_LENGTH | len(length))) + length + content


def _item(data: bytes, start: int) -> Item:
    if len(data) - start < 2 or data[start] & _LONG_TAG == _LONG_TAG:
        raise NotDer
    tag, size, at = data[start], data[start + 1], start + 2
    if size >= _LONG_LENGTH:
        count = size - _LONG_LENGTH
        length = data[at : at + count]
        if not 0 < count <= _MOST_LENGTH_BYTES or len(length) != count or not length[0]:
            raise NotDer
        size, at = int.from_bytes(length, "big"), at + count
        if size < _LONG_LENGTH:
            raise NotDer
    if at + size > len(data):
        raise NotDer
    return Item(tag=tag, content=data[at : at + size], whole=data[start : at + size])
