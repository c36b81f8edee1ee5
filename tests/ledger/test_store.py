"""The matter's file: append-only, one writer, many readers, and clear words when the disk or the file is bad."""

import re
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from ledger import schema, store
from ledger.entries import Addition, Attached
from ledger.errors import Damaged, LedgerError, Refused
from ledger.examining import examine, open_reader
from ledger.hashing import Digest
from ledger.layout import NotAMatter, UnknownStoreFormat
from ledger.log import Log
from ledger.roles import Role
from ledger.schema import MatterBusy, StorageFailed
from ledger.store import Store
from tests.support.builders import KEYS, build_matter, logical_clock, says
from tests.support.disks import in_namespace

NOTE = Addition(statement=says(Role.TRENT, "note"))


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    path = tmp_path / "matter"
    build_matter(path)
    return path


def open_log(path: Path) -> Log:
    return Log.open(path, KEYS[Role.TRENT], logical_clock())


TABLES = ["entries", "openings", "releases", "attachments", "checkpoints", "note_signatures"]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM {table}",
        "UPDATE {table} SET rowid = rowid + 1000",
        "INSERT OR REPLACE INTO {table} SELECT * FROM {table} LIMIT 1",
        "INSERT INTO {table} SELECT * FROM {table} LIMIT 1",
    ],
)
def test_no_row_is_ever_changed_removed_or_replaced(matter: Path, table: str, change: str) -> None:
    connection = sqlite3.connect(matter)
    assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() != (0,)
    with pytest.raises(sqlite3.IntegrityError, match="only ever added to|follow one another"):
        connection.execute(change.format(table=table))
    connection.close()
    examine(open_reader(matter))


def test_entries_cannot_be_inserted_with_a_gap(matter: Path) -> None:
    connection = sqlite3.connect(matter)
    with pytest.raises(sqlite3.IntegrityError, match="follow one another"):
        connection.execute("INSERT INTO entries VALUES (1000, x'00', x'00')")
    connection.close()


def test_the_file_is_durable_by_its_settings(matter: Path) -> None:
    connection = schema.connect(matter, writable=True)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    connection.close()


def test_after_closing_a_matter_is_a_single_file(matter: Path) -> None:
    with open_log(matter) as log:
        log.append([NOTE])
        assert len(list(matter.parent.iterdir())) > 1
    assert list(matter.parent.iterdir()) == [matter]


def test_reading_leaves_nothing_behind_and_the_file_as_it_was(matter: Path) -> None:
    before = matter.read_bytes()
    examine(open_reader(matter))
    assert list(matter.parent.iterdir()) == [matter]
    assert matter.read_bytes() == before


def test_a_reader_cannot_write(matter: Path) -> None:
    connection = schema.connect(matter, writable=False)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("INSERT INTO checkpoints VALUES (3, 'x')")
    connection.close()


def test_a_second_writer_is_turned_away_in_this_process_and_in_another(matter: Path) -> None:
    with open_log(matter) as log:
        with pytest.raises(MatterBusy, match="another process is writing"):
            open_log(matter)
        script = "from pathlib import Path; from ledger.store import Store; Store.open(Path({!r}), writable=True)"
        other = subprocess.run(
            [sys.executable, "-c", script.format(str(matter))], capture_output=True, text=True, check=False
        )
        assert "another process is writing to this matter" in other.stderr
        log.append([NOTE])
        with pytest.raises(MatterBusy):
            open_log(matter)
    open_log(matter).close()


def test_readers_go_on_beside_a_writer_and_see_what_was_acknowledged(matter: Path) -> None:
    with open_log(matter) as log:
        for _ in range(3):
            log.append([NOTE])
            assert examine(open_reader(matter)).head == log.history.head
    assert examine(open_reader(matter)).size == 12


def test_a_reader_that_is_reading_does_not_stop_the_writer(matter: Path) -> None:
    with open_log(matter) as log:
        entries = iter(open_reader(matter))
        next(entries)
        log.append([NOTE])
        assert sum(1 for _ in entries) == 8, "the reader still sees the matter as it was"


def test_a_foreign_file_is_refused_by_name(tmp_path: Path) -> None:
    text = tmp_path / "letter.txt"
    text.write_text("Dear Sir or Madam, " * 200)
    with pytest.raises(NotAMatter, match="is not a Tallystick matter"):
        Store.open(text)
    database = tmp_path / "other.db"
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE entries (sequence)")
    connection.close()
    with pytest.raises(NotAMatter, match="is an SQLite file, but not"):
        Store.open(database)
    with pytest.raises(NotAMatter, match="no file"):
        Store.open(tmp_path / "nothing")
    with pytest.raises(NotAMatter, match="is not a file"):
        Store.open(tmp_path)


def test_an_unknown_store_format_is_refused(matter: Path) -> None:
    connection = sqlite3.connect(matter)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(UnknownStoreFormat, match="store format 2, but this version knows format 1"):
        Store.open(matter)


def test_an_existing_file_is_never_created_over(matter: Path) -> None:
    before = matter.read_bytes()
    with pytest.raises(Refused, match="exists already"):
        Store.create(matter)
    assert matter.read_bytes() == before


@pytest.mark.parametrize("kept", [0, 10, 100, 4096, 5000, 20_000, 40_000])
def test_a_truncated_file_is_refused_and_never_read_as_a_shorter_matter(matter: Path, kept: int) -> None:
    whole = matter.read_bytes()
    assert kept < len(whole)
    matter.write_bytes(whole[:kept])
    with pytest.raises(LedgerError) as caught:
        examine(open_reader(matter))
    assert re.search(f"{matter}|empty|line 1", str(caught.value))
    with pytest.raises(LedgerError):
        open_log(matter)


def tamper(path: Path, statement: str) -> None:
    """What somebody with an SQLite shell could do to the rows, who puts back the triggers that were in the way."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    assert connection.execute(statement).rowcount > 0
    for _, sql in triggers:
        connection.execute(sql)
    connection.close()


TAMPERING = [
    "UPDATE entries SET body = CAST(replace(CAST(body AS TEXT), 'question', 'questiom') AS BLOB) WHERE sequence = 1",
    "UPDATE entries SET signature = zeroblob(64) WHERE sequence = 4",
    "UPDATE entries SET signature = zeroblob(10) WHERE sequence = 4",
    "UPDATE openings SET value = CAST('true' AS BLOB) WHERE entry = 2 AND position = 1",
    "UPDATE openings SET value = CAST('1.5' AS BLOB) WHERE entry = 2 AND position = 1",
    "UPDATE openings SET salt = zeroblob(32) WHERE entry = 2",
    "UPDATE openings SET salt = zeroblob(3) WHERE entry = 2",
    "DELETE FROM openings WHERE entry = 2 AND position = 1",
    "DELETE FROM entries WHERE sequence = 4",
    "DELETE FROM entries WHERE sequence = 8",
    "DELETE FROM releases WHERE position = 2",
    "DELETE FROM releases",
    "INSERT INTO releases SELECT entry, field, position, 'alice', released_by FROM releases WHERE field = 'labels'",
    "UPDATE releases SET audience = 'alice' WHERE field = 'names'",
    "UPDATE releases SET released_by = 8",
    "INSERT INTO openings SELECT 900, field, position, salt, value FROM openings LIMIT 1",
    "DELETE FROM attachments",
    "UPDATE attachments SET content = zeroblob(2049)",
    "UPDATE note_signatures SET line = replace(line, 'A', 'B') WHERE name LIKE '%bob'",
    "UPDATE checkpoints SET text = replace(text, 'head', 'heap')",
]


@pytest.mark.parametrize("statement", TAMPERING)
def test_a_file_that_somebody_changed_by_hand_does_not_pass(matter: Path, statement: str) -> None:
    tamper(matter, statement)
    with pytest.raises(Damaged):
        examine(open_reader(matter))


def test_a_log_refuses_to_go_on_above_a_changed_chain(matter: Path) -> None:
    tamper(matter, "UPDATE entries SET signature = zeroblob(64) WHERE sequence = 4")
    with pytest.raises(Damaged, match="entry 4"):
        open_log(matter)


IN_NAMESPACE = """
import sys
from pathlib import Path
from ledger.errors import LedgerError
from ledger.examining import examine, open_reader
from ledger.layout import NotAMatter, UnknownStoreFormat
from ledger.log import Log
from ledger.roles import Role
from tests.support.disks import in_namespace
from tests.support.builders import KEYS, logical_clock
from tests.ledger.test_store import NOTE
path = Path(sys.argv[1])
acknowledged = None
try:
    with Log.open(path, KEYS[Role.TRENT], logical_clock()) as log:
        while True:
            log.append([NOTE] * 20)
            acknowledged = log.history.size
except LedgerError as error:
    print(acknowledged)
    print(type(error).__name__, error)
"""


def test_a_full_disk_is_said_and_loses_nothing_that_was_acknowledged(matter: Path, tmp_path: Path) -> None:
    disk, after = tmp_path / "disk", tmp_path / "after"
    disk.mkdir()
    prepare = (
        f"mount -t tmpfs -o size=600k tmpfs {disk}; cp {matter} {disk}/matter; "
        f'"$1" -c "$2" {disk}/matter; cp {disk}/matter* {after}'
    )
    after.mkdir()
    acknowledged, error = in_namespace(prepare, IN_NAMESPACE)
    assert error.startswith("StorageFailed")
    assert "disk is full" in error
    assert examine(open_reader(after / "matter")).size == int(acknowledged)


def test_a_read_only_disk_can_be_read_but_not_written(matter: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    shutil.copy(matter, disk)
    script = IN_NAMESPACE.replace("acknowledged = None", "print(examine(open_reader(path)).size)\nacknowledged = None")
    prepare = f'mount --bind {disk} {disk}; mount -o remount,bind,ro {disk}; "$1" -c "$2" {disk}/matter'
    read, acknowledged, error = in_namespace(prepare, script)
    assert (read, acknowledged) == ("9", "None")
    assert error.startswith("StorageFailed")
    assert "read-only" in error


CREATING = """
import os, sys
from pathlib import Path
from ledger.schema import StorageFailed
from ledger.store import Store
disk = Path(sys.argv[1])
for free in range(60):
    found = os.statvfs(disk)
    (disk / "filled").write_bytes(bytes((found.f_bavail - free) * found.f_frsize))
    try:
        Store.create(disk / "matter").close()
    except StorageFailed as error:
        said = str(error)
    else:
        said = "created"
    (disk / "filled").unlink()
    if (disk / "matter").exists():
        Store.open(disk / "matter", writable=True).close()
        (disk / "matter").unlink()
    print(free, [each.name for each in disk.iterdir()], said)
"""


def test_a_matter_made_on_a_full_disk_is_whole_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    prepare = f'mount -t tmpfs -o size=1m tmpfs {tmp_path}/disk; "$1" -c "$2" {tmp_path}/disk'
    lines = in_namespace(prepare, CREATING)
    assert [line.split(" ", 2)[:2] for line in lines] == [[str(free), "[]"] for free in range(60)]
    assert "the disk is full" in lines[0]
    assert lines[-1].endswith("created")
    assert all("the disk is full" in line or line.endswith("created") for line in lines)


NAMES = sorted(name for name in dir(sqlite3) if name.startswith("SQLITE_") and isinstance(getattr(sqlite3, name), int))


@pytest.mark.parametrize("name", [*NAMES, ""])
def test_every_error_of_sqlite_is_said_in_words_with_what_to_do(tmp_path: Path, name: str) -> None:
    error = sqlite3.OperationalError("raw words")
    error.sqlite_errorname = name
    with pytest.raises(LedgerError) as told, schema.translated(tmp_path / "matter"):
        raise error
    words = str(told.value).removeprefix(str(tmp_path / "matter"))
    assert len(words.split()) >= 10, words
    assert not words.removeprefix(":").strip().startswith(("raw", "SQLITE")), words


def test_every_sqlite_error_becomes_one_of_ours(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="folder is missing"):
        Store.create(tmp_path / "no folder" / "matter")


def test_an_attachment_that_no_file_holds_is_refused_before_anything_is_written(
    matter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_ATTACHMENT", 3)
    with Store.open(matter, writable=True) as opened:
        before = opened.size()
        with pytest.raises(Refused, match="an attachment has 4 bytes, and a matter's file holds at most 3"):
            opened.append([], [], map(Attached.of, (b"abc", b"abcd")))
        assert opened.size() == before
        assert not opened.has_attachment(sha256(b"abc").digest())


@pytest.mark.parametrize("found", [b"abx", b"ab", b"abcd", b""])
def test_an_attachment_that_changes_before_it_is_stored_is_refused(matter: Path, found: bytes) -> None:
    changed = replace(Attached.of(b"abc"), pieces=lambda: (found[:1], found[1:]))
    with Store.open(matter, writable=True) as opened:
        with pytest.raises(Refused, match="was changed while it was stored"):
            opened.append([], [], [Attached.of(b"whole"), changed])
        assert not opened.has_attachment(sha256(b"whole").digest())
        opened.append([], [], [Attached.of(b"abc")])
        assert b"".join(opened.attachment(Digest(sha256(b"abc").digest()), 2)) == b"abc"
