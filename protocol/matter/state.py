"""Where a matter stands: a fold over its entries, without I/O.

Going on after a crash is telling the stored entries to a new state. Each entry is checked before it changes anything
(`protocol.matter.checking`), so a state never stands on what the rules do not allow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from ledger import coins, entries, records
from ledger.entries import Attachment, Opening, Release, Statement
from ledger.hashing import Digest, tagged_hash
from ledger.keys import PublicKey
from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import checking, orders, statements, turns
from protocol.matter.rounds import Round, Step
from protocol.matter.statements import SHAPES, Kind, Place
from protocol.rules import table
from protocol.rules.base import Evidence, Examiner, Report
from protocol.rules.terms import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An entry with all its openings."""

    sequence: int
    hash: Digest
    statement: Statement
    openings: tuple[Opening, ...] = ()
    asks: tuple[Role, ...] = ()
    releases: tuple[Release, ...] = ()

    def values(self, name: str) -> list[Any]:
        """The values of a sealed field, in order."""
        return [opening.value for opening in self.openings if opening.field == name]

    def report(self) -> Report:
        """Alice's report from what opens it."""
        threshold = self.values("threshold")
        return Report(labels=tuple(self.values("labels")), threshold=threshold[0] if threshold else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What a party must say next, and to which entry."""

    kind: Kind
    question: Digest
    round: int


@dataclass(slots=True, kw_only=True)
class Drawing:
    """A draw that has begun: the links so far. Bob's comes last; Trent's is his own to add."""

    answered: Digest  # what the seed binds
    links: dict[Role, Digest] = field(default_factory=dict)


class MatterState:
    """A matter after the entries it was told."""

    def __init__(self) -> None:
        self.matter = entries.NO_ENTRY
        self.opening: statements.Opening
        self.terms: Terms  # as signed, and as amended since
        self.keys: dict[Role, PublicKey] = {}  # those in force
        self.former_keys: dict[PublicKey, int] = {}  # those that the court has replaced: by which entry
        self.vocabulary = ""  # the hash of the term table, in hex
        self.rule: Examiner
        self.size = 0
        self.sequences: dict[Digest, int] = {}  # the place of each entry
        self.awaits: dict[Role, Awaited] = {}
        self.answered: dict[tuple[Role, Digest], Digest] = {}  # each question that a party answered: its statement
        self.overtaken: set[tuple[Role, Digest]] = set()  # each question that a party need not answer, by order
        self.silence: orders.Silence | None = None
        self.defaults = 0  # the orders granted for silence
        self.rekeying: statements.Rekey | None = None
        self.amendment: orders.Amendment | None = None
        self.links: dict[Role, Digest] = {}  # each drawer's last link, at first the anchor
        self.draws = 0  # how many links each drawer has spent or is spending
        self.drawing: Drawing | None = None
        self.rounds: list[Round] = []
        self.claims: statements.Claims | None = None

    @property
    def current(self) -> Round | None:
        """The round that is open, if there is one."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].closed is None else None

    @property
    def closed(self) -> list[tuple[Round, statements.Closed]]:
        """The rounds that are closed, with what their close says."""
        return [(each, each.closed) for each in self.rounds if each.closed is not None]

    @property
    def begun(self) -> int:
        """How many rounds have begun; a draw begins one."""
        return len(self.rounds) + (self.current is None and self.drawing is not None)

    @property
    def exhausted(self) -> bool:
        """Whether every document has been reviewed."""
        return sum(each.size for each in self.rounds) >= self.opening.corpus.documents

    @property
    def one_class(self) -> bool:
        """Whether the reviewed documents all have one label, or there are none, so that nothing can be trained."""
        responsive = sum(len(closed.responsive) for _, closed in self.closed)
        return responsive in (0, sum(each.size for each in self.rounds))

    def tell(self, told: Told) -> None:
        """Go on by one entry, or raise and change nothing."""
        content = self.check(told)
        self.sequences[told.hash] = told.sequence
        if content is not None:
            self._take(Kind(told.statement.kind), content, told)
            self._answer_and_ask(told)
        self.size += 1

    def check(self, told: Told) -> Any:
        """The entry's content, typed, if it may come next; None of a conflict, which changes nothing here."""
        turns.check(self, told)
        if told.statement.kind == entries.CONFLICT:
            return None
        try:
            return self._checked(told)
        except Malformed as error:
            raise Malformed(f"entry {told.sequence} ({told.statement.kind}): {error}") from None

    def _checked(self, told: Told) -> Any:
        return checking.check(self, told)

    def _take(self, kind: Kind, content: Any, told: Told) -> None:
        _HANDLERS[kind](self, content, told)

    def seed(self, links: Mapping[Role, Digest]) -> Digest:
        """The seed of the draw under way, given all three links."""
        if self.drawing is None:
            raise RuntimeError("no draw is under way")
        return coins.seed(matter=self.matter, draw=self.draws, links=links, answered=self.drawing.answered)

    def coins(self, links: Mapping[Role, Digest], count: int) -> list[int]:
        """The coins of a batch's positions, given all three links of the draw."""
        return list(_coins(self.seed(links), count))

    def links_of_draw(self) -> dict[Role, Digest]:
        """The links that were given for the draw under way."""
        return {} if self.drawing is None else self.drawing.links

    def evidence(self) -> list[Evidence]:
        """What the closed rounds tell about hidden documents."""
        return [each.evidence(each.examination) for each in self.rounds if each.examination]

    def labelled(self) -> tuple[list[int], list[bool]]:
        """S in the paper: the reviewed documents in the order of review, with their output labels."""
        documents: list[int] = []
        labels: list[bool] = []
        for each, closed in self.closed:
            responsive = set(closed.responsive)
            documents += [place.document for place in each.places]
            labels += [position in responsive for position in range(1, each.size + 1)]
        return documents, labels

    def _answer_and_ask(self, told: Told) -> None:
        said = told.statement
        if said.author is not Role.TRENT:
            question = self.awaits.pop(said.author).question
            self.answered[said.author, question] = entries.hash_statement(entries.encode_statement(said))
        for role, kind in SHAPES[Kind(said.kind)].asks.items():
            self.awaits[role] = Awaited(kind=kind, question=told.hash, round=said.round)

    def _open(self, content: statements.Opening, told: Told) -> None:
        self.matter = told.statement.matter
        self.opening, self.terms, self.keys = content, content.terms, content.keys
        self.vocabulary = told.values("vocabulary")[0]
        self.rule = table.examiner(content.terms)
        self.links[Role.TRENT] = content.anchor

    def _agreed(self, content: statements.Agreed, told: Told) -> None:
        self.links[told.statement.author] = content.anchor

    def _draw(self, content: statements.Draw, told: Told) -> None:
        self.draws, self.drawing = content.draw, Drawing(answered=hash_query(self.opening))

    def _link(self, content: statements.Link, told: Told) -> None:
        self.spend(told.statement.author, content.link)

    def spend(self, role: Role, link: Digest) -> None:
        """A drawer's link for the draw under way, from itself or from the deposit."""
        self.links[role] = link
        if self.drawing is not None:
            self.drawing.links[role] = link

    def _batch(self, content: statements.Batch, told: Told) -> None:
        if content.drawn is not None:
            self.spend(Role.TRENT, content.drawn.link)
        self.drawing = None
        self.rounds.append(
            Round(
                number=told.statement.round,
                places=tuple(records.from_value(Place, value) for value in told.values("documents")),
                batch_entry=told.sequence,
                near_cut=content.near_cut,
                model=_model(told.openings),
            )
        )

    def _report(self, content: statements.Reported, told: Told) -> None:
        review = self.rounds[-1]
        review.report, review.report_entry = told.report(), told.sequence
        review.privilege.claim(told.sequence, told.values("privilege"))
        self.draws, self.drawing = content.draw, Drawing(answered=entries.hash_words(told.statement))
        self.spend(Role.ALICE, content.link)

    def _camera(self, content: statements.Camera, told: Told) -> None:
        review = self.rounds[-1]
        review.steps.append((Step(positions=content.positions, in_camera=True), review.known))
        review.privilege.asked = content.positions

    def _privilege(self, content: statements.Privilege, told: Told) -> None:
        self.rounds[-1].privilege.rule(content.upheld)

    def _claim(self, content: statements.LateClaim, told: Told) -> None:
        self.rounds[-1].privilege.claim_late(told.sequence, content.positions)

    def _disclosure(self, content: statements.Disclosure, told: Told) -> None:
        review = self.rounds[-1]
        review.steps.append((Step(positions=content.positions), review.known))
        review.waves.append(content.positions)

    def _labels(self, content: statements.Labels, told: Told) -> None:
        review = self.rounds[-1]
        review.bob |= dict(zip(review.waves[-1], content.labels, strict=True))

    def _dispute(self, content: statements.Dispute, told: Told) -> None:
        self.rounds[-1].disputed = content.positions

    def _rulings(self, content: statements.Labels, told: Told) -> None:
        review = self.rounds[-1]
        review.rulings |= dict(zip(review.disputed, content.labels, strict=True))

    def _closed(self, content: statements.Closed, told: Told) -> None:
        review = self.rounds[-1]
        flips: list[int] = []
        if content.link is not None:
            self.spend(Role.TRENT, content.link)
            flips = self.coins(self.links_of_draw(), review.size)
        known = review.known
        review.examination = review.examine(self.rule, flips, known)
        review.by_coin = review.examine(self.rule, flips, replace(known, counted=frozenset()))
        review.closed = content
        review.steps.clear()  # they are checked, and each holds what was settled before it
        self.drawing = None

    def _claims(self, content: statements.Claims, told: Told) -> None:
        self.claims = content


@lru_cache(2)  # a round's coins are asked for with each wave, when it closes, and when its close is checked
def _coins(seed: Digest, count: int) -> tuple[int, ...]:
    return tuple(coins.coins(seed, range(1, count + 1)))


def hash_query(opening: statements.Opening) -> Digest:
    """What the seed of a batch drawn by coin binds."""
    return tagged_hash("query", opening.corpus.root, opening.terms.query.encode())


def _model(openings: Sequence[Opening]) -> Attachment | None:
    """Where a batch's model is kept, if a model chose the batch."""
    return next((entries.attachment_in(each) for each in openings if each.field == "model"), None)


def _nothing(state: MatterState, content: Any, told: Told) -> None:
    """The entry is on record; nothing follows from it."""


_HANDLERS: dict[Kind, Callable[[MatterState, Any, Told], None]] = {
    kind: getattr(MatterState, f"_{kind}", _nothing) for kind in Kind
} | orders.HANDLERS
