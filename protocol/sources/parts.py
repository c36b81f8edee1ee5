"""What extraction is about: a file goes in, and its text, its fields and the files inside it come out.

Each format has an `Extractor` in `protocol.sources.formats`. An extractor is a pure function of the file: it opens
nothing, starts nothing and asks no network. It runs in a worker process with limits (`protocol.sources.sandbox`), so
it may trust libraries that crash. What it cannot read it says by raising `Unextractable`; what it could read only in
part it says in `notes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from protocol.sources.problems import Cause

Note = tuple[Cause, str]

FIELDS = (
    "from",
    "to",
    "cc",
    "bcc",
    "date",  # sent, or last modified, as ISO 8601 with its offset, where it can be read
    "subject",
    "message_id",
    "author",
    "title",
    "custodian",
)
"""The fields that extractors know, by name. Load files may bring others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file as it was found: at the top of a source, in a mail, in an archive, or inside another file."""

    name: str
    content: bytes
    declared: str = ""
    """What its carrier says of it: a media type with parameters, as in a mail's Content-Type. It may be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What an extractor made of a file."""

    kind: str
    """The format, in a word for people: mail, pdf, docx, …"""
    text: str
    tool: str
    """What read it, with its version: `pypdfium2 5.0.0`, or `tallystick` for a reader of our own."""
    options: str = ""
    """What else decides the text: the encoding that was taken, the page limit, …"""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Of FIELDS, those that the file states; no empty ones."""
    children: tuple[File, ...] = ()
    """The files inside it, in their order: attachments, embedded objects, members of an archive."""
    notes: tuple[Note, ...] = ()
    """What was read only in part, or with a guess."""
    pages: int | None = None


class Unextractable(Exception):
    """The file cannot be read: why, and what its owner can do about it."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Extractor:
    """One format of files: how it is recognised, and how it is read."""

    name: str
    described: str
    """For people: what files these are."""
    recognises: Callable[[File], bool]
    """By the first bytes; by the name or the declared type only where the bytes cannot tell."""
    extract: Callable[[File], Extracted]
