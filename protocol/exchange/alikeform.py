"""alike.csv: a row for each thing that is like another, in which Alice says yes or no."""

from collections.abc import Mapping, Sequence

from protocol.exchange import filenames, formrows, spreadsheet
from protocol.exchange.errors import BadForm
from protocol.exchange.formrows import ANSWER, DOCUMENT, FILE, POSITION
from protocol.parties.alike import Alike, Reason, described
from protocol.parties.view import Document

ROW, PART, WHY, QUESTION = "row", "part", "why", "question"

_ASKED = {
    Reason.UPHELD: "Is it privileged, too?",
    Reason.CLAIMED: "Is it privileged, too?",
    Reason.CANDIDATE: "Is it privileged?",
    Reason.LABELLED: "The same label? Leave blank if it is.",
    Reason.TOGETHER: "The same label and claim? Leave blank if they are.",
}


def blank(rows: Sequence[Alike], files: Mapping[int, str]) -> dict[str, bytes]:
    """The form that comes with a question, if there is anything to ask; `files` has the documents' by position."""
    cells = (
        (
            str(number),
            str(row.position),
            row.name,
            files[row.position],
            "" if row.part is None else str(row.part),
            described(row),
            _ASKED[row.reason],
            "",
        )
        for number, row in enumerate(rows, start=1)
    )
    columns = (ROW, POSITION, DOCUMENT, FILE, PART, WHY, QUESTION, ANSWER)
    return {filenames.ALIKE: spreadsheet.write(columns, cells)} if rows else {}


def read(data: bytes, name: str, rows: Sequence[Alike], asked: Mapping[int, Document]) -> dict[int, bool]:
    """What a filled-in form says, by the number of the row. Which rows may be left blank is decided with the labels."""
    found: dict[int, bool] = {}
    seen: dict[int, int] = {}
    problems = []
    for line in spreadsheet.read(data, name, (ROW, POSITION, ANSWER)):
        where = f"{name}, row {line.number}"
        cell, position = line.cells[ROW], line.cells[POSITION]
        number = int(cell[:12]) if cell.isascii() and cell.isdigit() else 0
        if not 1 <= number <= len(rows) or position != str(rows[number - 1].position):
            raise BadForm(
                f"{where}: {cell!r} with the position {position!r} is no row of this question's list; start from the "
                "file that came with the question"
            )
        if number in seen:
            raise BadForm(f"{where}: row {seen[number]} already has this number; keep one of the two")
        seen[number] = line.number
        if line.cells.get(FILE):
            formrows.check_same(line, asked[rows[number - 1].position], where, strict=True)
        said = line.cells[ANSWER]
        answer = formrows.truth(said, ANSWER)
        if answer is not None:
            found[number] = answer
        elif said:
            problems.append(f"row {line.number} (position {position}): {formrows.unclear(said, ANSWER)}")
    formrows.check_clear(problems, name)
    return found
