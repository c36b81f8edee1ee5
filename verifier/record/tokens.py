"""Tokens in a copy: what an outsider signed, after the entry that names it by its SHA-256."""

import base64
import binascii
from hashlib import sha256

from verifier.checks import Check
from verifier.findings import Damaged
from verifier.record.entries import Entry

LARGEST = 2**16

NAMING = ("stamped", "logged")
"""The kinds of entry about outsiders."""


def decoded(token: str, entry: Entry | None) -> bytes:
    """The token's bytes; damage if it does not stand after the entry that names it."""
    try:
        data = base64.b64decode(token, validate=True)
    except (binascii.Error, ValueError):
        raise Damaged(Check.FORMAT, "a token is not base64") from None
    if len(data) > LARGEST or base64.b64encode(data).decode() != token:
        raise Damaged(Check.FORMAT, "a token is too large, or not in its one encoding")
    if entry is None or entry.said.kind != "stamped" or not data:
        raise Damaged(Check.FORMAT, "a token does not stand after the entry that names it")
    check_named(data, entry)
    return data


def check_named(data: bytes, entry: Entry, what: str = "a token") -> None:
    """Damage if the entry does not name this token."""
    if entry.said.content.get("token") != sha256(data).hexdigest():
        raise Damaged(Check.FORMAT, f"{what} is not the token that entry {entry.body.sequence} names")
