"""Salted commitments: a value is fixed in the signed record before it may be seen.

The salt hides the value, even if there are only a few values to guess from. Salts come from the system, or derive from
one secret, so that a single value can be opened alone and nobody has to keep a list.
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Any

from ledger.hashing import Digest, FixedBytes, integer, tagged_hash, type_tag


class Salt(FixedBytes):
    """32 bytes that are known only to those who may open the commitment."""

    size = 32


class Secret(FixedBytes):
    """The one secret from which a party's salts derive."""

    size = 32


def random_secret() -> Secret:
    """A secret from the system's randomness."""
    return Secret(os.urandom(Secret.size))


def derived_salt(secret: Secret, purpose: str, index: int) -> Salt:
    """The salt of value number `index` under `purpose`; tells nothing of the secret or other salts."""
    return derived_salts(secret, purpose, (index,))[0]


def derived_salts(secret: Secret, purpose: str, indices: Iterable[int]) -> list[Salt]:
    """The salts of values under `purpose`.

    Each is HMAC-SHA-256 of H("salt", purpose, index), with the secret as the key. There are many for one purpose, so
    their common part is computed once.
    """
    started, inner, outer = _in_common(secret, purpose)
    found = []
    for index in indices:
        message = started.copy()
        message.update(index.to_bytes(8, "big"))
        found.append(bytes.__new__(Salt, sha256(outer + sha256(inner + message.digest()).digest()).digest()))
    return found


def derived_once(salt: Salt, purpose: str) -> Salt:
    """The salt under `purpose` of what a salt opens: one hash, since a salt is as good as a key, and is long enough."""
    return bytes.__new__(Salt, tagged_hash(f"{purpose}-salt", salt))


_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))  # of RFC 2104


@lru_cache(maxsize=64)
def _in_common(secret: Secret, purpose: str) -> tuple[Any, bytes, bytes]:
    """H's message up to the index, and the two keys of RFC 2104."""
    part = purpose.encode()
    started = sha256(type_tag("salt") + integer(len(part)) + part + integer(len(integer(0))))
    key = secret.ljust(started.block_size, b"\0")
    return started, key.translate(_INNER), key.translate(_OUTER)


def commit(salt: Salt, encoded: bytes) -> Digest:
    """The commitment to a value, given as canonical bytes, H("commitment", salt, value). Only these two open it.

    H is written out here: there are very many commitments.
    """
    return bytes.__new__(Digest, sha256(_COMMITMENT + salt + len(encoded).to_bytes(8, "big") + encoded).digest())


_COMMITMENT = type_tag("commitment") + integer(Salt.size)
