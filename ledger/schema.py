"""The SQLite file behind a matter: how it is made and opened.

Every error of SQLite is turned here into one of a few errors that tell a user what to do.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger import files, layout
from ledger.errors import Damaged, LedgerError, Refused
from ledger.layout import NotAMatter

MAGIC = b"SQLite format 3\0"
_UNREADABLE = tuple(f"SQLITE_IOERR_{kind}" for kind in ("READ", "SHORT_READ", "CORRUPTFS", "DATA"))
_UNWRITABLE = ("SQLITE_CANTOPEN", "SQLITE_READONLY_DIRECTORY", "SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_IOERR_WRITE")


class MatterBusy(Refused):
    """Another process is writing to the matter."""


class StorageFailed(LedgerError):
    """The disk is full, read-only or failing. What was acknowledged before is safe."""


def create(path: Path) -> None:
    """Write an empty matter to a path where nothing is yet; it appears there whole or not at all."""
    files.check_free(path)
    if not path.parent.is_dir():
        raise StorageFailed(f"{path} cannot be written: its folder is missing")
    with translated(path), files.unfinished(path) as folder:
        folder.mkdir(mode=0o700)
        made = folder / "matter"
        made.touch(mode=0o600)  # it holds what no single party may see
        connection = _connect(made, "mode=rwc")
        try:
            connection.execute("BEGIN IMMEDIATE")
            layout.lay_out(connection)
            connection.execute("COMMIT")  # into the file itself: a write-ahead log would have to be emptied first
        finally:
            connection.close()
        files.place(made, path)


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """Open a matter's file; a writer holds the write lock until it closes."""
    if not path.is_file():
        raise NotAMatter(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    if writable:
        files.sweep(path)
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
        raise StorageFailed(f"{path} cannot be read or written: {files.reason(error)}") from error


def _translate(path: Path, error: sqlite3.Error) -> LedgerError:
    """The error in words, with what to do; SQLite's own name for it stands at the end if it says more."""
    said = str(error)
    code = getattr(error, "sqlite_errorname", "")
    again = f"What was acknowledged before is safe ({code or type(error).__name__}: {said})"
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
        return MatterBusy(f"{path}: another process is writing to this matter; wait until it has ended")
    if code.startswith("SQLITE_NOTADB"):
        return NotAMatter(f"{path} is not a Tallystick matter; a copy is read with `tallystick ledger show`")
    if code.startswith("SQLITE_FULL"):
        return StorageFailed(
            f"{path}: the disk is full, and nothing was written; make room, then run the command again"
        )
    if code.startswith("SQLITE_READONLY"):
        return StorageFailed(f"{path} cannot be written to: the file or its folder is read-only")
    if code.startswith(("SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return StorageFailed(f"{path} cannot be opened: its folder is missing, or the disk is read-only")
    if code.startswith("SQLITE_CORRUPT"):
        return Damaged(f"{path} is damaged ({said}); use a backup of the file, or the copies that were handed out")
    if code.startswith("SQLITE_CONSTRAINT"):
        return Refused(f"{path}: the matter has changed since it was opened ({said}); run the command again")
    if code.startswith(("SQLITE_NOMEM", "SQLITE_IOERR_NOMEM")):
        return StorageFailed(f"{path}: there is not enough memory; end other programs, then run the command again")
    if code.startswith(_UNREADABLE):
        return StorageFailed(
            f"{path} cannot be read: the disk fails, or the connection to it. Copy the file to another disk, with its "
            f"-wal file if there is one, and check the copy with `tallystick ledger check`. {again}"
        )
    if code.startswith("SQLITE_IOERR"):
        return StorageFailed(
            f"{path} cannot be written: the disk is full or fails, or does not allow the files that belong beside it. "
            f"Make room, or use another disk, then run the command again. {again}"
        )
    return StorageFailed(
        f"{path} cannot be used as it is. Check it with `tallystick ledger check`; if it is whole, run the command "
        f"again. {again}"
    )


def _connect(path: Path, options: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=1.0)


def _connect_reader(path: Path) -> sqlite3.Connection:
    """For reading. Opened like a writer if that is possible, so that SQLite removes what it puts beside the file.

    A read-only medium or a full disk can be read too, as long as no write-ahead log waits there.
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
            if not error.sqlite_errorname.startswith(_UNWRITABLE) or way == ways[-1]:
                raise
        else:
            break
    return connection
