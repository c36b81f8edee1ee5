"""Simulated parties: each decides by its strategy, from what its notices showed and the documents it has read."""

from collections.abc import Callable, Sequence
from typing import Any

from ledger import records
from ledger.coins import LinkChain
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.seal import Seal
from protocol.matter.values import Place
from protocol.parties.notices import Notice
from protocol.parties.party import Party
from protocol.simulation.strategies import AliceStrategy, LabelStrategy

Reading = Callable[[int], bool]
"""What somebody who reads a document finds: whether it is responsive."""


class Alice(Party):
    """The responding party: she reads her batch and reports as her strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, seal: Seal, strategy: AliceStrategy) -> None:
        super().__init__(Role.ALICE, key, chain=chain, seal=seal)
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
                labels = zip(
                    self.truth, self.reported, strict=False
                )  # none, if the court ordered the matter to go on without a report
                hidden = {place for place, (true, label) in enumerate(labels, start=1) if true and not label}
                self.strategy.learn(said.round, len(hidden), caught=not hidden.isdisjoint(self.found))

    def answer(self) -> Answer:
        """The answer to the open question."""
        return self.say(self.decide())

    def decide(self) -> Decisions:
        """What she decides about the open question."""
        if self.question is None or self.question.statement.kind != "batch":
            return Decisions()
        report = self.strategy.report(self.rule, self.truth, self.question.statement.round)
        labels = {place: label for place, label in enumerate(report.labels, start=1) if label is not None}
        return Decisions(labels=labels, threshold=report.threshold)


class Bob(Party):
    """The requesting party: he reads what he is shown and labels it as his strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, strategy: LabelStrategy) -> None:
        super().__init__(Role.BOB, key, chain=chain)
        self.reads = reads
        self.strategy = strategy

    def answer(self) -> Answer:
        """The answer to the open question."""
        if self.question is None or self.question.statement.kind != "disclosure":
            return self.say()
        asked = self.question.statement
        truth = [self.reads(place.document) for place in _places(self.question.values("documents"))]
        return self.say(_labelled(asked.content["positions"], self.strategy, asked.round, truth))


class Court(Party):
    """The court: it reads the documents on which Alice and Bob disagree, and rules as its strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, strategy: LabelStrategy) -> None:
        super().__init__(Role.COURT, key)
        self.reads = reads
        self.strategy = strategy
        self.places: list[Place] = []

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        if notice.statement.kind == "batch":
            self.places = _places(notice.values("documents"))

    def answer(self) -> Answer:
        """The answer to the open question."""
        if self.question is None or self.question.statement.kind != "dispute":
            return self.say()
        asked = self.question.statement
        positions = asked.content["positions"]
        truth = [self.reads(self.places[position - 1].document) for position in positions]
        return self.say(_labelled(positions, self.strategy, asked.round, truth))


def _labelled(positions: Sequence[int], strategy: LabelStrategy, number: int, truth: Sequence[bool]) -> Decisions:
    return Decisions(labels=dict(zip(positions, strategy.label(number, positions, truth), strict=True)))


def _places(values: Sequence[Any]) -> list[Place]:
    return [records.from_value(Place, value) for value in values]
