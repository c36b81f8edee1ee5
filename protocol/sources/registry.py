"""Where documents come from: the formats of sources, and how the format of a source is found.

    source = find(Path("mail.jsonl.gz"))
    for found in source.read():  # a SourceDocument, an Item, or a Problem

A source is read once, from its start to its end, and is never held in memory. Every name that it gives out is
unique. What cannot be a document, or could be one only with a change, comes as a `Problem` in its place. Each file of
the source, and each thing in a file that is a container, comes as an `Item` that says what became of it.

A source is a table of texts, whose formats are modules of `protocol.sources.formats` with their place in `FORMATS`, or
it is a file or a folder of files, which go through the sandbox.
"""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from protocol.errors import BadSource
from protocol.sources import files, loadfiles
from protocol.sources.entering import Entered, Entering
from protocol.sources.formats import csv, jsonl
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.problems import Problem
from protocol.sources.source import Columns, Format, Progress, Reader, Settings, Sight, SourceDocument, start

FORMATS: tuple[Format, ...] = (jsonl.FORMAT, csv.FORMAT, loadfiles.FORMAT, files.FOLDER, files.SINGLE)
"""The first format that recognises a source reads it. Those that go by the name come before those by content."""

_START = 16  # bytes of a file that a format may be recognised by


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of a known format."""

    path: Path
    is_container: bool
    reader: Reader

    @property
    def total(self) -> int:
        """The last number that `progress` will be told."""
        return self.reader.total

    def read(
        self,
        progress: Progress = lambda _: None,
        received: Received | None = None,
        settings: Settings | None = None,
    ) -> Iterator[Entered]:
        """Every document, item and problem, in the source's order. Raises `BadSource` if reading cannot go on.

        `received` is told what the items cannot say: what was not used, and which protections held.
        """
        documents = 0
        first_problem = None
        try:
            for item in self._entered(progress, Received() if received is None else received, settings or Settings()):
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

    def _entered(self, progress: Progress, received: Received, settings: Settings) -> Iterator[Entered]:
        """What the source holds; the places of lines begin with the name of their table."""
        above = f"{files.shown(self.path.name)}/" if self.is_container else ""
        if above:
            yield Item(where=above.removesuffix("/"), outcome=Outcome.CONTAINER)
        yield from Entering(above, settings).take(self.reader.read(progress, received, settings))


def find(path: Path, columns: Columns | None = None) -> Source:
    """The source at `path`, or `BadSource` if no format recognises it."""
    try:
        sight = _sight(path)
        for each in FORMATS:
            if each.recognises(sight):
                return Source(path=path, is_container=each.is_container, reader=each.open(path, columns or Columns()))
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
    suffix = Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
    if first.startswith((b"\xff\xfe", b"\xfe\xff")) and suffix in (*jsonl.SUFFIXES, *csv.SUFFIXES):
        raise BadSource(f"{path} is saved as UTF-16; save it as UTF-8")
    return Sight(path=path, is_folder=False, suffix=suffix, start=first)
