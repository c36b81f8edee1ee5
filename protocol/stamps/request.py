"""The query that goes to a time-stamping authority: a hash, a nonce, and the wish for its certificates.

Only the hash leaves the house. The nonce is random, and the authority repeats it, so that a token cannot be an old one
for another query. Every query of ours has the same form and length:

    TimeStampReq    version 1, SHA-256 and the hash, the nonce (8 bytes), certReq TRUE
"""

import secrets
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Self

from ledger import reading
from ledger.hashing import Digest
from protocol.errors import BadToken

_BEFORE = bytes.fromhex("3043020101 3031300d060960864801650304020105000420")
_NONCE = bytes.fromhex("0208")
_AFTER = bytes.fromhex("0101ff")
_LENGTH = len(_BEFORE) + 32 + len(_NONCE) + 8 + len(_AFTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked."""

    digest: Digest
    nonce: int

    @classmethod
    def of(cls, digest: Digest) -> Self:
        """A new query for this hash."""
        return cls(digest=digest, nonce=2**62 + secrets.randbelow(2**62))  # always 8 bytes in DER

    @property
    def data(self) -> bytes:
        """As it is sent (application/timestamp-query)."""
        return _BEFORE + self.digest + _NONCE + self.nonce.to_bytes(8, "big") + _AFTER


def read(data: bytes) -> Query:
    """A query of ours, from its bytes."""
    query = Query(
        digest=Digest(data[len(_BEFORE) :][:32].ljust(32, b"\0")),
        nonce=int.from_bytes(data[-8 - len(_AFTER) : -len(_AFTER)], "big"),
    )
    if len(data) != _LENGTH or query.nonce >= 2**63 or query.data != data:
        raise BadToken("this is not a query that `tallystick stamp request` wrote; give that one, or none")
    return query


def hash_file(path: Path) -> Digest:
    """The SHA-256 of a file, however large it is."""
    with reading.opened(path) as file:
        return Digest(file_digest(file, "sha256").digest())
