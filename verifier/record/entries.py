"""Entries, statements and openings, typed, with the very bytes that were signed (specification, "Entries")."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from verifier.checks import Audience, Role
from verifier.record import encoding
from verifier.record.encoding import MAX_INTEGER
from verifier.record.hashing import COMMITMENT, domain, integer, tagged_hash
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

_FIELDS = {
    "documents",
    "evidence",
    "labels",
    "model",
    "privilege",
    "proofs",
    "threshold",
    "vocabulary",
}  # names that need no second look
_HASH_LENGTH = integer(32)
_CONSTANTS = {
    value: (text, integer(len(text)) + text.encode())
    for value, text in ((True, "true"), (False, "false"), (None, "null"))
}


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


@dataclass(slots=True)  # neither frozen nor by keyword: there are very many
class Opening:
    """What opens one commitment."""

    field: str
    index: int
    value: Any
    commitment: bytes  # what its salt and value commit to
    encoded: str  # the opening itself, in canonical JSON


def opening_leaves(entry: int, openings: list[Opening]) -> Iterator[bytes]:
    """Leaves in the tree whose root the manifest signs: H("opening", entry, field, index, commitment) of each opening.

    What the openings of one field have in common is put together once.
    """
    field, start = "", b""
    for each in openings:
        if each.field != field or not start:
            field = each.field
            parts = (integer(entry), field.encode())
            start = domain("opening") + b"".join(integer(len(part)) + part for part in parts) + integer(8)
        yield sha256(b"%b%b%b%b" % (start, integer(each.index), _HASH_LENGTH, each.commitment)).digest()


def read_body(value: Any) -> Body:
    """A body of its shape."""
    body = read(Body, value)
    if body.statement.author is not Role.TRENT:
        check_depth(body.statement.content, PARTY_DEPTH)
    return body


def read_evidence(value: Any) -> tuple[SecondAnswer, bytes]:
    """A conflict's evidence, from its sealed value, and the bytes of its statement."""
    return read(SecondAnswer, value), encoding.encode(value["statement"])


def read_openings(values: list[Any]) -> list[Opening]:
    """Openings of their shape; whether they open anything is not looked at.

    There are very many of them, so all of a line are read at a time.
    """
    try:
        fields, indices, salts, opened = (
            [value[name_] for value in values] for name_ in ("field", "index", "salt", "value")
        )
        raw = bytes.fromhex("".join(salts))
        four = set(map(len, values)) <= {4} and set(map(len, salts)) <= {64}
        known = set(fields) <= _FIELDS
    except (KeyError, TypeError, ValueError):
        raise Malformed("an opening has a field, an index, a salt of 64 lowercase hex digits and a value") from None
    if not four or raw.hex() != "".join(salts):
        raise Malformed("an opening has a salt of 64 lowercase hex digits, and four fields in all")
    if not known:
        listed(name)(fields)
    if set(map(type, indices)) - {int} or not 0 <= min(indices, default=0) <= max(indices, default=0) <= MAX_INTEGER:
        listed(natural)(indices)
    found = []
    for place, value in enumerate(opened):
        constant = value is None or value is True or value is False
        text, counted = _CONSTANTS[value] if constant else _encoded(value)
        field, index = fields[place], indices[place]
        committed = sha256(COMMITMENT + raw[32 * place : 32 * place + 32] + counted).digest()
        encoded = f'{{"field":"{field}","index":{index},"salt":"{salts[place]}","value":{text}}}'
        found.append(Opening(field, index, value, committed, encoded))
    return found


def _encoded(value: Any) -> tuple[str, bytes]:
    """A value in canonical JSON, as a text and as a part of a hash."""
    text = _flat(value) if type(value) is dict else None
    if text is None:
        check_depth(value, CONTENT_DEPTH)
        text = encoding.encode_or_refuse(value).decode()
    encoded = text.encode()
    return text, integer(len(encoded)) + encoded


def _flat(value: dict[str, Any]) -> str | None:
    """The encoding of an object of plain ASCII words, such as a proof's hashes, which needs no escapes."""
    words = [*value, *value.values()]
    if set(map(type, words)) == {str}:
        joined = "".join(words)
        if joined.isascii() and joined.encode().isalnum():  # of a text, isalnum is ten times as slow
            return "{" + ",".join([f'"{key}":"{value[key]}"' for key in sorted(value)]) + "}"
    return None


def hash_openings(openings: list[Opening]) -> bytes:
    """What Alice signs of the openings that she hands over."""
    return tagged_hash("openings", f"[{','.join(each.encoded for each in openings)}]".encode())


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
