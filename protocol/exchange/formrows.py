"""Rows of a filled-in form: which position each is about, that it belongs to this question, and what a cell says."""

from collections.abc import Iterable, Mapping, Sequence

from ledger.plain import shown
from protocol.exchange import spreadsheet
from protocol.exchange.errors import BadForm
from protocol.exchange.spreadsheet import Row
from protocol.parties.view import Document

POSITION, DOCUMENT, FILE = "position", "document", "file"
RESPONSIVE, UPHELD, GIVE_UP, ANSWER = "responsive", "upheld", "give up", "answer"
BASIS, CLASS, ROUND, REASON = "basis", "class", "round", "reason"
MARKS = ("part", "parts", "privileged", "claim")
"""Columns that a person fills in only for what is claimed."""
NOT_ASKED = "not asked"
"""What stands in a cell that is not to be filled in."""

_SAID = 10

_YES = {"yes", "y", "true", "1", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar"}
_NO = {"no", "n", "false", "0", "falsch", "faux", "falso", "onwaar"}  # codespell:ignore falso
_WORDS = {
    RESPONSIVE: (_YES | {"responsive"}, _NO | {"not responsive", "non-responsive", "nonresponsive"}),
    UPHELD: (_YES | {"upheld"}, _NO | {"overruled"}),
    GIVE_UP: (_YES | {"give up", "x"}, _NO | {""}),
    ANSWER: (_YES, _NO),
}


def claimed(data: bytes, name: str, asked: Mapping[int, Document], column: str) -> dict[int, Row]:
    """The rows of a form for claims with something in this column. A row may name its document, not its position.

    Whoever keeps only some rows of the form has chosen them, so that one without a basis is no claim that was left out.
    """
    rows = spreadsheet.read(data, name, (BASIS,))
    _check_filled(rows, name, len(asked))
    filled = [row for row in rows if row.cells.get(column)]
    if rows and POSITION not in rows[0].cells:
        filled = [placed(row, name, asked) for row in filled]
    return by_position(filled, name, asked, strict=False)


def _check_filled(rows: Sequence[Row], name: str, asked: int) -> None:
    """Raise if nothing is claimed, or if a row that was kept or marked says neither a basis nor a class."""
    empty = [row for row in rows if not (row.cells.get(BASIS) or row.cells.get(CLASS))]
    if len(empty) == len(rows):
        raise BadForm(
            f"{name} claims nothing: no row has a basis. Write the basis of each claim; if nothing is claimed, leave "
            "out --privilege"
        )
    marked = [row for row in empty if len(rows) < asked or any(row.cells.get(each) for each in MARKS)]
    if marked:
        raise BadForm(
            f"{name}, row {marked[0].number} has no basis, though it {_why_marked(marked[0])}. Write the basis, or "
            "take the row out if it is not claimed"
        )


def _why_marked(row: Row) -> str:
    named = next((each for each in MARKS if row.cells.get(each)), None)
    return f"says {row.cells[named][:40]!r} as {named!r}" if named else "was kept when other rows were taken out"


def by_position(
    rows: Iterable[Row], name: str, asked: Mapping[int, Document], *, strict: bool = True
) -> dict[int, Row]:
    """The rows by position; if `strict`, a row must also name its file or document."""
    found: dict[int, Row] = {}
    for row in rows:
        where = f"{name}, row {row.number}"
        cell = row.cells[POSITION]
        if not (cell.isascii() and cell.isdigit()):
            raise BadForm(
                f"{where}: {cell!r} is not a position; take the column from the file that came with the question"
            )
        position = int(cell[:12])
        if position not in asked:
            raise BadForm(
                f"{where}: position {cell} was not asked about; check that this is not the file of another question"
            )
        if position in found:
            raise BadForm(
                f"{where}: row {found[position].number} already has position {position}; keep one of the two rows"
            )
        check_same(row, asked[position], where, strict=strict)
        found[position] = row
    return found


def check_same(row: Row, listed: Document, where: str, *, strict: bool) -> None:
    """Raise unless the row is about the document at its position in this question."""
    cells = row.cells
    if cells.get(FILE):
        same = cells[FILE].replace("\\", "/") == listed.file
    elif cells.get(DOCUMENT):
        same = _spoken(cells[DOCUMENT]) == _spoken(listed.name)
    elif strict:
        raise BadForm(
            f"{where} names neither a file nor a document, so a form of another round would go unnoticed; keep the "
            "columns of the file that came with the question"
        )
    else:
        same = True
    if not same:
        named = cells.get(FILE) or cells[DOCUMENT]
        raise BadForm(
            f"{where} is about {named!r}, but in this question that position is {listed.file!r}. This is the form of "
            "another round, or its rows were shifted: start from the file that came with this question"
        )


def placed(row: Row, name: str, asked: Mapping[int, Document]) -> Row:
    """A row of claims with the position of the document that it names."""
    where = f"{name}, row {row.number}"
    if FILE not in row.cells and DOCUMENT not in row.cells:
        raise BadForm(f"{where} names neither a position nor a document; add a column {POSITION!r} or {DOCUMENT!r}")
    named = row.cells.get(FILE) or row.cells.get(DOCUMENT, "")
    places = [
        position
        for position, listed in asked.items()
        if named.replace("\\", "/") == listed.file or _spoken(named) == _spoken(listed.name)
    ]
    if len(places) != 1:
        what = "is not in this question" if not places else f"is at the positions {some(places)}; name the position"
        raise BadForm(f"{where}: the document {named!r} {what}")
    return Row(number=row.number, cells={**row.cells, POSITION: str(places[0])})


def _spoken(name: str) -> str:
    """A name without what a spreadsheet may change: outer spaces, and the marks before formulas."""
    return shown(name).replace("'", "").strip()


def truth(said: str, column: str) -> bool | None:
    """What a cell says; None if it is not clear."""
    yes, no = _WORDS[column]
    word = " ".join(said.casefold().split())
    return True if word in yes else False if word in no else None


def unclear(said: str, column: str) -> str:
    """What is wrong with a cell that says neither yes nor no."""
    return f"the column {column!r} {f'says {said[:40]!r}' if said.strip() else 'is empty'}; write yes or no"


def check_clear(problems: Sequence[str], name: str) -> None:
    """Raise with all rows that are not clear, or with the first ones if there are many."""
    if len(problems) == 1:
        raise BadForm(f"{name}, {problems[0]}")
    if problems:
        more = [f"and {len(problems) - _SAID} other rows"] if len(problems) > _SAID else []
        lines = [f"{name}: {len(problems)} rows say neither yes nor no:", *problems[:_SAID], *more]
        raise BadForm("\n  - ".join(lines))


def some(positions: Sequence[int]) -> str:
    """A list of positions for a message, which stays short."""
    shown = ", ".join(map(str, positions[:5]))
    return shown if len(positions) <= 5 else f"{shown} and {len(positions) - 5} others"
