"""H of the specification (section "Hashes"), and what is made of it.

    H(tag, a, b, ...) = SHA-256("tallystick/v1/" tag 0x00 | len(a) a | len(b) b | ...)

with lengths and integers as 8 bytes, big-endian.
"""

import hmac
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from struct import Struct

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


def split(hashes: bytes) -> list[bytes]:
    """Hashes that stand one after the other. There may be very many, so no cache is to keep the form of them all."""
    return list(Struct("32s" * (len(hashes) // 32)).unpack(hashes))


def integer(number: int) -> bytes:
    """A number as a part of a hash."""
    return number.to_bytes(8, "big")


COMMITMENT = domain("commitment") + integer(32)
"""What a commitment's hash begins with, before the salt; then come the value's length and the value."""


_OF_8, _OF_32 = integer(8), integer(32)  # lengths
_DOCUMENT, _LEAF = domain("document") + _OF_8, domain("leaf") + _OF_32
_LOG, _REST, _BODY, _PART = (domain(tag) + _OF_32 for tag in ("log", "rest", "body", "part"))
_LOG_SALT, _REST_SALT, _BODY_SALT = (domain(tag) + _OF_32 for tag in ("log-salt", "rest-salt", "body-salt"))


def document_leaf(number: int, parts: Iterable[bytes], row_half: bytes) -> bytes:
    """A document's leaf of the corpus commitment. H is written out here and below: there are very many documents."""
    first = _DOCUMENT + integer(number) + _OF_32.join((b"", *parts))
    return sha256(_LEAF + sha256(first).digest() + _OF_32 + row_half).digest()


def part_of(log: bytes, rest: bytes, body: bytes) -> bytes:
    """A part, from its three nodes."""
    return sha256(_PART + log + _OF_32 + rest + _OF_32 + body).digest()


def log_node(salt: bytes, log: bytes) -> bytes:
    """What a privilege log states of a part, as canonical JSON, under its own salt."""
    return sha256(_LOG + salt + integer(len(log)) + log).digest()


def open_part(salt: bytes, log: bytes, rest: bytes, content: bytes, text: bytes) -> bytes:
    """A part of which all is known: its salt, what is stated of it as canonical JSON, and the hashes of its bytes."""
    of_log, of_rest = sha256(_LOG_SALT + salt).digest(), sha256(_REST_SALT + salt).digest()
    of_body = sha256(_BODY_SALT + salt).digest()
    return part_of(
        sha256(_LOG + of_log + len(log).to_bytes(8, "big") + log).digest(),
        sha256(_REST + of_rest + len(rest).to_bytes(8, "big") + rest).digest(),
        sha256(_BODY + of_body + _OF_32 + content + _OF_32 + text).digest(),
    )


def derived_salt(secret: bytes, purpose: str, index: int) -> bytes:
    """The salt of value number `index` under `purpose`: HMAC-SHA-256 of H("salt", purpose, index)."""
    return hmac.digest(secret, tagged_hash("salt", purpose.encode(), integer(index)), "sha256")


def fingerprint(key: bytes) -> str:
    """A public key as eight groups of five digits."""
    digits = f"{int.from_bytes(tagged_hash('fingerprint', key), 'big') % 10**40:040d}"
    return " ".join(digits[start : start + 5] for start in range(0, 40, 5))
