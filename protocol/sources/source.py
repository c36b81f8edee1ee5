"""What all formats of sources share: what a format is, what is found in a source, and how a file's lines are read."""

import gzip
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger import reading
from protocol.sources.problems import Cause, Problem

MAX_PIECE = 2**26
"""Longer lines come in pieces, so that a file without any does not fill the memory."""

GZIP_MAGIC = b"\x1f\x8b"

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """What a source holds of one document: its exact bytes, the text that features are made of, and its labels."""

    name: str
    content: bytes
    text: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where a table or a JSON line holds what a document needs."""

    id: str = "id"
    text: str = "text"
    labels: str = "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A document as its source has it, before it is known whether its name is free."""

    where: str
    name: str
    content: bytes
    text: str
    labels: tuple[str, ...] = ()
    notes: tuple[tuple[Cause, str], ...] = ()
    second_name: str = ""
    """Its name if the first one is taken; without it, the first one gets a number."""


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
    read: Callable[[Progress], Iterator[Found | Problem]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format of sources: its name and description for people, how it is recognised, and how it is read."""

    name: str
    described: str
    extraction: str
    """How texts are made from contents, in words for the corpus."""
    recognises: Callable[[Sight], bool]
    open: Callable[[Path, Columns], Reader]


def whole_file(path: Path, read: Callable[[Progress], Iterator[Found | Problem]]) -> Reader:
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
