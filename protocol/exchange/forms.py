"""The forms of a question, labels.csv, privilege.csv and withheld.csv: blank, and as they come back. (alike.csv has a
module of its own.)

A row is about a position. The name of its file, which no spreadsheet changes, shows that the row belongs to this
question and not to another; if the name is missing, the document's own name shows it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from protocol.exchange import alikeform, details, filenames, formrows, partcells, spreadsheet
from protocol.exchange.errors import BadForm
from protocol.exchange.filenames import ListedDocument, ShownDocument
from protocol.exchange.formrows import (
    BASIS,
    CLASS,
    DOCUMENT,
    FILE,
    GIVE_UP,
    NOT_ASKED,
    POSITION,
    REASON,
    RESPONSIVE,
    ROUND,
    UPHELD,
)
from protocol.exchange.partcells import PARTS_UPHELD
from protocol.exchange.spreadsheet import Row
from protocol.matter import kinds
from protocol.matter.asking import Decision
from protocol.matter.decisions import Decisions
from protocol.matter.reasons import LONGEST_REASON
from protocol.matter.values import LONGEST_BASIS
from protocol.parties.alike import Alike
from protocol.parties.question import Request
from protocol.parties.view import Document

_COMMON = (POSITION, DOCUMENT, FILE)


def blank(asked: Request, documents: Sequence[ShownDocument], classes: Sequence[str] = ()) -> dict[str, bytes]:
    """The forms that come with a question about these documents; `classes` are those that Alice may put them into."""
    known, cells = details.columns(documents)
    common = (*_COMMON, *known)
    place = [
        (str(each.position), each.name, each.file(asked.round), *row)
        for each, row in zip(documents, cells, strict=True)
    ]
    labels = {filenames.LABELS: spreadsheet.write((*common, RESPONSIVE), ((*each, "") for each in place))}
    columns = (BASIS, *((partcells.PARTS,) if partcells.needed(documents) else ()), *((CLASS,) if classes else ()))
    empty = ("",) * len(columns)
    claims = {filenames.CLAIMS: spreadsheet.write((*common, *columns), ((*each, *empty) for each in place))}
    match kinds.decision(asked.kind):
        case Decision.REPORT:
            return labels | claims
        case Decision.LABELS:
            rows = ((*each, "", "") for each in place)
            return {filenames.LABELS: spreadsheet.write((*common, RESPONSIVE, REASON), rows)}
        case Decision.CLAIMS:
            return claims
        case Decision.UPHELD:
            return {filenames.LABELS: _for_the_court(common, place, documents)}
    return {}


def _for_the_court(
    common: Sequence[str], place: Sequence[tuple[str, ...]], documents: Sequence[ShownDocument]
) -> bytes:
    """For each document a cell to fill in: whether a claim is upheld, or whether the document is responsive."""
    columns = _asked(documents)
    rows = (
        (*each, document.note, *("" if column in _cells(document) else NOT_ASKED for column in columns), "")
        for each, document in zip(place, documents, strict=True)
    )
    return spreadsheet.write((*common, BASIS, *columns, REASON), rows)


def _asked(documents: Sequence[ShownDocument | Document]) -> list[str]:
    """The columns that the court fills in."""
    filled = {column for document in documents for column in _cells(document)}
    return [column for column in (UPHELD, PARTS_UPHELD, RESPONSIVE) if column in filled]


def _cells(document: ShownDocument | Document) -> tuple[str, ...]:
    """What the court fills in about a document. Of one that is claimed for parts, it says two things."""
    if document.claimed:
        return (PARTS_UPHELD, RESPONSIVE)
    return (RESPONSIVE,) if document.judged else (UPHELD,)


def withheld(documents: Sequence[ListedDocument]) -> dict[str, bytes]:
    """The form of a second look, with a row for all that is withheld."""
    rows = ((str(each.position), each.name, each.file, str(each.round), "") for each in documents)
    return {filenames.WITHHELD: spreadsheet.write((*_COMMON, ROUND, GIVE_UP), rows)}


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
    given_up: Form | None = None
    alike: Form | None = None

    @property
    def given(self) -> frozenset[str]:
        """The decisions that they hold."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not None)


def read(
    decisions: Decisions,
    forms: Forms,
    asked: Mapping[int, Document],
    known_classes: Sequence[str] = (),
    likenesses: Sequence[Alike] = (),
    *,
    explained: bool = False,
) -> Decisions:
    """The decisions together with those that the forms hold; raises `BadForm` with the file and the row. If they may be
    `explained`, also the reasons.
    """
    given, claimed, ruled, looked, alike = forms.labels, forms.claims, forms.upheld, forms.given_up, forms.alike
    answered = given or ruled
    because = {} if answered is None or not explained else reasons(answered.data, answered.name, asked)
    sorted_in = {} if claimed is None else classes(claimed.data, claimed.name, asked, known_classes)
    return replace(
        decisions,
        labels=None if given is None else labels(given.data, given.name, asked, top=decisions.threshold),
        claims=None if claimed is None else claims(claimed.data, claimed.name, asked) or None,
        claimed_parts=(claimed_parts(claimed.data, claimed.name, asked) or None) if claimed is not None else None,
        classes=sorted_in or None,
        upheld=None if ruled is None else upheld(ruled.data, ruled.name, asked),
        upheld_parts=(upheld_parts(ruled.data, ruled.name, asked) or None) if ruled is not None else None,
        given_up=None if looked is None else given_up(looked.data, looked.name, asked),
        reasons=because or None,
        alike=None if alike is None else alikeform.read(alike.data, alike.name, likenesses, asked),
    )


def labels(data: bytes, name: str, asked: Mapping[int, Document], top: int | None = None) -> dict[int, bool]:
    """What a filled-in form says of each position; with a threshold, the positions below it may be left blank."""
    found: dict[int, bool] = {}
    problems = []
    rows = spreadsheet.read(data, name, (POSITION, RESPONSIVE))
    for position, row in formrows.by_position(rows, name, asked).items():
        said = row.cells[RESPONSIVE]
        label = formrows.truth(said, RESPONSIVE)
        if label is not None:
            found[position] = label
        elif top is None or position <= top:
            problems.append(f"row {row.number} (position {position}): {formrows.unclear(said, RESPONSIVE)}")
    formrows.check_clear(problems, name)
    _check_whole(name, [position for position in asked if position not in found and (top is None or position <= top)])
    return found


def upheld(data: bytes, name: str, asked: Mapping[int, Document]) -> dict[int, bool]:
    """What the court rules on each position. What it finds responsive is not upheld: Bob gets it."""
    found: dict[int, bool] = {}
    problems = []
    columns = _asked(tuple(asked.values()))
    rows = spreadsheet.read(data, name, (POSITION, *columns))
    for position, row in formrows.by_position(rows, name, asked).items():
        column = RESPONSIVE if asked[position].judged or asked[position].claimed else UPHELD
        where = f"row {row.number} (position {position})"
        for other in columns:
            if other not in _cells(asked[position]) and row.cells[other] not in ("", NOT_ASKED):
                raise BadForm(f"{name}, {where}: the court is not asked about {other!r} here, but about {column!r}")
        if asked[position].claimed and not _upholds(row, name, asked[position]):
            found[position] = False
            continue
        ruling = formrows.truth(row.cells[column], column)
        if ruling is None:
            problems.append(f"{where}: {formrows.unclear(row.cells[column], column)}")
        else:
            found[position] = ruling if column == UPHELD else not ruling
    formrows.check_clear(problems, name)
    _check_whole(name, [position for position in asked if position not in found])
    return found


def reasons(data: bytes, name: str, asked: Mapping[int, Document]) -> dict[int, str]:
    """The reason that a form gives for each position, if it has such a column; most rows have none."""
    found = {}
    rows = [row for row in spreadsheet.read(data, name, (POSITION,)) if row.cells.get(REASON)]
    for position, row in formrows.by_position(rows, name, asked).items():
        reason = row.cells[REASON]
        if len(reason) > LONGEST_REASON:
            raise BadForm(
                f"{name}, row {row.number}: the reason has {len(reason)} characters; at most {LONGEST_REASON} are "
                "allowed"
            )
        found[position] = reason
    return found


def _upholds(row: Row, name: str, document: Document) -> bool:
    """Whether the court upholds some parts of a document that is claimed for parts. Then it must label it, too."""
    parts = partcells.upheld(row, name, document)
    where = f"{name}, row {row.number}"
    if parts is None:
        raise BadForm(f"{where}: the column {PARTS_UPHELD!r} is empty; write the parts, such as 1;2, or all, or none")
    if not parts and row.cells[RESPONSIVE] not in ("", NOT_ASKED):
        raise BadForm(
            f"{where}: no part is upheld, so Bob gets all of the document and labels it. Leave {RESPONSIVE!r} empty"
        )
    return bool(parts)


def upheld_parts(data: bytes, name: str, asked: Mapping[int, Document]) -> dict[int, tuple[int, ...]]:
    """The parts that the court upholds, where a claim is for parts."""
    rows = spreadsheet.read(data, name, (POSITION,))
    named = formrows.by_position(rows, name, asked).items()
    found = {place: partcells.upheld(row, name, asked[place]) for place, row in named if asked[place].claimed}
    return {position: parts for position, parts in found.items() if parts}


def _check_whole(name: str, missing: Sequence[int]) -> None:
    if missing:
        raise BadForm(
            f"{name} has no row for position {formrows.some(missing)}; start from the file that came with the question"
        )


def claims(data: bytes, name: str, asked: Mapping[int, Document]) -> dict[int, str]:
    """The basis of each claim; rows without one claim nothing. A row may name its document instead of its position."""
    found = {}
    for position, row in formrows.claimed(data, name, asked, BASIS).items():
        basis = row.cells[BASIS]
        if len(basis) > LONGEST_BASIS:
            raise BadForm(
                f"{name}, row {row.number}: the basis has {len(basis)} characters; at most {LONGEST_BASIS} are allowed"
            )
        if row.cells.get(CLASS):
            raise BadForm(
                f"{name}, row {row.number}: it has a basis and a class. Write the basis if you claim privilege; "
                "otherwise write the class"
            )
        found[position] = basis
    return found


def claimed_parts(data: bytes, name: str, asked: Mapping[int, Document]) -> dict[int, tuple[int, ...]]:
    """The parts that each claim is for, of those that are not for the whole document."""
    for position, row in formrows.claimed(data, name, asked, partcells.PARTS).items():
        if not row.cells[BASIS]:
            raise BadForm(
                f"{name}, row {row.number} (position {position}): it names parts and no basis. To claim them as "
                "privileged, write the basis; otherwise leave the parts out"
            )
    rows = formrows.claimed(data, name, asked, BASIS)
    found = {position: partcells.claimed(row, name, asked[position]) for position, row in rows.items()}
    return {position: parts for position, parts in found.items() if parts}


def classes(data: bytes, name: str, asked: Mapping[int, Document], known: Sequence[str]) -> dict[int, str]:
    """The sensitive class of each position that Alice puts into one."""
    found = {}
    for position, row in formrows.claimed(data, name, asked, CLASS).items():
        said = row.cells[CLASS]
        if said.casefold() not in known:
            named = f"those of the terms are {', '.join(known)}" if known else "none can be given in this answer"
            raise BadForm(f"{name}, row {row.number}: {said!r} is not a class; {named}")
        found[position] = said.casefold()
    return found


def given_up(data: bytes, name: str, asked: Mapping[int, Document]) -> frozenset[int]:
    """The positions that Alice gives up in a second look: the rows that say yes. What is left blank stays withheld."""
    found = set()
    problems = []
    rows = spreadsheet.read(data, name, (POSITION, GIVE_UP))
    for position, row in formrows.by_position(rows, name, asked).items():
        said = formrows.truth(row.cells[GIVE_UP], GIVE_UP)
        if said is None:
            problems.append(f"row {row.number} (position {position}): {formrows.unclear(row.cells[GIVE_UP], GIVE_UP)}")
        elif said:
            found.add(position)
    formrows.check_clear(problems, name)
    return frozenset(found)
