"""Where a matter stands: plain data, and what follows from it.

The state knows no kind of entry. `protocol.matter.fold` checks each entry and then has its kind change the state, so
after a crash the stored entries are told to a new state. Trent and the parties keep the same state; what is sealed
from a reader is None in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ledger import coins, entries
from ledger.entries import Statement
from ledger.hashing import Digest, tagged_hash
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.matter.rounds import Round
from protocol.matter.values import Opened, Outcome
from protocol.rules.base import Evidence, Examiner
from protocol.rules.terms import Terms

Silenced = Callable[["Matter", Role, Digest | None], None]
"""What a granted order does in place of a party's answer, given the link from the court, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What a party must say next, and to which entry."""

    kind: str
    question: Digest
    round: int
    silenced: Silenced | None  # None: the court cannot go on without it


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A party's answer on record, against which evidence of a second one is judged."""

    entry: int
    statement: Statement
    key: PublicKey  # that signed it
    check_form: Callable[[Statement], None]  # raises unless a statement has the form of this kind of answer


@dataclass(frozen=True, slots=True, kw_only=True)
class LastLink:
    """The last link of a drawer on record; number 0 is the anchor."""

    number: int
    link: Digest


@dataclass(slots=True, kw_only=True)
class Drawing:
    """A draw that has begun: the links so far. Bob's comes last; Trent's is his own to add."""

    answered: Digest  # what the seed binds
    links: dict[Role, Digest] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A default, until the court's order: what the absent party was asked, and what it was shown."""

    absent: Role
    served: Digest
    awaited: Awaited  # after the claims, the signature of the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Rekeying:
    """A new key, until the court's order on it."""

    role: Role
    key: PublicKey


@dataclass(slots=True, kw_only=True)
class Amendment:
    """A number of rounds that was proposed to the parties, with their answers so far."""

    rounds: int
    accepted: dict[Role, bool] = field(default_factory=dict)


@dataclass(kw_only=True)
class Matter:
    """A matter after the entries that it was told. The first entry gives it an opening, terms and a rule."""

    number: Digest = entries.NO_ENTRY
    opening: Opened = field(init=False)
    terms: Terms = field(init=False)  # as signed, and as amended since
    rule: Examiner = field(init=False)
    keys: dict[Role, PublicKey] = field(default_factory=dict)  # those in force
    former_keys: dict[PublicKey, int] = field(default_factory=dict)  # those that the court has replaced: by which entry
    vocabulary: str | None = None  # the hash of the term table, in hex
    size: int = 0
    sequences: dict[Digest, int] = field(default_factory=dict)  # the place of each entry
    awaits: dict[Role, Awaited] = field(default_factory=dict)
    void: dict[Role, Awaited] = field(default_factory=dict)  # what a new key must be asked again
    answered: dict[tuple[Role, Digest], Answered] = field(default_factory=dict)  # each answered question
    overtaken: set[tuple[Role, Digest]] = field(default_factory=set)  # each that an order has gone on without
    voided: set[tuple[Role, Digest]] = field(default_factory=set)  # each that a new key has made void
    silence: Silence | None = None
    defaults: int = 0  # the orders granted for silence
    rekeying: Rekeying | None = None
    amendment: Amendment | None = None
    links: dict[Role, LastLink] = field(default_factory=dict)
    draws: int = 0  # the number of the last draw that began or was left out
    skipped: int = 0  # how many draws were skipped, because Alice's key changed while she owed a report
    drawing: Drawing | None = None
    rounds: list[Round] = field(default_factory=list)
    claimed_in: Digest | None = None  # the entry with the claims: only orders on missing signatures follow
    excused: dict[Role, int] = field(default_factory=dict)  # without whose signature the matter ends, by which entry

    @property
    def current(self) -> Round | None:
        """The round that is open, if there is one."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].outcome is None else None

    @property
    def closed(self) -> list[tuple[Round, Outcome]]:
        """The closed rounds, with how each ended."""
        return [(each, each.outcome) for each in self.rounds if each.outcome is not None]

    @property
    def concluded(self) -> bool:
        """Whether Trent has made the claims."""
        return self.claimed_in is not None

    @property
    def to_repeat(self) -> Role | None:
        """Whom Trent must ask again now. While the court must answer, that waits."""
        return None if Role.COURT in self.awaits else next(iter(self.void), None)

    @property
    def spare_draws(self) -> int:
        """How many draws are left over if every round spends two."""
        return self.terms.draws - 2 * self.terms.rounds - self.skipped

    @property
    def begun(self) -> int:
        """How many rounds have begun; a draw begins one."""
        return len(self.rounds) + (self.current is None and self.drawing is not None)

    @property
    def exhausted(self) -> bool:
        """Whether every document has been reviewed."""
        return sum(each.size for each in self.rounds) >= self.opening.corpus.documents

    @property
    def held(self) -> bool:
        """Whether all rounds are held, so that only the claims are left to be made."""
        between = self.current is None and self.drawing is None and not (self.awaits or self.void)
        return not self.concluded and between and (len(self.rounds) >= self.terms.rounds or self.exhausted)

    @property
    def one_class(self) -> bool:
        """Whether the reviewed documents all have the same label, or there are none: then no model can be trained."""
        responsive = sum(len(outcome.responsive) for _, outcome in self.closed)
        return responsive in (0, sum(each.size for each in self.rounds))

    def seed(self, links: Mapping[Role, Digest]) -> Digest:
        """The seed of the draw under way, given all three links."""
        if self.drawing is None:
            raise RuntimeError("no draw is under way")
        return coins.seed(matter=self.number, draw=self.draws, links=links, answered=self.drawing.answered)

    def coins(self, links: Mapping[Role, Digest], count: int) -> list[int]:
        """The coins of a batch's positions, given all three links of the draw."""
        return list(_coins(self.seed(links), count))

    def links_of_draw(self) -> dict[Role, Digest]:
        """The links that were given for the draw under way."""
        return {} if self.drawing is None else self.drawing.links

    def skips_draw(self, role: Role) -> bool:
        """Whether a new key for this role makes the next draw one that is skipped.

        A report under the former key may be in Trent's hands. With the same links it would give other coins, and he
        could choose.
        """
        owed = self.awaits.get(role) or self.void.get(role)
        return role is Role.ALICE and owed is not None and owed.kind == "report"

    def leave_out_draw(self) -> None:
        """Go past the next draw, which a report that is not on record may have used: nobody ever gives its links."""
        self.draws += 1

    def skip_draw(self) -> None:
        """Leave out a draw because of a new key. The same round still needs one."""
        self.leave_out_draw()
        self.skipped += 1

    def begin_draw(self, draw: int, answered: Digest) -> None:
        """Go on to the next draw; its seed binds what it answers."""
        self.draws, self.drawing = draw, Drawing(answered=answered)

    def spend(self, role: Role, link: Digest) -> None:
        """A drawer's link for the draw under way, from itself or from the deposit."""
        self.links[role] = LastLink(number=self.draws, link=link)
        if self.drawing is not None:
            self.drawing.links[role] = link

    def evidence(self) -> list[Evidence]:
        """What the closed rounds tell about hidden documents."""
        return [each.evidence(each.examination) for each in self.rounds if each.examination]

    def labelled(self) -> tuple[list[int], list[bool]]:
        """S in the paper: the reviewed documents in the order of review, with their output labels."""
        documents: list[int] = []
        labels: list[bool] = []
        for each, outcome in self.closed:
            responsive = set(outcome.responsive)
            documents += [place.document for place in each.places]
            labels += [position in responsive for position in range(1, each.size + 1)]
        return documents, labels


@lru_cache(2)  # cached: a round's coins are needed for each wave, for the close, and for the check of the close
def _coins(seed: Digest, count: int) -> tuple[int, ...]:
    return tuple(coins.coins(seed, range(1, count + 1)))


def hash_query(opening: Opened) -> Digest:
    """What the seed of a batch drawn by coin binds."""
    return tagged_hash("query", opening.corpus.root, opening.terms.query.encode())
