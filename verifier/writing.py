"""A new file that is there whole or not at all, even if the verifier is killed while it writes.

It is written under a hidden name, and gets its own name at the end. The system keeps a lock on it meanwhile; so a
hidden file without a lock was left by a process that is gone, and is removed.
"""

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

from verifier import interrupts

if sys.platform != "win32":
    import fcntl

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def new_file(path: Path, content: bytes) -> None:
    """Write a file that must not exist yet."""
    hidden = _hidden(path)
    _remove(hidden)
    try:
        with os.fdopen(os.open(hidden, _NEW, 0o666), "wb") as file:
            _lock(file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            _name(hidden, path)
    finally:
        with interrupts.deferred():
            remove_left(path)


def remove_left(path: Path) -> None:
    """Remove what a killed verifier left of this file, if anything."""
    with suppress(OSError):
        _remove(_hidden(path))


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.name}.unfinished")


if sys.platform == "win32":

    def _lock(file: int) -> None:
        """A file that is open cannot be removed here, which is lock enough."""

    def _remove(hidden: Path) -> None:
        hidden.unlink(missing_ok=True)

else:

    def _lock(file: int) -> None:
        """Hold the file until it is closed."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(errno.EBUSY, "another process is writing it") from None

    def _remove(hidden: Path) -> None:
        with suppress(FileNotFoundError):
            file = os.open(hidden, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                _lock(file)
                hidden.unlink()
            finally:
                os.close(file)


def _name(hidden: Path, path: Path) -> None:
    """Give the file its name, and replace no other."""
    try:
        os.link(hidden, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, "File exists", str(path)) from None
        hidden.rename(path)
