"""Ctrl-C, SIGTERM and a terminal that is closed all end a command by an exception, which removes what is unfinished.

A second signal in the meantime would cut that short, so it is ignored. What must not be cut short at all is `deferred`.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_waiting: list[bool] = []
"""For what is deferred now: whether a signal has come."""
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def raised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at a signal, unless whoever started this program has it ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    before = {
        number: handler
        for number in known
        if (handler := signal.getsignal(number)) in (signal.SIG_DFL, signal.default_int_handler)
    }

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        if not _waiting:
            raise KeyboardInterrupt
        _waiting[0] = True

    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def deferred() -> Iterator[None]:
    """A signal that comes within is raised at the end. For something short, and not within another of these."""
    _waiting.append(False)
    try:
        yield
    finally:
        if _waiting.pop():
            raise KeyboardInterrupt
