"""Where a replayed matter stands after some entries."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from verifier.checks import Role
from verifier.record.copy import Told
from verifier.record.notes import TreeHead
from verifier.replay.answered import AnswersOnRecord
from verifier.replay.asked_back import AskedBack, ShownAt
from verifier.replay.books import Books
from verifier.replay.contents import (
    Amend,
    Batch,
    Claims,
    Closed,
    Default,
    Opened,
    Place,
    Rekey,
    Validated,
    ValidationClaim,
)
from verifier.replay.detail import RoundDetail
from verifier.replay.numbers import Numbers
from verifier.replay.ordered import OrdersOnRecord
from verifier.replay.passed import Passed
from verifier.replay.rounds import ClosedRound, Round, Sort
from verifier.replay.training import Lesson
from verifier.replay.turns import Turns
from verifier.replay.withheld import Withheld
from verifier.rules import coins, table
from verifier.rules.base import Evidence, SpotChecks
from verifier.rules.validation import Held
from verifier.tally import Tally


class Disclosed(NamedTuple):
    """A part of a document that Bob was shown."""

    name: str
    content: bytes  # SHA-256


class LastLink(NamedTuple):
    """A drawer's last link on record: the number of its draw, or 0 for the anchor, and the link."""

    draw: int
    link: bytes


@dataclass(slots=True)
class Drawing:
    """A draw that has begun: what its seed binds, and the links so far."""

    answered: bytes
    links: dict[Role, bytes] = field(default_factory=dict)
    begins: Sort | None = None  # the sort of round that begins with the draw, if one does and the copy shows which


class CorpusReplay(Protocol):
    """The sealed corpus, which is told each batch and each close. It adds findings, and stops nothing."""

    def open(self, told: Told, content: Opened, vocabulary: str | None) -> None:
        """The matter has this commitment, and its term table this hash, if the copy shows it."""

    def batch(self, told: Told, content: Batch, places: dict[int, Place], seed: bytes | None) -> None:
        """A batch, by a model or by coins under this seed."""

    def validation(self, told: Told, content: Validated, places: dict[int, Place]) -> None:
        """Documents that a validation draws or calls."""

    def close(self, told: Told, content: Closed, lesson: Lesson, shown: set[int]) -> None:
        """A round has closed: what is learnt from it, and the positions that Bob was shown in it."""


class Outsiders(Protocol):
    """What looks at stamps and proofs with what the reader trusts. It finds nothing, and stops nothing."""

    def stamped(self, entry: int, seen: TreeHead, token: bytes | None, authorities: tuple[bytes, ...]) -> None:
        """A time stamp of the record: its token, if the copy has it, and the authorities that count by the terms."""

    def logged(self, entry: int, proof: str) -> None:
        """A proof that the operator's log has the record."""


@dataclass(slots=True, kw_only=True)
class State:
    """A matter after some entries."""

    tally: Tally
    list_judged: bool = False  # whether the copy shows the list of what was received
    turns: Turns = field(default_factory=Turns)
    corpus: CorpusReplay | None = None
    outside: Outsiders | None = None
    stamped: bool = False  # whether a time stamp is on record since the last round
    logged: bool = False  # whether a proof of the log is, likewise
    stamps: int = 0  # on record in all
    proofs: int = 0
    disclosed: Callable[[Disclosed], None] | None = None
    first: Opened | None = None  # what the first entry says
    matter: bytes = b""
    links: dict[Role, LastLink] = field(default_factory=dict)  # each drawer's last one, at first the anchor
    draws: int = 0  # skipped ones included
    shown_parts: int = 0  # of the documents that Bob was shown, as far as the copy proves them
    skipped: int = 0  # draws that nobody gave a link for, since Alice's key changed while she owed a report
    drawing: Drawing | None = None
    current: Round | None = None
    rounds: list[ClosedRound] = field(default_factory=list)
    details: list[RoundDetail] | None = None  # a list if the reader asks for them
    evidence: list[Evidence] | None = field(default_factory=list)  # None if the copy does not show labels
    claims_shown: bool = True  # whether the copy shows all claims that were made in reports of closed rounds
    documents: Numbers = field(default_factory=Numbers)  # that were put up, as far as the copy shows them
    put_up: int = 0  # documents, in closed rounds
    labelled: int = 0  # documents of the training set
    responsive: int = 0  # documents of the training set that are labelled as responsive
    perhaps_labelled: int = 0  # further documents that are in it as not responsive, or not: the copy does not show it
    found: int = 0  # F: shown to Bob in closed rounds, and settled as responsive by him or the court
    brought: "array[int]" = field(default_factory=lambda: array("L"))  # what each closed batch round added to it
    seen: int = 0  # documents of closed rounds that Bob was shown, or only the court, which kept them from him
    withheld: Withheld = field(default_factory=Withheld)  # if something may still look at it
    books: Books = field(default_factory=Books)
    limit: str | None = None  # the share that escalations may show, as it was amended; None if the rule has none
    limit_used_up: bool = False
    reported_false: int = 0  # R: positions that Alice labelled false in reports of closed rounds
    passes: list[Passed] = field(default_factory=list)  # the closed escalations, if the copy shows what came of them
    escalated: int = 0  # E: positions that Bob was shown in escalations though Alice did not give them up
    out_of_question: Numbers = field(default_factory=Numbers)  # shown to Bob, or kept from him by the court, likewise
    numbers_known: bool = True  # whether the copy shows the numbers of all documents that were put up
    numbers_sealed_in: list[int] = field(default_factory=list)  # batches whose numbers Bob has not been given
    shown: dict[int, Numbers] = field(default_factory=dict)  # by round, the positions that Bob was shown
    asked_back: tuple[ShownAt, ...] = ()  # by Alice, in her last `reclaim`
    reclaimed: dict[ShownAt, AskedBack] = field(default_factory=dict)  # all that she asked back
    class_claims: int = 0  # that name a class, as far as the copy shows them
    validations: list[ValidationClaim] = field(default_factory=list)  # those that are closed
    reported_hits: dict[int, int] = field(default_factory=dict)  # by number: what Alice reported of the called
    held: list[Held] = field(default_factory=list)  # likewise, as far as they decide when the next one is due
    keys: dict[Role, bytes] = field(default_factory=dict)  # those in force
    keys_given_up: set[bytes] = field(default_factory=set)  # those that the court has replaced
    rounds_agreed: int = 0  # T, as it was amended
    silence: Default | None = None  # what the court was last asked about
    new_key: Rekey | None = None  # likewise
    rekeyed_in: dict[Role, int] = field(default_factory=dict)  # the entry of the last new key
    asked_again: int = 0  # questions that a new key had made void
    amendment: Amend | None = None  # the last one that was proposed to all
    accepted: dict[Role, bool] = field(default_factory=dict)  # who said what to it
    defaults: int = 0  # orders granted for silence
    orders: OrdersOnRecord = field(default_factory=OrdersOnRecord)
    answers: AnswersOnRecord = field(default_factory=AnswersOnRecord)
    claims: Claims | None = None
    excused: dict[Role, int] = field(default_factory=dict)  # who need not sign the end, and the order's entry

    @property
    def opened(self) -> Opened:
        """What the first entry says."""
        if self.first is None:
            raise RuntimeError("the first entry opens the matter")
        return self.first

    def seed(self, links: Mapping[Role, bytes] | None = None) -> bytes:
        """The seed of the draw under way, given the links that are still missing."""
        if self.drawing is None:
            raise RuntimeError("a seed belongs to a draw")
        return coins.seed(self.matter, self.draws, self.drawing.links | dict(links or {}), self.drawing.answered)

    @property
    def one_class(self) -> bool:
        """Whether all labels so far are equal, or there are none: then nothing can be learnt."""
        return self.responsive in (0, self.labelled)

    @property
    def one_class_unclear(self) -> bool:
        """Whether the copy does not show if all labels so far are equal."""
        return bool(self.perhaps_labelled) and self.responsive == self.labelled > 0

    @property
    def labels_shown(self) -> bool:
        """Whether the copy shows Alice's labels in all closed rounds."""
        return self.evidence is not None

    @property
    def spot_checks(self) -> SpotChecks | None:
        """What the books are kept by, if the rule keeps books."""
        return table.spot_checks(self.opened.terms)

    @property
    def keeps_withheld(self) -> bool:
        """Whether something may still look at what is withheld."""
        return self.opened.terms.validation is not None or self.spot_checks is not None

    @property
    def rounds_known(self) -> bool:
        """Whether all rounds before are here: without them nobody can tell T, or which draws they are owed."""
        return True

    @property
    def next_round(self) -> int:
        """The number of the round that comes next."""
        return len(self.rounds) + 1

    def was_shown(self, place: ShownAt) -> bool:
        """Whether Bob was shown a document at this position."""
        return place.round in self.shown and place.position in self.shown[place.round]

    def was_asked_back(self, place: ShownAt) -> bool:
        """Whether Alice has asked for the document at this position before."""
        return place in self.reclaimed

    @property
    def clawed_back(self) -> int:
        """How many documents the court has let Alice claw back."""
        return sum(each.upheld is True for each in self.reclaimed.values())

    @property
    def batches_closed(self) -> int:
        """How many batch rounds are closed."""
        return len(self.brought)
