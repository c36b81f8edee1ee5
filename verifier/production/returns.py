"""P08: does RETURN.csv list just what Bob was shown and may not keep?"""

import re
from itertools import zip_longest

from verifier.production import form
from verifier.production.checks import Check, Results
from verifier.production.earlier import Numbers
from verifier.production.folder import Folder
from verifier.production.form import Manifest
from verifier.production.record import Witness

COLUMNS = ["round", "position", "document", "name", "reason", "numbers"]

_RULE = "RETURN.csv has a row for each document that Bob was shown and may not keep, and no other row"
_MARK = "\ufeff"
_CELL = re.compile('"([^"]*(?:""[^"]*)*)"(,|\r\n)')
_QUOTED = ("=", "+", "-", "@", "\t", "\r", "'")


def check(
    results: Results,
    manifest: Manifest,
    witness: Witness,
    volume: Folder,
    intact: frozenset[str],
    numbers: Numbers | None,
) -> None:
    """Compare the list, row by row; `numbers` are those of earlier volumes, if all of them were given."""
    if form.RETURN not in volume.files:
        results.leave(Check.RETURN, f"there is no {form.RETURN}")
        return
    signed = form.RETURN in intact
    found = _rows(volume.whole(form.RETURN))
    if found is None or found[:1] != [COLUMNS]:
        expected = f"a table with the columns {', '.join(COLUMNS)}"
        results.fail(Check.RETURN, _RULE, form.RETURN, expected, "a file of another form", signed=signed)
        return
    for line, (row, stated) in enumerate(zip_longest(_due(manifest, witness, numbers), found[1:]), start=2):
        if row is None or stated is None or not _fits(row, stated, known=numbers is not None):
            where = f"{form.RETURN}, row {line}"
            results.fail(Check.RETURN, _RULE, where, row or "no further row", stated or "no further row", signed=signed)
        else:
            results.items[Check.RETURN] += 1
    results.made(Check.RETURN)


def _due(manifest: Manifest, witness: Witness, numbers: Numbers | None) -> list[list[str]]:
    back = witness.asked_back(manifest.size)
    return [
        [
            str(each.round),
            str(each.position),
            str(each.document),
            f"'{each.name}" if each.name.startswith(_QUOTED) else each.name,
            reason,
            (numbers or {}).get(each.document, ""),
        ]
        for each in witness.shown(manifest.size)
        if (reason := witness.fate(each, back))
    ]


def _fits(row: list[str], stated: list[str], *, known: bool) -> bool:
    return row == stated if known else row[:-1] == stated[:-1]


def _rows(data: bytes) -> list[list[str]] | None:
    """The rows of a table that is written in the one way; None if it is not."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not text.startswith(_MARK):
        return None
    rows, cells, at = list[list[str]](), list[str](), len(_MARK)
    while at < len(text):
        found = _CELL.match(text, at)
        if found is None:
            return None
        cells.append(found[1].replace('""', '"'))
        if found[2] != ",":
            rows.append(cells)
            cells = []
        at = found.end()
    return None if cells or any(len(row) != len(COLUMNS) for row in rows) else rows
