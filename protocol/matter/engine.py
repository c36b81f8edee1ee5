"""The engine: it asks what a party must answer next, and is told signed answers.

It does no I/O. Whoever runs it appends what its methods return to the log, and tells it each entry that the log then
holds; a stored matter is told from its first entry. A simulated party, a file exchange or a web page are only
different ways to answer the same questions.
"""

from collections.abc import Mapping, Sequence

from ledger.entries import Opening, SignedStatement
from ledger.log import Addition
from ledger.roles import Role
from protocol.matter import answers, turns
from protocol.matter.state import Awaited, MatterState, Told
from protocol.matter.trent import Trent


class Engine:
    """One matter, run by Trent."""

    def __init__(self, trent: Trent) -> None:
        self.state = MatterState()
        self._trent = trent

    @property
    def asks(self) -> Mapping[Role, Awaited]:
        """Who must answer what before Trent can move."""
        return self.state.awaits

    def accept(self, signed: SignedStatement, openings: Sequence[Opening] = ()) -> Addition:
        """A party's answer as the log is to add it; raises `OutOfTurn` with the reason, and changes nothing."""
        return answers.accept(self.state, signed, openings)

    def conflict(self, signed: SignedStatement) -> Addition:
        """A second, different answer to a question, as the log keeps it: evidence for whoever judges it."""
        return answers.conflict(self.state, signed)

    def move(self) -> Addition | None:
        """Trent's next entry, when nobody is asked; None when the matter is closed."""
        if self.asks:
            raise RuntimeError(f"it is not Trent's turn: {turns.waiting(self.state)}")
        return self._trent.move(self.state)

    def tell(self, told: Told) -> None:
        """An entry that the log holds now."""
        self.state.tell(told)
        if told.sequence == 0:
            self._trent.check(self.state)
