"""Where documents come from: JSON Lines, CSV, mbox (each also as .gz), or a folder of .txt and .eml files.

    source = find(Path("mail.jsonl.gz"))
    for item in source.read():  # a SourceDocument, or a Problem

A source is read once, from its start to its end, and is never held in memory. Every name that it gives out is
unique. What cannot be a document, or could be one only with a change, comes as a `Problem` in its place.
"""

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

from protocol.errors import BadSource
from protocol.sources.documents import SourceDocument
from protocol.sources.folder import list_files, read_files
from protocol.sources.lines import read_csv, read_json_lines
from protocol.sources.mbox import SEPARATOR, read_mbox
from protocol.sources.reading import Columns, Found, Progress, start
from protocol.sources.report import Cause, Problem

KINDS = "JSON Lines (.jsonl, .ndjson), CSV (.csv, .tsv) or mbox (.mbox), each also as .gz, or a folder of .txt and .eml"

_AS_IS = "the text is the content"
_DECODED = ".txt: decoded from UTF-8 or, where it is none, Windows-1252 or ISO 8859-1"
_MAIL = (
    "e-mail: From, To, Cc, Date and Subject, and all parts of type text, decoded; HTML stripped of its tags, and "
    "left out where multipart/alternative has plain text"
)

_Reader = Callable[[Progress], Iterator[Found | Problem]]

_TOKEN = re.compile("[0-9A-Za-z\x80-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of a known kind. `total` is what `progress` will come to: bytes of a file, or files of a folder."""

    path: Path
    total: int
    extraction: str
    """How texts are made from contents, in words for the corpus."""
    reader: _Reader

    def read(self, progress: Progress = lambda _: None) -> Iterator[SourceDocument | Problem]:
        """Every document and every problem, in the source's order; `BadSource` where reading cannot go on."""
        documents = 0
        first_problem = None
        try:
            for item in _named(self.reader(progress)):
                documents += isinstance(item, SourceDocument)
                if isinstance(item, Problem) and first_problem is None:
                    first_problem = item
                yield item
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadSource(
                f"{self.path}: the compressed file is damaged or cut short after {documents} documents ({error}); "
                "get it again from where it came"
            ) from None
        except OSError as error:
            raise BadSource(f"{self.path} cannot be read: {error.strerror or error}") from None
        if not documents:
            reason = f". The first problem: {first_problem}" if first_problem else ""
            raise BadSource(f"{self.path} holds no document{reason}")


def find(path: Path, columns: Columns | None = None) -> Source:
    """The source at `path`, or `BadSource` if there is none of a kind that can be read."""
    columns = columns or Columns()
    try:
        if path.is_dir():
            listed = list_files(path)
            reader: _Reader = partial(read_files, path, listed)
            return Source(path=path, total=len(listed), extraction=f"{_DECODED}; {_MAIL}", reader=reader)
        extraction, reader = _file_reader(path, columns)
        return Source(path=path, total=path.stat().st_size, extraction=extraction, reader=reader)
    except FileNotFoundError:
        raise BadSource(f"{path} does not exist; a source is {KINDS}") from None
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise BadSource(f"{path}: the compressed file is damaged at its start ({error})") from None


def _file_reader(path: Path, columns: Columns) -> tuple[str, _Reader]:
    """What a file's reader takes for text, and the reader.

    The name tells the kind; an mbox, which often has a name of no kind, is known by its first line.
    """
    if path.exists() and not path.is_file():
        raise BadSource(f"{path} is neither a file nor a folder")
    first = start(path, len(SEPARATOR))
    if not first:
        raise BadSource(f"{path} is empty; a source is {KINDS}")
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadSource(f"{path} is saved as UTF-16; save it as UTF-8")
    suffix = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return _AS_IS, partial(read_json_lines, path, columns)
    if suffix in (".csv", ".tsv"):
        return _AS_IS, partial(read_csv, path, columns)
    if suffix == ".mbox" or first == SEPARATOR:
        return _MAIL, partial(read_mbox, path)
    raise BadSource(f"{path} is of no kind that is known; a source is {KINDS}")


def _named(items: Iterator[Found | Problem]) -> Iterator[SourceDocument | Problem]:
    """Documents under names of their own, after the problems that they have."""
    names = _Names()
    for item in items:
        if isinstance(item, Problem):
            yield item
            continue
        name = names.given_to(item)
        if name is None:
            detail = f"{item.name!r} was there before, with the same bytes"
            yield Problem(where=item.where, cause=Cause.REPEATED_DOCUMENT, detail=detail)
            continue
        notes = list(item.notes)
        if name != item.name:
            notes.append((Cause.REPEATED_ID, f"{item.name!r} was there before, with other bytes; this one is {name!r}"))
        if not _TOKEN.search(item.text):
            notes.append((Cause.EMPTY_TEXT, "no letter and no digit in its text"))
        for cause, detail in notes:
            yield Problem(where=item.where, cause=cause, detail=detail)
        yield SourceDocument(name=name, content=item.content, text=item.text, labels=item.labels)


class _Names:
    """Names that are taken, with a hash of what has them."""

    def __init__(self) -> None:
        self._taken: dict[str, bytes] = {}
        self._versions: dict[str, set[bytes]] = {}  # of ids that came back with other bytes
        self._last_number: dict[str, int] = {}

    def given_to(self, found: Found) -> str | None:
        """The name that this document gets, or None if it was there before."""
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
