"""Entries and statements: what is signed, in types.

A *statement* is what a party says, signed by that party over bytes that bind the matter, the round and the
entry that it answers, so it cannot be replayed elsewhere. An *entry* is what Trent's log adds around it:
the place in the chain, signed by Trent. If Trent himself speaks, his entry's signature is enough.

A *sealed* field stands in the statement as commitments, one for each of its values, with the audiences that may
open them. A later entry may *release* values to a further audience. So the chain itself says what every
audience must hold.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any, Self

from ledger import canonical, keys, records
from ledger.canonical import Value
from ledger.commitments import Salt, commit
from ledger.hashing import Digest, tagged_hash
from ledger.keys import PublicKey, Signature, Signed, SigningKey
from ledger.records import Malformed, Name, Natural, Record
from ledger.roles import Audience, Role

FORMAT = 1
"""The version of these records; a matter's first entry names it."""

NO_ENTRY = Digest(bytes(32))
"""What the first entry names as the one before it."""

EVIDENCE_DEPTH = 2
"""How much deeper a party's content is nested in a conflict's evidence than in its own statement."""

OPEN = "open"
CONFLICT = "conflict"
REKEYED = "rekeyed"


class Commitments(tuple[Digest, ...]):
    """A list of hashes, of which there may be thousands: read in one go."""

    __slots__ = ()

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Self:
        """The hashes of a list of 64 lowercase hex digits each."""
        if not isinstance(texts, list | tuple):
            raise ValueError(f"a list of hashes was expected, {type(texts).__name__} found")
        joined = "".join(texts)
        raw = bytes.fromhex(joined)
        if set(map(len, texts)) - {64} or raw.hex() != joined:
            raise ValueError("each hash must be 64 lowercase hex digits")
        return cls([bytes.__new__(Digest, raw[start : start + 32]) for start in range(0, len(raw), 32)])


class Sealed(Record, frozen=True, kw_only=True):
    """Values that not everybody may see: their commitments, and who may open all of them."""

    audiences: tuple[Audience, ...]
    commitments: Commitments


class Statement(Record, frozen=True, kw_only=True):
    """What one party says. `content` is plain JSON whose shape the protocol gives to each `kind`."""

    answers: Digest | None  # the hash of the entry that asked; None if Trent speaks
    author: Role
    content: dict[str, Any]
    kind: Name
    matter: Digest
    replaces: tuple[Digest, ...]  # the hashes of all the author's earlier answers to this question, in order
    round: Natural
    sealed: dict[Name, Sealed]

    def __post_init__(self) -> None:
        records.check_free(self.content, spare=0 if self.author is Role.TRENT else EVIDENCE_DEPTH)


class SignedStatement(Record, frozen=True, kw_only=True):
    """A statement with its author's signature, as it travels, and as a conflict's evidence."""

    signature: Signature
    statement: Statement


class Release(Record, frozen=True, kw_only=True):
    """From this entry on, `audience` may see these values of a sealed field (None: all of them)."""

    audience: Audience
    entry: Natural
    field: Name
    indices: tuple[Natural, ...] | None


class Body(Record, frozen=True, kw_only=True):
    """An entry without Trent's signature: the bytes that are hashed and signed."""

    asks: tuple[Role, ...]  # who must answer this entry
    matter: Digest
    previous: Digest
    releases: tuple[Release, ...]
    sequence: Natural
    signature: Signature | None  # the author's; None if Trent speaks
    statement: Statement
    time: Natural  # Trent's clock in UTC seconds; nothing depends on it


class Entry(Record, frozen=True, kw_only=True):
    """One link of the chain."""

    body: Body
    signature: Signature  # Trent's


class Opening(Record, frozen=True, kw_only=True, gc=True, dict=True):
    """What opens one commitment of a sealed field. Its bytes and its commitment are made once, and kept with it."""

    field: Name
    index: Natural
    salt: Salt
    value: Any

    def __post_init__(self) -> None:
        if self.index < 0 or type(self.salt) is not Salt:
            raise Malformed("an opening has an index from 0 and a salt")
        records.check_free(self.value)

    @property
    def encoded(self) -> bytes:
        """The canonical bytes of the value."""
        kept: dict[str, Any] = self.__dict__
        if "encoded" not in kept:
            kept["encoded"] = canonical.encode_checked(self.value)
        encoded: bytes = kept["encoded"]
        return encoded

    @property
    def commitment(self) -> Digest:
        """The commitment that this opens."""
        kept: dict[str, Any] = self.__dict__
        if "commitment" not in kept:
            kept["commitment"] = commit(self.salt, self.encoded)
        commitment: Digest = kept["commitment"]
        return commitment


class Attachment(Record, frozen=True, kw_only=True):
    """A sealed value that is too large for a line: its opening names it by hash and size."""

    attachment: Digest  # plain SHA-256, as sha256sum prints it; the commitment salts it
    size: Natural


class Enrolment(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """What the ledger itself reads from a matter's first entry; the protocol adds its own fields."""

    format: Natural
    keys: dict[Role, PublicKey]


class NewKey(Record, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """What the ledger itself reads from a `rekeyed` that is granted."""

    key: PublicKey
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """What an entry brings as an attachment: its hash and size, and its bytes piece by piece, for it may be large."""

    reference: Attachment
    pieces: Callable[[], Iterable[bytes]]

    @classmethod
    def of(cls, content: bytes) -> Self:
        """These bytes."""
        reference = Attachment(attachment=Digest(sha256(content).digest()), size=len(content))
        return cls(reference=reference, pieces=lambda: (content,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What the log is asked to add: a statement with its openings, and what Trent's entry says around it."""

    statement: Statement
    signature: Signature | None = None
    openings: tuple[Opening, ...] = ()
    attachments: tuple[Attached, ...] = ()
    asks: tuple[Role, ...] = ()
    releases: tuple[Release, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedEntry:
    """An entry that was read, with its hash and the openings that came with it."""

    entry: Entry
    hash: Digest
    openings: tuple[Opening, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WireEntry:
    """An entry together with the bytes that were signed."""

    entry: Entry
    body_bytes: bytes
    statement_bytes: bytes


def statement_within(body_bytes: bytes, body: Body) -> bytes:
    """The bytes of the statement in those of its body, which are canonical and of that shape.

    Before the field "statement" come hex digits, numbers, roles and names, none of which holds its key. After it, only
    "time" follows, with its value and one more brace.
    """
    start = body_bytes.index(_STATEMENT) + len(_STATEMENT)
    return body_bytes[start : -len(b',"time":%d}' % body.time)]


_STATEMENT = b',"statement":'


def read_body(body_bytes: bytes, signature: Signature) -> WireEntry:
    """An entry from its body's bytes and Trent's signature."""
    body = records.decode(Body, body_bytes)
    entry = Entry(body=body, signature=signature)
    return WireEntry(entry=entry, body_bytes=body_bytes, statement_bytes=statement_within(body_bytes, body))


def with_bytes(entry: Entry, body_bytes: bytes) -> WireEntry:
    """An entry with the canonical bytes of its body."""
    return WireEntry(entry=entry, body_bytes=body_bytes, statement_bytes=statement_within(body_bytes, entry.body))


def encode_statement(statement: Statement) -> bytes:
    """The bytes that the author signs."""
    return records.encode(statement)


def hash_statement(statement_bytes: bytes) -> Digest:
    """What `replaces` and evidence refer to."""
    return tagged_hash("statement", statement_bytes)


def hash_words(statement: Statement) -> Digest:
    """What a draw's seed binds: the author's own words, and nothing that Trent wrote.

    The hash of the question is Trent's. If it went into the seed, then Trent, once he knows the links, could lose an
    answer, ask again a second later, and so try coins until they suit him.
    """
    value = records.to_value(statement)
    words: Value = {name: value[name] for name in ("author", "content", "kind", "matter", "round", "sealed")}
    return tagged_hash("words", canonical.encode(words))


def sign_statement(key: SigningKey, statement: Statement) -> SignedStatement:
    """The statement with the signature that its author's key gives."""
    signature = key.sign("statement", encode_statement(statement))
    return SignedStatement(signature=signature, statement=statement)


def statement_signed(key: PublicKey, statement_bytes: bytes, signature: Signature) -> Signed:
    """The assertion that the key signed these statement bytes."""
    return keys.signed(key, "statement", statement_bytes, signature)


def hash_entry(body_bytes: bytes) -> Digest:
    """What the next entry and every answer name: the body without Trent's signature."""
    return tagged_hash("entry", body_bytes)


def sign_entry(key: SigningKey, body_bytes: bytes) -> Signature:
    """Trent's signature of an entry's body."""
    return key.sign("entry", body_bytes)


def entry_signed(key: PublicKey, body_bytes: bytes, signature: Signature) -> Signed:
    """The assertion that the key signed these body bytes as an entry."""
    return keys.signed(key, "entry", body_bytes, signature)


def read_opening(field: str, index: int, salt: Salt, encoded: bytes) -> Opening:
    """An opening whose value is given as canonical bytes."""
    found = Opening(field=field, index=index, salt=salt, value=canonical.decode_for_record(encoded))
    found.__dict__["encoded"] = encoded
    return found


def released_indices(release: Release, sealed: Sealed) -> tuple[int, ...]:
    """Which values of the field a release gives."""
    return tuple(range(len(sealed.commitments))) if release.indices is None else release.indices


def attachment_in(opening: Opening) -> Attachment | None:
    """The attachment that an opening refers to. Any object with the key `attachment` must be such a reference."""
    if isinstance(opening.value, dict) and "attachment" in opening.value:
        return records.from_value(Attachment, opening.value)
    return None


def ascending(items: tuple[Any, ...]) -> bool:
    """Whether the items are in strictly ascending order, which is how a set is written."""
    return len(items) < 2 or all(one < other for one, other in pairwise(items))


def check_sets(statement: Statement) -> None:
    """Raise `Malformed` unless the sets in a statement are in order, and no commitment stands twice in it."""
    if not ascending(statement.replaces):
        raise Malformed("what a statement replaces must be named in order")
    commitments: list[Digest] = []
    for name, sealed in statement.sealed.items():
        commitments += sealed.commitments
        if not ascending(sealed.audiences) or Audience.PUBLIC in sealed.audiences:
            raise Malformed(f"the audiences of {name!r} must be named in order, without the public")
        if not sealed.commitments:
            raise Malformed(f"the sealed field {name!r} holds nothing")
    if len(set(commitments)) != len(commitments):
        raise Malformed("a statement has one commitment twice")
