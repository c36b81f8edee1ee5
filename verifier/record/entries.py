"""Entries and statements, typed, with the very bytes that were signed (specification, "Entries")."""

from dataclasses import dataclass
from typing import Any

from verifier.checks import Audience, Role
from verifier.record import encoding
from verifier.record.hashing import tagged_hash
from verifier.record.shapes import (
    Malformed,
    check_depth,
    digest,
    digests,
    free,
    listed,
    mapped,
    maybe,
    name,
    natural,
    read,
    record,
    shaped,
    signature,
    word,
)

FORMAT = 1
NO_ENTRY = bytes(32)
OPEN, REKEYED = "open", "rekeyed"
CONTENT_DEPTH = 24  # of what Trent says, and of a sealed value; a party's words must fit into one, two levels deeper
PARTY_DEPTH = CONTENT_DEPTH - 2


def _digests(value: Any) -> tuple[bytes, ...]:
    if type(value) is not list:
        raise Malformed("an array of hashes was expected")
    return tuple(digests(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """The commitments to a field's values, and who may open all of them."""

    audiences: tuple[Audience, ...] = shaped(listed(word(Audience)))
    commitments: tuple[bytes, ...] = shaped(_digests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What one party says."""

    answers: bytes | None = shaped(maybe(digest))
    author: Role = shaped(word(Role))
    content: dict[str, Any] = shaped(free(CONTENT_DEPTH))
    kind: str = shaped(name)
    matter: bytes = shaped(digest)
    replaces: tuple[bytes, ...] = shaped(listed(digest))
    round: int = shaped(natural)
    sealed: dict[str, Sealed] = shaped(mapped(name, record(Sealed)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What an entry opens to one more audience; None: the whole field."""

    audience: Audience = shaped(word(Audience))
    entry: int = shaped(natural)
    field: str = shaped(name)
    indices: tuple[int, ...] | None = shaped(maybe(listed(natural)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """An entry without Trent's signature."""

    asks: tuple[Role, ...] = shaped(listed(word(Role)))
    matter: bytes = shaped(digest)
    previous: bytes = shaped(digest)
    releases: tuple[Release, ...] = shaped(listed(record(Release)))
    sequence: int = shaped(natural)
    signature: bytes | None = shaped(maybe(signature))
    statement: Statement = shaped(record(Statement))
    time: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondAnswer:
    """The evidence of a conflict: a party's other answer, with its signature."""

    signature: bytes = shaped(signature)
    statement: Statement = shaped(record(Statement))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A body with its bytes, its statement's bytes, and Trent's signature."""

    body: Body
    body_bytes: bytes
    statement_bytes: bytes
    signature: bytes

    @property
    def said(self) -> Statement:
        """What the entry's author says."""
        return self.body.statement

    @property
    def hash(self) -> bytes:
        """What the next entry, and every answer to this one, names."""
        return tagged_hash("entry", self.body_bytes)


def read_body(value: Any) -> Body:
    """A body of its shape."""
    body = read(Body, value)
    if body.statement.author is not Role.TRENT:
        check_depth(body.statement.content, PARTY_DEPTH)
    return body


def read_evidence(value: Any) -> tuple[SecondAnswer, bytes]:
    """A conflict's evidence, from its sealed value, and the bytes of its statement."""
    return read(SecondAnswer, value), encoding.encode(value["statement"])


def hash_statement(statement_bytes: bytes) -> bytes:
    """What `replaces` refers to."""
    return tagged_hash("statement", statement_bytes)


def hash_words(statement_bytes: bytes) -> bytes:
    """What a round's seed binds: the author's own words, and nothing that Trent wrote."""
    # fields stand in order: first "answers", hex or null; behind "replaces", a list of hex, only "round" and "sealed"
    author = statement_bytes.index(b'"author":')
    replaces = statement_bytes.rindex(b',"replaces":[')
    rest = statement_bytes.index(b"]", replaces) + 1
    return tagged_hash("words", b"{" + statement_bytes[author:replaces] + statement_bytes[rest:])
