"""Simulated parties. Each knows its key, its secrets, what its notices showed, and the documents it has read.

A party is a fold over its notices too, so that a simulation that was interrupted goes on as if it had not been.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ledger import canonical, entries, records
from ledger.canonical import Value
from ledger.coins import LinkChain
from ledger.entries import Opening, SignedStatement, Statement, hash_words
from ledger.errors import Refused
from ledger.hashing import Digest, tagged_hash
from ledger.keys import SigningKey
from ledger.records import Record
from ledger.roles import Role
from protocol.matter import statements, terms
from protocol.matter.sealing import Seal
from protocol.matter.state import hash_query
from protocol.matter.statements import SHAPES, Kind, Place
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
    """What all parties have in common: a key, the terms, and a question to answer."""

    role: Role

    def __init__(self, key: SigningKey, reads: Reading) -> None:
        self.key = key
        self.reads = reads
        self.question: Notice
        self.opening: statements.Opening
        self.rule: Rule

    def observe(self, notice: Notice) -> None:
        """Take note of an entry."""
        if notice.statement.kind == Kind.OPEN:
            self.opening = records.from_value(statements.Opening, notice.statement.content)
            self.rule = terms.rule_of(self.opening.terms)
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
    """A party with a coin chain.

    It gives a link once, for the next draw and for one thing that the draw answers. Asked for a later link, or for the
    same one about something else, it refuses: whoever knows a link before what it is to decide can steer the coins.
    """

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain) -> None:
        super().__init__(key, reads)
        self.chain = chain
        self.spent: list[Digest] = []  # what each draw so far has answered

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        said = notice.statement
        if said.kind in (Kind.DRAW, Kind.REPORT):
            self._spend(said.content["draw"], self._answered(notice))

    def _agree(self) -> Answer:
        return self._says(Kind.AGREED, statements.Agreed(anchor=self.chain.anchor))

    def _link(self) -> Answer:
        draw = self.question.statement.content["draw"]
        self._spend(draw, self._answered(self.question))
        return self._says(Kind.LINK, statements.Link(draw=draw, link=self.chain.link(draw)))

    def _answered(self, notice: Notice) -> Digest:
        """What a draw answers: the query, or the words of Alice's report."""
        return hash_query(self.opening) if notice.statement.kind == Kind.DRAW else hash_words(notice.statement)

    def _spend(self, draw: int, answered: Digest) -> None:
        if draw == len(self.spent) + 1:
            self.spent.append(answered)
        elif not 1 <= draw <= len(self.spent) or self.spent[draw - 1] != answered:
            raise Refused(
                f"{self.role} keeps the link of draw {draw}: it is not the next one, or was given for another use"
            )


class Alice(Drawer):
    """The responding party: she reads her batch and reports as her strategy says."""

    role = Role.ALICE

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, seal: Seal, strategy: AliceStrategy) -> None:
        super().__init__(key, reads, chain)
        self.seal = seal
        self.strategy = strategy
        self.truth: list[bool] = []
        self.report: Report
        self.reported = 0  # the last round for which she gave a report
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
                self.report = Report(labels=tuple(notice.values("labels")))
                self.reported = said.round
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
        return self._report(self.question.statement.round)

    def _report(self, number: int) -> Answer:
        report = self.strategy.report(self.rule, self.truth, number)
        labels: Sequence[Value] = report.labels
        audiences = SHAPES[Kind.REPORT].sealed
        fields: dict[str, tuple[Any, Sequence[Value]]] = {"labels": (audiences["labels"], labels)}
        if report.threshold is not None:
            fields["threshold"] = (audiences["threshold"], [report.threshold])
        # the batch names the salts, and nothing else that Trent writes: asked again about the same documents she says
        # the same words and has the same coins; about others, coins that nobody can foresee
        batch = tagged_hash("places", canonical.encode(self.question.values("documents")))
        sealed, openings = self.seal.close(f"report/{number}/{batch.hex()}", fields)
        draw = len(self.spent) + (self.reported != number)
        content = statements.Reported(draw=draw, link=self.chain.link(draw), openings=entries.hash_openings(openings))
        answer = self._says(Kind.REPORT, content, sealed, openings)
        self._spend(draw, hash_words(answer.signed.statement))
        self.reported = number
        return answer


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
