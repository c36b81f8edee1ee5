"""The leaf of a document: what the root of a corpus commits to, and how a proof leads to it.

    log     H("log", log salt, what a privilege log states of a part)
    rest    H("rest", rest salt, what else is known about it)
    body    H("body", body salt, SHA-256 of its content, SHA-256 of its text)
    part    H("part", log, rest, body)
    first   H("document", document number, part 0, part 1, ...)
    second  H("row", salt, the bytes of the document's feature row)
    leaf    H("leaf", first, second), the data of leaf number i in the tree of RFC 9162

A proof shows the first half and only the hash of the second: a bare hash of the row would let its holder search for the
words of documents that he was never shown. All salts derive from the corpus's secret, those of a part's three nodes
from the part's own salt. So whoever has the salt of a part can open all of it, and the log of a part that is withheld
can be opened alone.

A party checks proofs with this module on a machine without numpy, so it imports nothing that needs it.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Self

import msgspec

from ledger import canonical, records
from ledger.commitments import Salt, Secret, derived_once, derived_salt
from ledger.hashing import Digest, integer, tagged_hash, type_tag
from ledger.records import Malformed, Natural, Record
from protocol.corpus import paths
from protocol.corpus.account import Unit
from protocol.corpus.paths import ProofPath

MAX_DOCUMENTS = 2**31 - 1
MAX_PARTS = 2**16


class Log(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What a privilege log states of a part. What is not known is empty here, and is not written."""

    author: str = ""
    date: str = ""
    parent: Natural | None = None
    recipients: str = ""
    type: str = ""


NOT_LOGGED = Log()
"""What is stated of a part of which nothing is known."""


class Extraction(Record, frozen=True, kw_only=True, omit_defaults=True):
    """How the text of a part was made from its content."""

    options: str = ""
    tool: str = ""


NOT_EXTRACTED = Extraction()
"""Nothing was extracted: the text came with the content, or there is none."""


class Rest(Record, frozen=True, kw_only=True, omit_defaults=True):
    """What else is known about a part. What is not known is empty here, and is not written."""

    custodians: tuple[str, ...] = ()
    extraction: Extraction = NOT_EXTRACTED
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    name: str = ""
    pages: Natural | None = None
    paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.extraction == NOT_EXTRACTED and self.extraction is not NOT_EXTRACTED:
            raise Malformed("an extraction of which nothing is known is left out")


class OpenPart(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A part in a proof, all of it."""

    content: Digest
    log: Log = NOT_LOGGED
    rest: Rest
    salt: Salt
    text: Digest | None = None
    """The hash of the text, where the text is not the content."""

    def __post_init__(self) -> None:
        _check_left_out(self.log)

    @property
    def text_hash(self) -> Digest:
        """The hash of the text, in any case."""
        return self.text or self.content


class WithheldPart(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A part in a proof of which only the log is opened."""

    body: Digest
    log: Log = NOT_LOGGED
    rest: Digest
    salt: Salt

    def __post_init__(self) -> None:
        _check_left_out(self.log)


def _check_left_out(log: Log) -> None:
    """A log of which nothing is known is `NOT_LOGGED` itself, which is not written."""
    if log == NOT_LOGGED and log is not NOT_LOGGED:
        raise Malformed("a log of which nothing is known is left out")


class Parts(tuple[OpenPart | WithheldPart, ...]):
    """The parts of a document in a proof."""

    __slots__ = ()

    @classmethod
    def parse(cls, values: Any) -> Self:
        """The parts, at least one, each after its parent."""
        if not isinstance(values, list | tuple) or not 1 <= len(values) <= MAX_PARTS:
            raise ValueError(f"1 to {MAX_PARTS} parts were expected")
        found = cls(map(_read_part, values))
        if not well_ordered([part.log.parent for part in found]):
            raise ValueError("each part but the first must name an earlier part as its parent")
        return found


def _read_part(value: Any) -> OpenPart | WithheldPart:
    if isinstance(value, dict) and "body" in value:
        return records.from_value(WithheldPart, value)
    return records.from_value(OpenPart, value)


class DocumentProof(Record, frozen=True, kw_only=True):
    """What leads, together with a document's number, to its leaf."""

    parts: Parts
    row: Digest


def well_ordered(parents: Iterable[int | None]) -> bool:
    """Whether part 0 has no parent, and every other part an earlier one."""
    return all(
        parent is None if place == 0 else parent is not None and 0 <= parent < place
        for place, parent in enumerate(parents)
    )


def around(parents: Sequence[int | None], inner: Iterable[int]) -> frozenset[int]:
    """The parts in which one of the inner ones lies. Their bytes may hold all of it: a mail holds its attachments."""
    found: set[int] = set()
    for part in inner:
        parent = parents[part] if part < len(parents) else None
        while parent is not None and parent not in found:
            found.add(parent)
            parent = parents[parent]
    return frozenset(found)


def read_proof(value: Any) -> DocumentProof:
    """The proof of a document, or `Malformed`. There is one way to write it: what may be left out is left out."""
    found = records.from_value(DocumentProof, value)
    whole = records.encode(found) == canonical.encode_checked(value)
    if not whole or any(isinstance(part, OpenPart) and part.text == part.content for part in found.parts):
        raise Malformed("a proof leaves out what is not known, and the hash of a text that is the content")
    return found


def leaf_of(document: int, proof: DocumentProof) -> Digest:
    """The leaf that a proof leads to."""
    return leaf(document_half(document, map(_part, proof.parts)), proof.row)


def _part(part: OpenPart | WithheldPart) -> Digest:
    log = records.encode(part.log)
    if isinstance(part, WithheldPart):
        return part_hash(log_node(part.salt, log), part.rest, part.body)
    return part_of(part.salt, log, records.encode(part.rest), part.content, part.text_hash)


def opens(
    root: Digest, size: int, unit: Unit, named: Mapping[int, tuple[str, DocumentProof]], path: ProofPath | bytes
) -> bool:
    """Whether the proofs and their path show that these documents have these names in the corpus with this root.

    `named` has the name and the proof of each document by its number. The name of a document whose part 0 is withheld
    cannot be shown.
    """
    if not 0 < size <= MAX_DOCUMENTS:
        return False
    for name, proof in named.values():
        first = proof.parts[0]
        if (isinstance(first, OpenPart) and first.rest.name != name) or (unit == "document" and len(proof.parts) > 1):
            return False
    found = {document: leaf_of(document, proof) for document, (_, proof) in named.items() if 0 <= document < size}
    return len(found) == len(named) and paths.root(found, size, path) == root


_SIZE = integer(Digest.size)  # what goes before a hash or a salt
_LOG_SALT, _REST_SALT, _BODY_SALT, _LOG, _REST, _BODY, _PART = (
    type_tag(tag) + _SIZE for tag in ("log-salt", "rest-salt", "body-salt", "log", "rest", "body", "part")
)


def part_of(salt: Salt, log: bytes, rest: bytes, content: bytes, text: bytes) -> Digest:
    """A part with this salt: its fields in canonical JSON, and the SHA-256 of its content and of its text.

    These are the tagged hashes of `log_node`, `withheld` and `part_hash`, written out: a corpus has millions of parts.
    """
    log_salt = sha256(_LOG_SALT + salt).digest()
    rest_salt = sha256(_REST_SALT + salt).digest()
    body_salt = sha256(_BODY_SALT + salt).digest()
    message = (
        _PART
        + sha256(_LOG + log_salt + integer(len(log)) + log).digest()
        + _SIZE
        + sha256(_REST + rest_salt + integer(len(rest)) + rest).digest()
        + _SIZE
        + sha256(_BODY + body_salt + _SIZE + content + _SIZE + text).digest()
    )
    return bytes.__new__(Digest, sha256(message).digest())


def log_node(salt: Salt, log: bytes) -> Digest:
    """What a privilege log states, under its own salt."""
    return tagged_hash("log", salt, log)


def part_hash(log: Digest, rest: Digest, body: Digest) -> Digest:
    """A part, of its three nodes."""
    return tagged_hash("part", log, rest, body)


def document_half(document: int, parts: Iterable[bytes]) -> Digest:
    """The first half: what the document is."""
    return tagged_hash("document", integer(document), *parts)


def row_half(salt: Salt, row: bytes) -> Digest:
    """The second half: what the model knows about it."""
    return tagged_hash("row", salt, row)


def leaf(first: Digest, second: Digest) -> Digest:
    """The leaf's data."""
    return tagged_hash("leaf", first, second)


def part_salt(secret: Secret, document: int, part: int) -> Salt:
    """The salt of a part."""
    return derived_salt(secret, "part", MAX_PARTS * document + part)


def withheld(part: OpenPart) -> WithheldPart:
    """The same part, with nothing opened but its log."""
    return WithheldPart(
        body=tagged_hash("body", derived_once(part.salt, "body"), part.content, part.text_hash),
        log=part.log,
        rest=tagged_hash("rest", derived_once(part.salt, "rest"), records.encode(part.rest)),
        salt=derived_once(part.salt, "log"),
    )


def row_salt(secret: Secret, document: int) -> Salt:
    """The salt of a second half."""
    return derived_salt(secret, "row", document)


def numbering(secret: Secret, size: int) -> list[int]:
    """The place in the source of each document by its number: a permutation that only the secret's holder knows.

    The documents are in ascending order of keys that derive from the secret and the place, counted from 0.
    """
    keys = [bytes(derived_salt(secret, "order", place)) for place in range(size)]
    return sorted(range(size), key=keys.__getitem__)
