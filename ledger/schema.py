"""The SQLite file behind a matter: its tables, its triggers, and how it is opened.

Every error of SQLite is turned here into one of a few errors that tell a user what to do.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger import files
from ledger.errors import Damaged, LedgerError, Refused

FORMAT = 1
"""The version of this layout, kept in the file's header."""

MAGIC = b"SQLite format 3\0"
_APPLICATION = int.from_bytes(b"taly", "big")

_TABLES: dict[str, tuple[dict[str, type], tuple[str, ...]]] = {
    "entries": ({"sequence": int, "body": bytes, "signature": bytes}, ("sequence",)),
    "openings": (
        {"entry": int, "field": str, "position": int, "salt": bytes, "value": bytes},
        ("entry", "field", "position"),
    ),
    "releases": (
        {"entry": int, "field": str, "position": int, "audience": str, "released_by": int},
        ("entry", "field", "position", "audience"),
    ),
    "attachments": ({"digest": bytes, "content": bytes}, ("digest",)),
    "checkpoints": ({"size": int, "text": str}, ("size",)),
    "note_signatures": ({"size": int, "name": str, "line": str}, ("size", "name")),
}


_SQL_TYPES = {int: "INTEGER", str: "TEXT", bytes: "BLOB"}


class NotAMatter(LedgerError):
    """The file is something else."""


class UnknownStoreFormat(LedgerError):
    """The file was written by a version that this one does not know."""


class MatterBusy(Refused):
    """Another process is writing to the matter."""


class StorageFailed(LedgerError):
    """The disk is full, read-only or failing. What was acknowledged before is safe."""


class TrentOnly(Refused):
    """Matters are kept by Trent's installation."""


def create(path: Path) -> None:
    """Write an empty matter to a path where nothing is yet; it appears there whole or not at all."""
    try:
        from sqlite_utils import Database
    except ImportError:
        raise TrentOnly("matters are written by Trent's installation: pip install 'tallystick[trent]'") from None
    if path.exists():
        raise Refused(f"{path} exists already; choose another name")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    with translated(path):
        with suppress(OSError):  # SQLite will say what is wrong
            unfinished.touch(mode=0o600)  # it holds what no single party may see
        connection = _connect(unfinished, "mode=rwc")
        database = Database(connection)
        database.enable_wal()
        connection.execute("BEGIN IMMEDIATE")
        for name, (columns, key) in _TABLES.items():
            database.create_table(name, columns, pk=key, not_null=columns, strict=True)
        for trigger in _triggers():
            connection.execute(trigger)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
        connection.close()
        files.place(unfinished, path)


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open a matter's file; a writer holds the write lock until it closes."""
    if not path.is_file():
        raise NotAMatter(f"there is no file {path}")
    with translated(path):
        connection = _connect(path, "mode=rw") if writable else _connect_reader(path)
        try:
            _check_format(path, connection)
            if writable:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's and the system's errors as ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(path, error) from error
    except UnicodeDecodeError as error:  # sqlite3 decodes names and texts of a damaged file
        raise Damaged(f"{path} is damaged: it holds text that is not UTF-8") from error
    except OSError as error:
        raise StorageFailed(f"{path}: {error.strerror}") from error


def _translate(path: Path, error: sqlite3.Error) -> LedgerError:
    said = str(error)
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return MatterBusy(f"{path}: another process is writing to this matter; wait until it has ended")
    if code.startswith("SQLITE_NOTADB"):
        return NotAMatter(f"{path} is not a Tallystick matter; a copy is read with `tallystick ledger show`")
    if code.startswith("SQLITE_FULL"):
        return StorageFailed(
            f"{path}: the disk is full, and nothing was written; make room, then run the command again"
        )
    if code.startswith("SQLITE_READONLY"):
        return StorageFailed(f"{path} cannot be written to: the file or its folder is read-only")
    if code.startswith("SQLITE_CANTOPEN"):
        return StorageFailed(f"{path} cannot be opened: its folder is missing, or the disk is read-only")
    if code.startswith("SQLITE_CORRUPT"):
        return Damaged(f"{path} is damaged ({said}); use a backup of the file, or the copies that were handed out")
    if code.startswith("SQLITE_CONSTRAINT"):
        return Refused(f"{path}: {said}; the matter has changed since it was opened")
    return StorageFailed(f"{path}: {said} ({code or type(error).__name__})")


def _connect(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=1.0)


def _connect_reader(path: Path) -> sqlite3.Connection:
    """For reading. Opened like a writer if that is possible, so that SQLite removes what it puts beside the file.

    A read-only medium can be read too, as long as no write-ahead log waits there.
    """
    log = path.with_name(path.name + "-wal")
    ways = ["mode=rw", "mode=ro"]
    if not (log.exists() and log.stat().st_size):
        ways.append("mode=ro&immutable=1")
    for way in ways:
        connection = _connect(path, way)
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError as error:
            connection.close()
            unwritable = error.sqlite_errorname in ("SQLITE_CANTOPEN", "SQLITE_READONLY_DIRECTORY")
            if not unwritable or way == ways[-1]:
                raise
        else:
            break
    return connection


def _check_format(path: Path, connection: sqlite3.Connection) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != _APPLICATION:
        raise NotAMatter(f"{path} is an SQLite file, but not a Tallystick matter")
    if version != FORMAT:
        raise UnknownStoreFormat(
            f"{path} has store format {version}, but this version knows format {FORMAT}; use the version that wrote it"
        )

    for table, (columns, _) in _TABLES.items():
        kind = connection.execute("SELECT type, strict FROM pragma_table_list(?)", (table,)).fetchall()
        found = connection.execute("SELECT name, type, hidden FROM pragma_table_xinfo(?)", (table,)).fetchall()
        if kind != [("table", 1)] or found != [(name, _SQL_TYPES[type_], 0) for name, type_ in columns.items()]:
            raise Damaged(f"{path}: the table {table!r} does not have a matter's layout")


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
