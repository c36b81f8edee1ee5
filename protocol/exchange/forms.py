"""The two forms of a question, labels.csv and privilege.csv: blank, and as they come back.

A row is about a position. The name of its file, which no spreadsheet changes, shows that the row belongs to this
question and not to another; if the name is missing, the document's own name shows it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ledger.plain import shown
from protocol.exchange import filenames, spreadsheet
from protocol.exchange.errors import BadForm
from protocol.exchange.filenames import ShownDocument
from protocol.exchange.spreadsheet import Row
from protocol.matter import kinds
from protocol.matter.asking import Decision
from protocol.matter.decisions import Decisions
from protocol.matter.values import LONGEST_BASIS
from protocol.parties.question import Request
from protocol.parties.view import Document

POSITION, DOCUMENT, FILE, RESPONSIVE, UPHELD, BASIS = "position", "document", "file", "responsive", "upheld", "basis"

_SAID = 10

_YES = {"yes", "y", "true", "1", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar"}
_NO = {"no", "n", "false", "0", "falsch", "faux", "falso", "onwaar"}  # codespell:ignore falso
_WORDS = {
    RESPONSIVE: (_YES | {"responsive"}, _NO | {"not responsive", "non-responsive", "nonresponsive"}),
    UPHELD: (_YES | {"upheld"}, _NO | {"overruled"}),
}


def blank(asked: Request, documents: Sequence[ShownDocument]) -> dict[str, bytes]:
    """The forms that come with a question."""
    place = [(str(each.position), each.name, each.file(asked.round)) for each in documents]
    common = (POSITION, DOCUMENT, FILE)
    labels = {filenames.LABELS: spreadsheet.write((*common, RESPONSIVE), ((*each, "") for each in place))}
    claims = {filenames.CLAIMS: spreadsheet.write((*common, BASIS), ((*each, "") for each in place))}
    match kinds.decision(asked.kind):
        case Decision.REPORT:
            return labels | claims
        case Decision.LABELS:
            return labels
        case Decision.CLAIMS:
            return claims
        case Decision.UPHELD:
            rows = ((*each, document.note, "") for each, document in zip(place, documents, strict=True))
            return {filenames.LABELS: spreadsheet.write((*common, BASIS, UPHELD), rows)}
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A filled-in form, and the name of its file."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """The forms that a person filled in."""

    labels: Form | None = None
    claims: Form | None = None
    upheld: Form | None = None

    @property
    def given(self) -> frozenset[str]:
        """The decisions that they hold."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not None)


def read(decisions: Decisions, forms: Forms, asked: Mapping[int, Document]) -> Decisions:
    """The decisions together with those that the forms hold; raises `BadForm` with the file and the row."""
    given, claimed, ruled = forms.labels, forms.claims, forms.upheld
    return replace(
        decisions,
        labels=None if given is None else labels(given.data, given.name, asked, top=decisions.threshold),
        claims=None if claimed is None else claims(claimed.data, claimed.name, asked),
        upheld=None if ruled is None else labels(ruled.data, ruled.name, asked, UPHELD),
    )


def labels(
    data: bytes, name: str, asked: Mapping[int, Document], column: str = RESPONSIVE, top: int | None = None
) -> dict[int, bool]:
    """What a filled-in form says of each position; with a threshold, the positions below it may be left blank."""
    found: dict[int, bool] = {}
    unclear = []
    rows = spreadsheet.read(data, name, (POSITION, column))
    for position, row in _by_position(rows, name, asked).items():
        label = _truth(row.cells[column], column)
        if label is not None:
            found[position] = label
        elif top is None or position <= top:
            unclear.append(f"row {row.number} (position {position}): {_unclear(row.cells[column], column)}")
    _check_clear(unclear, name)
    missing = [position for position in asked if position not in found and (top is None or position <= top)]
    if missing:
        raise BadForm(
            f"{name} has no row for position {_some(missing)}; start from the file that came with the question"
        )
    return found


def claims(data: bytes, name: str, asked: Mapping[int, Document]) -> dict[int, str]:
    """The basis of each claim; rows without one claim nothing. A row may name its document instead of its position."""
    rows = spreadsheet.read(data, name, (BASIS,))
    if rows and POSITION not in rows[0].cells:
        rows = [_placed(row, name, asked) for row in rows if row.cells[BASIS]]
    found = {}
    for position, row in _by_position([row for row in rows if row.cells[BASIS]], name, asked, strict=False).items():
        basis = row.cells[BASIS]
        if len(basis) > LONGEST_BASIS:
            raise BadForm(
                f"{name}, row {row.number}: the basis has {len(basis)} characters; at most {LONGEST_BASIS} are allowed"
            )
        found[position] = basis
    return found


def _by_position(
    rows: Sequence[Row], name: str, asked: Mapping[int, Document], *, strict: bool = True
) -> dict[int, Row]:
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
        _check_same(row, asked[position], where, strict=strict)
        found[position] = row
    return found


def _check_same(row: Row, listed: Document, where: str, *, strict: bool) -> None:
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


def _placed(row: Row, name: str, asked: Mapping[int, Document]) -> Row:
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
        what = "is not in this question" if not places else f"is at the positions {_some(places)}; name the position"
        raise BadForm(f"{where}: the document {named!r} {what}")
    return Row(number=row.number, cells={**row.cells, POSITION: str(places[0])})


def _spoken(name: str) -> str:
    """A name without what a spreadsheet may change: outer spaces, and the marks before formulas."""
    return shown(name).replace("'", "").strip()


def _truth(said: str, column: str) -> bool | None:
    """What a cell says; None if it is not clear."""
    yes, no = _WORDS[column]
    word = " ".join(said.casefold().split())
    return True if word in yes else False if word in no else None


def _unclear(said: str, column: str) -> str:
    return f"the column {column!r} {f'says {said[:40]!r}' if said.strip() else 'is empty'}; write yes or no"


def _check_clear(unclear: Sequence[str], name: str) -> None:
    """Raise with all rows that are not clear, or with the first ones if there are many."""
    if len(unclear) == 1:
        raise BadForm(f"{name}, {unclear[0]}")
    if unclear:
        more = [f"and {len(unclear) - _SAID} other rows"] if len(unclear) > _SAID else []
        lines = [f"{name}: {len(unclear)} rows say neither yes nor no:", *unclear[:_SAID], *more]
        raise BadForm("\n  - ".join(lines))


def _some(positions: Sequence[int]) -> str:
    shown = ", ".join(map(str, positions[:5]))
    return shown if len(positions) <= 5 else f"{shown} and {len(positions) - 5} others"
