"""Load files as sources: a table from a vendor, with the texts and natives that it links to.

Each family of records is a family. A text that the load file gives is taken; the native is the content. Only the native
of a record without a text is read, in the sandbox. A flaw never hides a record: what is missing is noted with its line.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ledger import reading
from protocol.loadfile.fieldnames import PAGES, TEXT_LINK, WITHHELD
from protocol.loadfile.lines import Flaw, FlawKind
from protocol.loadfile.loadfile import LoadFile, Record, open_loadfile, read_text
from protocol.sources.families import Given, Result, families
from protocol.sources.family import Family, Part
from protocol.sources.items import Received
from protocol.sources.opener import Loose
from protocol.sources.parts import File, Note
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Columns, Format, Progress, Reader, Settings, Sight
from protocol.sources.text import replace_surrogates

SUFFIX = ".dat"
TNEF = b"\x78\x9f\x3e\x22"  # winmail.dat, which is no load file
CAUSES = {
    FlawKind.BAD_LINE: Cause.BAD_LINE,
    FlawKind.UNDECODABLE: Cause.BAD_LINE,
    FlawKind.REPEATED_NUMBER: Cause.REPEATED_ID,
    FlawKind.BAD_FAMILY: Cause.BAD_FAMILY,
    FlawKind.MISSING_FILE: Cause.UNREADABLE,
    FlawKind.REFUSED_LINK: Cause.UNREADABLE,
    FlawKind.BAD_IMAGE_LINE: Cause.BAD_LINE,
}
_DATES = ("date", "date_sent", "date_modified", "date_created")
IN_LOADFILE = "the text in the load file"
NOTHING = "the load file gives neither a text nor a native for it"
LINKED = "the text that the load file links to, as "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A record on its way through the sandbox: its place in its family, and how many records that has."""

    record: Record
    place: int
    size: int


@dataclass(slots=True)
class _Loading:
    """One load file that is being read."""

    opened: LoadFile
    received: Received
    settings: Settings
    waiting: deque[_Entry | None] = field(default_factory=deque)
    """What was given to be read and has not come back, in order; None for what is no record."""
    repeated: set[int] = field(default_factory=set)
    """Lines whose number is another's."""

    def given(self, progress: Progress) -> Iterator[Given]:
        """Every record: as a file where it must be read, else as it is."""
        unused = self.opened.unused
        for found in self.opened.families(progress):
            if isinstance(found, Flaw):
                if found.kind is FlawKind.REPEATED_NUMBER:
                    self.repeated.add(found.line)
                self.waiting.append(None)
                yield self.problem(found)
            elif len(found) > self.settings.limits.parts:
                self.waiting.append(None)
                detail = f"a family of {len(found)} documents; check the fields that say what belongs together"
                yield Problem(where=f"line {found[0].line}", cause=Cause.TOO_LARGE, detail=detail)
            else:
                for place, record in enumerate(found):
                    self.received.unused.update(unused)
                    self.waiting.append(_Entry(record=record, place=place, size=len(found)))
                    yield self.record(record)

    def problem(self, flaw: Flaw) -> Problem:
        """A flaw, as all sources tell theirs."""
        where = f"line {flaw.line}" if flaw.file == self.opened.dat.path.name else flaw.where
        return Problem(where=where, cause=CAUSES[flaw.kind], detail=flaw.detail, in_kept=flaw.kind.kept)

    def record(self, record: Record) -> Given:
        """A record with its text, or the file that its text must be read from."""
        notes: list[Note] = []
        content = self.native(record, notes)
        text, options = _given_text(record, notes)
        if text is None and content is not None and record.native is not None:
            return Loose(path=self.name(record), file=File(name=record.native.name, content=content))
        if text is None and not record.fields.get(WITHHELD):
            notes.append((Cause.UNREAD_PART, NOTHING))
        text, surrogates = replace_surrogates(text or "")
        if surrogates:
            notes.append((Cause.UNDECODABLE, surrogates))
        part = Part(
            index=0,
            parent=None,
            name="",
            content=text.encode() if content is None else content,
            kind="",
            text=text,
            tool="tallystick",
            options=options or NOTHING,
            notes=tuple(notes),
        )
        return Family(path=self.name(record), parts=(part,))

    def native(self, record: Record, notes: list[Note]) -> bytes | None:
        """The bytes of the file itself, if the load file has it."""
        try:
            if record.native is not None:
                return reading.whole(record.native, self.settings.limits.file, "a native")
        except OSError as error:
            notes.append((Cause.UNREADABLE, f"its native: {error.strerror or error}"))
        return None

    def name(self, record: Record) -> str:
        """A record's number, with its line if others have the same."""
        if not record.number:
            return f"line {record.line}"
        return f"{record.number} (line {record.line})" if record.line in self.repeated else record.number

    def families(self, results: Iterable[Result]) -> Iterator[Result]:
        """The records that come back, as families."""
        records: list[tuple[Record, tuple[Part, ...]]] = []
        for result in results:
            entry = self.waiting.popleft()
            if entry is None:
                yield result
                continue
            records.append((entry.record, self.parts(entry.record, result)))
            if len(records) == entry.size:
                yield self.family(records)
                records = []

    def parts(self, record: Record, result: Result) -> tuple[Part, ...]:
        """What came back for a record; where its native cannot be read, a part that says so."""
        if isinstance(result, Family):
            return result.parts
        notes = [(result.cause, result.detail)] if isinstance(result, Problem) else []
        content = self.native(record, notes) or b""
        return (Part(index=0, parent=None, name="", content=content, kind="", text="", notes=tuple(notes)),)

    def family(self, records: Sequence[tuple[Record, tuple[Part, ...]]]) -> Family:
        """The records of one family; a file inside one that has no records attached to it is a part, too."""
        parts: list[Part] = []
        index_of: list[int] = []
        parents = {record.parent for record, _ in records}
        for place, (record, found) in enumerate(records):
            index = len(parts)
            index_of.append(index)
            parent = None if record.parent is None else index_of[record.parent]
            parts.append(_described(record, replace(found[0], index=index, parent=parent), self.name(record)))
            if place not in parents:
                parts += [_moved(each, index) for each in found[1:]]
        merges = all(record.native is not None and WITHHELD not in record.fields for record, _ in records)
        return Family(path=self.name(records[0][0]), parts=tuple(parts), merges=merges)


def _given_text(record: Record, notes: list[Note]) -> tuple[str | None, str]:
    """The text that the load file gives, and where it was."""
    if record.text is not None:
        return record.text, IN_LOADFILE
    if record.text_path is None:
        return None, ""
    try:
        text, encoding = read_text(record.text_path)
    except OSError as error:
        notes.append((Cause.UNREADABLE, f"its text: {error.strerror or error}"))
    except UnicodeDecodeError:
        notes.append((Cause.UNDECODABLE, "its text is neither UTF-8, UTF-16 nor Windows-1252"))
    else:
        return text, LINKED + encoding
    return None, ""


def _moved(part: Part, by: int) -> Part:
    return replace(part, index=part.index + by, parent=(part.parent or 0) + by)


def _described(record: Record, part: Part, number: str) -> Part:
    """The part with what the load file says of it, which counts more than what the file says itself."""
    told = {key: replace_surrogates(value)[0] for key, value in record.fields.items() if key != TEXT_LINK}
    date = next((told[key] for key in _DATES if key in told), "")
    known = {**part.fields, **told, **({"date": date} if date else {})}
    pages = told.get(PAGES, "")
    return replace(
        part,
        name=told.get("file_name") or number,
        kind=told.get("type") or part.kind or told.get("extension", ""),
        fields=known,
        pages=int(pages) if pages.isascii() and pages.isdigit() and len(pages) < 10 else record.images or part.pages,
    )


def _read(opened: LoadFile, progress: Progress, received: Received, settings: Settings) -> Iterator[Result]:
    """What becomes of each family of records, and of each line that is none."""
    loading = _Loading(opened, received, settings)
    return loading.families(families(loading.given(progress), settings, received))


def _recognises(sight: Sight) -> bool:
    return not sight.is_folder and sight.path.suffix.lower() == SUFFIX and not sight.start.startswith(TNEF)


def _open(path: Path, columns: Columns) -> Reader:
    opened = open_loadfile(path, fields=columns.fields)
    return Reader(total=opened.total, read=partial(_read, opened))


FORMAT = Format(
    name="a load file (.dat)",
    described="a table of a vendor, with the texts and natives that it links to",
    is_container=True,
    recognises=_recognises,
    open=_open,
)
