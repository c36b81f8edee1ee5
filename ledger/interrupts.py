"""Ctrl-C, SIGTERM and a terminal that is closed all end a command in one way: by an exception.

On its way up, everything that was begun is undone: unfinished files and folders go, and workers are ended. A second
signal in the meantime would cut that short, so it is ignored. A first one that comes while something is begun or undone
waits until that is done:

    with deferred():
        ...  # begin
        try:
            with allowed():
                yield
        finally:
            ...  # undo
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has only two of them


class _Waiting:
    """What the main thread must finish first, and whether a signal waits for that."""

    depth = 0
    signalled = False

    @classmethod
    def set(cls, depth: int) -> None:
        """Not by counting up and down: an exception may come between the two."""
        if threading.current_thread() is not threading.main_thread():
            return
        cls.depth = depth
        if cls.signalled and not depth:
            cls.signalled = False
            raise KeyboardInterrupt


@contextmanager
def raised() -> Iterator[None]:
    """Raise `KeyboardInterrupt` at a signal, unless whoever started this program has it ignored, as nohup does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    usual = (signal.SIG_DFL, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in known if signal.getsignal(number) in usual}

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        if _Waiting.depth:
            _Waiting.signalled = True
        else:
            raise KeyboardInterrupt

    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def deferred() -> Iterator[None]:
    """A signal that comes within is raised at the end."""
    before = _Waiting.depth
    try:
        _Waiting.set(before + 1)
        yield
    finally:
        _Waiting.set(before)


@contextmanager
def allowed() -> Iterator[None]:
    """Within a `deferred`: a signal is raised at once, also one that has waited."""
    before = _Waiting.depth
    try:
        _Waiting.set(before - 1)
        yield
    finally:
        _Waiting.set(before)
