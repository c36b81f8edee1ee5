"""Trent's desk: a matter's log with its engine.

Whatever is added is on disk before the engine and the listener are told of it; a stored matter is told from its first
entry, so that going on after an interruption is opening the file again.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Self

from ledger.attachments import CHUNK
from ledger.entries import NO_ENTRY
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.log import Addition, Log
from protocol.matter import additions, summary
from protocol.matter.engine import Engine
from protocol.matter.handed import Answer
from protocol.matter.state import MatterState, Told
from protocol.matter.trent import Trent

Clock = Callable[[int], int]
"""The time of an entry in UTC seconds; it is given how many entries there are already."""

Listener = Callable[[Told], None]


def _nobody_listens(told: Told) -> None:
    """The engine is told all the same."""


class Desk:
    """One matter, open for writing. Use it as a context manager."""

    log: Log

    def __init__(self, trent: Trent, listener: Listener) -> None:
        self.engine = Engine(replace(trent, stored=self._stored))
        self._listener = listener

    @classmethod
    def create(
        cls,
        path: Path,
        key: SigningKey,
        clock: Clock,
        trent: Trent,
        opening: Addition,
        listener: Listener = _nobody_listens,
    ) -> Self:
        """A new matter with its opening, which is checked before there is a file."""
        desk = cls(trent, listener)
        desk.state.check(additions.told(opening, 0, NO_ENTRY))
        desk.log = Log.create(path, key, desk._ticking(clock))
        try:
            desk.append(opening)
        except BaseException:
            desk.log.close()
            raise
        return desk

    @classmethod
    def open(
        cls, path: Path, key: SigningKey, clock: Clock, trent: Trent, listener: Listener = _nobody_listens
    ) -> Self:
        """Go on with a matter, wherever it stopped. It has no entry if it stopped before its opening was stored."""
        desk = cls(trent, listener)
        desk.log = Log.open(path, key, desk._ticking(clock), lambda opened: desk.tell(summary.told(opened)))
        return desk

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.log.close()

    @property
    def state(self) -> MatterState:
        """Where the matter stands."""
        return self.engine.state

    def append(self, addition: Addition) -> None:
        """Add an entry that has its place, and tell it to the engine and the listener once it is on disk."""
        sequence = self.state.size
        self.state.check(additions.told(addition, sequence, NO_ENTRY))
        (digest,) = self.log.append([addition])
        self.tell(additions.told(addition, sequence, digest))

    def accept(self, answer: Answer) -> None:
        """Add a party's answer, or raise `OutOfTurn` with the reason and change nothing."""
        self.append(self.engine.accept(answer.signed, answer.openings))

    def advance(self) -> bool:
        """Add one entry of Trent's own, if nobody must answer. False when there is nothing for him to add."""
        move = None if self.engine.asks else self.engine.move()
        if move is not None:
            self.append(move)
        return move is not None

    def tell(self, told: Told) -> None:
        """An entry that the log holds."""
        self.engine.tell(told)
        self._listener(told)

    def _ticking(self, clock: Clock) -> Callable[[], int]:
        return lambda: clock(self.state.size)

    def _stored(self, digest: Digest) -> bytes:
        return b"".join(self.log.store.attachment(digest, CHUNK))
