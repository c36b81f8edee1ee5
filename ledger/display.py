"""The one way to a terminal: whatever a program prints goes through a `Display`, so no caller can forget it.

A name, a query, a path or a message may come from a stranger's file, and hold characters that move the cursor, clear
the screen, fill the clipboard or turn the direction of a text. They are printed as U+FFFD (`plain.shown`), in a pipe
as on a terminal. What controls a terminal is ours: the end of a line, and the carriage return of `overwrite`.
"""

import io
import shutil
import sys
import threading
from typing import TextIO

from ledger.plain import shown


class Display(io.TextIOBase):
    """A stream for people to read, on which nothing but the end of a line controls a terminal.

    It shows no `buffer`, so nobody finds the stream's bytes and writes past it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        with _screen.lock:
            _screen.clear()
            self.stream.write("\n".join(map(shown, text.split("\n"))))
        return len(text)

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return self.stream.isatty()

    def fileno(self) -> int:
        return self.stream.fileno()

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream."""
        return self.stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What happens to characters that the encoding does not have."""
        return self.stream.errors


def install() -> None:
    """From here on, everything that is printed is harmless. Characters that the encoding lacks are spelt out."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, Display):
            continue
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        setattr(sys, name, Display(stream))


def overwrite(line: str) -> bool:
    """Print a line on standard error over the one that stands there, until something else is printed. Whether it could
    be printed: progress that nobody can be shown ends no work.
    """
    return _screen.draw(line)


def clear() -> None:
    """Leave nothing of the line that is printed over again."""
    _screen.clear()


def width() -> int:
    """How many characters a line on the terminal has room for."""
    return shutil.get_terminal_size().columns - 1


class _Screen:
    """The one line that is printed over again. Other threads print too, so whoever prints holds the lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._width = 0  # of what stands there

    def draw(self, line: str) -> bool:
        with self.lock:
            self._width = room = width()
            return self._write(f"\r{shown(line)[:room]:<{room}}")

    def clear(self) -> None:
        """Make room for what is printed next."""
        with self.lock:
            if self._width:
                room, self._width = self._width, 0
                self._write(f"\r{'':<{room}}\r")

    @staticmethod
    def _write(text: str) -> bool:
        stream = sys.stderr.stream if isinstance(sys.stderr, Display) else sys.stderr
        try:
            stream.write(text)
            stream.flush()
        except (OSError, ValueError):  # nobody is there any more
            return False
        return True


_screen = _Screen()
