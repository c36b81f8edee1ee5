"""CSV: the first line names the columns, and each row after it is a document. Labels are separated by semicolons."""

import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from protocol.errors import BadSource
from protocol.sources.formats.fields import BOM, BadLine, Fields, document
from protocol.sources.items import Received
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import MAX_PIECE, Columns, Format, Found, Progress, Settings, pieces, whole_file
from protocol.sources.text import replace_bad_utf8

DELIMITERS = ",;\t|"
LABEL_SEPARATOR = ";"
SUFFIXES = (".csv", ".tsv")


def _read(
    path: Path, columns: Columns, progress: Progress, received: Received, _: Settings
) -> Iterator[Found | Problem]:
    """A document for each row that holds one, a problem for each that does not."""
    csv.field_size_limit(MAX_PIECE)
    notes: list[str] = []
    lines = _decoded(path, progress, notes)
    delimiter, header = _header(path, next(lines, ""), columns)
    unused = [name for name in header if name not in (columns.id, columns.text, columns.labels)]
    received.unused.update(dict.fromkeys(unused, 0))  # told even if no row follows
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        notes.clear()
        first = rows.line_num + 2  # the header was line 1
        try:
            row = next(rows, None)
            if row is None:
                return
            where = _place(first, rows.line_num + 1)
            if row:
                received.unused.update(unused)
                yield document(where, _fields(row, header, columns), "; ".join(notes))
        except csv.Error as error:
            yield Problem(where=_place(first, rows.line_num + 1), cause=Cause.BAD_LINE, detail=str(error))
        except BadLine as error:
            yield Problem(where=_place(first, rows.line_num + 1), cause=Cause.BAD_LINE, detail=str(error))


def _decoded(path: Path, progress: Progress, notes: list[str]) -> Iterator[str]:
    """The lines as text; what had to be replaced in them is added to `notes`."""
    for number, piece in enumerate(pieces(path, progress)):
        text, note = replace_bad_utf8(piece if number else piece.removeprefix(BOM))
        if note:
            notes.append(note)
        yield text


def _header(path: Path, line: str, columns: Columns) -> tuple[str, list[str]]:
    """The delimiter under which the first line names the columns that are needed, and all their names."""
    wanted = {columns.id, columns.text} | ({columns.labels} - {Columns().labels})
    best: list[str] = []
    for delimiter in DELIMITERS:
        try:
            names = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error as error:
            raise BadSource(f"{path}: the first line cannot be read as CSV: {error}") from None
        if wanted <= set(names):
            if any(names.count(name) > 1 for name in (*wanted, columns.labels)):
                raise BadSource(f"{path}: the first line names a column twice: {', '.join(names)}")
            return delimiter, names
        best = max(best, names, key=len)
    missing = ", ".join(sorted(wanted - set(best)))
    raise BadSource(
        f"{path}: the first line names no column {missing}; it names {', '.join(best) or 'none'}. "
        "Say which columns hold id and text with --id-column and --text-column"
    )


def _fields(row: list[str], header: list[str], columns: Columns) -> Fields:
    if len(row) != len(header):
        raise BadLine(f"{len(row)} fields under {len(header)} columns")
    value = dict(zip(header, row, strict=True))
    labels = [label.strip() for label in value.get(columns.labels, "").split(LABEL_SEPARATOR)]
    return Fields(id=value[columns.id], text=value[columns.text], labels=[label for label in labels if label])


def _place(first: int, last: int) -> str:
    return f"line {first}" if last <= first else f"lines {first} to {last}"


FORMAT = Format(
    name="CSV (.csv, .tsv)",
    described="a table whose first line names its columns",
    is_container=True,
    recognises=lambda sight: sight.suffix in SUFFIXES,
    open=lambda path, columns: whole_file(path, partial(_read, path, columns)),
)
