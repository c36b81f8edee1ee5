"""A list as a table, and the files that it is written to: .csv or .xlsx, both with the same cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger import files
from ledger.errors import Refused
from protocol.exchange import spreadsheet
from protocol.writing import workbook
from protocol.writing.workbook import Cell

ENDINGS = (".csv", ".xlsx")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A list."""

    title: str
    columns: tuple[tuple[str, int], ...]  # the heading and the width of each
    rows: list[tuple[Cell, ...]]


def check_names(paths: Sequence[Path]) -> None:
    """Raise unless each file can be written: its name says which format it has, and it does not exist yet."""
    for path in paths:
        if path.suffix.lower() not in ENDINGS:
            raise Refused(f"{path}: the name of a list ends in {' or '.join(ENDINGS)}, which says its format")
        files.check_free(path)


def write(table: Table, path: Path) -> None:
    """Write a list to a new file, in the format that its name says."""
    if path.suffix.lower() == ".csv":
        names = [name for name, _ in table.columns]
        data = spreadsheet.write(names, ([str(cell) for cell in row] for row in table.rows))
    else:
        data = workbook.workbook(table.title, table.columns, [tuple(map(_cell, row)) for row in table.rows])
    with files.new_file(path, mode=0o600) as stream:
        stream.write(data)


def _cell(cell: Cell) -> Cell:
    """A cell of a workbook. What is no formula there must be none either when it is saved as CSV."""
    return spreadsheet.harmless(cell) if isinstance(cell, str) else cell
