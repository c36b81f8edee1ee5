"""JSON Lines: one document a line.

    {"id": "mail-7", "text": "Dear Bob ...", "labels": ["responsive"]}

`id` is a string or a whole number; `labels`, a list of strings, may be missing. Other keys are not read, and the
account lists them.
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from protocol.sources.formats.fields import BOM, BadLine, Fields, document
from protocol.sources.items import Received
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import MAX_PIECE, Columns, Format, Found, Progress, Settings, pieces, whole_file
from protocol.sources.text import replace_bad_utf8

SUFFIXES = (".jsonl", ".ndjson")


def _read(
    path: Path, columns: Columns, progress: Progress, received: Received, _: Settings
) -> Iterator[Found | Problem]:
    """A document for each line that holds one, a problem for each that does not; empty lines are skipped."""
    used = {columns.id, columns.text, columns.labels}
    for where, raw in _lines(path, progress):
        if raw.isspace():
            continue
        try:
            if len(raw) == MAX_PIECE:
                raise BadLine(f"of {MAX_PIECE} bytes or more")
            text, note = replace_bad_utf8(raw)
            value = _parsed(text)
            received.unused.update(key for key in value if key not in used)
            yield document(where, _fields(value, columns), note)
        except BadLine as error:
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
        value = _decode(line)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadLine("JSON, but not an object {...}")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a repeated key is refused, since nobody knows which value was meant."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise BadLine("a key occurs twice in one object")
    return value


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


def _fields(value: dict[str, Any], columns: Columns) -> Fields:
    """Id, text and labels of a JSON object, each of the right type."""
    for key in (columns.id, columns.text):
        if key not in value:
            raise BadLine(f"it has no {key!r}; its keys: {', '.join(map(repr, list(value)[:10])) or 'none'}")
    name, text, labels = value[columns.id], value[columns.text], value.get(columns.labels)
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise BadLine(f"{columns.id!r} is neither a string nor a whole number")
    if not isinstance(text, str):
        raise BadLine(f"{columns.text!r} is not a string")
    if labels is None:
        labels = []
    if not isinstance(labels, list) or not all(isinstance(label, str) and label.strip() for label in labels):
        raise BadLine(f"{columns.labels!r} is not a list of strings")
    return Fields(id=str(name), text=text, labels=labels)


FORMAT = Format(
    name="JSON Lines (.jsonl, .ndjson)",
    described="one object on each line, with id, text and labels",
    is_container=True,
    recognises=lambda sight: sight.suffix in SUFFIXES,
    open=lambda path, columns: whole_file(path, partial(_read, path, columns)),
)
