"""The SQLite file behind a matter: how it is made and opened.

Every error of SQLite is turned here into one of a few errors that tell a user what to do.
"""

import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger import files, layout
from ledger.errors import Damaged, LedgerError, Refused
from ledger.layout import NotAMatter

MAGIC = b"SQLite format 3\0"


class MatterBusy(Refused):
    """Another process is writing to the matter."""


class StorageFailed(LedgerError):
    """The disk is full, read-only or failing. What was acknowledged before is safe."""


def create(path: Path) -> None:
    """Write an empty matter to a path where nothing is yet; it appears there whole or not at all."""
    if path.exists():
        raise Refused(f"{path} exists already; choose another name")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    with translated(path):
        with suppress(OSError):  # SQLite will say what is wrong
            unfinished.touch(mode=0o600)  # it holds what no single party may see
        connection = _connect(unfinished, "mode=rwc")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        layout.lay_out(connection)
        connection.execute("COMMIT")
        connection.close()
        files.place(unfinished, path)


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open a matter's file; a writer holds the write lock until it closes."""
    if not path.is_file():
        raise NotAMatter(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    with translated(path):
        connection = _connect(path, "mode=rw") if writable else _connect_reader(path)
        try:
            layout.check(path, connection)
            if writable:
                connection.execute("PRAGMA journal_mode = WAL")
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
