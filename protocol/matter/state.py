"""Where a matter stands: plain data, and what follows from it.

The state knows no kind of entry. `protocol.matter.fold` checks each entry and then has its kind change the state, so
after a crash the stored entries are told to a new state. Trent and the parties keep the same state; what is sealed
from a reader is None in it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ledger import coins, entries
from ledger.entries import Statement
from ledger.hashing import Digest, tagged_hash
from ledger.keys import PublicKey
from ledger.merkle import Frontier
from ledger.roles import Role
from protocol.matter.books import Books, Seat
from protocol.matter.clawbacks import Clawbacks
from protocol.matter.privilege_log import PrivilegeLog
from protocol.matter.rounds import Round, Sort
from protocol.matter.values import Opened, Outcome, Place
from protocol.rules.base import Evidence, Examiner
from protocol.rules.terms import Terms

Silenced = Callable[["Matter", Role, Digest | None], None]
"""What a granted order does in place of a party's answer, given the link from the court, if any."""


A_STAMP, A_PROOF = "a time stamp", "a proof of the operator's log"
"""What terms may ask for, in words."""


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
    sort: Sort | None  # of the round that it is for. None: a batch or a validation, which this reader cannot tell
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
    """Terms that were proposed to the parties, with their answers so far."""

    rounds: int
    limit: str | None  # None: the rule has no limit
    accepted: dict[Role, bool] = field(default_factory=dict)


class Withheld(NamedTuple):
    """A document that Alice labelled not responsive and that nobody else has judged, for those who can see it."""

    seat: Seat  # where she labelled it
    place: Place
    source: tuple[int, int]  # where that is sealed: the entry, the index
    claim: tuple[int, int] | None  # where the basis of her claim is sealed, if she claimed it in her report
    beforehand: bool  # whether that is a claim of privilege for all of it, and no class
    parts: tuple[int, ...]  # those that the claim is for, if it is for parts
    sensitive: str | None  # the class that she put it into, if it is one


def still_claimed(before: Mapping[int, Withheld]) -> PrivilegeLog:
    """What a round that comes back to withheld documents begins with, by position: what Alice claimed in the reports
    that first labelled them is still claimed.
    """
    return PrivilegeLog(
        claimed={position: each.claim for position, each in before.items() if each.claim is not None},
        classes={position: each.sensitive for position, each in before.items() if each.sensitive is not None},
        parts={position: each.parts for position, each in before.items() if each.parts},
    )


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
    tree: Frontier = field(default_factory=Frontier)  # over the hashes of all entries
    stamps: dict[Digest, int] = field(default_factory=dict)  # the entry of each time stamp, by its token's SHA-256
    stamped: bool = False  # whether a time stamp's hash is on record since the last round, or since the opening
    logged: bool = False  # whether a proof of the operator's log is, likewise
    proof: str = ""  # the last one of the log
    awaits: dict[Role, Awaited] = field(default_factory=dict)
    void: dict[Role, Awaited] = field(default_factory=dict)  # what a new key must be asked again
    answered: dict[tuple[Role, Digest], Answered] = field(default_factory=dict)  # each answered question
    overtaken: set[tuple[Role, Digest]] = field(default_factory=set)  # each that an order has gone on without
    voided: set[tuple[Role, Digest]] = field(default_factory=set)  # each that a new key has made void
    silence: Silence | None = None
    defaults: int = 0  # the orders granted for silence
    rekeying: Rekeying | None = None
    amendment: Amendment | None = None
    candidates: tuple[str, ...] = ()  # names and terms that Alice wants to be asked about, for those who can see them
    links: dict[Role, LastLink] = field(default_factory=dict)
    draws: int = 0  # the number of the last draw that began or was left out
    skipped: int = 0  # how many draws were skipped, because Alice's key changed while she owed a report or a look
    drawing: Drawing | None = None
    rounds: list[Round] = field(default_factory=list)
    books: Books = field(default_factory=Books)  # for those who have the openings
    put_up_documents: set[int] = field(default_factory=set)  # the numbers of what was put up, for those who see them
    _training: dict[int, bool] = field(default_factory=dict)  # labels by number, in the order of review, likewise
    limit_used_up: bool = False  # whether escalations have shown what the limit lets them show
    clawbacks: Clawbacks = field(default_factory=Clawbacks)
    classed: int = 0  # how often Alice has put a document into a class, for those who can see it
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
    def batches(self) -> list[Round]:
        """The closed batch rounds."""
        return [each for each, _ in self.closed if each.sort is Sort.BATCH]

    @property
    def between(self) -> bool:
        """Whether no round is open, no draw is under way, and nobody must answer."""
        return self.current is None and self.drawing is None and not (self.awaits or self.void)

    @property
    def unwitnessed(self) -> list[str]:
        """What must still go on record before the next round or the claims, by the terms."""
        asked = self.terms.witnesses
        if asked is None:
            return []
        stamp = [A_STAMP] if asked.authorities and not self.stamped else []
        return stamp + ([A_PROOF] if asked.log is not None and not self.logged else [])

    @property
    def begun(self) -> int:
        """How many batch rounds have begun; a draw for one begins it."""
        drawn = self.current is None and self.drawing is not None and self.drawing.sort is Sort.BATCH
        return sum(each.sort is Sort.BATCH for each in self.rounds) + drawn

    @property
    def put_up(self) -> int:
        """How many documents were put up: in a batch, or drawn or called in a validation."""
        return sum(len(each.fresh) for each in self.rounds)

    @property
    def exhausted(self) -> bool:
        """Whether every document was put up."""
        return self.put_up >= self.opening.corpus.documents

    @property
    def validated(self) -> bool:
        """Whether a validation has reached its target."""
        return any(each.certificate is not None and each.certificate.reached for each in self.rounds)

    @property
    def over(self) -> bool:
        """Whether the review is over, so that no further batch begins."""
        return len(self.batches) >= self.terms.rounds or self.exhausted or self.validated

    @property
    def found(self) -> int:
        """How many documents Bob was shown in closed rounds that are settled as responsive."""
        return sum(each.found for each, _ in self.closed)

    @property
    def confirmed(self) -> int:
        """F: those of them that Bob or the court has read. What Alice alone calls responsive proves no recall."""
        return sum(each.confirmed for each, _ in self.closed)

    @property
    def free_draws(self) -> int:
        """How many draws are left besides those that the rounds agreed on, and the open one, may still need."""
        return self.free_draws_with(self.terms.rounds)

    def free_draws_with(self, rounds: int) -> int:
        """The same with another number of rounds."""
        return self.terms.draws - self.draws - 2 * (rounds - self.begun) - self._owed_draws()

    def _owed_draws(self) -> int:
        """How many draws the open round, or the one that a draw begins, may still need."""
        current = self.current
        if current is None and self.drawing is not None:
            if self.drawing.sort is None:
                return -1  # the least: the draw can be for a batch, which is then not to come any more
            return self.stages - 1 if self.drawing.sort is Sort.VALIDATION else 1
        if current is None:
            return 0
        if current.sort is Sort.ESCALATION:
            return 2 if current.owes_words else int(current.silent and self.drawing is None)
        return int(current.owes_words)

    @property
    def stages(self) -> int:
        """How many draws a validation needs; 0 if the terms ask for none."""
        validation = self.terms.validation
        if validation is None:
            return 0
        return 1 if validation.review is None else 2

    @property
    def one_class(self) -> bool:
        """Whether all documents that were trained on have the same label, or there are none: no model can be trained.

        What a round of another sort settles was not responsive before, or was not trained on.
        """
        responsive = sum(len(outcome.responsive) for _, outcome in self.closed)
        return responsive in (0, sum(each.trained for each, _ in self.closed))

    def seed(self, links: Mapping[Role, Digest]) -> Digest:
        """The seed of the draw under way, given all three links."""
        if self.drawing is None:
            raise RuntimeError("no draw is under way")
        return coins.seed(matter=self.number, draw=self.draws, links=links, answered=self.drawing.answered)

    def coins(self, links: Mapping[Role, Digest], items: Sequence[int]) -> list[int]:
        """The coins of these items, given all three links of the draw."""
        return list(_coins(self.seed(links), items if isinstance(items, range) else tuple(items)))

    def links_of_draw(self) -> dict[Role, Digest]:
        """The links that were given for the draw under way."""
        return {} if self.drawing is None else self.drawing.links

    def skips_draw(self, role: Role) -> bool:
        """Whether a new key for this role makes the next draw one that is skipped.

        A report under the former key may be in Trent's hands. With the same links it would give other coins, and he
        could choose.
        """
        owed = self.awaits.get(role) or self.void.get(role)
        return role is Role.ALICE and owed is not None and owed.kind in ("report", "look")

    def leave_out_draw(self) -> None:
        """Go past the next draw, which a report that is not on record may have used: nobody ever gives its links."""
        self.draws += 1

    def skip_draw(self) -> None:
        """Leave out a draw because of a new key. The same round still needs one."""
        self.leave_out_draw()
        self.skipped += 1

    def begin_draw(self, draw: int, answered: Digest, sort: Sort | None) -> None:
        """Go on to the next draw; its seed binds what it answers."""
        self.draws, self.drawing = draw, Drawing(answered=answered, sort=sort)

    def spend(self, role: Role, link: Digest) -> None:
        """A drawer's link for the draw under way, from itself or from the deposit."""
        self.links[role] = LastLink(number=self.draws, link=link)
        if self.drawing is not None:
            self.drawing.links[role] = link

    def evidence(self) -> list[Evidence]:
        """What the closed batch rounds tell about hidden documents."""
        return [each.evidence(each.examination) for each in self.batches if each.examination]

    def withheld(self) -> list[Withheld]:
        """W: all that is withheld, in the order of review, for those who can see it."""
        found: list[Withheld] = []
        for number, seats in groupby(self.books.exposures, key=itemgetter(0)):
            found += _withheld(self.rounds[number - 1], seats)
        return found

    def labelled(self) -> tuple[list[int], list[bool]]:
        """S in the paper: the documents to train on, in the order in which they were put up, with their labels.

        What an escalation or a validation settles replaces the former label. Of what a validation newly draws, only
        what is settled is trained on.
        """
        return list(self._training), list(self._training.values())

    def may_be_asked_back(self, seats: Collection[Seat]) -> bool:
        """Whether Bob was shown all of these, and none was asked back before."""
        rounds = {seat.round for seat in seats if seat.round <= len(self.rounds)}
        shown = {number: self.rounds[number - 1].disclosed for number in rounds}
        return all(seat.position in shown.get(seat.round, ()) and seat not in self.clawbacks.bases for seat in seats)

    def shown_to_bob(self) -> list[Seat]:
        """What Bob was shown and Alice has not asked back before, by round and position."""
        return [
            Seat(each.number, position)
            for each in self.rounds
            for position in sorted(each.disclosed)
            if (each.number, position) not in self.clawbacks.bases
        ]

    def begin_round(self, review: Round) -> None:
        """A round begins."""
        self.rounds.append(review)
        if review.documents is not None:
            self.put_up_documents |= {review.documents[position - 1].document for position in review.fresh}

    def end_round(self, review: Round, outcome: Outcome) -> None:
        """The open round is over, and what it has settled is trained on."""
        review.outcome = outcome
        self.drawing = None
        if review.documents is not None:
            responsive, settled = set(outcome.responsive), review.settled.keys()
            for position, place in enumerate(review.documents, start=1):
                if position in settled or (position in review.fresh and review.labelled):
                    self._training[place.document] = position in responsive


def _withheld(origin: Round, seats: Iterable[Seat]) -> list[Withheld]:
    """What is withheld of what Alice labelled in one round."""
    if origin.sources is None:
        raise RuntimeError("what is withheld is sealed from this reader")
    places, sources, log = origin.places, origin.sources, origin.privilege
    late, claimed, beforehand = log.late, log.claimed, log.beforehand
    return [
        Withheld(
            seat=seat,
            place=places[seat.position - 1],
            source=sources[seat.position - 1],
            claim=None if seat.position in late else claimed.get(seat.position),
            beforehand=seat.position in beforehand,
            parts=() if seat.position in late else log.parts.get(seat.position, ()),
            sensitive=log.classes.get(seat.position),
        )
        for seat in seats
    ]


@lru_cache(2)  # cached: a round's coins are needed for each wave, for the close, and for the check of the close
def _coins(seed: Digest, items: range | tuple[int, ...]) -> tuple[int, ...]:
    return tuple(coins.coins(seed, items))


def hash_query(opening: Opened) -> Digest:
    """What the seed of a batch drawn by coin binds."""
    return tagged_hash("query", opening.corpus.root, opening.terms.query.encode())
