"""The form of `exhibit.json`. Nobody signs the file as a whole, so a wrong form is damage."""

from dataclasses import dataclass
from typing import Any

from verifier.checks import Check
from verifier.findings import Damaged, UnknownVersion
from verifier.record import encoding
from verifier.record.encoding import NotCanonical
from verifier.record.entries import Entry, read_body
from verifier.record.openings import Openings, read_openings
from verifier.record.parts import Part, Proof, holding, read_path, read_proof
from verifier.record.shapes import Malformed, listed, maybe, natural, read, record, shaped, signature, text

FORMAT = 3
_ENDINGS = ("txt", "eml")  # with which no computer runs anything in a file


def _path(value: Any) -> tuple[bytes, ...]:
    raw = read_path(value)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An entry with what the exhibit opens of it, and its path to the checkpoint's root.

    If it is a stamp or a proof of the log, `prefix` proves that what was seen is the beginning of that root's tree.
    """

    entry: Entry = shaped(_entry)
    openings: Openings = shaped(read_openings)
    path: tuple[bytes, ...] = shaped(_path)
    prefix: tuple[bytes, ...] = shaped(_path)

    @property
    def sequence(self) -> int:
        """The entry's number."""
        return self.entry.body.sequence

    @property
    def kind(self) -> str:
        """What kind of entry it is."""
        return self.entry.said.kind


@dataclass(frozen=True, slots=True)
class Proved:
    """A proof of a document, and its path."""

    proof: Proof
    path: bytes


def _proved(value: Any) -> Proved:
    if type(value) is not dict or "path" not in value:
        raise Malformed("a proof of a document with its path was expected")
    rest = {name: item for name, item in value.items() if name != "path"}
    return Proved(read_proof(rest), read_path(value["path"]))


def numbered(name: str, number: int) -> str:
    """A name for the file of a part."""
    return f"{name}-{number}" if number else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The document that the exhibit is about, with the proof of its leaf in the corpus commitment."""

    files: tuple[str | None, ...] = shaped(listed(maybe(text)))
    name: str = shaped(text)
    number: int = shaped(natural)
    proof: Proved = shaped(_proved)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its parts, as far as the proof opens them."""
        return self.proof.proof.parts

    def check_files(self) -> None:
        """Raise unless each open part has a file with a name of its own, and a withheld one, and one in which such a
        part lies, has none.
        """
        without = holding(self.parts)
        if len(self.files) != len(self.parts):
            raise Malformed(f"a file for each of {len(self.parts)} parts was expected")
        for number, (file, part) in enumerate(zip(self.files, self.parts, strict=True)):
            named = [f"{numbered('content', number)}.{each}" for each in _ENDINGS]
            allowed: list[str | None] = [None] if part.withheld or number in without else [*named]
            if file not in allowed:
                raise Malformed(
                    f"{' or '.join(str(each) for each in allowed)} was expected as the file of part {number}"
                )


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
        found = read(Exhibit, value)
        found.document.check_files()
        return found
    except (NotCanonical, Malformed) as error:
        raise Damaged(Check.FORMAT, f"exhibit.json was changed after it was written: {error}") from None
