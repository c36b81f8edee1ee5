"""As much of DER as a token needs before a library reads it: what is in a response, and certificates in order.

A set in DER is sorted. Authorities often send their certificates in another order, which OpenSSL reads and
rfc3161-client refuses. No signature covers that order, so it may be changed.
"""

SEQUENCE, OID, CERTIFICATES = 0x30, 0x06, 0xA0

_GRANTED = bytes.fromhex("3003020100")


class NotDer(ValueError):
    """The bytes are not what they should be."""


def parts(data: bytes) -> list[bytes]:
    """The values that stand one after the other, each with its tag and length."""
    found, place = list[bytes](), 0
    while place < len(data):
        end = _content(data, place)[1]
        found.append(data[place:end])
        place = end
    return found


def inner(value: bytes) -> list[bytes]:
    """The values within a value."""
    begin, end = _content(value, 0)
    if end != len(value):
        raise NotDer
    return parts(value[begin:])


def wrapped(tag: int, *values: bytes) -> bytes:
    """A value around others."""
    content = b"".join(values)
    if len(content) < 0x80:
        return bytes([tag, len(content)]) + content
    size = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 + len(size)]) + size + content


def response(token: bytes) -> bytes:
    """A token as an authority sends it: with the word that it is granted."""
    return wrapped(SEQUENCE, _GRANTED, token)


def token_in(data: bytes) -> bytes | None:
    """The token in a response, or the bare token; None if a response has none."""
    (whole,) = _some(parts(data), 1)
    held = inner(whole)
    if whole[0] != SEQUENCE or not held:
        raise NotDer
    if held[0][0] == OID:
        return data
    return held[1] if len(held) > 1 else None


def in_order(token: bytes) -> bytes:
    """The token with its certificates sorted."""
    kind, explicit = _some(inner(token), 2)
    (data,) = _some(inner(explicit), 1)
    fields = inner(data)
    sorted_fields = [
        wrapped(CERTIFICATES, *sorted(inner(each))) if each[0] == CERTIFICATES else each for each in fields
    ]
    return wrapped(SEQUENCE, kind, wrapped(explicit[0], wrapped(SEQUENCE, *sorted_fields)))


def _some(values: list[bytes], count: int) -> list[bytes]:
    if len(values) != count:
        raise NotDer
    return values


def _content(data: bytes, place: int) -> tuple[int, int]:
    """Where the content of a value begins and ends."""
    head = data[place : place + 2]
    if len(head) < 2:
        raise NotDer
    begin, size = place + 2, head[1]
    if size >= 0x80:
        begin += size - 0x80
        length = data[place + 2 : begin]
        if not 1 <= len(length) <= 3 or len(length) != size - 0x80:
            raise NotDer
        size = int.from_bytes(length, "big")
    if begin + size > len(data):
        raise NotDer
    return begin, begin + size
