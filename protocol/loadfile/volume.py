r"""Writing a production volume: numbered documents, their natives and texts, and the load files that list them.

    DATA/VOL001.dat                    the fields of every document
    DATA/VOL001.opt                    the page images, if there are any
    NATIVES/0001/ACME000001.docx       the file itself
    TEXT/0001/ACME000001.txt           its text, or the slip sheet of a part that is withheld
    IMAGES/0001/ACME000001.tif         a page

A document has one number for each page image, or a single one. Links begin in the volume's folder and have backslashes.
A part that is withheld is a `SlipSheet`, which has room neither for a text nor for a file.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO

from ledger.plain import shown
from protocol.errors import Unwritable
from protocol.loadfile import dat, fieldnames
from protocol.loadfile.dat import CONCORDANCE, DatWriter, Dialect
from protocol.loadfile.fieldnames import BY_NAME
from protocol.loadfile.opt import Image, OptWriter

COMPUTED = (
    fieldnames.BEGIN,
    fieldnames.END,
    fieldnames.BEGIN_FAMILY,
    fieldnames.END_FAMILY,
    fieldnames.PARENT,
    fieldnames.HASH,
    fieldnames.WITHHELD,
    fieldnames.NATIVE,
    fieldnames.TEXT_LINK,
)
"""The fields that follow from the documents and their numbers. All others are given."""
GIVEN = (
    fieldnames.CUSTODIAN,
    fieldnames.ALL_CUSTODIANS,
    "from",
    "to",
    "cc",
    "bcc",
    "author",
    "date_sent",
    "date_received",
    "date_modified",
    "date",
    "subject",
    "title",
    "message_id",
    "file_name",
    "path",
    "all_paths",
    "extension",
    "type",
    fieldnames.PAGES,
    "confidentiality",
)
"""The other fields of a volume, unless it is told to have others."""

A_FOLDER = 1000
"""Documents whose files are in one folder."""
WORDS = "This document is withheld as privileged."
"""What a slip sheet says unless it is told something else."""

_LONGEST_EXTENSION = 10
_LONGEST_PREFIX = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document to be produced."""

    fields: Mapping[str, str]
    """By our names; none of those that are computed."""
    text: str
    native: bytes | None
    """The file itself."""
    extension: str = ""
    """The ending of the native's name, without a full stop."""
    images: tuple[tuple[str, bytes], ...] = ()
    """The pages: the ending of each image's name, and the image."""
    parent: int | None = None
    """Its parent's place in the family; the first document has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipSheet:
    """What is produced in place of a part that is withheld."""

    fields: Mapping[str, str] = field(default_factory=dict)
    """What may be told of it."""
    words: str = WORDS
    parent: int | None = None


Part = Document | SlipSheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Numbers of documents: a prefix, and a number with zeros before it."""

    prefix: str
    digits: int = 8
    next: int = 1

    def __post_init__(self) -> None:
        plain = self.prefix.isascii() and self.prefix.replace("-", "").replace("_", "").replace(".", "").isalnum()
        if not plain or not self.prefix[0].isalnum() or self.prefix[-1].isdigit() or len(self.prefix) > _LONGEST_PREFIX:
            raise Unwritable(
                f"{shown(self.prefix)!r} cannot stand before the number of a document: write up to {_LONGEST_PREFIX} "
                "letters, digits and - _ . that begin with a letter or digit and do not end with a digit"
            )
        if not 1 <= self.digits <= 15 or self.next < 0:
            raise Unwritable("the numbers of documents have 1 to 15 digits and are not below 0")

    def named(self, number: int) -> str:
        """The number as it is written on a document."""
        if number >= 10**self.digits:
            raise Unwritable(
                f"the number {number} has more than {self.digits} digits; take more digits for the whole production"
            )
        return f"{self.prefix}{number:0{self.digits}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a volume looks like."""

    name: str
    """The name of the volume, and of its load files."""
    fields: Sequence[str] = GIVEN
    """Which fields it has besides the computed ones, by our names."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What fields are called in it, by our names, where it is not the usual."""
    dialect: Dialect = CONCORDANCE
    encoding: str = "utf-8"

    @property
    def columns(self) -> tuple[str, ...]:
        """Our names of all fields, in their order."""
        return (*COMPUTED[:5], *self.fields, *COMPUTED[5:])

    def __post_init__(self) -> None:
        if not (self.name.isascii() and self.name.replace("-", "").replace("_", "").isalnum()):
            raise Unwritable(f"{shown(self.name)!r} cannot be the name of a volume: write letters, digits, - and _")
        doubled = [each for each in self.fields if each in COMPUTED or list(self.fields).count(each) > 1]
        if doubled:
            raise Unwritable(f"these fields are computed, or named twice: {', '.join(map(shown, doubled))}")

    def header(self) -> tuple[str, ...]:
        """What the fields are called in it."""
        unknown = [each for each in (*self.columns, *self.names) if each not in BY_NAME]
        if unknown:
            raise Unwritable(f"these are none of our names of fields: {', '.join(map(shown, unknown))}")
        return tuple(self.names.get(each, BY_NAME[each].usual) for each in self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written."""

    families: int
    documents: int
    """Slip sheets among them."""
    slip_sheets: int
    next: int
    """The number that the next volume begins with."""
    changed: tuple[tuple[str, str], ...]
    """The number and the field of each value that holds something else, since a load file cannot hold what it was."""


def write_volume(folder: Path, families: Iterable[Sequence[Part]], *, numbers: Numbers, layout: Layout) -> Written:
    """Write a volume into an empty folder, one family at a time. Raises `Unwritable` where that cannot be done."""
    with ExitStack() as stack:
        (folder / "DATA").mkdir()
        streams = [
            stack.enter_context((folder / "DATA" / f"{layout.name}.{each}").open("xb")) for each in ("dat", "opt")
        ]
        writer = _Writer(folder, numbers, layout, *streams)
        for family in families:
            writer.write(family)
    return writer.written()


class _Writer:
    """A volume that is being written."""

    def __init__(self, folder: Path, numbers: Numbers, layout: Layout, table: IO[bytes], images: IO[bytes]) -> None:
        self._folder, self._numbers, self._layout = folder, numbers, layout
        self._table = DatWriter(table, layout.header(), dialect=layout.dialect, encoding=layout.encoding)
        self._images = OptWriter(images)
        self._next = numbers.next
        self._families = self._documents = self._slip_sheets = 0
        self._changed: list[tuple[str, str]] = []

    def write(self, family: Sequence[Part]) -> None:
        """Write the files and the lines of a family."""
        _check(family)
        spans = []
        for part in family:
            last = self._next + max(1, len(part.images) if isinstance(part, Document) else 1) - 1
            spans.append((self._numbers.named(self._next), self._numbers.named(last)))
            self._next = last + 1
        for part, (begin, end) in zip(family, spans, strict=True):
            values = self._given(begin, part)
            values |= {fieldnames.BEGIN: begin, fieldnames.END: end}
            if len(family) > 1:
                values |= {fieldnames.BEGIN_FAMILY: spans[0][0], fieldnames.END_FAMILY: spans[-1][1]}
            if part.parent is not None:
                values[fieldnames.PARENT] = spans[part.parent][0]
            values |= self._slip_sheet(begin, part) if isinstance(part, SlipSheet) else self._document(begin, part)
            self._table.write([values.get(each, "") for each in self._layout.columns])
            self._documents += 1
        self._families += 1

    def written(self) -> Written:
        return Written(
            families=self._families,
            documents=self._documents,
            slip_sheets=self._slip_sheets,
            next=self._next,
            changed=tuple(self._changed),
        )

    def _given(self, begin: str, part: Part) -> dict[str, str]:
        """The fields that are given, as they can be written."""
        values = {}
        for name, value in part.fields.items():
            if name not in self._layout.fields:
                raise Unwritable(f"{begin}: the volume has no field {shown(name)} that could be given")
            values[name] = dat.fitted(value, dialect=self._layout.dialect, encoding=self._layout.encoding)
            if values[name] != value:
                self._changed.append((begin, name))
        return values

    def _document(self, begin: str, part: Document) -> dict[str, str]:
        values = {fieldnames.TEXT_LINK: self._file("TEXT", f"{begin}.txt", _utf8(begin, part.text))}
        if part.native is not None:
            name = f"{begin}.{_extension(part.extension)}"
            values[fieldnames.NATIVE] = self._file("NATIVES", name, part.native)
            values[fieldnames.HASH] = sha256(part.native).hexdigest()
        first = int(begin.removeprefix(self._numbers.prefix))
        for page, (extension, content) in enumerate(part.images):
            key = self._numbers.named(first + page)
            path = self._file("IMAGES", f"{key}.{_extension(extension)}", content)
            pages = None if page else len(part.images)
            self._images.write(Image(key=key, volume=self._layout.name, path=path, document=not page, pages=pages))
        return values

    def _slip_sheet(self, begin: str, part: SlipSheet) -> dict[str, str]:
        self._slip_sheets += 1
        words = dat.fitted(part.words, dialect=self._layout.dialect, encoding=self._layout.encoding)
        text = _utf8(begin, slip_sheet_text(begin, part.words))
        return {fieldnames.TEXT_LINK: self._file("TEXT", f"{begin}.txt", text), fieldnames.WITHHELD: words}

    def _file(self, sort: str, name: str, content: bytes) -> str:
        """Write one file; the link to it."""
        below = f"{self._documents // A_FOLDER + 1:04}"
        path = self._folder / sort / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(content)
        return "\\".join((sort, below, name))


def slip_sheet_text(number: str, words: str = WORDS) -> str:
    """The text of a slip sheet."""
    return f"{number}\n\n{words}\n"


def _check(family: Sequence[Part]) -> None:
    """Refuse a family in which something is attached to nothing, or to what comes after it."""
    for place, part in enumerate(family):
        if (part.parent is None) != (place == 0) or (part.parent is not None and not 0 <= part.parent < place):
            raise Unwritable(f"part {place + 1} of a family of {len(family)} is attached to none of those before it")
    if not family:
        raise Unwritable("a family without a document")


def _extension(text: str) -> str:
    """The ending of a file's name: letters and digits only, so that it leads nowhere else."""
    plain = text.isascii() and text.isalnum() and len(text) <= _LONGEST_EXTENSION
    return text.lower() if plain else "bin"


def _utf8(begin: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise Unwritable(f"{begin}: its text holds half a character at {error.start}") from None
