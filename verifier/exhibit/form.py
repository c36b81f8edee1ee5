"""The form of `exhibit.json`. Nobody signs the file as a whole, so a wrong form is damage."""

from dataclasses import dataclass
from typing import Any

from verifier.checks import Check
from verifier.findings import Damaged, UnknownVersion
from verifier.record import encoding
from verifier.record.encoding import NotCanonical
from verifier.record.entries import Entry, Opening, read_body, read_openings
from verifier.record.shapes import Malformed, hex_bytes, listed, natural, read, record, shaped, signature, text
from verifier.replay.contents import Proof

FORMAT = 1
_FILES = ("content.txt", "content.eml")  # endings with which no computer runs anything in a file


def _file(value: Any) -> str:
    if type(value) is not str or value not in _FILES:
        raise Malformed(f"{' or '.join(_FILES)} was expected")
    return value


def _path(value: Any) -> tuple[bytes, ...]:
    raw = hex_bytes(value)
    if len(raw) % 32:
        raise Malformed("64 hex digits for each hash of a path were expected")
    return tuple(raw[start : start + 32] for start in range(0, len(raw), 32))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    body: dict[str, Any] = shaped(lambda value: value)
    signature: bytes = shaped(signature)


def _entry(value: Any) -> Entry:
    frame = read(_Frame, value)
    body = read_body(frame.body)
    return Entry(
        body=body,
        body_bytes=encoding.encode(frame.body),
        statement_bytes=encoding.encode(frame.body["statement"]),
        signature=frame.signature,
    )


def _openings(value: Any) -> list[Opening]:
    if type(value) is not list:
        raise Malformed("an array of openings was expected")
    return read_openings(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An entry with what the exhibit opens of it, and its path to the checkpoint's root."""

    entry: Entry = shaped(_entry)
    openings: list[Opening] = shaped(_openings)
    path: tuple[bytes, ...] = shaped(_path)

    @property
    def sequence(self) -> int:
        """The entry's number."""
        return self.entry.body.sequence

    @property
    def kind(self) -> str:
        """What kind of entry it is."""
        return self.entry.said.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The document that the exhibit is about, with the proof of its leaf in the corpus commitment."""

    file: str = shaped(_file)
    name: str = shaped(text)
    number: int = shaped(natural)
    proof: Proof = shaped(record(Proof))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """What `exhibit.json` holds."""

    checkpoint: str = shaped(text)
    document: Document = shaped(record(Document))
    entries: tuple[Piece, ...] = shaped(listed(record(Piece)))
    format: int = shaped(natural)


def parse(data: bytes) -> Exhibit:
    """The exhibit that the bytes encode."""
    try:
        value = encoding.decode(data)
        version = value.get("format") if type(value) is dict else None
        if type(version) is int and version != FORMAT:
            raise UnknownVersion(f"the exhibit is of format {version}; this verifier knows format {FORMAT}")
        return read(Exhibit, value)
    except (NotCanonical, Malformed) as error:
        raise Damaged(Check.FORMAT, f"exhibit.json was changed after it was written: {error}") from None
