r"""Reading a load file: its documents as families, with their fields, and where their texts and natives are.

    opened = open_loadfile(Path("VOL001/DATA/VOL001.dat"))
    for item in opened.families():  # a tuple of records, or a Flaw

The load file is read twice: once for the numbers of all documents, which say what belongs together, and once family by
family. Links begin in the volume's folder: the one above the load file's if that is called DATA, else the load file's.

A flaw never hides a document. One whose text or native is missing is there without it, and only a line that cannot be
read is none.
"""

import codecs
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ledger import reading
from ledger.plain import shown
from protocol.errors import BadSource
from protocol.loadfile import fieldfile, opt
from protocol.loadfile.dat import Dat, Row, multiple, open_dat
from protocol.loadfile.fieldfile import FieldFile
from protocol.loadfile.fieldnames import (
    ATTACHMENTS,
    BEGIN,
    BEGIN_FAMILY,
    END,
    END_FAMILY,
    FAMILY,
    NATIVE,
    PARENT,
    TEXT,
    TEXT_LINK,
)
from protocol.loadfile.grouping import Grouping, Kin, Place
from protocol.loadfile.lines import Flaw, FlawKind
from protocol.loadfile.links import BadLink, Volume

Progress = Callable[[int], None]

MAX_TEXT = 2**30
"""Largest text in bytes."""
DATA = "data"
"""The folder of a volume that load files are in, whatever its case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A document of a load file."""

    line: int
    number: str
    """Its own number, which may be empty or another's: a flaw says so."""
    fields: Mapping[str, str]
    """By our names, those that are not empty; without the text."""
    parent: int | None
    """Its parent's place in the family; the first document has none."""
    text: str | None = None
    """Its text, if a field holds that."""
    text_path: Path | None = None
    """The file of its text, if a link leads to one; `read_text` reads it."""
    native: Path | None = None
    """The file itself."""
    images: int | None = None
    """How many page images the image load file lists for it."""


Family = tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFile:
    """A load file whose fields are known."""

    dat: Dat
    fields: Mapping[str, str]
    """Their name of each of our fields."""
    volume: Volume
    images: Path | None
    """The image load file."""

    @property
    def total(self) -> int:
        """The last number that `progress` will be told."""
        return 2 * self.dat.path.stat().st_size

    @property
    def unused(self) -> tuple[str, ...]:
        """Their names of the fields that are not read."""
        used = set(self.fields.values())
        return tuple(name for name in self.dat.names if name not in used)

    def families(self, progress: Progress = lambda _: None) -> Iterator[Family | Flaw]:
        """Every family in order, and every flaw: those of lines and families first, those of links with the family."""
        grouping = Grouping(self.dat.path.name)
        column = {ours: self.dat.names.index(theirs) for ours, theirs in self.fields.items()}
        for row in self.dat.rows(progress):
            if isinstance(row, Flaw):
                yield row
            else:
                yield from grouping.add(row.line, row.start, _kin(row, column))
        yield from grouping.close()
        pages: dict[str, int] = {}
        if self.images is not None:
            yield from _count_images(self.images, grouping, pages)
        half = self.dat.path.stat().st_size
        with reading.opened(self.dat.path) as stream:
            for places in grouping.families():
                family, flaws = list[Record](), list[Flaw]()
                for place in places:
                    row = self.dat.row_at(stream, place.start, place.line)
                    family.append(self._record(row, place, column, pages, flaws))
                progress(half + min(half, places[-1].start))
                yield from flaws
                yield tuple(family)
        progress(2 * half)

    def _record(
        self, row: Row, place: Place, column: Mapping[str, int], pages: Mapping[str, int], flaws: list[Flaw]
    ) -> Record:
        values = {ours: row.values[number] for ours, number in column.items() if row.values[number].strip()}
        text = values.pop(TEXT, None)
        found: dict[str, Path | None] = {}
        for ours in (TEXT_LINK, NATIVE):
            try:
                found[ours] = self.volume.find(values[ours]) if ours in values else None
            except BadLink as error:
                found[ours] = None
                detail = f"the {'text' if ours == TEXT_LINK else 'native'} {error.detail}"
                flaws.append(Flaw(file=self.dat.path.name, line=row.line, kind=error.kind, detail=detail))
        number = values.get(BEGIN, "").strip()
        return Record(
            line=row.line,
            number=number,
            fields=values,
            parent=place.parent,
            text=text,
            text_path=found[TEXT_LINK],
            native=found[NATIVE],
            images=pages.get(number),
        )


def open_loadfile(
    path: Path, *, fields: Path | None = None, images: Path | None = None, root: Path | None = None
) -> LoadFile:
    """The load file at `path`, read as the field file `fields` says, or as its names are usually meant.

    `images` is its image load file; without it, the .opt file of the same name beside it, if there is one.
    `root` is the folder that links begin in.
    """
    given = fieldfile.read(fields) if fields is not None else FieldFile(fields={})
    dat = open_dat(path, encoding=given.encoding, dialect=given.dialect)
    if fields is not None:
        fieldfile.check(fields, given, dat)
    ours = given.fields or fieldfile.guess(dat).fields
    if BEGIN not in ours:
        raise BadSource(
            f"{path}, line 1: no field is recognised as the document's number; it names "
            f"{', '.join(shown(name) for name in dat.names)}. Write a field file with `tallystick corpus fields`, "
            "and say in it which field it is"
        )
    folder = path.resolve().parent
    return LoadFile(
        dat=dat,
        fields=ours,
        volume=Volume(root or (folder.parent if folder.name.lower() == DATA else folder)),
        images=images or _beside(path),
    )


def read_text(path: Path) -> tuple[str, str]:
    """The text of a text file and its encoding: UTF-16 or UTF-8 if it is marked or valid as such, else Windows-1252.

    Raises `OSError` if it cannot be read, and `UnicodeDecodeError` if it is none of these.
    """
    raw = reading.whole(path, MAX_TEXT, "a text")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16"), "utf-16"
    try:
        return raw.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return raw.decode("cp1252"), "cp1252"


def _kin(row: Row, column: Mapping[str, int]) -> Kin:
    def value(ours: str) -> str:
        return row.values[column[ours]].strip() if ours in column else ""

    return Kin(
        begin=value(BEGIN),
        end=value(END),
        begin_family=value(BEGIN_FAMILY),
        end_family=value(END_FAMILY),
        parent=value(PARENT),
        attachments=multiple(value(ATTACHMENTS)),
        family=value(FAMILY),
    )


def _count_images(path: Path, grouping: Grouping, pages: dict[str, int]) -> Iterator[Flaw]:
    """How many images each document has; images of documents that are not in the load file are flaws."""
    key = None
    for item in opt.read_images(path):
        if isinstance(item, Flaw):
            yield item
            continue
        line, image = item
        if image.document or key is None:
            key = image.key
            if key not in grouping:
                detail = f"the document {shown(key)} that begins here is not in {shown(grouping.file)}"
                yield Flaw(file=path.name, line=line, kind=FlawKind.BAD_IMAGE_LINE, detail=detail)
        if key in grouping:
            pages[key] = pages.get(key, 0) + 1


def _beside(path: Path) -> Path | None:
    """The image load file of the same name."""
    wanted = f"{path.stem}.opt".casefold()
    found = sorted(each for each in path.parent.iterdir() if each.name.casefold() == wanted and each.is_file())
    return found[0] if found else None
