"""Tables that a person fills in with a spreadsheet, which may save them in its own way.

They are written as UTF-8 with a byte order mark, commas and CRLF, which every spreadsheet opens with a double click.
They are read in UTF-8 with or without the mark, UTF-16 or Windows-1252, with commas, semicolons or tabs.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ledger import reading
from ledger.plain import shown
from protocol.exchange.errors import BadForm

MAX_SIZE = 2**27
"""Largest table in bytes: a spreadsheet holds a million rows."""

_SEPARATORS = (",", ";", "\t")
_FORMULA = re.compile(r"(^|[,;|])([\s\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: its number in the spreadsheet, and its cells by column."""

    number: int
    cells: Mapping[str, str]


def harmless(text: str) -> str:
    """A text from elsewhere as a cell that no spreadsheet takes for a formula.

    A spreadsheet that separates columns by a character other than the comma may begin a cell in the middle of the text.
    """
    return _FORMULA.sub(r"\1'\2", shown(text))


def write(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A table as a file."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return stream.getvalue().encode("utf-8-sig")


def load(path: Path) -> bytes:
    """A table's bytes from a file."""
    try:
        return reading.whole(path, MAX_SIZE, "a table of labels or claims")
    except OSError as error:
        raise BadForm(f"{path} cannot be read: {error.strerror or error}") from None


def read(data: bytes, name: str, columns: Sequence[str]) -> list[Row]:
    """The rows that are not blank, of a table with at least these columns; `name` is for the messages."""
    text = _decoded(data, name)
    for separator in _SEPARATORS:
        table = _parsed(text, separator, name)
        start = _heading(table, columns)
        if start is not None:
            return _rows(table, start, name)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    raise BadForm(
        f"{name} has no row of headings with {' and '.join(columns)}; it begins with {first[:60]!r}. "
        "Start from the file that came with the question, and save it as CSV"
    )


def _decoded(data: bytes, name: str) -> str:
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise BadForm(f"{name} is in a spreadsheet's own format; save it as CSV (in Excel: Save as, CSV UTF-8)")
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return _in(encoding, data, name)
    if b"\0" in data:  # UTF-16 without its mark: the first character of a heading is a letter, or a quotation mark
        return _in("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", data, name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _in("cp1252", data, name)


def _in(encoding: str, data: bytes, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise BadForm(f"{name} is in an unknown encoding; save it as CSV UTF-8") from None


def _parsed(text: str, separator: str, name: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise BadForm(f"{name} cannot be read as CSV ({error}); save it again as CSV UTF-8") from None


def _heading(table: list[list[str]], columns: Sequence[str]) -> int | None:
    """The row of headings: the first that is not blank, apart from a line that names the separator."""
    for number, row in enumerate(table):
        names = _names(row)
        if set(columns) <= set(names):
            return number
        if any(names) and not names[0].startswith("sep="):
            return None
    return None


def _rows(table: list[list[str]], start: int, name: str) -> list[Row]:
    names = _names(table[start])
    doubled = next((each for each in names if each and names.count(each) > 1), None)
    if doubled:
        raise BadForm(f"{name} has two columns {doubled!r}; keep one of them")
    found = []
    for number, row in enumerate(table[start + 1 :], start + 2):
        cells = [cell.strip() for cell in row]
        if any(cells):
            padded = [*cells, *[""] * (len(names) - len(cells))]
            found.append(Row(number=number, cells=dict(zip(names, padded, strict=False))))
    return found


def _names(row: Sequence[str]) -> list[str]:
    return [cell.strip().strip("\ufeff").casefold() for cell in row]
