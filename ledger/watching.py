"""Who is told how far a record has been read, wherever a command reads one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Told = Callable[[int, int], None]
"""How many entries are done, and how many there are."""

_watcher: ContextVar[Told] = ContextVar("watcher", default=lambda *_: None)


@contextmanager
def watched(tell: Told) -> Iterator[None]:
    """Within, `tell` is told of every matter that is read."""
    token = _watcher.set(tell)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Told:
    """Whom to tell now."""
    return _watcher.get()
