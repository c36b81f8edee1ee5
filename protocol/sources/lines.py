"""Documents from JSON Lines and from CSV. The content of such a document is its text, as UTF-8.

    {"id": "mail-7", "text": "Dear Bob ...", "labels": ["responsive"]}

`id` is a string or a whole number; `labels`, a list of strings, may be missing. Other keys are for others.
A CSV names its columns in its first line; labels are separated by semicolons.
"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protocol.errors import BadSource
from protocol.sources.decoding import replace_bad_utf8, replace_surrogates
from protocol.sources.reading import MAX_PIECE, Columns, Found, Progress, pieces
from protocol.sources.report import Cause, Problem

BOM = b"\xef\xbb\xbf"
DELIMITERS = ",;\t|"
LABEL_SEPARATOR = ";"


class _BadLine(Exception):
    """Why a line is no document."""


def read_json_lines(path: Path, columns: Columns, progress: Progress) -> Iterator[Found | Problem]:
    """A document for each line that holds one, a problem for each that does not; empty lines are nothing."""
    for where, raw in _lines(path, progress):
        if raw.isspace():
            continue
        try:
            if len(raw) == MAX_PIECE:
                raise _BadLine(f"of {MAX_PIECE} bytes or more")
            text, note = replace_bad_utf8(raw)
            yield _found(where, _fields(_parsed(text), columns), note)
        except _BadLine as error:
            yield Problem(where=where, cause=Cause.BAD_LINE, detail=str(error))


def _lines(path: Path, progress: Progress) -> Iterator[tuple[str, bytes]]:
    """Each line's place and bytes; of a line that came in pieces, the first."""
    number, going_on = 0, False
    for piece in pieces(path, progress):
        if not going_on:
            number += 1
            yield f"line {number}", piece.removeprefix(BOM) if number == 1 else piece
        going_on = not piece.endswith(b"\n")


def _parsed(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise _BadLine(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise _BadLine("JSON, but no object {...}")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys all count: of two equal ones, nobody knows which was meant."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _BadLine("a key stands twice in one object")
    return value


def _fields(value: dict[str, Any], columns: Columns) -> tuple[str, str, list[str]]:
    """Id, text and labels of a JSON object, each of the right type."""
    for key in (columns.id, columns.text):
        if key not in value:
            raise _BadLine(f"no {key!r} in it; it has {', '.join(map(repr, list(value)[:10])) or 'no keys'}")
    name, text, labels = value[columns.id], value[columns.text], value.get(columns.labels)
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise _BadLine(f"{columns.id!r} is neither a string nor a whole number")
    if not isinstance(text, str):
        raise _BadLine(f"{columns.text!r} is not a string")
    if labels is None:
        labels = []
    if not isinstance(labels, list) or not all(isinstance(label, str) and label.strip() for label in labels):
        raise _BadLine(f"{columns.labels!r} is not a list of strings")
    return str(name), text, labels


def _found(where: str, fields: tuple[str, str, list[str]], note: str) -> Found:
    """The document, with what was done to its characters."""
    notes = [note]
    cleaned = []
    for field in (fields[0], fields[1], *fields[2]):
        text, note = replace_surrogates(field)
        cleaned.append(text)
        notes.append(note)
    name, text, *labels = cleaned
    if not name.strip():
        raise _BadLine("its id is empty")
    undecodable = tuple((Cause.UNDECODABLE, note) for note in dict.fromkeys(notes) if note)
    return Found(
        where=where,
        name=name,
        content=text.encode(),
        text=text,
        labels=tuple(dict.fromkeys(labels)),
        notes=undecodable,
    )


def read_csv(path: Path, columns: Columns, progress: Progress) -> Iterator[Found | Problem]:
    """A document for each row that holds one, a problem for each that does not."""
    csv.field_size_limit(MAX_PIECE)
    notes: list[str] = []
    lines = _decoded(path, progress, notes)
    delimiter, header = _header(path, next(lines, ""), columns)
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
                yield _found(where, _row_fields(row, header, columns), "; ".join(notes))
        except (csv.Error, _BadLine) as error:
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


def _row_fields(row: list[str], header: list[str], columns: Columns) -> tuple[str, str, list[str]]:
    if len(row) != len(header):
        raise _BadLine(f"{len(row)} fields under {len(header)} columns")
    value = dict(zip(header, row, strict=True))
    labels = [label.strip() for label in value.get(columns.labels, "").split(LABEL_SEPARATOR)]
    return value[columns.id], value[columns.text], [label for label in labels if label]


def _place(first: int, last: int) -> str:
    return f"line {first}" if last <= first else f"lines {first} to {last}"
