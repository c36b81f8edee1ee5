"""The layout of a matter's file: its tables and its triggers, to the letter.

A trigger that somebody added would rewrite what is stored, and one of ours that is missing would let it be rewritten.
So the file must hold exactly what is defined here: nothing more, nothing less, nothing else under the same name.
"""

import sqlite3
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from ledger.errors import Damaged, LedgerError

FORMAT = 1
"""The version of this layout, kept in the file's header."""

_APPLICATION = int.from_bytes(b"taly", "big")

_TABLES: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "entries": ({"sequence": "INTEGER", "body": "BLOB", "signature": "BLOB"}, ("sequence",)),
    "openings": (
        {"entry": "INTEGER", "field": "TEXT", "position": "INTEGER", "salt": "BLOB", "value": "BLOB"},
        ("entry", "field", "position"),
    ),
    "releases": (
        {"entry": "INTEGER", "field": "TEXT", "position": "INTEGER", "audience": "TEXT", "released_by": "INTEGER"},
        ("entry", "field", "position", "audience"),
    ),
    "attachments": ({"digest": "BLOB", "content": "BLOB"}, ("digest",)),
    "checkpoints": ({"size": "INTEGER", "text": "TEXT"}, ("size",)),
    "note_signatures": ({"size": "INTEGER", "name": "TEXT", "line": "TEXT"}, ("size", "name")),
}

_SAID = 3  # so many differences are named in a message
_Row = tuple[str, str, str, str | None]  # type, name, table and SQL text of one thing in the file


class NotAMatter(LedgerError):
    """The file is something else."""


class UnknownStoreFormat(LedgerError):
    """The file was written by a version that this one does not know."""


def lay_out(connection: sqlite3.Connection) -> None:
    """Give an empty file the layout of a matter."""
    for statement in (*_tables(), *_triggers()):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def check(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a file that is not a matter, or whose layout is not exactly that of a matter."""
    application = connection.execute("PRAGMA main.application_id").fetchone()[0]
    version = connection.execute("PRAGMA main.user_version").fetchone()[0]
    if application != _APPLICATION:
        raise NotAMatter(f"{path} is an SQLite file, but not a Tallystick matter")
    if version != FORMAT:
        raise UnknownStoreFormat(
            f"{path} has store format {version}, but this version knows format {FORMAT}; use the version that wrote it"
        )
    found, expected = _rows(connection), _expected()
    if found != expected:
        raise Damaged(
            f"{path}: another program has changed the layout of this file: {_difference(found, expected)}. "
            "Nothing was written. Undo that change with the program that made it, or restore the newest backup if no "
            "entry was added since; then run `tallystick ledger check` on the file"
        )


def _rows(connection: sqlite3.Connection) -> list[_Row]:
    """What the file defines, sorted. Read from the table itself: a file can bring tables called `pragma_...`."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM main.sqlite_master").fetchall()
    return sorted(rows, key=repr)


@cache
def _expected() -> list[_Row]:
    connection = sqlite3.connect(":memory:")
    lay_out(connection)
    rows = _rows(connection)
    connection.close()
    return rows


def _difference(found: list[_Row], expected: list[_Row]) -> str:
    """The first few things that differ, what is foreign first."""
    ours, theirs = ({row[:2] for row in rows} for rows in (expected, found))
    said = [f"{_called(*each)} is not part of a matter" for each in sorted(theirs - ours, key=repr)]
    said += [
        f"{_called(*row[:2])} is defined in another way" for row in found if row[:2] in ours and row not in expected
    ]
    said += [f"{_called(*row[:2])} is defined twice" for row, after in pairwise(found) if row == after]
    said += [f"{_called(*each)} is missing" for each in sorted(ours - theirs)]
    return ", ".join(said[:_SAID]) + (f" and {len(said) - _SAID} more" if len(said) > _SAID else "")


def _called(kind: object, name: object) -> str:
    """Something in the file by its name, which may be anything in a file from elsewhere."""
    return f"the {str(kind)[:20]} {str(name)[:60]!r}"


def _tables() -> Iterator[str]:
    for table, (columns, key) in _TABLES.items():
        alone = " PRIMARY KEY" if len(key) == 1 else ""
        parts = [f'"{name}" {kind}{alone if (name,) == key else ""} NOT NULL' for name, kind in columns.items()]
        if not alone:
            parts.append("PRIMARY KEY ({})".format(", ".join(f'"{name}"' for name in key)))
        yield 'CREATE TABLE "{}" (\n   {}\n) STRICT'.format(table, ",\n   ".join(parts))


def _triggers() -> Iterator[str]:
    for table, (_, key) in _TABLES.items():
        for action in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added to'); END"
            )
        if table == "entries":
            continue  # must follow one another, see below
        # INSERT OR REPLACE would remove a row without asking the triggers above.
        same = " AND ".join(f"{column} = NEW.{column}" for column in key)
        there = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608 (names from the list above)
        yield (
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {there} "
            f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added to'); END"
        )
    yield (
        "CREATE TRIGGER entries_in_sequence BEFORE INSERT ON entries "
        "WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence) + 1, 0) FROM entries) "
        "BEGIN SELECT RAISE(ABORT, 'entries must follow one another'); END"
    )
