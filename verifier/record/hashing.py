"""H of the specification (section "Hashes"), and what is made of it.

    H(tag, a, b, ...) = SHA-256("tallystick/v1/" tag 0x00 | len(a) a | len(b) b | ...)

with lengths and integers as 8 bytes, big-endian.
"""

import hmac
from functools import cache
from hashlib import sha256

_NAMESPACE = b"tallystick/v1/"


@cache
def domain(tag: str) -> bytes:
    """What stands before hashed and signed bytes of one kind."""
    return _NAMESPACE + tag.encode("ascii") + b"\0"


def tagged_hash(tag: str, *parts: bytes) -> bytes:
    """H(tag, parts)."""
    pieces = [domain(tag)]
    for part in parts:
        pieces += (len(part).to_bytes(8, "big"), part)
    return sha256(b"".join(pieces)).digest()


def integer(number: int) -> bytes:
    """A number as a part of a hash."""
    return number.to_bytes(8, "big")


COMMITMENT = domain("commitment") + integer(32)
"""What a commitment's hash begins with, before the salt; then come the value's length and the value."""


_OF_8, _OF_32 = integer(8), integer(32)  # lengths
_DOCUMENT, _LEAF = domain("document") + _OF_32, domain("leaf") + _OF_32


def document_leaf(salt: bytes, number: int, name: bytes, content: bytes, text: bytes, row_half: bytes) -> bytes:
    """A document's leaf of the corpus commitment. H is written out here: a corpus has very many documents."""
    document = (_DOCUMENT, salt, _OF_8, integer(number), integer(len(name)), name, _OF_32, content, _OF_32, text)
    first_half = sha256(b"".join(document)).digest()
    return sha256(b"".join((_LEAF, first_half, _OF_32, row_half))).digest()


def derived_salt(secret: bytes, purpose: str, index: int) -> bytes:
    """The salt of value number `index` under `purpose`: HMAC-SHA-256 of H("salt", purpose, index)."""
    return hmac.digest(secret, tagged_hash("salt", purpose.encode(), integer(index)), "sha256")


def fingerprint(key: bytes) -> str:
    """A public key as eight groups of five digits."""
    digits = f"{int.from_bytes(tagged_hash('fingerprint', key), 'big') % 10**40:040d}"
    return " ".join(digits[start : start + 5] for start in range(0, 40, 5))
