"""Simulated parties: each decides by its strategy, from what its notices showed and the documents it has read."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from ledger import records
from ledger.coins import LinkChain
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.privilege_log import claims_of_classes
from protocol.matter.requirements import classes_allowed
from protocol.matter.seal import Seal
from protocol.matter.values import Place
from protocol.parties.notices import Notice
from protocol.parties.party import Party
from protocol.rules.base import Report
from protocol.rules.reveal_all import RevealAll
from protocol.simulation.shelf import Shelf
from protocol.simulation.strategies import AliceStrategy, LabelStrategy

Reading = Callable[[int], bool]
"""What somebody who reads a document finds: whether it is responsive."""


class Alice(Party):
    """The responding party: she reads her batch and reports as her strategy says."""

    def __init__(
        self,
        key: SigningKey,
        reads: Reading,
        chain: LinkChain,
        seal: Seal,
        strategy: AliceStrategy,
        sensitive: Mapping[int, str] | None = None,
    ) -> None:
        super().__init__(Role.ALICE, key, chain=chain, seal=seal)
        self.reads = reads
        self.sensitive = sensitive or {}  # the documents that belong into a class
        self.classed = 0  # how many she has put into one
        self.strategy = strategy
        self.shelf = Shelf()
        self.reported: tuple[bool | None, ...] = ()
        self.disputed: tuple[int, ...] = ()
        self.found: set[int] = set()  # what the court confirmed this round

    @property
    def truth(self) -> list[bool]:
        """What she reads in the documents of the open round."""
        return [self.reads(document) for document in self.shelf.documents]

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        self.shelf.observe(notice)
        said = notice.statement
        match said.kind:
            case "batch" | "escalation" | "validation" | "call":
                self.reported, self.found = (), set()
            case "report":
                self.reported = tuple(*notice.values("labels"))
                self.classed += claims_of_classes(notice.values("privilege"))
            case "claim":
                self.classed += claims_of_classes(notice.values("privilege"))
            case "dispute":
                self.disputed = tuple(said.content["positions"])
            case "rulings":
                ruled = zip(self.disputed, said.content["labels"], strict=True)
                self.found |= {position for position, label in ruled if label}
            case "closed" if self.reported:
                labels = zip(self.truth, self.reported, strict=False)  # of a call, only of the called
                hidden = {place for place, (true, label) in enumerate(labels, start=1) if true and not label}
                self.strategy.learn(said.round, len(hidden), caught=not hidden.isdisjoint(self.found))

    def answer(self) -> Answer:
        """The answer to the open question."""
        return self.say(self.decide())

    def decide(self) -> Decisions:
        """What she decides about the open question."""
        if self.question is None:
            return Decisions()
        asked = self.question.statement
        match asked.kind:
            case "batch":
                return self._reported(self.strategy.report(self.rule, self.truth, asked.round))
            case "call":
                rule = RevealAll() if self.rule.reports_threshold else self.rule  # what is called is not ranked
                called = self.truth[: len(asked.content["numbers"])]
                return self._reported(self.strategy.report(rule, called, asked.round))
            case "validation":
                drawn = range(1, len(self.shelf.documents) + 1)
                return Decisions(classes=self._classes(place for place in drawn if not self.shelf.claimed(place)))
            case "escalation":
                return Decisions(given_up=frozenset(self.strategy.look(self.truth, asked.round)))
        return Decisions()

    def _reported(self, report: Report) -> Decisions:
        """Her report, with what is sensitive of all that she labels as not responsive."""
        labels = {place: label for place, label in enumerate(report.labels, start=1) if label is not None}
        others = [place for place, label in enumerate(report.labels, start=1) if not label]
        return Decisions(labels=labels, threshold=report.threshold, classes=self._classes(others))

    def _classes(self, positions: Iterable[int]) -> dict[int, str] | None:
        """The classes of those that belong into one, as long as the share that the terms allow lasts."""
        agreed = self.opening.terms.classes
        if agreed is None:
            return None
        left = classes_allowed(self.opening, agreed) - self.classed
        documents = self.shelf.documents
        found = [position for position in positions if documents[position - 1] in self.sensitive]
        return {position: self.sensitive[documents[position - 1]] for position in found[:left]}


class Bob(Party):
    """The requesting party: he reads what he is shown and labels it as his strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, chain: LinkChain, strategy: LabelStrategy) -> None:
        super().__init__(Role.BOB, key, chain=chain)
        self.reads = reads
        self.strategy = strategy
        self.numbers: list[int] = []  # of a validation: what stands at its first positions

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        if notice.statement.kind in ("batch", "escalation", "validation", "call"):
            self.numbers = list(notice.statement.content.get("numbers", ()))

    def answer(self) -> Answer:
        """The answer to the open question."""
        if self.question is None or self.question.statement.kind != "disclosure":
            return self.say()
        asked = self.question.statement
        positions = asked.content["positions"]
        truth = [self.reads(document) for document in self._documents(self.question, positions)]
        return self.say(_labelled(positions, self.strategy, asked.round, truth))

    def _documents(self, wave: Notice, positions: Sequence[int]) -> list[int]:
        """The documents of a wave. What he is shown comes in the order of the record, which is that of positions; but
        what a validation drew, and lists, comes first.
        """
        shown = [each.document for each in records.from_values(Place, wave.values("documents"))]
        drawn = set(self.numbers)
        others = iter([document for document in shown if document not in drawn])
        return [self.numbers[position - 1] if position <= len(self.numbers) else next(others) for position in positions]


class Court(Party):
    """The court: it reads the documents on which Alice and Bob disagree, and rules as its strategy says."""

    def __init__(self, key: SigningKey, reads: Reading, strategy: LabelStrategy) -> None:
        super().__init__(Role.COURT, key)
        self.reads = reads
        self.strategy = strategy
        self.shelf = Shelf()

    def observe(self, notice: Notice) -> None:
        super().observe(notice)
        self.shelf.observe(notice)

    def answer(self) -> Answer:
        """The answer to the open question."""
        if self.question is None or self.question.statement.kind not in ("dispute", "camera"):
            return self.say()
        asked = self.question.statement
        positions = asked.content["positions"]
        if asked.kind == "camera":  # on privilege it has no opinion: whoever simulates that must say how it rules
            positions = [position for position in positions if not self.shelf.claimed_as_privileged(position)]
        truth = [self.reads(document) for document in self.shelf.at(positions)]
        decided = _labelled(positions, self.strategy, asked.round, truth)
        if asked.kind == "dispute":
            return self.say(decided)
        return self.say(Decisions(upheld={place: not label for place, label in (decided.labels or {}).items()}))


def _labelled(positions: Sequence[int], strategy: LabelStrategy, number: int, truth: Sequence[bool]) -> Decisions:
    return Decisions(labels=dict(zip(positions, strategy.label(number, positions, truth), strict=True)))
