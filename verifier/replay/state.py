"""Where a replayed matter stands after some entries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from verifier.checks import Role
from verifier.record.copy import Told
from verifier.replay.answered import AnswersOnRecord
from verifier.replay.contents import Batch, Claims, Closed, Default, Opened, Place, Rekey
from verifier.replay.numbers import Numbers
from verifier.replay.ordered import OrdersOnRecord
from verifier.replay.rounds import ClosedRound, Round, RoundDetail
from verifier.replay.turns import Turns
from verifier.rules import coins
from verifier.rules.base import Evidence
from verifier.tally import Tally


class Disclosed(NamedTuple):
    """A document that Bob was shown."""

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


class CorpusReplay(Protocol):
    """The sealed corpus, which is told each batch and each close. It adds findings, and stops nothing."""

    def open(self, told: Told, content: Opened, vocabulary: str | None) -> None:
        """The matter has this commitment, and its term table this hash, if the copy shows it."""

    def batch(self, told: Told, content: Batch, places: dict[int, Place], seed: bytes | None) -> None:
        """A batch, by a model or by coins under this seed."""

    def close(self, told: Told, content: Closed, shown: set[int]) -> None:
        """A round has closed, in which Bob was shown these positions."""


@dataclass(slots=True, kw_only=True)
class State:
    """A matter after some entries."""

    tally: Tally
    turns: Turns = field(default_factory=Turns)
    corpus: CorpusReplay | None = None
    disclosed: Callable[[Disclosed], None] | None = None
    first: Opened | None = None  # what the first entry says
    matter: bytes = b""
    links: dict[Role, LastLink] = field(default_factory=dict)  # each drawer's last one, at first the anchor
    draws: int = 0  # skipped ones included
    skipped: int = 0  # draws that nobody gave a link for, since Alice's key changed while she owed a report
    drawing: Drawing | None = None
    current: Round | None = None
    rounds: list[ClosedRound] = field(default_factory=list)
    details: list[RoundDetail] | None = None  # a list if the reader asks for them
    evidence: list[Evidence] | None = field(default_factory=list)  # None if the copy does not show labels
    claims_shown: bool = True  # whether the copy shows all claims that were made in reports of closed rounds
    documents: Numbers = field(default_factory=Numbers)  # that were in a batch, as far as the copy shows them
    reviewed: int = 0
    responsive: int = 0
    keys: dict[Role, bytes] = field(default_factory=dict)  # those in force
    keys_given_up: set[bytes] = field(default_factory=set)  # those that the court has replaced
    rounds_agreed: int = 0  # T, as it was amended
    silence: Default | None = None  # what the court was last asked about
    new_key: Rekey | None = None  # likewise
    rekeyed_in: dict[Role, int] = field(default_factory=dict)  # the entry of the last new key
    asked_again: int = 0  # questions that a new key had made void
    amendment: int = 0  # the last T that was proposed to all
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
        return self.responsive in (0, self.reviewed)

    @property
    def complete(self) -> bool:
        """Whether no further round is to be held."""
        return len(self.rounds) >= self.rounds_agreed or self.reviewed >= self.opened.corpus.documents

    @property
    def next_round(self) -> int:
        """The number of the round that comes next."""
        return len(self.rounds) + 1

    @property
    def rounds_begun(self) -> int:
        """How many rounds there are, the open one included; a draw begins one."""
        return len(self.rounds) + (self.current is not None or self.drawing is not None)
