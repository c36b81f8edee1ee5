"""The one way to a terminal: whatever `tallystick-verify` prints goes through a `Display`, so no caller can forget it.

A copy, an exhibit, a trust file or a file's name may try to steer the terminal of whoever verifies it. Such characters
are printed as U+FFFD, in a pipe as on a terminal. Only the end of a line, and the carriage return with which `Stage`
writes over its own line, control anything.
"""

import io
import shutil
import sys
from contextlib import suppress
from time import monotonic
from typing import TextIO

from verifier.plain import harmless

_PATIENCE = 1.0  # seconds before the progress is shown
_PAUSE = 0.25  # seconds before it is shown again
_SELDOM = 30.0  # the same where there is no terminal
_UNITS = {"Reading": ("MB", 10**6), "Comparing": ("files", 1), "Checking points": ("points", 1)}
"""What a stage counts, by its first words, and how much of what it is told is one of these; others count documents."""


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
    """What is being done, how far it is, how fast that goes and what is left: one line on standard error, drawn again
    and again. Where that is no terminal, it prints a line now and then. Short work shows nothing.
    """

    def __init__(self) -> None:
        self._name = ""
        self._begun = self._drawn = monotonic()  # the stage, and when something was last shown
        self._is_watched = sys.stderr is not None and sys.stderr.isatty()
        self._shown = 0  # characters of the line that stands there

    def show(self, stage: str, done: int, total: int) -> None:
        """Take note of a step, and show it if it is time for that."""
        now = monotonic()
        if stage != self._name:
            self._name, self._begun = stage, now
        if now - self._drawn < ((_PAUSE if self._shown else _PATIENCE) if self._is_watched else _SELDOM):
            return
        self._drawn = now
        line = f"{stage}: {_progress(stage, done, total, now - self._begun)}"
        if self._is_watched:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r{harmless(line)[:width]:<{width}}")
            self._shown = width
        else:
            self._write(f"{harmless(line)}\n")

    def clear(self) -> None:
        """Leave nothing of the line."""
        if self._shown:
            self._write(f"\r{'':<{self._shown}}\r")
            self._shown = 0

    @staticmethod
    def _write(text: str) -> None:
        stream = sys.stderr.stream if isinstance(sys.stderr, Display) else sys.stderr
        with suppress(OSError, ValueError):  # nobody is there any more, which ends no work
            stream.write(text)
            stream.flush()


def _progress(stage: str, done: int, total: int, spent: float) -> str:
    unit, size = next((found for word, found in _UNITS.items() if stage.startswith(word)), ("documents", 1))
    said = [f"{done * 100 // total} %"] if total else []
    digits = 0 if size == 1 else 1
    of_all = f" of {total / size:,.{digits}f}" if total else ""
    said.append(f"{done / size:,.{digits}f}{of_all} {unit}")
    if spent >= 1 and done:
        speed = done / size / spent
        said.append(f"{speed:,.0f} a second" if speed >= 10 else f"{speed:.1f} a second")
        if done < total:
            minutes, seconds = divmod(int(spent * (total - done) / done), 60)
            said.append(f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02} left")
    return ", ".join(said)
