"""What a JSON line and a row of a table have in common: an id, a text and labels make a document.

The content of such a document is its text, as UTF-8.
"""

from dataclasses import dataclass

from protocol.sources.problems import Cause
from protocol.sources.source import Found
from protocol.sources.text import replace_surrogates

BOM = b"\xef\xbb\xbf"


class BadLine(Exception):
    """Why a line is not a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What a line or row says of its document."""

    id: str
    text: str
    labels: list[str]


def document(where: str, fields: Fields, note: str) -> Found:
    """The document, with what was done to its characters."""
    notes = [note]
    cleaned = []
    for field in (fields.id, fields.text, *fields.labels):
        text, note = replace_surrogates(field)
        cleaned.append(text)
        notes.append(note)
    name, text, *labels = cleaned
    if not name.strip():
        raise BadLine("its id is empty")
    return Found(
        where=where,
        name=name,
        content=text.encode(),
        text=text,
        labels=tuple(dict.fromkeys(labels)),
        notes=tuple((Cause.UNDECODABLE, note) for note in dict.fromkeys(notes) if note),
    )
