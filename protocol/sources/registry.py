"""Where documents come from: the formats of sources, and how the format of a source is found.

    source = find(Path("mail.jsonl.gz"))
    for item in source.read():  # a SourceDocument, or a Problem

A source is read once, from its start to its end, and is never held in memory. Every name that it gives out is
unique. What cannot be a document, or could be one only with a change, comes as a `Problem` in its place.

A new format is a module of `protocol.sources.formats` and its place in `FORMATS`.
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from protocol.errors import BadSource
from protocol.sources.formats import csv, folder, jsonl, mbox
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Columns, Format, Found, Progress, Reader, Sight, SourceDocument, start

FORMATS: tuple[Format, ...] = (jsonl.FORMAT, csv.FORMAT, mbox.FORMAT, folder.FORMAT)
"""The first format that recognises a source reads it. Those that go by the name come before those by content."""

_START = 16  # bytes of a file that a format may be recognised by

_TOKEN = re.compile("[0-9A-Za-z\x80-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of a known format."""

    path: Path
    extraction: str
    """How texts are made from contents, in words for the corpus."""
    reader: Reader

    @property
    def total(self) -> int:
        """The last number that `progress` will be told."""
        return self.reader.total

    def read(self, progress: Progress = lambda _: None) -> Iterator[SourceDocument | Problem]:
        """Every document and every problem, in the source's order. Raises `BadSource` if reading cannot go on."""
        documents = 0
        first_problem = None
        try:
            for item in _named(self.reader.read(progress)):
                documents += isinstance(item, SourceDocument)
                if isinstance(item, Problem) and first_problem is None:
                    first_problem = item
                yield item
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadSource(
                f"{self.path}: the compressed file is damaged or cut short after {documents} documents ({error}); "
                "get another copy of it"
            ) from None
        except OSError as error:
            raise BadSource(f"{self.path} cannot be read: {error.strerror or error}") from None
        if not documents:
            reason = f". The first problem: {first_problem}" if first_problem else ""
            raise BadSource(f"{self.path} holds no document{reason}")


def find(path: Path, columns: Columns | None = None) -> Source:
    """The source at `path`, or `BadSource` if no format recognises it."""
    try:
        sight = _sight(path)
        for each in FORMATS:
            if each.recognises(sight):
                return Source(path=path, extraction=each.extraction, reader=each.open(path, columns or Columns()))
    except FileNotFoundError:
        raise BadSource(f"{path} does not exist; {known()}") from None
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise BadSource(f"{path}: the compressed file is damaged at its start ({error})") from None
    raise BadSource(f"{path} is of an unknown format; {known()}")


def known() -> str:
    """The formats in a sentence."""
    *others, last = (each.name for each in FORMATS)
    return f"a source is {', '.join(others)} or {last}; a file may be compressed as .gz"


def _sight(path: Path) -> Sight:
    if path.is_dir():
        return Sight(path=path, is_folder=True, suffix="", start=b"")
    if path.exists() and not path.is_file():
        raise BadSource(f"{path} is neither a file nor a folder")
    first = start(path, _START)
    if not first:
        raise BadSource(f"{path} is empty; {known()}")
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadSource(f"{path} is saved as UTF-16; save it as UTF-8")
    suffix = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    return Sight(path=path, is_folder=False, suffix=suffix, start=first)


def _named(items: Iterator[Found | Problem]) -> Iterator[SourceDocument | Problem]:
    """Documents with unique names, each after its problems."""
    names = _Names()
    for item in items:
        if isinstance(item, Problem):
            yield item
            continue
        name = names.given_to(item)
        if name is None:
            detail = f"{item.name!r} occurred before, with the same bytes"
            yield Problem(where=item.where, cause=Cause.REPEATED_DOCUMENT, detail=detail)
            continue
        notes = list(item.notes)
        if name != item.name:
            notes.append(
                (Cause.REPEATED_ID, f"{item.name!r} occurred before, with other bytes; this one is named {name!r}")
            )
        if not _TOKEN.search(item.text):
            notes.append((Cause.EMPTY_TEXT, "its text has no letter and no digit"))
        for cause, detail in notes:
            yield Problem(where=item.where, cause=cause, detail=detail)
        yield SourceDocument(name=name, content=item.content, text=item.text, labels=item.labels)


class _Names:
    """Names that are taken, with a hash of the document that has each."""

    def __init__(self) -> None:
        self._taken: dict[str, bytes] = {}
        self._versions: dict[str, set[bytes]] = {}  # of ids that came back with other bytes
        self._last_number: dict[str, int] = {}

    def given_to(self, found: Found) -> str | None:
        """The name that this document gets, or None if it occurred before."""
        digest = blake2b(found.content, digest_size=16).digest()
        name = found.name
        if name in self._taken:
            versions = self._versions.setdefault(name, {self._taken[name]})
            if digest in versions:
                return None
            versions.add(digest)
            name = self._free_name(found)
        self._taken[name] = digest
        return name

    def _free_name(self, found: Found) -> str:
        if found.second_name and found.second_name not in self._taken:
            return found.second_name
        number = self._last_number.get(found.name, 1)
        while True:
            number += 1
            name = f"{found.name} ({number})"
            if name not in self._taken:
                self._last_number[found.name] = number
                return name
