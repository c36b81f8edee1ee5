"""A matter's file holds exactly the tables and triggers of a matter, or it is refused before anything is written."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from ledger import layout
from ledger.copies import write_copy
from ledger.entries import Addition
from ledger.errors import Damaged
from ledger.examining import examine, open_reader
from ledger.log import Log
from ledger.roles import Audience, Role
from ledger.schema import connect
from ledger.store import Store
from tests.support.builders import KEYS, build_matter, logical_clock, says

TRENT = KEYS[Role.TRENT]
NOTE = Addition(statement=says(Role.TRENT, "note"))
COMMAND = str(Path(sys.executable).parent / "tallystick")

REWRITES = (
    "CREATE TRIGGER tidy AFTER INSERT ON entries BEGIN"
    " INSERT INTO checkpoints VALUES (NEW.sequence + 1000, 'rewritten'); END"
)
SHADOW = "CREATE TABLE {name} (type TEXT, name TEXT, tbl_name TEXT, sql TEXT)"


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    path = tmp_path / "matter"
    build_matter(path)
    return path


def change(path: Path, *statements: str) -> None:
    """What another program does to the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def change_definitions(path: Path, *statements: str) -> None:
    """What another program does to the definitions themselves, past SQLite's own rules for them."""
    change(path, "PRAGMA writable_schema = ON", *statements)


def content(path: Path) -> list[str]:
    """All that the file holds."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")  # reads also what SQLite finds malformed
        return list(connection.iterdump())


def refused(path: Path, said: str) -> None:
    """Nobody reads it, copies it, checks it or writes to it, and it stays as it was."""
    before = path.read_bytes()
    for writable in (False, True):
        with pytest.raises(Damaged, match=said):
            Store.open(path, writable=writable)
    with pytest.raises(Damaged, match=said):
        Log.open(path, TRENT, logical_clock())
    with pytest.raises(Damaged, match=said):
        examine(open_reader(path))
    assert path.read_bytes() == before


CHANGES = {
    "a foreign trigger that rewrites rows": ([REWRITES], "the trigger 'tidy' is not part of a matter"),
    "a foreign trigger that drops rows": (
        ["CREATE TRIGGER quiet BEFORE INSERT ON openings BEGIN SELECT RAISE(IGNORE); END"],
        "the trigger 'quiet' is not part of a matter",
    ),
    "a missing trigger": (["DROP TRIGGER entries_no_update"], "the trigger 'entries_no_update' is missing"),
    "a trigger of ours that does nothing": (
        [
            "DROP TRIGGER entries_no_delete",
            "CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT 1; END",
        ],
        "the trigger 'entries_no_delete' is defined in another way",
    ),
    "a trigger of ours on another table": (
        [
            "DROP TRIGGER entries_no_delete",
            "CREATE TRIGGER entries_no_delete BEFORE DELETE ON openings BEGIN SELECT 1; END",
        ],
        "the trigger 'entries_no_delete' is defined in another way",
    ),
    "a foreign table": (["CREATE TABLE notes (text)"], "the table 'notes' is not part of a matter"),
    "a foreign index": (["CREATE INDEX fast ON entries (body)"], "the index 'fast' is not part of a matter"),
    "a unique index that would refuse good rows": (
        ["CREATE UNIQUE INDEX one ON openings (entry) WHERE entry > 100"],
        "the index 'one' is not part of a matter",
    ),
    "a foreign view": (["CREATE VIEW latest AS SELECT * FROM entries"], "the view 'latest' is not part of a matter"),
    "a view with a trigger": (
        [
            "CREATE VIEW latest AS SELECT * FROM entries",
            "CREATE TRIGGER instead INSTEAD OF INSERT ON latest BEGIN SELECT 1; END",
        ],
        "the trigger 'instead' is not part of a matter, the view 'latest' is not part of a matter",
    ),
    "statistics of another program": (["ANALYZE"], "the table 'sqlite_stat1' is not part of a matter"),
    "one more column": (["ALTER TABLE openings ADD COLUMN remark TEXT"], "the table 'openings' is defined in another"),
    "a renamed column": (["ALTER TABLE entries RENAME COLUMN body TO bodies"], "the table 'entries' is defined in an"),
    "a missing table": (["DROP TABLE releases"], "the table 'releases' is missing"),
    "a view in a table's place": (
        ["DROP TABLE entries", "CREATE VIEW entries AS SELECT 0 AS sequence, x'00' AS body, x'00' AS signature"],
        "the view 'entries' is not part of a matter",
    ),
    "a table without types": (
        ["DROP TABLE entries", "CREATE TABLE entries (sequence, body, signature)"],
        "the table 'entries' is defined in another way",
    ),
    "a table with another type": (
        [
            "DROP TABLE entries",
            "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, signature BLOB NOT NULL) STRICT",
        ],
        "the table 'entries' is defined in another way",
    ),
    "a table with a default": (
        [
            "DROP TABLE checkpoints",
            "CREATE TABLE checkpoints (size INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL DEFAULT 'x') STRICT",
        ],
        "the table 'checkpoints' is defined in another way",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_with_another_layout_is_refused_before_anything_is_read_or_written(matter: Path, name: str) -> None:
    statements, said = CHANGES[name]
    change(matter, *statements)
    before = content(matter)
    refused(matter, said)
    assert content(matter) == before


SHADOWED = (
    "INSERT INTO other SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT IN ('other', 'tidy')",
    "UPDATE sqlite_master SET name = '{name}', tbl_name = '{name}', sql = replace(sql, 'other', '{name}')"
    " WHERE name = 'other'",
)
DEFINITIONS = {
    "a temporary trigger that stands in the file": (
        "INSERT INTO sqlite_master VALUES ('trigger', 'tidy', 'entries', 0,"
        " 'CREATE TEMP TRIGGER tidy AFTER INSERT ON entries BEGIN SELECT 1; END')",
    ),
    "a temporary view in the place of a table": (
        "INSERT INTO sqlite_master VALUES ('view', 'entries', 'entries', 0, 'CREATE TEMP VIEW entries AS SELECT 1')",
    ),
    "a trigger under the type of a table": (
        REWRITES,
        "UPDATE sqlite_master SET type = 'table' WHERE name = 'tidy'",
    ),
    "a trigger without a name": (REWRITES, "UPDATE sqlite_master SET name = NULL WHERE name = 'tidy'"),
    "a trigger with the name of ours": (
        "UPDATE sqlite_master SET sql = 'CREATE TRIGGER entries_no_update AFTER INSERT ON entries BEGIN SELECT 1; END'"
        " WHERE name = 'entries_no_update'",
    ),
    "one of ours twice": ("INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = 'entries_no_update'",),
    "a definition that is no SQL": ("INSERT INTO sqlite_master VALUES ('table', 'odd', 'odd', 0, 'CREATE nonsense')",),
    "a name that is not text": ("INSERT INTO sqlite_master VALUES (x'ff', x'ff', 7, 0, NULL)",),
    "a table of a temporary schema": (
        "CREATE TABLE other (x)",
        "UPDATE sqlite_master SET name = 'sqlite_temp_master', tbl_name = 'sqlite_temp_master',"
        " sql = 'CREATE TABLE sqlite_temp_master (x)' WHERE name = 'other'",
    ),
    **{
        f"a table called {name}, which lists a whole matter": (
            REWRITES,
            SHADOW.format(name="other"),
            *(each.format(name=name) for each in SHADOWED),
        )
        for name in ("sqlite_schema", "sqlite_master", "pragma_table_list")
    },
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_forged_definition_does_not_pass_for_ours(matter: Path, name: str) -> None:
    change_definitions(matter, *DEFINITIONS[name])
    refused(matter, "another program has changed the layout|is damaged")


@pytest.mark.parametrize("statements", [[REWRITES], ["DROP TRIGGER openings_no_delete"]], ids=["foreign", "missing"])
def test_ledger_check_says_what_was_found_and_what_to_do(matter: Path, statements: list[str]) -> None:
    change(matter, *statements)
    said = subprocess.run([COMMAND, "ledger", "check", matter], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.startswith(
        f"Damaged: {matter}: another program has changed the layout of this file: the trigger"
    )
    for sentence in ("Nothing was written.", "restore the newest backup", "Nobody is blamed"):
        assert sentence in said.stderr
    found = subprocess.run([COMMAND, "ledger", "check", matter, "--json"], capture_output=True, check=False)
    assert (found.returncode, json.loads(found.stdout)["cause"]) == (1, "damage")


def test_a_copy_is_not_cut_from_a_file_with_another_layout(matter: Path) -> None:
    change(matter, REWRITES)
    with pytest.raises(Damaged, match="'tidy'"), Store.open(matter) as store:
        write_copy(store, Audience.BOB, TRENT, matter.parent / "copy")
    assert not (matter.parent / "copy").exists()


def test_a_trigger_that_slips_in_between_two_writes_stops_the_second(matter: Path) -> None:
    with Log.open(matter, TRENT, logical_clock()) as log:
        log.append([NOTE])
        log.store._connection.rollback()  # the moment between a commit and the next lock
        change(matter, REWRITES)
        with pytest.raises(Damaged, match="'tidy'"):
            log.append([NOTE])
        with pytest.raises(Damaged, match="'tidy'"):
            log.checkpoint()
    change(matter, "DROP TRIGGER tidy")
    assert examine(open_reader(matter)).size == 10


def test_a_change_that_is_undone_leaves_a_whole_matter(matter: Path) -> None:
    change(matter, REWRITES, "DROP TRIGGER tidy", "VACUUM")
    assert examine(open_reader(matter)).size == 9


def test_a_long_name_from_elsewhere_does_not_flood_the_message(matter: Path) -> None:
    change(matter, *(f'CREATE TABLE "{number}{"x" * 500}" (y)' for number in range(40)))
    with pytest.raises(Damaged, match="and 37 more") as caught:
        examine(open_reader(matter))
    assert len(str(caught.value)) < 1000


def test_a_writer_restores_the_write_ahead_log(matter: Path) -> None:
    change(matter, "PRAGMA journal_mode = DELETE")
    assert examine(open_reader(matter)).size == 9
    with closing(connect(matter, writable=True)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_another_layout_needs_another_number(matter: Path) -> None:
    """A file of this format would no longer open if a single letter of its definitions changed."""
    with closing(sqlite3.connect(matter)) as connection:
        rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    found = sha256(repr(sorted(rows, key=repr)).encode()).hexdigest()
    assert (layout.FORMAT, found[:16]) == (1, "6609f9eb0a1edc6c")
