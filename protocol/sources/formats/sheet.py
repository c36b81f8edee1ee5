"""The cells of a sheet, row by row, from its XML events; and the strings that the sheets of a workbook share."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from protocol.sources.formats.cellformats import moment, plain_number, whole
from protocol.sources.formats.story import MAX_TEXT, Story, in_one_line
from protocol.sources.formats.xmlevents import Event

_HEADER_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|\d{1,4}|[A-Za-z])')
_HEADERS = {"x:oddHeader", "x:evenHeader", "x:firstHeader", "x:oddFooter", "x:evenFooter", "x:firstFooter"}
_LOGICAL = {"0": "FALSE", "1": "TRUE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbook:
    """What all sheets need: the shared strings, which styles are dates, and where dates are counted from."""

    strings: list[str]
    date_styles: frozenset[int]
    since_1904: bool


def rich_texts(source: Iterable[Event], item: str) -> Iterator[tuple[Mapping[str, str], str]]:
    """The text of each `item` (x:si, x:comment), whole and without what tells its pronunciation; its attributes."""
    pieces: list[str] = []
    about: Mapping[str, str] = {}
    open_tags: list[str] = []
    for event in source:
        if event.attributes is not None:
            open_tags.append(event.tag)
            if event.tag == item:
                about, pieces = event.attributes, []
        elif not event.tag:
            if open_tags and open_tags[-1] == "x:t" and "x:rPh" not in open_tags:
                pieces.append(event.text)
        else:
            if open_tags:
                open_tags.pop()
            if event.tag == item:
                yield about, "".join(pieces)


@dataclass(slots=True)
class _Cell:
    """A cell as it is read: its type and style, and what was found in it."""

    kind: str = ""
    style: int = 0
    value: list[str] = field(default_factory=list)
    formula: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)


class SheetReader:
    """Walks through the events of a sheet and says each row as a line, its cells between tabs."""

    def __init__(self, workbook: Workbook) -> None:
        self.story = Story()
        self.workbook = workbook
        self.cell = _Cell()
        self.row: list[str] = []
        self.open: list[str] = []
        self.headers: list[list[str]] = []

    def take(self, event: Event) -> None:
        """The next event of the sheet."""
        if event.attributes is not None:
            self.open.append(event.tag)
            self.start(event.tag, event.attributes)
        elif not event.tag:
            self.text(event.text)
        else:
            self.end(event.tag)
            if self.open:
                self.open.pop()

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An opening tag."""
        if tag == "x:c":
            self.cell = _Cell(kind=attributes.get("t", ""), style=whole(attributes.get("s", "0")))
        elif tag == "x:row":
            self.row = []
        elif tag in _HEADERS:
            self.headers.append([])
        elif tag == "x:dataValidation":
            for name in ("promptTitle", "prompt", "errorTitle", "error"):
                if text := in_one_line(attributes.get(name, "")):
                    self.story.say(f"[{name}: {text}]\n")

    def text(self, text: str) -> None:
        """Characters, by where they stand."""
        tag = self.open[-1] if self.open else ""
        if tag == "x:v":
            self.cell.value.append(text)
        elif tag == "x:f" and "x:c" in self.open[-2:]:
            self.cell.formula.append(text)
        elif tag == "x:t" and "x:rPh" not in self.open[-2:]:
            self.cell.inline.append(text)
        elif tag in _HEADERS:
            self.headers[-1].append(text)

    def end(self, tag: str) -> None:
        """A closing tag."""
        if tag == "x:c":
            self.end_cell()
        elif tag == "x:row":
            self.end_row()

    def end_cell(self) -> None:
        """Add the cell to its row."""
        if shown := in_one_line(self.shown()):
            self.row.append(shown)
            self.story.length += len(shown)  # a row may be longer than all text may be
            if self.story.length > MAX_TEXT:
                self.story.say("")
        self.cell = _Cell()

    def end_row(self) -> None:
        """Say the row."""
        self.story.length -= sum(map(len, self.row))
        self.story.say("\t".join(self.row) + "\n")
        self.row = []

    def finish(self) -> None:
        """Say what is left of a sheet that is cut within a row."""
        self.end_cell()
        self.end_row()

    def shown(self) -> str:
        """What a cell shows; its formula if no value of it was kept."""
        cell = self.cell
        value = "".join(cell.value)
        if cell.inline:
            return "".join(cell.inline)
        if not value:
            return "=" + "".join(cell.formula) if cell.formula else ""
        if cell.kind == "s":
            number = whole(value.strip())
            return self.workbook.strings[number] if 0 <= number < len(self.workbook.strings) else ""
        if cell.kind == "b":
            return _LOGICAL.get(value.strip(), value)
        if cell.kind in ("", "n") and cell.style in self.workbook.date_styles:
            return moment(value.strip(), since_1904=self.workbook.since_1904)
        return plain_number(value.strip()) if cell.kind in ("", "n") else value

    def header_lines(self) -> str:
        """Headers and footers of the printed sheet, without the codes for fonts, pages and dates."""
        lines = []
        for header in self.headers:
            codes = "".join(header).replace("&&", "\0")
            lines.append(in_one_line(_HEADER_CODE.sub(" ", codes).replace("\0", "&")))
        return "\n".join(dict.fromkeys(line for line in lines if line))
