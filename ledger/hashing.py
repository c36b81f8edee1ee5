"""SHA-256 with a domain tag and length prefixes.

    H(tag, a, b, ...) = SHA-256("tallystick/v1/" tag 0x00 | len(a) a | len(b) b | ...)

Lengths are 8 bytes, big-endian. No tag holds a zero byte, so a message can be read in one way only: other parts, other
borders between them, or another tag give another message. The first byte is 't', so no such message is a leaf (0x00)
or a node (0x01) of a Merkle tree.
"""

from functools import cache
from hashlib import sha256
from typing import Self

PREFIX = b"tallystick/v1/"


class FixedBytes(bytes):
    """Bytes of one length, written in JSON as lowercase hex."""

    size: int

    def __new__(cls, raw: bytes) -> Self:
        if len(raw) != cls.size:
            raise ValueError(f"{cls.size} bytes were expected, {len(raw)} found")
        return super().__new__(cls, raw)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The value of lowercase hex digits; anything else is refused."""
        raw = bytes.fromhex(text)
        if len(raw) != cls.size or raw.hex() != text:
            raise ValueError(f"{2 * cls.size} lowercase hex digits were expected")
        return bytes.__new__(cls, raw)


class Digest(FixedBytes):
    """A SHA-256 hash; as `matter`, the random name of a matter."""

    size = 32


@cache
def type_tag(tag: str) -> bytes:
    """The prefix of hashed and signed bytes, so that bytes of one kind never pass for another kind."""
    return PREFIX + tag.encode("ascii") + b"\0"


def tagged_hash(tag: str, *parts: bytes) -> Digest:
    """H(tag, parts) as above."""
    pieces = [type_tag(tag)]
    for part in parts:
        pieces += (len(part).to_bytes(8, "big"), part)
    return bytes.__new__(Digest, sha256(b"".join(pieces)).digest())


def integer(number: int) -> bytes:
    """A number as a part of a hash: 8 bytes, big-endian."""
    return number.to_bytes(8, "big")
