"""What all formats of sources share: what a format is, what is found in a source, and how a file's lines are read."""

import gzip
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from ledger import reading
from protocol.sources.family import Family
from protocol.sources.items import Item, Received
from protocol.sources.limits import Limits
from protocol.sources.problems import Cause, Problem

MAX_PIECE = 2**26
"""Longer lines come in pieces, so that a file without any does not fill the memory."""

GZIP_MAGIC = b"\x1f\x8b"

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePart:
    """One file of a document: its exact bytes, the text that features are made of, and what is known about it.

    What is not known is empty. `tool` and `options` say how the text was made from the content; they are empty where
    nothing had to be extracted.
    """

    name: str
    content: bytes
    text: str
    type: str = ""
    parent: int | None = None
    """The number of the part that it is attached to or inside of, which comes before it; None for part 0."""
    author: str = ""
    date: str = ""
    recipients: str = ""
    custodians: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    """Whatever else is known, by a name in ASCII."""
    pages: int | None = None
    images: tuple[bytes, ...] = ()
    """Pictures of its pages, for reading. Their hash is among the fields."""
    tool: str = ""
    options: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """What is labelled, drawn and disclosed as one thing: a file, with what is attached to it or inside it, in order.

    Labels are only for simulations.
    """

    parts: tuple[SourcePart, ...]
    labels: tuple[str, ...] = ()

    @classmethod
    def of_one(cls, *, name: str, content: bytes, text: str, labels: tuple[str, ...] = ()) -> Self:
        """A document of one part of which nothing else is known."""
        return cls(parts=(SourcePart(name=name, content=content, text=text),), labels=labels)

    @property
    def name(self) -> str:
        """That of the file itself."""
        return self.parts[0].name

    @property
    def content(self) -> bytes:
        """The bytes of the file itself."""
        return self.parts[0].content

    @property
    def text(self) -> str:
        """The texts of all parts, with a newline between two."""
        return self.parts[0].text if len(self.parts) == 1 else "\n".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where a table or a JSON line holds what a document needs."""

    id: str = "id"
    text: str = "text"
    labels: str = "labels"
    fields: Path | None = None
    """A file that says what the fields of a load file are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How files are read: within which limits, by how many workers (without a number, one for each core), by which
    work of theirs, and where results are kept while a build is under way. And what becomes of them.
    """

    limits: Limits = field(default_factory=Limits)
    workers: int | None = None
    work: str = ""
    kept: Path | None = None
    custodian: str = ""
    """Whose documents these are, where the source does not say."""
    custodian_folders: bool = False
    """Whether the first folder below the source names the custodian."""
    apart: bool = False
    """Whether each part of a family is a document of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A line or row as its source has it, before it is known whether its name is free."""

    where: str
    name: str
    content: bytes
    text: str
    options: str = ""
    """How its text was made from its content, in words."""
    labels: tuple[str, ...] = ()
    notes: tuple[tuple[Cause, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What is known of a source before its format is."""

    path: Path
    is_folder: bool
    suffix: str
    """Of a file's name without .gz, in lowercase; a folder has none."""
    start: bytes
    """The first bytes of a file, unpacked if need be; a folder has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A source that is about to be read. `total` is the last number for `progress`: bytes of a file, or files."""

    total: int
    read: "Read"


Read = Callable[[Progress, Received, Settings], Iterator[Found | Family | Problem | Item]]
"""Everything in the source, in its order: a container comes as an item before what was in it. It notes in what was
received which columns were not used and which protections held, and adds no items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of sources: its name and description for people, how it is recognised, and how it is read."""

    name: str
    described: str
    is_container: bool
    """Whether a source of this format is opened and no document itself: a file is, a folder is nothing."""
    recognises: Callable[[Sight], bool]
    open: Callable[[Path, Columns], Reader]


def whole_file(path: Path, read: Read) -> Reader:
    """A reader that is told of its progress in bytes of the file."""
    return Reader(total=path.stat().st_size, read=read)


def pieces(path: Path, progress: Progress) -> Iterator[bytes]:
    """A file's lines, unpacked if need be: a very long one comes in pieces, and only the last ends with a newline.

    `progress` is told how many bytes of the file, packed or not, have been read.
    """
    with reading.opened(path) as raw:
        packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        stream: io.BufferedReader = io.BufferedReader(gzip.GzipFile(fileobj=raw)) if packed else raw
        for number, piece in enumerate(iter(lambda: stream.readline(MAX_PIECE), b"")):
            if number % 256 == 0:
                progress(raw.tell())
            yield piece
        progress(raw.tell())


def start(path: Path, size: int) -> bytes:
    """The first bytes of a file, unpacked if need be."""
    with reading.opened(path) as raw:
        packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        return gzip.GzipFile(fileobj=raw).read(size) if packed else raw.read(size)
