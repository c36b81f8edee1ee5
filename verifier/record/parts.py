"""The parts of a document: what is stated of each, and the proof that opens them (specification, "The corpus").

Part 0 is the file itself, the others are what is attached to it or inside it. A part is withheld if only its log node
is opened, which is what a privilege log states.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from verifier.record import encoding, hashing
from verifier.record.shapes import (
    Malformed,
    digest,
    digests,
    hex_bytes,
    listed,
    mapped,
    name,
    natural,
    read,
    read_all,
    record,
    shaped,
    text,
    unless_unknown,
)

MOST_PARTS = 2**16
_FIELDS = {"parts", "row"}


@dataclass(slots=True)  # not frozen, here and below: there are very many
class Log:
    """What a privilege log states of a part. What is not known is empty here, and left out in JSON."""

    author: str = unless_unknown(text, "")
    date: str = unless_unknown(text, "")
    parent: int | None = unless_unknown(natural, None)
    recipients: str = unless_unknown(text, "")
    type: str = unless_unknown(text, "")


_NOT_LOGGED = Log()


@dataclass(slots=True)
class Extraction:
    """With what the text was taken from the content."""

    options: str = unless_unknown(text, "")
    tool: str = unless_unknown(text, "")


_NOT_EXTRACTED = Extraction()


@dataclass(slots=True)
class Rest:
    """What else is known of a part. What is not known is empty here, and left out in JSON."""

    custodians: tuple[str, ...] = unless_unknown(listed(text), ())
    extraction: Extraction = unless_unknown(record(Extraction), _NOT_EXTRACTED)
    fields: dict[str, str] = unless_unknown(mapped(name, text), {})
    name: str = unless_unknown(text, "")
    pages: int | None = unless_unknown(natural, None)
    paths: tuple[str, ...] = unless_unknown(listed(text), ())


@dataclass(slots=True)
class Part:
    """A part as a proof opens it. If it is withheld, only its log is known."""

    node: bytes  # its hash
    log: Log
    rest: Rest | None = None
    content: bytes = b""  # SHA-256
    text: bytes = b""  # SHA-256

    @property
    def withheld(self) -> bool:
        """Whether content, text and the rest stay sealed."""
        return self.rest is None


@dataclass(slots=True)
class Proof:
    """What opens a document's leaf of the corpus commitment."""

    parts: tuple[Part, ...]
    row: bytes  # the second half

    def leaf(self, number: int) -> bytes:
        """The leaf to which it leads for the document with this number."""
        return hashing.document_leaf(number, [part.node for part in self.parts], self.row)

    @property
    def name(self) -> str | None:
        """The document's name; None if part 0 is withheld."""
        rest = self.parts[0].rest
        return None if rest is None else rest.name


def holding(parts: Sequence[Part]) -> set[int]:
    """The parts in which a withheld one lies, at any depth. Their content may hold its bytes."""
    found: set[int] = set()
    for part in parts:
        outer = part.log.parent if part.withheld else None
        while outer is not None and outer not in found:
            found.add(outer)
            outer = parts[outer].log.parent
    return found


@dataclass(slots=True)
class _OpenPart:
    content: bytes = shaped(digest)
    rest: Rest = shaped(record(Rest))
    salt: bytes = shaped(digest)
    log: Log = unless_unknown(record(Log), _NOT_LOGGED)
    text: bytes | None = unless_unknown(digest, None)  # of a text that is not the content


@dataclass(frozen=True, slots=True)
class _WithheldPart:
    body: bytes = shaped(digest)
    rest: bytes = shaped(digest)
    salt: bytes = shaped(digest)
    log: Log = unless_unknown(record(Log), _NOT_LOGGED)


@dataclass(frozen=True, slots=True)
class _Proof:
    parts: tuple[Part, ...] = shaped(lambda value: _parts(value))
    row: bytes = shaped(digest)


def read_proof(value: Any) -> Proof:
    """A proof of its shape."""
    found = read(_Proof, value)
    return Proof(found.parts, found.row)


def read_proofs(values: list[Any]) -> list[Proof]:
    """Many proofs of their shape: field by field if all their parts are open, which is faster than one by one."""
    try:
        if any(value.keys() != _FIELDS for value in values):
            raise Malformed("an object has other fields")
        lists = [value["parts"] for value in values]
        opened = iter(_open_parts(list(chain.from_iterable(lists))))
        rows = digests([value["row"] for value in values])
        return [Proof(_family(tuple(islice(opened, len(each)))), row) for each, row in zip(lists, rows, strict=True)]
    except (Malformed, AttributeError, TypeError, KeyError):
        return list(map(read_proof, values))  # which tells the place


def _open_parts(values: list[Any]) -> list[Part]:
    return list(map(_open_part, read_all(_OpenPart, values), values))


def _open_part(shown: _OpenPart, value: dict[str, Any]) -> Part:
    if shown.text == shown.content:
        raise Malformed("the hash of a text that is the content is left out")
    text = shown.text or shown.content
    node = hashing.open_part(shown.salt, _log(value), encoding.encode(value["rest"]), shown.content, text)
    return Part(node, shown.log, shown.rest, shown.content, text)


def _parts(value: Any) -> tuple[Part, ...]:
    return _family(listed(_part)(value))


def _family(found: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts of one document, of which there may not be too many, each after its parent."""
    if not 1 <= len(found) <= MOST_PARTS:
        raise Malformed(f"1 to {MOST_PARTS} parts were expected, {len(found)} found")
    for number, part in enumerate(found):
        check_parent(number, part.log)
    return found


def check_parent(number: int, log: Log) -> None:
    """Part 0 has no parent, and every other part an earlier one."""
    if log.parent is not None if number == 0 else log.parent is None or log.parent >= number:
        raise Malformed(
            f"part {number} has the parent {log.parent}, but part 0 has none and the others an earlier part"
        )


def _part(value: Any) -> Part:
    """A part, open or withheld. That is told by the fields that it has."""
    if type(value) is dict and "body" in value:
        kept = read(_WithheldPart, value)
        log = hashing.log_node(kept.salt, _log(value))
        return Part(hashing.part_of(log, kept.rest, kept.body), kept.log)
    return _open_part(read(_OpenPart, value), value)


def _log(value: dict[str, Any]) -> bytes:
    return encoding.encode(value["log"]) if "log" in value else b"{}"


def read_path(value: Any) -> bytes:
    """The hashes of a path, one after the other."""
    raw = hex_bytes(value)
    if len(raw) % 32:
        raise Malformed("64 hex digits for each hash of a path were expected")
    return raw
