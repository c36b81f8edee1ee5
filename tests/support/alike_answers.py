"""What somebody says to a question's list of what is alike, who means all that the other forms say."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from protocol.exchange import formrows, spreadsheet
from protocol.exchange.formrows import RESPONSIVE
from protocol.exchange.spreadsheet import Row
from protocol.parties import alike
from protocol.parties.alike import Alike, Reason

_YES = {True: "yes", False: "no"}


def options(question: Path, out: Path, given: Sequence[str]) -> list[str]:
    """The option that answers the list, if there is one; `given` are the options with the other forms."""
    if not (question / "alike.csv").exists():
        return []
    labels = {
        place: formrows.truth(row.cells[RESPONSIVE], RESPONSIVE) for place, row in _rows("--labels", given).items()
    }
    claimed = {place for place, row in _rows("--privilege", given).items() if row.cells["basis"]}
    rows = alike.decode((question / "alike.json").read_bytes(), "alike.json")
    said = {str(number): _answer(row, labels, claimed) for number, row in enumerate(rows, start=1)}
    if not any(said.values()):
        return []
    fill(question, out, said)
    return ["--alike", str(out)]


def fill(question: Path, out: Path, said: dict[str, str]) -> Path:
    """The form that came with the question, with these answers by the number of the row."""
    table = list(csv.DictReader(io.StringIO((question / "alike.csv").read_text("utf-8-sig"), newline="")))
    rows = [[*list(row.values())[:-1], said.get(row["row"], "")] for row in table]
    out.write_bytes(spreadsheet.write(list(table[0]), rows))
    return out


def _rows(option: str, given: Sequence[str]) -> dict[int, Row]:
    """The rows of the form that an option gives, by position."""
    if option not in given:
        return {}
    form = given[list(given).index(option) + 1]
    return {int(row.cells["position"]): row for row in spreadsheet.read(Path(form).read_bytes(), form, ("position",))}


def _answer(row: Alike, labels: dict[int, bool | None], claimed: set[int]) -> str:
    if row.reason.about_privilege:
        return _YES[row.position in claimed]
    assert row.other is not None
    here, label = row.reason is Reason.TOGETHER, labels.get(row.position)
    other = (labels.get(row.other.position) if row.labels else None) if here else row.label
    if label is not None and other is not None and label != other:
        return "no"
    return "no" if here and (row.position in claimed) != (row.other.position in claimed) else ""
