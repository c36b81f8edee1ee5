"""How far long work is, on standard error: one line that is drawn again and again, or without a terminal, few lines.

Whoever works tells a bar how far it is, as often as it likes. A thread looks at the bar from time to time, and draws
it: so work that is over within a second shows nothing, and work that says nothing for long is still seen to go on.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

import click

from ledger import display

_BAR, _SHORTEST = 30, 5  # characters
_PATIENCE = 1.0  # seconds before a bar is shown
_IDLE = 2.0  # seconds before it is shown that a command works, although nothing counts what it does
_PAUSE = 0.25  # seconds between two looks
_SELDOM = 30.0  # seconds between two lines where there is no terminal
WORKING = "Working"

QUIET = f"{__name__}.quiet"
"""In the context of a command that takes `--quiet`: whether that was given."""

Update = Callable[..., None]
"""Is told the position, from 0 to the total, and if need be a note."""


class Bar:
    """How far one piece of work is."""

    def __init__(
        self, total: int, label: str, counted: Callable[[], int] | None = None, unit: str = "documents"
    ) -> None:
        """`counted` says how many of the unit are done, where a position is something else, such as bytes. A total of
        0 is not known.
        """
        self.total = total
        self.label = label
        self.unit = unit
        self.began = monotonic()
        self._counted = counted
        self._position = 0
        self._note = ""

    def update(self, position: int, note: str | None = None) -> None:
        """Take note of a position, and of what is being done there."""
        self._position, self._note = position, note or ""

    def line(self) -> str:
        """What is said of it now."""
        share = self._share()
        percent = "" if share is None else f"{int(share * 100)} %"
        counts = ", ".join(filter(None, (self._count(), self._rate(), self._left(share))))
        return "  ".join(filter(None, (f"{self.label}:", percent, counts, self._note)))

    def drawn(self, width: int) -> str:
        """The same with a bar, as long as there is room for it."""
        share, (label, _, said) = self._share(), self.line().partition(":  ")
        room = min(_BAR, width - len(label) - len(said) + len(self._note) - 6)
        bar = f"[{'#' * int(share * room):<{room}}]  " if share is not None and room >= _SHORTEST else ""
        return f"{label}  {bar}{said}"

    def _share(self) -> float | None:
        return min(self._position / self.total, 1.0) if self.total else None

    def _done(self) -> int:
        return self._position if self._counted is None else self._counted()

    def _count(self) -> str:
        if self._counted is None and self.total:
            return f"{self._position:,} of {self.total:,} {self.unit}"
        return f"{done:,} {self.unit}" if (done := self._done()) else ""

    def _rate(self) -> str:
        spent, done = monotonic() - self.began, self._done()
        if spent < 1 or not done:
            return ""
        speed = done / spent
        return f"{speed:,.0f} a second" if speed >= 10 else f"{speed:.1f} a second"

    def _left(self, share: float | None) -> str:
        """The time that the rest will take at this speed; if that is not known, the time so far."""
        spent = monotonic() - self.began
        if share is None:
            return f"{_clock(spent)} so far"
        if not 0 < share < 1 or spent < 1:
            return ""
        return f"{_clock(spent * (1 - share) / share)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest:02}"


class Reporter:
    """Shows the bar that was opened last."""

    def __init__(self, *, idle: bool) -> None:
        """If `idle`, also shows that the command works while there is no bar."""
        self._lock = threading.Lock()
        self._bars: list[Bar] = []
        self._since = monotonic()  # how long there has been no bar
        self._idle = idle
        self._held = False
        self._is_over = threading.Event()
        self._last = monotonic()  # when a line was printed where there is no terminal
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def end(self) -> None:
        """Show nothing any more."""
        self._is_over.set()
        self._thread.join(_IDLE)
        if _watched():
            display.clear()

    @property
    def is_busy(self) -> bool:
        """Whether there is a bar."""
        return bool(self._bars)

    def open(self, bar: Bar) -> None:
        """Show this bar until it is closed."""
        with self._lock:
            self._bars.append(bar)

    def close(self, bar: Bar) -> None:
        """Show the one before it again."""
        with self._lock:
            self._bars.remove(bar)
            self._since = monotonic()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Show nothing within: a person is asked something."""
        with self._lock:
            self._held = True
        display.clear()
        try:
            yield
        finally:
            with self._lock:
                self._held = False
                self._since = monotonic()

    def look(self) -> None:
        """Show what there is to be shown now."""
        with self._lock:
            if not self._held and (bar := self._current()) is not None:
                self._show(bar)

    def _run(self) -> None:
        while not self._is_over.wait(_PAUSE):
            self.look()

    def _current(self) -> Bar | None:
        now = monotonic()
        if self._bars:
            return self._bars[-1] if now - self._bars[-1].began >= _PATIENCE else None
        if not self._idle or now - self._since < _IDLE:
            return None
        bar = Bar(0, WORKING)
        bar.began = self._since
        return bar

    def _show(self, bar: Bar) -> None:
        if _watched():
            if not display.overwrite(bar.drawn(display.width())):
                self._held = True  # nobody is there to see it
        elif monotonic() - self._last >= _SELDOM:
            self._last = monotonic()
            with suppress(OSError, ValueError):
                click.echo(bar.line(), err=True)


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def is_quiet() -> bool:
    """Whether the command that runs was told to print nothing but errors beside its answer."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


_current: list[Reporter] = []
"""Of the command that runs, if it shows its progress."""


@contextmanager
def reporting(*, idle: bool) -> Iterator[None]:
    """Show the progress of what is done within."""
    if sys.stderr is None:
        yield
        return
    reporter = Reporter(idle=idle)
    _current.append(reporter)
    reporter.start()
    try:
        yield
    finally:
        _current.remove(reporter)
        reporter.end()


@contextmanager
def bar(total: int, label: str, counted: Callable[[], int] | None = None, unit: str = "documents") -> Iterator[Update]:
    """A bar for what is done within, if the command shows its progress."""
    found = Bar(total, label, counted, unit)
    reporter = _current[-1] if _current else None
    if reporter is not None:
        reporter.open(found)
    try:
        yield found.update
    finally:
        if reporter is not None:
            reporter.close(found)


@contextmanager
def held() -> Iterator[None]:
    """Show no progress while a person is asked something."""
    if not _current:
        yield
        return
    with _current[-1].held():
        yield


@contextmanager
def stages() -> Iterator["Stages"]:
    """For work of several stages, one after the other."""
    found = Stages()
    try:
        yield found
    finally:
        found.end()


class Stages:
    """Is told the name of each stage as it begins and, where that is known, how many documents are done of how many."""

    def __init__(self) -> None:
        self._bar: Bar | None = None

    def __call__(self, name: str, done: int = 0, total: int = 0, note: str | None = None) -> None:
        if self._bar is None or self._bar.label != name:
            self.end()
            self._bar = Bar(total, name)
            if _current:
                _current[-1].open(self._bar)
        self._bar.total = total
        self._bar.update(done, note)

    def end(self) -> None:
        """There is no further stage."""
        if self._bar is not None and _current:
            _current[-1].close(self._bar)
        self._bar = None


@contextmanager
def reading() -> Iterator[Callable[[int, int], None]]:
    """For entries of a record that are read, wherever in a command that is: done, and in all. A bar of the command's
    own goes before it.
    """
    found: list[Bar] = []

    def tell(done: int, total: int) -> None:
        reporter = _current[-1] if _current else None
        if reporter is None:
            return
        if not found and not reporter.is_busy:
            found.append(Bar(total, "Reading", unit="entries"))
            reporter.open(found[0])
        if found:
            found[0].total = total
            found[0].update(done)
            if done >= total:
                reporter.close(found.pop())

    try:
        yield tell
    finally:
        for each in found:
            if _current:
                _current[-1].close(each)
