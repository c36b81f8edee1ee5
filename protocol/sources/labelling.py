"""Labels for a source that has none of its own: a table with the documents' names. Only simulations use them."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from protocol.errors import BadSource
from protocol.sources.entering import Entered
from protocol.sources.source import SourceDocument

_COLUMNS = ["id", "labels"]

Table = dict[str, tuple[str, ...]]


def read(path: Path) -> Table:
    """The labels by the document's name. The columns are `id` and `labels`, whose values are separated by `;`."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, csv.Error) as error:
        raise BadSource(f"{path} is no CSV file in UTF-8: {error}") from None
    if not rows or rows[0] != _COLUMNS:
        raise BadSource(f'{path} must begin with the line "{",".join(_COLUMNS)}"')
    table: Table = {}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(_COLUMNS) or row[0] in table:
            reason = f"{row[0]!r} occurs twice" if row and row[0] in table else f"{len(row)} cells instead of 2"
            raise BadSource(f"{path}, row {number}: {reason}")
        table[row[0]] = tuple(label.strip() for label in row[1].split(";") if label.strip())
    return table


def labelled(found: Iterable[Entered], table: Table) -> Iterator[Entered]:
    """The same, with the labels of the table. Raises at the end if it names what the source does not hold."""
    left = dict(table)
    for each in found:
        if isinstance(each, SourceDocument):
            yield replace(each, labels=(*each.labels, *left.pop(each.name, ())))
        else:
            yield each
    if left:
        raise BadSource(
            f"the labels name {len(left)} documents that the source does not hold, the first of them "
            f"{next(iter(left))!r}; a document is named by its path below SOURCE"
        )
