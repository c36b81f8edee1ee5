"""Tokens in a copy: what an outsider signed, such as a time stamp, and an entry names by its SHA-256.

Such an entry is a `stamped`, whose content has a field `token`. What a token says is not the ledger's to judge.
"""

import base64
import binascii
from hashlib import sha256

from ledger.copylines import TokenLine
from ledger.entries import Body
from ledger.errors import Damaged
from ledger.hashing import Digest

KIND, FIELD = "stamped", "token"
LARGEST = 2**16
"""Bytes of a token at most."""


def named(body: Body) -> Digest | None:
    """The token that an entry names, if it names one."""
    value = body.statement.content.get(FIELD) if body.statement.kind == KIND else None
    try:
        return Digest.parse(value) if isinstance(value, str) else None
    except ValueError:
        return None


def line(token: bytes) -> TokenLine:
    """The line for a token."""
    return TokenLine(token=base64.b64encode(token).decode())


def decoded(found: TokenLine, body: Body | None) -> bytes:
    """The token after its entry."""
    try:
        data = base64.b64decode(found.token, validate=True)
    except (binascii.Error, ValueError):
        raise Damaged("a token is not base64") from None
    if len(data) > LARGEST or base64.b64encode(data).decode() != found.token:
        raise Damaged("a token is too large, or not in its one encoding")
    if body is None or not data or named(body) != sha256(data).digest():
        raise Damaged("a token does not stand after the entry that names it")
    return data
