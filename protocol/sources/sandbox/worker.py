"""What a worker does: it loads all code that it will need, shuts itself in, and answers until its parent is gone.

The process that was started never touches a stranger's bytes. Its child does, and says when it is spent: a child that
has let a library in C loose on a file reads no other file, so that a file which takes it over reaches nobody else.
"""

import encodings
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Protocol

from protocol.sources.limits import Limits
from protocol.sources.sandbox import confine
from protocol.sources.sandbox.frames import Closed, Kind, Line, taken_over

MAX_ASKED = 2**32
SIGNALLED = 128
_PARENT_IS_GONE, _SPENT = 113, 114


class Work(Protocol):
    """What a worker can be asked."""

    def prepare(self, limits: Limits) -> None:
        """Load everything: afterwards no file can be opened, and so no module imported."""

    def answer(self, asked: bytes, file: IO[bytes] | None) -> Iterator[bytes]:
        """The answer, piece by piece."""

    @property
    def is_spent(self) -> bool:
        """Whether this process should answer nothing more."""


def main(name: str, options: str) -> None:
    """Serve as a worker. `name` is `module:object`, the object a `Work`."""
    line = _line()
    confine.end_with_parent()
    limits = Limits(**json.loads(options))
    module, attribute = name.split(":")
    work: Work = getattr(importlib.import_module(module), attribute)
    _load_encodings()
    work.prepare(limits)
    gc.freeze()  # what is loaded stays shared by all processes that answer
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # what libraries say from here on, nobody hears
    held = confine.shut_in(memory=limits.memory)
    line.send(Kind.HELLO, json.dumps(sorted(held)).encode())
    if not hasattr(os, "fork"):
        _serve(line, work, limits)
        return
    pid = os.fork()
    os._exit(_code(pid) if pid else _fork_servers(line, work, limits))


def _fork_servers(line: Line, work: Work, limits: Limits) -> int:
    """One process after the other answers, until the parent is gone or one of them has failed.

    The next one is made while one answers, and waits.
    """
    confine.end_with_parent()
    code = _SPENT
    following = _waiting(line, work, limits)
    while code == _SPENT:
        pid, gate = following
        os.close(gate)
        following = _waiting(line, work, limits)
        code = _code(pid)
    return 0 if code == _PARENT_IS_GONE else code


def _waiting(line: Line, work: Work, limits: Limits) -> tuple[int, int]:
    """A process that will answer when its gate, an open file, is closed."""
    entry, gate = os.pipe()
    pid = os.fork()
    if pid == 0:
        confine.end_with_parent()
        os.close(gate)
        os.read(entry, 1)
        os.close(entry)
        _serve_and_leave(line, work, limits)
    os.close(entry)
    return pid, gate


def _code(pid: int) -> int:
    """How a process ended, as shells tell it: a signal is its number and SIGNALLED."""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else SIGNALLED - code


def _line() -> Line:
    if confine.has_limits:
        return taken_over(0)
    return Line(socket.fromshare(sys.stdin.buffer.read()))  # type: ignore[attr-defined,unused-ignore]  # Windows


def _load_encodings() -> None:
    """Charsets are modules, too."""
    for each in pkgutil.iter_modules(encodings.__path__):
        with suppress(ImportError):  # some exist only on Windows
            importlib.import_module(f"encodings.{each.name}")


def _serve_and_leave(line: Line, work: Work, limits: Limits) -> None:
    """In the child: answer until it is spent. It never returns to the code that made it."""
    code = 1
    try:
        confine.limit(memory=limits.memory, written=0, processes=0)
        _serve(line, work, limits)
        code = _SPENT
    except Closed:
        code = _PARENT_IS_GONE
    finally:
        os._exit(code)


def _serve(line: Line, work: Work, limits: Limits) -> None:
    while not work.is_spent:
        kind, asked, handle = line.receive_with_file(MAX_ASKED)
        if kind is not Kind.ASK:
            raise Closed
        confine.limit_time(limits.seconds)
        file = None if handle is None else os.fdopen(handle, "rb")
        for piece in work.answer(asked, file):
            line.send(Kind.ANSWER, piece)
        if file is not None:
            file.close()
        line.send(Kind.END, b"")


if __name__ == "__main__":
    main(*sys.argv[1:])
