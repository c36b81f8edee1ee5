"""A lock that a file stands for: one process holds it at a time, and it is free again when that process ends.

The system keeps the lock on the open file, by flock or on Windows by a locked byte, so a killed process leaves no lock
behind. Whoever holds the lock removes the file at the end. A file that a killed process left is nobody's lock, and goes
with the next use.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger import interrupts
from ledger.errors import Refused

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE = 0.05  # seconds between two attempts


@contextmanager
def held(path: Path, busy: str, *, patience: float = 0) -> Iterator[None]:
    """Hold the lock that the file `path` stands for; refused in the words of `busy` after `patience` seconds.

    An `OSError` says why there cannot be such a file.
    """
    with interrupts.deferred():
        handle = _acquired(path, time.monotonic() + patience)
        if handle is None:
            raise Refused(busy)
        try:
            with interrupts.allowed():
                yield
        finally:
            _release(path, handle)


def _acquired(path: Path, deadline: float) -> int | None:
    """The locked file; None if another process has it until the deadline."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            free = _lock(handle)
            if free and _stands(path, handle):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if not free:
            if time.monotonic() > deadline:
                return None
            with interrupts.allowed():
                time.sleep(_PAUSE)


def _stands(path: Path, handle: int) -> bool:
    """Whether the locked file is the one at `path`: its last holder may have removed it in the meantime."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _release(path: Path, handle: int) -> None:
        os.close(handle)
        with suppress(OSError):  # it stays while another process has it open
            path.unlink()

else:

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(path: Path, handle: int) -> None:
        with suppress(OSError):
            path.unlink()
        os.close(handle)
