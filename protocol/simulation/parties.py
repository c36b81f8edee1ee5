"""Simulated parties: each decides by its strategy, from what its notices showed and the documents it has read."""

from collections.abc import Callable, Sequence
from typing import Any

from ledger import records
from ledger.coins import LinkChain
from ledger.keys import SigningKey
from protocol.matter.seal import Seal
from protocol.matter.values import Place
from protocol.parties import alice, bob, court
from protocol.parties.base import Answer
from protocol.parties.notices import Notice
from protocol.rules.base import Report
from protocol.simulation.strategies import AliceStrategy, LabelStrategy

Reading = Callable[[int], bool]
"""What somebody who reads a document finds: whether it is responsive."""


class Alice(alice.Alice):
    """The responding party: she reads her batch and reports as her strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, seal: Seal, strategy: AliceStrategy) -> None:
        super().__init__(key, chain, seal)
        self.reads = reads
        self.strategy = strategy
        self.truth: list[bool] = []
        self.reported: tuple[bool | None, ...] = ()
        self.disputed: tuple[int, ...] = ()
        self.found: set[int] = set()  # what the court confirmed this round

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        said = notice.statement
        match said.kind:
            case "batch":
                self.truth = [self.reads(place.document) for place in _places(notice.values("documents"))]
                self.reported, self.found = (), set()
            case "report":
                self.reported = tuple(notice.values("labels"))
            case "dispute":
                self.disputed = tuple(said.content["positions"])
            case "rulings":
                ruled = zip(self.disputed, said.content["labels"], strict=True)
                self.found |= {position for position, label in ruled if label}
            case "closed":
                labels = zip(self.truth, self.reported, strict=False)  # none, where the court went on without a report
                hidden = {place for place, (true, label) in enumerate(labels, start=1) if true and not label}
                self.strategy.learn(said.round, len(hidden), caught=not hidden.isdisjoint(self.found))

    def answer(self) -> Answer:
        """The answer to the open question."""
        asked = self._asked("open", "draw", "batch").statement
        match asked.kind:
            case "open":
                return self.agree()
            case "draw":
                return self.give_link()
        report: Report = self.strategy.report(self.rule, self.truth, asked.round)
        return self.report(report.labels, report.threshold)


class Bob(bob.Bob):
    """The requesting party: he reads what he is shown and labels it as his strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, strategy: LabelStrategy) -> None:
        super().__init__(key, chain)
        self.reads = reads
        self.strategy = strategy

    def answer(self) -> Answer:
        """The answer to the open question."""
        notice = self._asked("open", "draw", "report", "disclosure")
        asked = notice.statement
        match asked.kind:
            case "open":
                return self.agree()
            case "draw" | "report":
                return self.give_link()
        truth = [self.reads(place.document) for place in _places(notice.values("documents"))]
        return self.label(self.strategy.label(asked.round, asked.content["positions"], truth))


class Court(court.Court):
    """The court: it reads the documents on which Alice and Bob disagree, and rules as its strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, strategy: LabelStrategy) -> None:
        super().__init__(key)
        self.reads = reads
        self.strategy = strategy
        self.places: list[Place] = []

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        if notice.statement.kind == "batch":
            self.places = _places(notice.values("documents"))

    def answer(self) -> Answer:
        """The answer to the open question."""
        asked = self._asked("open", "dispute").statement
        if asked.kind == "open":
            return self.deposit()
        positions = asked.content["positions"]
        truth = [self.reads(self.places[position - 1].document) for position in positions]
        return self.rule(self.strategy.label(asked.round, positions, truth))


def _places(values: Sequence[Any]) -> list[Place]:
    return [records.from_value(Place, value) for value in values]
