"""The one way to a terminal: whatever `tallystick-verify` prints goes through a `Display`, so no caller can forget it.

A copy, an exhibit, a trust file or a file's name may try to steer the terminal of whoever verifies it. Such characters
are printed as U+FFFD, in a pipe as on a terminal. Only the end of a line, and the carriage return with which `Stage`
writes over its own line, control anything.
"""

import io
import sys
from typing import TextIO

from verifier.plain import harmless

_WIDTH = 60  # of the line that shows the progress


class Display(io.TextIOBase):
    """A stream that holds every text harmless. Its bytes cannot be reached, so nobody writes past it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(harmless(text))
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
    """Put a display before standard output and standard error. It spells out what their encoding lacks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        if stream is not None and not isinstance(stream, Display):
            setattr(sys, name, Display(stream))


class Stage:
    """The line on standard error that says what is being done, and how far it is."""

    def __init__(self) -> None:
        self._shown = ""

    def show(self, stage: str, done: int, total: int) -> None:
        """Print the line again, if it says something else than before."""
        line = f"{stage}: {done * 100 // total} %" if total else f"{stage} ..."
        if line != self._shown:
            _overwrite(line)
            self._shown = line

    def clear(self) -> None:
        """Leave nothing of the line."""
        if self._shown:
            _overwrite("")
            _overwrite("", width=0)


def _overwrite(line: str, width: int = _WIDTH) -> None:
    stream = sys.stderr.stream if isinstance(sys.stderr, Display) else sys.stderr
    stream.write(f"\r{harmless(line):<{width}}")
    stream.flush()
