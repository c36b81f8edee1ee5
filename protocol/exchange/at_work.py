"""Whether `tallystick run` is at work on a matter, so that other commands can say so instead of "busy".

It holds a lock beside the matter's file for as long as it runs; the lock ends with its process, however that ends.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ledger import files, locks
from ledger.errors import Refused
from ledger.schema import MatterBusy


class AtWork(MatterBusy):
    """`run` has the matter."""

    def __init__(self, matter: Path) -> None:
        super().__init__(
            f"{matter}: `tallystick run` is at work on this matter, and nothing was changed. Use its page, or end it "
            "(Ctrl-C), run this command, and start it again"
        )


@contextmanager
def held(matter: Path) -> Iterator[None]:
    """Be the one `run` of a matter within."""
    with ExitStack() as stack:
        with files.writing(matter):
            stack.enter_context(_lock(matter))
        yield


def check(matter: Path) -> None:
    """Raise if `run` has the matter."""
    with files.writing(matter), _lock(matter):
        pass


@contextmanager
def _lock(matter: Path) -> Iterator[None]:
    path = matter.with_name(f".{matter.name}.running")
    with ExitStack() as stack:
        try:
            stack.enter_context(locks.held(path, ""))
        except Refused:
            raise AtWork(matter) from None
        yield
