"""Where a replayed matter stands, and the rules that several kinds of entry share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from verifier.checks import Check, Role
from verifier.record.copy import Told
from verifier.replay.contents import Batch, Claims, Closed, Default, Opened, Place, Rekey
from verifier.replay.orderdetail import OrderDetail
from verifier.replay.rounds import ClosedRound, Round, RoundDetail
from verifier.replay.turns import Turns, broken
from verifier.rules import coins
from verifier.rules.base import Evidence
from verifier.tally import Tally


class Disclosed(NamedTuple):
    """A document that Bob was shown."""

    name: str
    content: bytes  # SHA-256


@dataclass(slots=True)
class Drawing:
    """A draw that has begun: what its seed binds, and the links so far."""

    answered: bytes
    links: dict[Role, bytes] = field(default_factory=dict)


class CorpusReplay(Protocol):
    """What a sealed corpus adds: it is told each batch and each close. It finds, and stops nothing."""

    def open(self, content: Opened, vocabulary: str | None) -> None:
        """The matter has this commitment; the term table's hash, if the copy shows it."""

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
    opening: Opened | None = None
    matter: bytes = b""
    links: dict[Role, bytes] = field(default_factory=dict)  # each drawer's last link, at first the anchor
    draws: int = 0
    drawing: Drawing | None = None
    current: Round | None = None
    rounds: list[ClosedRound] = field(default_factory=list)
    details: list[RoundDetail] | None = None  # a list where somebody asks for them
    evidence: list[Evidence] | None = field(default_factory=list)  # None where the copy does not show labels
    claims_shown: bool = True  # whether the copy shows all claims that were made in reports of closed rounds
    documents: set[int] = field(default_factory=set)  # that stood in a batch, as far as the copy shows them
    reviewed: int = 0
    responsive: int = 0
    keys: dict[Role, bytes] = field(default_factory=dict)  # those in force
    keys_given_up: set[bytes] = field(default_factory=set)  # those that the court has replaced
    rounds_agreed: int = 0  # T, as it was amended
    silence: Default | None = None  # what the court was last asked about
    new_key: Rekey | None = None  # likewise
    amendment: int = 0  # the last T that was put to all
    accepted: dict[Role, bool] = field(default_factory=dict)  # who said what to it
    defaults: int = 0  # orders granted for silence
    orders: list[OrderDetail] = field(default_factory=list)
    claims: Claims | None = None

    @property
    def opened(self) -> Opened:
        """What the first entry says."""
        if self.opening is None:
            raise RuntimeError("the first entry opens the matter")
        return self.opening

    @property
    def seed(self) -> bytes:
        """The seed of the draw whose links are all known."""
        if self.drawing is None:
            raise RuntimeError("a seed belongs to a draw")
        return coins.seed(self.matter, self.draws, self.drawing.links, self.drawing.answered)

    @property
    def one_class(self) -> bool:
        """Whether all labels so far are equal, or there are none, so that nothing can be learnt."""
        return self.responsive in (0, self.reviewed)

    @property
    def complete(self) -> bool:
        """Whether no further round is to be held."""
        return len(self.rounds) >= self.rounds_agreed or self.reviewed >= self.opened.corpus.documents

    @property
    def rounds_begun(self) -> int:
        """How many rounds there are, the open one included; a draw begins one."""
        return len(self.rounds) + (self.current is not None or self.drawing is not None)

    def take_link(self, told: Told, role: Role, draw: int | None, link: bytes | None) -> None:
        """The next link of a drawer's chain, for the draw under way, given by the entry's author (V08)."""
        author, due = told.entry.said.author, self.draws
        if link is None or not draw == due <= self.opened.terms.draws:
            found = "no link" if link is None else f"draw {draw}"
            raise broken(told, Check.COINS, author, "Each draw spends one link, in order", f"draw {due}", found)
        before = coins.link_before(self.matter, role, due, link)
        if before != self.links[role]:
            raise broken(
                told,
                Check.COINS,
                author,
                f"A link of {role.called}'s hashes to the one before it, up to the anchor that {role.called} named",
                self.links[role].hex(),
                before.hex(),
            )
        self.links[role] = link
        if self.drawing is not None:
            self.drawing.links[role] = link
        self.tally.passed(Check.COINS)

    def check_round(self, told: Told, due: int) -> None:
        """An entry of Trent's belongs to the round that is due."""
        if told.entry.said.round != due:
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "Rounds are counted from 1; what belongs to none is of round 0",
                f"round {due}",
                f"round {told.entry.said.round}",
            )

    def check_next_round(self, told: Told) -> None:
        """A further round may begin here."""
        if self.current is not None or self.complete:
            raise broken(
                told,
                Check.ORDER,
                Role.TRENT,
                "A round begins when the one before it is closed, while rounds and documents are left",
                "no further round here",
                f"round {told.entry.said.round}",
            )
        self.check_round(told, len(self.rounds) + 1)

    def round_with_coins(self, told: Told) -> Round:
        """The round that is open, with its coins fixed, or with none where there is no report."""
        fixed = self.drawing is not None and Role.BOB in self.drawing.links
        if self.current is None or (self.current.reported and not fixed):
            raise broken(
                told, Check.ORDER, Role.TRENT, "It belongs to a round whose coins are fixed", "an open round", "none"
            )
        self.check_round(told, self.current.number)
        return self.current

    def check_ruled(self, told: Told, current: Round) -> None:
        """Nothing is disputed any more, as far as the copy shows it (V15)."""
        if current.disagreements():
            raise broken(
                told,
                Check.ANSWERS,
                Role.TRENT,
                "Where Alice and Bob disagree, the court rules before the round goes on",
                f"a dispute about {some(current.disagreements())}",
                f"Trent's {told.entry.said.kind}",
            )


def some(positions: tuple[int, ...] | list[int]) -> str:
    """Positions for a person to read."""
    shown = ", ".join(map(str, positions[:8]))
    return f"positions {shown}{', ...' if len(positions) > 8 else ''}" if positions else "no position"
