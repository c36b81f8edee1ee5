"""S/MIME: what is inside a signed mail, and whether a mail is encrypted. Signatures are not checked.

A mail that is signed in one piece is a CMS structure (RFC 5652) in BER. Only the way to the signed bytes is read:

    ContentInfo { OID, [0] { SignedData { version, digests, EncapsulatedContentInfo { OID, [0] bytes }, … } } }
"""

from collections.abc import Iterator
from dataclasses import dataclass

TYPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
SIGNATURES = ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")

_PKCS7 = bytes.fromhex("2a864886f70d0107")
_SIGNED = _PKCS7 + b"\x02"
_ENCRYPTED = (
    _PKCS7 + b"\x03",  # enveloped data
    _PKCS7 + b"\x04",  # signed and enveloped data
    _PKCS7 + b"\x06",  # encrypted data
    bytes.fromhex("2a864886f70d0109100117"),  # authenticated enveloped data
)
_OID, _SEQUENCE, _OCTETS, _CONSTRUCTED_OCTETS, _CONTEXT_0 = 0x06, 0x30, 0x04, 0x24, 0xA0
_MAX_NESTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What was found in a part of S/MIME: the signed bytes, or that it is encrypted, or neither."""

    content: bytes | None = None
    is_encrypted: bool = False


class _Broken(Exception):
    """Not BER."""


def opened(raw: bytes) -> Envelope:
    """What is inside; never an error."""
    try:
        kind, (_, start, end, _) = _typed(raw, _inner(raw, 0, len(raw), _SEQUENCE))
        if kind in _ENCRYPTED:
            return Envelope(is_encrypted=True)
        if kind != _SIGNED:
            return Envelope()
        start, end = _inner(raw, start, end, _SEQUENCE)
        signed = next(child for child in _children(raw, start, end) if child[0] == _SEQUENCE)
        _, (_, start, end, _) = _typed(raw, signed[1:3])
        return Envelope(content=b"".join(_octets(raw, start, end, 0)))
    except (_Broken, StopIteration, ValueError, IndexError):
        return Envelope()


_Element = tuple[int, int, int, int]
"""Tag, start and end of the content, and the place after the element."""


def _typed(raw: bytes, inside: tuple[int, int]) -> tuple[bytes, _Element]:
    """The object identifier, and what is tagged [0] after it."""
    children = _children(raw, *inside)
    tag, start, end, _ = next(children)
    if tag != _OID:
        raise _Broken
    kind = raw[start:end]
    if kind in _ENCRYPTED:
        return kind, (0, 0, 0, 0)
    value = next(children)
    if value[0] != _CONTEXT_0:
        raise _Broken
    return kind, value


def _inner(raw: bytes, start: int, end: int, tag: int) -> tuple[int, int]:
    """The bounds of the content of the first element, which must have this tag."""
    found = _element(raw, start, end, 0)
    if found[0] != tag:
        raise _Broken
    return found[1], found[2]


def _octets(raw: bytes, start: int, end: int, depth: int) -> Iterator[bytes]:
    """The bytes of octet strings, which may be cut into pieces."""
    for tag, first, last, _ in _children(raw, start, end):
        if tag == _OCTETS:
            yield raw[first:last]
        elif tag == _CONSTRUCTED_OCTETS and depth < _MAX_NESTED:
            yield from _octets(raw, first, last, depth + 1)
        else:
            raise _Broken


def _children(raw: bytes, start: int, end: int) -> Iterator[_Element]:
    while start < end:
        found = _element(raw, start, end, 0)
        yield found
        start = found[3]


def _element(raw: bytes, place: int, limit: int, depth: int) -> _Element:
    """The element at a place. One of indefinite length is read to the two zeros that end it."""
    if place + 2 > limit or depth > _MAX_NESTED or raw[place] & 0x1F == 0x1F:
        raise _Broken
    tag, length = raw[place], raw[place + 1]
    start = place + 2
    if length == 0x80:
        place = start
        while raw[place : place + 2] != b"\0\0":
            place = _element(raw, place, limit, depth + 1)[3]
        return tag, start, place, place + 2
    if length > 0x80:
        size = length - 0x80
        length = int.from_bytes(raw[start : start + size])
        start += size
    if start + length > limit:
        raise _Broken
    return tag, start, start + length, start + length
