"""Entries, statements and openings, typed, with the very bytes that were signed (specification, "Entries")."""

from dataclasses import dataclass
from typing import Any

from verifier.checks import Audience, Role
from verifier.record import encoding
from verifier.record.hashing import commitment, integer, tagged_hash
from verifier.record.shapes import (
    Malformed,
    check_depth,
    digest,
    free,
    hex_bytes,
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
OPEN, CONFLICT = "open", "conflict"
CONTENT_DEPTH = 24  # of what Trent says; a party's words must fit into a conflict, two levels deeper
PARTY_DEPTH = CONTENT_DEPTH - 2

_CONSTANTS = {True: b"true", False: b"false", None: b"null"}


def _digests(value: Any) -> tuple[bytes, ...]:
    """Many hashes, read in one go."""
    if type(value) is not list or set(map(type, value)) - {str} or set(map(len, value)) - {64}:
        raise Malformed("an array of hashes was expected")
    raw = hex_bytes("".join(value))
    return tuple(raw[start : start + 32] for start in range(0, len(raw), 32))


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
class Evidence:
    """A conflict's content: a party's other answer, with its signature."""

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


@dataclass(slots=True)  # neither frozen nor by keyword: there are very many
class Opening:
    """What opens one commitment."""

    field: str
    index: int
    salt: bytes
    value: Any
    commitment: bytes  # what this salt and value commit to
    encoded: bytes  # the opening's own bytes

    def leaf(self, entry: int) -> bytes:
        """Its leaf in the tree whose root the manifest signs."""
        return tagged_hash("opening", integer(entry), self.field.encode(), integer(self.index), self.commitment)


def read_body(value: Any) -> Body:
    """A body of its shape."""
    body = read(Body, value)
    if body.statement.author is not Role.TRENT:
        check_depth(body.statement.content, PARTY_DEPTH)
    return body


def read_evidence(content: dict[str, Any]) -> tuple[Evidence, bytes]:
    """A conflict's evidence, and the bytes of its statement."""
    evidence = read(Evidence, content)
    if evidence.statement.author is not Role.TRENT:
        check_depth(evidence.statement.content, PARTY_DEPTH)
    return evidence, encoding.encode(content["statement"])


def read_opening(value: Any) -> Opening:
    """An opening of its shape; whether it opens anything is not looked at."""
    if type(value) is not dict or value.keys() != {"field", "index", "salt", "value"}:
        raise Malformed("an opening has a field, an index, a salt and a value")
    field, index, opened = name(value["field"]), natural(value["index"]), value["value"]
    salt = digest(value["salt"])
    if opened is None or type(opened) is bool:
        encoded = _CONSTANTS[opened]
    else:
        check_depth(opened, CONTENT_DEPTH)
        encoded = encoding.encode_or_refuse(opened)
    whole = b'{"field":"%b","index":%d,"salt":"%b","value":%b}' % (
        field.encode(),
        index,
        value["salt"].encode(),
        encoded,
    )
    return Opening(field, index, salt, opened, commitment(salt, encoded), whole)


def hash_openings(openings: list[Opening]) -> bytes:
    """What Alice signs of the openings that she hands over."""
    return tagged_hash("openings", b"[" + b",".join(each.encoded for each in openings) + b"]")


def hash_statement(statement_bytes: bytes) -> bytes:
    """What `replaces` refers to."""
    return tagged_hash("statement", statement_bytes)


def hash_words(statement_bytes: bytes) -> bytes:
    """What a round's seed binds: the author's own words, and nothing that Trent wrote."""
    value = encoding.load(statement_bytes)
    names = ("author", "content", "kind", "matter", "round", "sealed")
    return tagged_hash("words", encoding.encode({each: value[each] for each in names}))
