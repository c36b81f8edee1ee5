"""Where a matter stands: a fold over its entries, without I/O.

Going on after a crash is telling the stored entries to a new state. `tell` takes entries that the log holds, so it only
checks that they come in an order that this protocol knows; whether an answer may be added, `protocol.answers` says.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ledger import coins, entries, records
from ledger.entries import Attachment, Opening, Statement
from ledger.hashing import Digest, tagged_hash
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import statements, terms
from protocol.matter.statements import Kind, Place
from protocol.rules import base
from protocol.rules.base import Evidence, Examination, Report, Rule

R = TypeVar("R", bound=Record)


NO_REPORT = Report(labels=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An entry that the log holds, with all its openings."""

    sequence: int
    hash: Digest
    statement: Statement
    openings: tuple[Opening, ...]

    def values(self, name: str) -> list[Any]:
        """The values of a sealed field, in order."""
        return [opening.value for opening in self.openings if opening.field == name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What a party must say next, and to which entry."""

    kind: Kind
    question: Digest
    round: int


@dataclass(slots=True, kw_only=True)
class Drawing:
    """A draw that has begun: the links so far. Bob's comes last; Trent's is his own to add."""

    number: int
    answered: Digest  # what the seed binds
    links: dict[Role, Digest] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Round:
    """A round from its batch to its close."""

    number: int
    places: tuple[Place, ...]
    batch_entry: int
    near_cut: int | None
    model: Attachment | None
    report: Report = NO_REPORT
    report_entry: int = -1
    disclosed: tuple[int, ...] = ()  # the last wave
    bob: dict[int, bool] = field(default_factory=dict)
    rulings: dict[int, bool] = field(default_factory=dict)
    disputed: tuple[int, ...] = ()  # of the last wave
    examination: Examination | None = None  # once the coins are known
    closed: statements.Closed | None = None

    @property
    def size(self) -> int:
        """How many documents the batch has."""
        return len(self.places)

    @property
    def settled(self) -> dict[int, bool]:
        """The disclosed positions with their labels, agreed or ruled."""
        return self.bob | self.rulings

    def reported(self, position: int) -> bool:
        """Alice's label; below a reported threshold it counts as not responsive."""
        return bool(self.report.labels[position - 1])

    def disagreements(self) -> tuple[int, ...]:
        """The positions of the last wave on which Alice and Bob disagree."""
        return tuple(place for place in self.disclosed if self.bob[place] != self.reported(place))

    def alice_errors(self) -> int:
        """In how many disputes the court found against Alice."""
        return sum(label != self.reported(place) for place, label in self.rulings.items())


class MatterState:
    """A matter after the entries it was told."""

    def __init__(self) -> None:
        self.matter = entries.NO_ENTRY
        self.opening: statements.Opening
        self.rule: Rule
        self.size = 0
        self.awaits: dict[Role, Awaited] = {}
        self.answered: set[tuple[Role, Digest]] = set()
        self.links: dict[Role, Digest] = {}  # each drawer's last link, at first the anchor
        self.draws = 0  # how many links each drawer has spent or is spending
        self.drawing: Drawing | None = None
        self.rounds: list[Round] = []
        self.claims: statements.Claims | None = None

    @property
    def terms(self) -> statements.Terms:
        """What the parties have signed."""
        return self.opening.terms

    @property
    def current(self) -> Round | None:
        """The round that is open, if there is one."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].closed is None else None

    def tell(self, told: Told) -> None:
        """Go on by one entry."""
        said = told.statement
        try:
            handler = _HANDLERS[Kind(said.kind)] if self.size or said.kind == Kind.OPEN else None
        except ValueError:
            handler = None
        if handler is None or told.sequence != self.size:
            raise OutOfTurn(f"entry {told.sequence} is a {said.kind!r}, which has no place here in this protocol")
        if said.author is not Role.TRENT:
            awaited = self.awaits.pop(said.author, None)
            if awaited is None or (awaited.kind, awaited.question) != (said.kind, said.answers):
                raise OutOfTurn(f"entry {told.sequence}: nobody waits for this {said.kind!r} of {said.author}'s")
            self.answered.add((said.author, awaited.question))
        try:
            handler(self, told)
        except Malformed as error:
            raise Malformed(f"entry {told.sequence} ({said.kind}): {error}") from None
        self.size += 1

    def coins(self, links: Mapping[Role, Digest], count: int) -> list[int]:
        """The coins of a batch's positions, given all three links of the draw."""
        assert self.drawing is not None  # noqa: S101 (for the type checker)
        seed = coins.seed(matter=self.matter, draw=self.drawing.number, links=links, answered=self.drawing.answered)
        return coins.coins(seed, range(1, count + 1))

    def evidence(self) -> list[Evidence]:
        """What the closed rounds tell about hidden documents."""
        return [
            base.evidence(each.examination, each.settled) for each in self.rounds if each.closed and each.examination
        ]

    def labelled(self) -> tuple[list[int], list[bool]]:
        """S in the paper: the reviewed documents in the order of review, with their output labels."""
        documents: list[int] = []
        labels: list[bool] = []
        for each in self.rounds:
            if each.closed is not None:
                responsive = set(each.closed.responsive)
                documents += [place.document for place in each.places]
                labels += [position in responsive for position in range(1, each.size + 1)]
        return documents, labels

    @property
    def exhausted(self) -> bool:
        """Whether every document has been reviewed."""
        return sum(each.size for each in self.rounds) >= self.opening.corpus.documents

    @property
    def one_class(self) -> bool:
        """Whether the reviewed documents all have one label, or there are none, so that nothing can be trained."""
        responsive = sum(len(each.closed.responsive) for each in self.rounds if each.closed)
        return responsive in (0, sum(each.size for each in self.rounds))

    def query_hash(self) -> Digest:
        """What the seed of a batch drawn by coin binds: the corpus and the query."""
        return tagged_hash("query", self.opening.corpus.root, self.terms.query.encode())

    def _ask(self, told: Told, expected: Mapping[Role, Kind]) -> None:
        round_number = told.statement.round
        for role, kind in expected.items():
            self.awaits[role] = Awaited(kind=kind, question=told.hash, round=round_number)

    def _open(self, told: Told) -> None:
        self.matter = told.statement.matter
        self.opening = _content(statements.Opening, told)
        terms.check(self.terms)
        self.rule = terms.rule_of(self.terms)
        self.links[Role.TRENT] = self.opening.anchor
        self._ask(told, {Role.ALICE: Kind.AGREED, Role.BOB: Kind.AGREED, Role.COURT: Kind.DEPOSITED})

    def _agreed(self, told: Told) -> None:
        self.links[told.statement.author] = _content(statements.Agreed, told).anchor

    def _deposited(self, told: Told) -> None:
        _content(statements.Deposited, told)

    def _draw(self, told: Told) -> None:
        self._begin(_content(statements.Draw, told).draw, self.query_hash())
        self._ask(told, {Role.ALICE: Kind.LINK, Role.BOB: Kind.LINK})

    def _link(self, told: Told) -> None:
        author = told.statement.author
        self._spend(author, _content(statements.Link, told).link)

    def _begin(self, draw: int, answered: Digest) -> None:
        self.draws = draw
        self.drawing = Drawing(number=draw, answered=answered)

    def _spend(self, role: Role, link: Digest) -> None:
        if self.drawing is None:
            raise Malformed("a link without a draw")
        self.drawing.links[role] = self.links[role] = link

    def _batch(self, told: Told) -> None:
        content = _content(statements.Batch, told)
        if content.drawn:
            self._spend(Role.TRENT, content.drawn.link)
            self.drawing = None
        places = tuple(records.from_value(Place, value) for value in told.values("documents"))
        if len(places) != content.size:
            raise Malformed(f"{len(places)} documents in a batch of {content.size}")
        self.rounds.append(
            Round(
                number=told.statement.round,
                places=places,
                batch_entry=told.sequence,
                near_cut=content.near_cut,
                model=_model(told.openings),
            )
        )
        self._ask(told, {Role.ALICE: Kind.REPORT})

    def _report(self, told: Told) -> None:
        content = _content(statements.Reported, told)
        review = self._open_round()
        review.report = report_of(told.openings)
        review.report_entry = told.sequence
        self._begin(content.draw, entries.hash_words(told.statement))
        self._spend(Role.ALICE, content.link)
        self._ask(told, {Role.BOB: Kind.LINK})

    def _disclosure(self, told: Told) -> None:
        review = self._open_round()
        review.disclosed, review.disputed = _content(statements.Disclosure, told).positions, ()
        self._ask(told, {Role.BOB: Kind.LABELS})

    def _labels(self, told: Told) -> None:
        review = self._open_round()
        labels = _content(statements.Labels, told).labels
        review.bob |= dict(zip(review.disclosed, labels, strict=True))

    def _dispute(self, told: Told) -> None:
        review = self._open_round()
        review.disputed = _content(statements.Dispute, told).positions
        self._ask(told, {Role.COURT: Kind.RULINGS})

    def _rulings(self, told: Told) -> None:
        review = self._open_round()
        labels = _content(statements.Labels, told).labels
        review.rulings |= dict(zip(review.disputed, labels, strict=True))

    def _closed(self, told: Told) -> None:
        review = self._open_round()
        content = _content(statements.Closed, told)
        self._spend(Role.TRENT, content.link)
        if self.drawing is not None:
            positions = self.coins(self.drawing.links, review.size)
            review.examination = self.rule.examine(review.report, positions, review.settled)
        self.drawing = None
        review.closed = content

    def _claims(self, told: Told) -> None:
        self.claims = _content(statements.Claims, told)

    def _open_round(self) -> Round:
        if self.current is None:
            raise Malformed("no round is open")
        return self.current


def report_of(openings: Sequence[Opening]) -> Report:
    """Alice's report from what opens it; its values are checked where it is accepted."""
    labels = tuple(opening.value for opening in openings if opening.field == "labels")
    threshold = [opening.value for opening in openings if opening.field == "threshold"]
    return Report(labels=labels, threshold=threshold[0] if threshold else None)


def _model(openings: Sequence[Opening]) -> Attachment | None:
    """Where a batch's model is kept, if a model chose the batch."""
    return next((entries.attachment_in(each) for each in openings if each.field == "model"), None)


def _content(kind: type[R], told: Told) -> R:
    return records.from_value(kind, told.statement.content)


_HANDLERS: dict[Kind, Callable[[MatterState, Told], None]] = {kind: getattr(MatterState, f"_{kind}") for kind in Kind}
