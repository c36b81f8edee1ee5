"""Simulated parties. Each knows its key, its secrets, what its notices showed, and the documents it has read.

A party is a fold over its notices too, so that a simulation that was interrupted goes on as if it had not been.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ledger import entries, records
from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import Opening, SignedStatement, Statement
from ledger.keys import SigningKey
from ledger.records import Record
from ledger.roles import Role
from protocol.matter import statements, terms
from protocol.matter.answers import REPORT_AUDIENCES
from protocol.matter.sealing import Seal
from protocol.matter.state import report_of
from protocol.matter.statements import Kind, Place
from protocol.rules.base import Report, Rule
from protocol.simulation.deliveries import Notice
from protocol.simulation.strategies import AliceStrategy, LabelStrategy

Reading = Callable[[int], bool]
"""What somebody who reads a document finds: whether it is responsive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A signed statement with the openings for Trent."""

    signed: SignedStatement
    openings: tuple[Opening, ...] = ()


class Party:
    """What all parties have in common: a key, a question to answer, and how many links were spent."""

    role: Role

    def __init__(self, key: SigningKey, reads: Reading) -> None:
        self.key = key
        self.reads = reads
        self.question: Notice
        self.rule: Rule

    def observe(self, notice: Notice) -> None:
        """Take note of an entry."""
        if notice.statement.kind == Kind.OPEN:
            self.rule = terms.rule_of(records.from_value(statements.Opening, notice.statement.content).terms)
        if self.role in notice.asks:
            self.question = notice

    def _says(
        self,
        kind: Kind,
        content: Record,
        sealed: dict[str, entries.Sealed] | None = None,
        openings: tuple[Opening, ...] = (),
    ) -> Answer:
        asked = self.question
        statement = Statement(
            answers=asked.hash,
            author=self.role,
            content=records.to_value(content),
            kind=kind,
            matter=asked.statement.matter,
            replaces=(),
            round=asked.statement.round,
            sealed=sealed or {},
        )
        return Answer(signed=entries.sign_statement(self.key, statement), openings=openings)


class Drawer(Party):
    """A party with a coin chain."""

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain) -> None:
        super().__init__(key, reads)
        self.chain = chain
        self.draws = 0  # the last draw that was begun

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        if notice.statement.kind in (Kind.DRAW, Kind.REPORT):
            self.draws = notice.statement.content["draw"]

    def _agree(self) -> Answer:
        return self._says(Kind.AGREED, statements.Agreed(anchor=self.chain.anchor))

    def _link(self) -> Answer:
        return self._says(Kind.LINK, statements.Link(draw=self.draws, link=self.chain.link(self.draws)))


class Alice(Drawer):
    """The responding party: she reads her batch and reports as her strategy says."""

    role = Role.ALICE

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, seal: Seal, strategy: AliceStrategy) -> None:
        super().__init__(key, reads, chain)
        self.seal = seal
        self.strategy = strategy
        self.truth: list[bool] = []
        self.report: Report
        self.disputed: tuple[int, ...] = ()
        self.found: set[int] = set()  # what the court confirmed this round

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        said = notice.statement
        match said.kind:
            case Kind.BATCH:
                self.truth = [self.reads(place.document) for place in _places(notice.values("documents"))]
                self.found = set()
            case Kind.REPORT:
                self.report = report_of(notice.openings)
            case Kind.DISPUTE:
                self.disputed = tuple(said.content["positions"])
            case Kind.RULINGS:
                ruled = zip(self.disputed, said.content["labels"], strict=True)
                self.found |= {position for position, label in ruled if label}
            case Kind.CLOSED:
                hidden = {
                    place
                    for place, label in enumerate(self.truth, start=1)
                    if label and not self.report.labels[place - 1]
                }
                self.strategy.learn(said.round, len(hidden), caught=not hidden.isdisjoint(self.found))

    def answer(self) -> Answer:
        """The answer to the last question."""
        match self.question.statement.kind:
            case Kind.OPEN:
                return self._agree()
            case Kind.DRAW:
                return self._link()
        number = self.question.statement.round
        report = self.strategy.report(self.rule, self.truth, number)
        labels: Sequence[Value] = report.labels
        fields: dict[str, tuple[Any, Sequence[Value]]] = {"labels": (REPORT_AUDIENCES, labels)}
        if report.threshold is not None:
            fields["threshold"] = (REPORT_AUDIENCES, [report.threshold])
        # the round names the salts, not Trent's question: asked again, she says the same words and has the same coins
        sealed, openings = self.seal.close(f"report/{number}", fields)
        draw = self.draws + 1
        return self._says(Kind.REPORT, statements.Reported(draw=draw, link=self.chain.link(draw)), sealed, openings)


class Bob(Drawer):
    """The requesting party: he labels what he is shown, without Alice's label."""

    role = Role.BOB

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, strategy: LabelStrategy) -> None:
        super().__init__(key, reads, chain)
        self.strategy = strategy

    def answer(self) -> Answer:
        """The answer to the last question."""
        asked = self.question.statement
        match asked.kind:
            case Kind.OPEN:
                return self._agree()
            case Kind.DRAW | Kind.REPORT:
                return self._link()
        truth = [self.reads(place.document) for place in _places(self.question.values("documents"))]
        labels = self.strategy.label(asked.round, asked.content["positions"], truth)
        return self._says(Kind.LABELS, statements.Labels(labels=tuple(labels)))


class Court(Party):
    """The court: it holds the deposits, and rules on the documents on which Alice and Bob disagree."""

    role = Role.COURT

    def __init__(self, key: SigningKey, reads: Reading, strategy: LabelStrategy) -> None:
        super().__init__(key, reads)
        self.strategy = strategy
        self.anchors: dict[Role, Any] = {}
        self.places: list[Place] = []

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        said = notice.statement
        match said.kind:
            case Kind.OPEN | Kind.AGREED:
                self.anchors[said.author] = records.from_value(
                    statements.Agreed, {"anchor": said.content["anchor"]}
                ).anchor
            case Kind.BATCH:
                self.places = _places(notice.values("documents"))

    def answer(self) -> Answer:
        """The answer to the last question."""
        asked = self.question.statement
        if asked.kind == Kind.OPEN:
            return self._says(Kind.DEPOSITED, statements.Deposited(anchors=self.anchors))
        positions = asked.content["positions"]
        truth = [self.reads(self.places[position - 1].document) for position in positions]
        labels = self.strategy.label(asked.round, positions, truth)
        return self._says(Kind.RULINGS, statements.Labels(labels=tuple(labels)))


def _places(values: Sequence[Any]) -> list[Place]:
    return [records.from_value(Place, value) for value in values]
