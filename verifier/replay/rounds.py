"""One round of any sort, from its first entry to its close: what follows from its entries."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import compress, count
from typing import Any, NamedTuple

from verifier.checks import Audience
from verifier.record.entries import Release
from verifier.record.parts import Part
from verifier.replay.basis import names_class
from verifier.replay.books import Exposed
from verifier.replay.contents import Place, Truth
from verifier.replay.forms import Kind
from verifier.replay.validating import Validating
from verifier.replay.withheld import Origin, Withheld
from verifier.rules import table
from verifier.rules.base import Examined, Report, without_report
from verifier.rules.terms import Terms


class Sort(StrEnum):
    """What a round is for."""

    BATCH = "batch"
    ESCALATION = "escalation"  # draws again over all that is withheld
    VALIDATION = "validation"  # draws over the whole collection


class Moment(NamedTuple):
    """A round at one of its steps: what is settled and upheld by then, and what counts as drawn."""

    settled: Mapping[int, bool]
    upheld: frozenset[int]  # as privileged
    counted: frozenset[int]  # claimed late


Examine = Callable[[Sequence[int], Moment], Examined]
"""What is due in a round, given its coins."""


class Step(NamedTuple):
    """One step of a round: a wave for Bob, what went to the court in camera, or a late claim."""

    kind: Kind
    positions: tuple[int, ...]
    upheld: frozenset[int] = frozenset()  # by the court, of what it saw in camera


@dataclass(slots=True, kw_only=True)
class Round:
    """What the entries of a round have said so far."""

    number: int
    size: int
    batch_entry: int
    near_cut: int | None
    places: Mapping[int, Place]  # by position, as far as the copy shows them
    sort: Sort = Sort.BATCH
    asks: Kind = Kind.REPORT  # what Alice answers the first entry with
    own: int | None = None  # positions whose places the first entry seals, if not all; the others were withheld before
    before: Withheld | None = None  # what was withheld before the round; the others are that, in this order
    placed: Mapping[int, int] = field(default_factory=dict)  # which of the own ones stand there, if the copy shows it
    labelled: dict[int, Origin] = field(default_factory=dict)  # what an exhibit, which has no such list, tells of it
    numbers: Sequence[int] | None = None  # of the documents that the first entry seals, if the copy shows them
    items: Sequence[int] | None = None  # what the closing draw's coins are thrown for, if not for the positions
    rule: Examine | None = None  # what is due, unless the rule of the matter says so
    given_up: frozenset[int] = frozenset()  # by Alice, in her second look
    coins: Sequence[int] | None = None  # of the positions, if they were fixed before the round began
    validating: Validating | None = None  # if the round is a validation
    classes: bool = False  # whether a claim may name a class
    redrawn: bool = False  # whether a draw has begun though Alice's look was ordered away
    limit: str = ""  # of what escalations may show, as it was in force when the escalation began
    report: Report | None = None  # if the copy shows it
    report_entry: int = -1
    report_fields: tuple[str, ...] = ()
    waves: list[tuple[int, ...]] = field(default_factory=list)
    bob: dict[int, bool] = field(default_factory=dict)
    disputed: tuple[int, ...] = ()  # in the last dispute
    rulings: dict[int, bool] = field(default_factory=dict)
    shown_in: list[int] = field(default_factory=list)  # each wave's entry
    labelled_in: list[int] = field(default_factory=list)  # the entry of Bob's labels of each wave
    ruled_in: dict[int, int] = field(default_factory=dict)  # each ruling's entry
    reported: bool = True  # False once the court ordered the matter to go on without Alice's report or look
    steps: list[Step] = field(default_factory=list)
    claimed: dict[int, Any] = field(default_factory=dict)  # with the report: the bases, as far as the copy shows them
    unclaimed: set[int] = field(default_factory=set)  # as far as the copy shows it
    claims_shown: bool = True  # whether the copy shows for every position if the report claims it
    late: dict[int, tuple[int, int]] = field(default_factory=dict)  # claimed later: the claim's entry, the place in it
    late_asked: bool = False  # whether Trent has asked for late claims
    late_bases: dict[int, Any] = field(default_factory=dict)  # as far as the copy shows them
    seen_in_camera: dict[int, bool] = field(default_factory=dict)  # by the court: whether it kept it from Bob
    court: dict[int, bool] = field(default_factory=dict)  # what the court labelled in camera, as responsive or not
    upheld_parts: dict[int, tuple[int, ...]] = field(default_factory=dict)  # withheld by the court, of what it labelled
    compared: set[int] = field(default_factory=set)  # proven documents with which claims for parts were compared
    unclear: set[int] = field(default_factory=set)  # the copy does not show if the court ruled on privilege
    camera: tuple[int, ...] = ()  # the last positions that went to the court in camera
    camera_in: dict[int, int] = field(default_factory=dict)  # each such ruling's entry
    unread: set[int] = field(default_factory=set)  # shown to Bob, who did not answer
    labels_because: dict[int, str] = field(default_factory=dict)  # Bob's reasons, as far as the copy shows them
    ruled_because: dict[int, str] = field(default_factory=dict)  # the court's for its rulings, likewise
    camera_because: dict[int, str] = field(default_factory=dict)  # the court's for what it read in camera, likewise
    proven: dict[int, tuple[Part, ...]] = field(default_factory=dict)  # what proofs tell, if somebody asks for it

    @property
    def known(self) -> bool:
        """Whether the copy shows Alice's labels, or she gives none in a report."""
        return not self.unclear and (self.asks is not Kind.REPORT or self.report is not None or not self.reported)

    @property
    def to_label(self) -> int:
        """How many positions a report of this round labels: its first ones."""
        return self.size if self.own is None else self.own

    @property
    def court_looks(self) -> bool:
        """Whether everything that is due goes to the court in camera, claimed or not."""
        return self.validating is not None and self.validating.court_looks

    @property
    def closes_with_coins(self) -> bool:
        """Whether a draw is under way when the round closes, whose coins decide about it."""
        if self.asks is Kind.LOOK:
            return self.reported or self.redrawn
        return self.asks is Kind.REPORT and self.reported

    @property
    def has_claims(self) -> bool:
        """Whether claims may have come with reports; there are none where the court ordered a report away."""
        return self.asks is not Kind.REPORT or self.reported

    @property
    def claims_privilege(self) -> bool:
        """Whether Alice claims any document."""
        return "privilege" in self.report_fields or bool(self.late)

    @property
    def shown(self) -> set[int]:
        """The positions that Bob was shown."""
        return {position for wave in self.waves for position in wave}

    @property
    def privileged(self) -> tuple[int, ...]:
        """The positions whose privilege the court upheld."""
        return tuple(position for position in self.kept if position not in self.court)

    @property
    def kept(self) -> tuple[int, ...]:
        """The positions that the court kept from Bob, as privileged or as not responsive."""
        return tuple(sorted(position for position, kept in self.seen_in_camera.items() if kept))

    def is_labelled_in_camera(self, position: int) -> bool | None:
        """Whether the court says of a position if it is responsive, and not if it is privileged.

        So it is with a class, and where the court looks at everything. None: the copy does not show it.
        """
        claim = self.claim(position)
        if claim is not None:
            return names_class(claim)
        if self.known_unclaimed(position):
            return self.court_looks
        if position in self.late:
            return None if self.classes and self.sort is Sort.VALIDATION else False
        return None if self.classes or self.court_looks else False

    def claim(self, position: int) -> Any:
        """What Alice claims for a position, if she claims anything and the copy shows it."""
        return (self.late_bases if position in self.late else self.claimed).get(position)

    def known_unclaimed(self, position: int) -> bool:
        """Whether the copy shows that a position is not claimed."""
        claimed = position in self.late or position in self.claimed
        return not claimed and (position in self.unclaimed or not self.has_claims)

    def clear_up(self, responsive: Collection[int]) -> None:
        """What the copy does not show of the court's labels is taken from the output labels, once there are some."""
        self.court |= {each: each in responsive for each in self.unclear & self.shown}

    def goes_to_court(self, position: int) -> bool:
        """Whether a claimed position goes to the court: one of a class does not, if Alice labels it as responsive."""
        claim = self.late_bases.get(position, self.claimed.get(position))
        return not names_class(claim) or not self.label(position)

    @property
    def settled(self) -> dict[int, bool]:
        """The labels that count: agreed or ruled, or Alice's (if the copy shows them) where Bob did not answer."""
        found = self.bob | self.rulings | self.court
        if self.unread and self.known:
            found |= {position: self.label(position) for position in self.unread}
        return found

    def label(self, position: int) -> bool:
        """Alice's label, which must be known: true for what she gives up, and false for what she gives no label."""
        if self.report is None or position > len(self.report.labels):
            return position in self.given_up
        return bool(self.report.labels[position - 1])

    def beforehand(self, position: int) -> bool:
        """Whether Alice claimed all of a position as privileged, and no class, in the report that first labelled it."""
        return position not in self.late and type(self.claimed.get(position)) is str

    def exposed(self, position: int, coin: int, exposure: int = 0) -> Exposed:
        """A position that a coin decided about, as the round ends."""
        unread = position in self.unread
        return Exposed(
            position=position,
            coin=coin,
            exposure=exposure,
            responsive=bool(self.settled_at(position)) and not unread,
            unread=unread,
            upheld=self.seen_in_camera.get(position, False) and position not in self.court,
            late=position in self.late,
            beforehand=self.beforehand(position),
        )

    @property
    def gone(self) -> set[int]:
        """The positions that are settled, unread or upheld: as the round ends, they are not withheld any more."""
        return {*self.bob, *self.rulings, *self.court, *self.unread, *self.privileged}

    def settled_at(self, position: int) -> bool | None:
        """The label that Bob or the court has given a position, or None."""
        return self.court.get(position, self.rulings.get(position, self.bob.get(position)))

    def disagreements(self) -> tuple[int, ...]:
        """The positions on which Alice and Bob disagree and the court has not ruled, if the copy shows Alice's labels;
        none if the court ordered her report away.
        """
        if not self.known or (self.asks is Kind.REPORT and self.report is None):
            return ()
        return tuple(
            position
            for position, label in self.bob.items()
            if label != self.label(position) and position not in self.rulings and position not in self.court
        )

    @property
    def in_camera(self) -> int:
        """How many positions the court kept from Bob since it saw in camera that they are not responsive."""
        return len(self.kept) - len(self.privileged)

    def alice_errors(self) -> int:
        """Rulings against Alice: the disputed positions on which the court agreed with Bob.

        Of what a validation draws in one stage, she has labelled only what was put up before.
        """
        held = self.validating
        return sum(
            label == self.bob[position]
            for position, label in self.rulings.items()
            if held is None or held.in_two_stages or held.was_put_up(position)
        )

    def examine(self, terms: Terms, coins: Sequence[int], moment: Moment) -> Examined:
        """The round under its rule; in a batch without a report everything is due."""
        if self.rule is not None:
            return self.rule(coins, moment)
        if self.report is None:
            return without_report(self.size)
        return table.of(terms).examine(terms, self.report, coins, moment.settled, moment.counted)

    def responsive(self) -> tuple[int, ...]:
        """The positions whose output label is responsive: as settled, or else as Alice reports."""
        settled, labels = self.settled, self.report.labels if self.report is not None else ()
        reported = set(compress(count(1), labels)) - settled.keys()
        return tuple(sorted(reported | {position for position, label in settled.items() if label}))

    def unproven(self) -> int:
        """How many positions were labelled only by Alice, as not responsive, in a round that Bob left partly unread."""
        judged = {*self.responsive(), *self.bob, *self.rulings, *self.kept}
        return self.size - len(judged) if self.unread else 0

    def released_by(self, wave: Sequence[int]) -> tuple[Release, ...]:
        """What a disclosure must release: the places of its positions, to Bob."""
        return _released("documents", (self._sealed_in(position) for position in wave))

    def sealed_known(self, positions: Sequence[int]) -> bool:
        """Whether the copy shows which entries seal the places of these positions."""
        own = self.size if self.own is None else self.own
        if not positions or positions[-1] <= own:
            return True
        listed = self.before is not None and len(self.before) == self.size - own
        return listed or all(position <= own or position in self.labelled for position in positions)

    def _sealed_in(self, position: int) -> tuple[int, int]:
        """The entry that seals a position's place, and the index there."""
        own = self.size if self.own is None else self.own
        origin = None if position <= own else self._origin(position)
        return (self.batch_entry, position - 1) if origin is None else (origin.entry, origin.position - 1)

    def _place(self, position: int) -> int | None:
        """The place of a position in what was withheld before the round, if it stands there and the copy shows that."""
        return position - self.to_label if position > self.to_label else self.placed.get(position)

    def _origin(self, position: int) -> Origin | None:
        """Where what was withheld before the round was labelled; None of what was not."""
        if position in self.labelled:
            return self.labelled[position]
        place = self._place(position)
        return None if place is None or self.before is None else self.before.origin(place)

    def claims_known(self, positions: Sequence[int]) -> bool:
        """Whether the copy shows which entries seal the claims of these positions."""
        told = self.placed.keys() | self.labelled.keys()
        before = frozenset() if self.validating is None else self.validating.reviewed - told
        early = [position for position in positions if position not in self.late]
        return self.sealed_known(early) and before.isdisjoint(early)

    def _claimed_in(self, position: int) -> tuple[int, int]:
        """The entry that seals the basis of Alice's claim, and the index there."""
        if position in self.late:
            return self.late[position]
        origin = self._origin(position)
        return (self.report_entry, position - 1) if origin is None else (origin.report_entry, origin.position - 1)

    def released_in_camera(self, positions: Sequence[int]) -> tuple[Release, ...]:
        """What a camera must release: the bases of the claims that it is about, to Bob."""
        claimed = (each for each in positions if each in self.late or each in self.claimed or not self.court_looks)
        return _released("privilege", (self._claimed_in(position) for position in claimed))

    def take_camera(self, positions: tuple[int, ...], releases: Sequence[Release]) -> None:
        """These positions go to the court. Where it sees everything, the releases show which of them are claimed."""
        self.camera = positions
        if not self.court_looks:
            return
        bases = [each for each in releases if each.field == "privilege"]
        released = {(each.entry, index) for each in bases for index in each.indices or ()}
        some_early = any(each.entry < self.batch_entry for each in bases)
        for position in positions:
            told = position in self.placed or position in self.labelled
            claimed = self._claimed_in(position) in released if told else some_early
            if not claimed and position not in self.claimed and position not in self.late:
                self.unclaimed.add(position)

    def number_at(self, position: int) -> int | None:
        """The number of the document at a position, if the copy shows it."""
        if position > self.to_label and self.before is not None:
            return self.before.number(position - self.to_label)
        if self.numbers is not None:
            return self.numbers[position - 1]
        return self.places[position].document if position in self.places else None

    def origin(self, position: int) -> tuple[int, int] | None:
        """The round and the position at which Alice labelled what was withheld before this round."""
        origin = self._origin(position) if self.sealed_known((position,)) else None
        return None if origin is None else (origin.round, origin.position)

    def released_at_close(self) -> tuple[Release, ...]:
        """What the close must release: Alice's labels and her threshold, to Bob."""
        return tuple(
            Release(audience=Audience.BOB, entry=self.report_entry, field=name, indices=None)
            for name in sorted(self.report_fields)
            if name != "privilege"
        )


def _released(field: str, sealed: Iterable[tuple[int, int]]) -> tuple[Release, ...]:
    """The release of values to Bob, each by its entry and its index there."""
    indices: dict[int, list[int]] = {}
    for entry, index in sealed:
        indices.setdefault(entry, []).append(index)
    return tuple(
        Release(audience=Audience.BOB, entry=entry, field=field, indices=tuple(sorted(indices[entry])))
        for entry in sorted(indices)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRound:
    """What remains of a round: its numbers."""

    number: int
    sort: Sort
    size: int
    near_cut: int | None
    revealed: int
    found: int
    confirmed: int  # of these, how many Bob or the court has read: its part of F
    disputes: int
    alice_errors: int
    privileged: int  # withheld as such
    in_camera: int  # kept from Bob since the court saw in camera that they are not responsive
    unclear: int = 0  # of the privileged, how many may be such, as the copy does not show it
    unclear_unread: int = 0  # of those unread, how many the court may have labelled in camera
    unread: int
    reported: bool  # False: the court ordered the matter to go on without Alice's report or look
    # as Trent states them in the close
    compelled: bool
    error: int
    sampled: int
    threshold: int
    truth: Truth | None
