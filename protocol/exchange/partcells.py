"""Cells of forms that name parts of a document by their numbers: which Alice claims, and which the court upholds."""

import re
from collections.abc import Collection, Sequence

from protocol.exchange.errors import BadForm
from protocol.exchange.filenames import ShownDocument
from protocol.exchange.formrows import NOT_ASKED
from protocol.exchange.spreadsheet import Row
from protocol.parties.view import Document

PARTS, PARTS_UPHELD = "parts", "parts upheld"

_SEPARATED = re.compile(r"\s*[;,+]\s*|\s+and\s+|\s+")
_ALL, _NONE = {"all", "yes"}, {"none", "no"}


def needed(documents: Sequence[ShownDocument]) -> bool:
    """Whether a form for claims needs a column for parts: some document has more than one."""
    return any(len(each.parts) > 1 for each in documents)


def claimed(row: Row, name: str, document: Document) -> tuple[int, ...]:
    """The parts that a row of Alice's form claims; none if it claims the whole document."""
    said = row.cells.get(PARTS, "")
    if said.casefold() in ("", *_ALL):
        return ()
    where, last = f"{name}, row {row.number}", len(document.parts) - 1
    found = _numbers(said, where, range(last + 1), f"the document has parts 0 to {last}" if last else "it has one part")
    if len(found) > last:
        raise BadForm(
            f"{where}: the column {PARTS!r} names every part of the document. Leave it blank to claim all of it"
        )
    return found


def upheld(row: Row, name: str, document: Document) -> tuple[int, ...] | None:
    """The parts that a row of the court's form upholds; None if the cell is empty."""
    said = row.cells[PARTS_UPHELD]
    if said in ("", NOT_ASKED):
        return None
    there = tuple(part for part in document.claimed if part < len(document.parts))
    if said.casefold() in _ALL:
        return there
    if said.casefold() in _NONE:
        return ()
    claims = f"claimed here is {', '.join(map(str, there)) or 'none'}"
    return _numbers(said, f"{name}, row {row.number}", there, claims)


def _numbers(said: str, where: str, known: Collection[int], remedy: str) -> tuple[int, ...]:
    """The numbers in a cell, each of which must be known."""
    found = set()
    for word in _SEPARATED.split(said.strip()):
        if not (word.isascii() and word.isdigit()) or int(word[:12]) not in known:
            raise BadForm(f"{where}: {word[:40]!r} is not one of the parts: {remedy}. Write their numbers, such as 1;2")
        found.add(int(word))
    return tuple(sorted(found))
