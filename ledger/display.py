"""The one way to a terminal: whatever a program prints goes through a `Display`, so no caller can forget it.

A name, a query, a path or a message may come from a stranger's file, and hold characters that move the cursor, clear
the screen, fill the clipboard or turn the direction of a text. They are printed as U+FFFD (`plain.shown`), in a pipe
as on a terminal. What controls a terminal is ours: the end of a line, and the carriage return of `overwrite`.
"""

import io
import shutil
import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

from ledger.plain import shown

_BAR = 36  # characters
_PAUSE = 0.2  # seconds between two counts on the screen


class Display(io.TextIOBase):
    """A stream for people to read, on which nothing but the end of a line controls a terminal.

    It shows no `buffer`, so nobody finds the stream's bytes and writes past it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
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


def overwrite(line: str) -> None:
    """Print a line on standard error over the one that stands there."""
    stream = sys.stderr.stream if isinstance(sys.stderr, Display) else sys.stderr
    width = shutil.get_terminal_size().columns - 1
    stream.write(f"\r{shown(line)[:width]:<{width}}")
    stream.flush()


class Bar:
    """How far long work is: a line that is printed again as the work goes on."""

    def __init__(self, total: int, label: str, counted: Callable[[], int] | None = None) -> None:
        """`counted` says how many documents are done, where a position is something else, such as bytes."""
        self.total = total
        self.label = label
        self._counted = counted
        self._began = monotonic()
        self._when = self._began
        self._line = ""

    def update(self, position: int, note: str | None = None) -> None:
        """Show a position from 0 to the total, and what is being done there."""
        share = min(position / self.total, 1.0) if self.total else 1.0
        if self._counted is not None and 0 < share < 1 and monotonic() - self._when < _PAUSE:
            return  # nobody reads a count that changes all the time
        self._when = monotonic()
        line = f"{self.label}  [{'#' * int(share * _BAR):<{_BAR}}]  {int(share * 100):>3}%"
        line += "".join(f"  {each}" for each in (self._rate(), self._remaining(share), note) if each)
        if line != self._line:
            overwrite(line)
            self._line = line

    def _rate(self) -> str:
        """How many documents are done, and how fast that goes."""
        if self._counted is None:
            return ""
        count, spent = self._counted(), monotonic() - self._began
        return f"{count:,} documents" + (f", {count / spent:,.0f} a second" if spent >= 1 else "")

    def _remaining(self, share: float) -> str:
        """The time that the rest will take at this speed."""
        spent = monotonic() - self._began
        if not 0 < share < 1 or spent < 1:
            return ""
        minutes, seconds = divmod(int(spent * (1 - share) / share), 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
