"""One round, from the entry that begins it to its close. A round is a batch, an escalation or a validation.

Trent and the parties keep the same state. Where a value is sealed from a reader, the reader's round holds None.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from ledger.entries import Attachment, Release
from ledger.records import Malformed
from ledger.roles import Audience
from protocol.matter import privilege_log
from protocol.matter.books import Fate, Seat
from protocol.matter.privilege_log import PrivilegeLog
from protocol.matter.validations import Certificate
from protocol.matter.values import Outcome, Place, Truth
from protocol.rules import base
from protocol.rules.base import Evidence, Examination, Examiner, Report


class Sort(StrEnum):
    """What a round is for."""

    BATCH = "batch"  # Alice reviews documents for the first time
    ESCALATION = "escalation"  # all that is withheld is drawn again
    VALIDATION = "validation"  # everything that Bob has not seen is drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a round's next step rests on, besides the report and the coins."""

    settled: Mapping[int, bool]
    unread: frozenset[int]  # settled by Alice's word alone
    shown: frozenset[int]  # to Bob; or, where he never gets it, labelled by the court
    withheld: frozenset[int]  # as privileged
    counted: frozenset[int]  # as drawn
    unruled: frozenset[int]  # what the court must see first: claimed, and it has not ruled


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What goes out next: to the court in camera, or to Bob as a wave. Empty when the round is over."""

    positions: tuple[int, ...]
    in_camera: bool = False

    def __str__(self) -> str:
        return f"{'in camera ' if self.in_camera else ''}{self.positions}"


OVER = Step(positions=())

LONGEST_WAVE = 2**12
"""The most positions of a wave: their proofs stand in one line of a copy. What else is due follows in the next wave."""


class Procedure(Protocol):
    """What decides in a round that is not a batch which positions are due, in place of the rule."""

    def examine(self, review: "Round", coins: Sequence[int], known: Known) -> Examination:
        """What is due so far, and which positions a coin drew."""
        ...


@dataclass(slots=True, kw_only=True)
class Round:
    """What a round's entries have said so far."""

    number: int  # of all sorts together, from 1
    sort: Sort = Sort.BATCH
    size: int  # how many positions it has
    documents: tuple[Place, ...] | None  # None: sealed from this reader
    sources: Sequence[tuple[int, int]] | None  # where each document is sealed: an entry, an index. None: unknown here
    seats: Sequence[Seat | None] | None  # where Alice labelled each, if not in this round. None: unknown here
    items: Sequence[int] | None  # what a coin is thrown for, by position. None: unknown here
    fresh: frozenset[int]  # the positions whose documents were not put up before
    called: int = 0  # in a validation of two stages: the positions that Alice labels come first
    procedure: Procedure | None = None  # None: the rule decides, or this reader cannot tell what is due
    near_cut: int | None = None
    model: Attachment | None = None  # where the batch's model is kept, if a model chose it and this reader has it
    report: Report | None = None  # Alice's labels. None: there are none yet, or they are sealed from this reader
    report_entry: int = -1  # of her report or look
    report_fields: tuple[str, ...] = ()  # of these, what Bob gets at the close
    unreported: bool = False  # by the court's order there is no report: nothing is drawn, and nothing is disputed
    silent: bool = False  # by the court's order there is no look: nothing is given up
    flips: tuple[int, ...] | None = None  # the coins of the positions, if they are known before the close
    privilege: PrivilegeLog = field(default_factory=PrivilegeLog)
    may_classify: bool = False  # whether Alice is asked for the claims of a validation, which may name classes
    court_looks: bool = False  # whether the court labels each position in camera before Bob may see it
    waves: list[tuple[int, ...]] = field(default_factory=list)
    steps: list[tuple[Step, Known]] = field(default_factory=list)  # waves and what went to the court before them
    bob: dict[int, bool] = field(default_factory=dict)
    unread: frozenset[int] = frozenset()  # shown to Bob, who may not have answered, by the court's order
    disputed: tuple[int, ...] = ()  # of the last wave
    rulings: dict[int, bool] = field(default_factory=dict)  # on disputes
    in_camera: dict[int, bool] = field(default_factory=dict)  # the court's own labels; Bob never gets the others
    examination: Examination | None = None  # once the round is closed
    by_coin: Examination | None = None  # what the coins alone make of it: late claims do not count as drawn
    certificate: Certificate | None = None  # of a closed validation that proves something
    outcome: Outcome | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """The documents by position, for those who can see them."""
        if self.documents is None:
            raise RuntimeError("the documents of the round are sealed from this reader")
        return self.documents

    @property
    def settled(self) -> dict[int, bool]:
        """The positions whose label is agreed or ruled, with their labels; where Bob was silent, Alice's."""
        return {place: self.reported(place) for place in self.unread} | self.bob | self.rulings | self.in_camera

    @property
    def disclosed(self) -> set[int]:
        """The positions that Bob was shown."""
        return {position for wave in self.waves for position in wave}

    @property
    def kept(self) -> frozenset[int]:
        """The positions that the court found not responsive in camera: Bob never gets them."""
        return frozenset(position for position, label in self.in_camera.items() if not label)

    def judged(self, position: int) -> bool:
        """Whether the court is asked if a document is responsive, and not if it is privileged."""
        log = self.privilege
        return position in log.classes or (self.court_looks and position not in log.claimed)

    def claimed_among(self, positions: Iterable[int]) -> list[int]:
        """Those of the positions that go to the court because Alice claims them, or may do so for all that this reader
        can tell.
        """
        log = self.privilege
        return [
            position
            for position in positions
            if not self.court_looks or position in log.claimed or position in log.from_before
        ]

    def hear(self, upheld: Sequence[bool], parts: Sequence[tuple[int, ...]]) -> None:
        """The court's answer on what it got in camera: on privilege, or on whether a document is responsive. Where it
        upholds privilege for parts, it answers that, too.
        """
        for position, kept, withheld in zip(self.privilege.asked, upheld, parts, strict=True):
            if withheld:
                self.privilege.upheld_parts[position] = withheld
            if withheld or self.judged(position):
                self.in_camera[position] = not kept
            else:
                self.privilege.upheld[position] = kept

    def unclear(self, *, classes: bool) -> frozenset[int]:
        """The rulings of which a reader without openings cannot tell whether they are about privilege, or about a label
        on which the court then has the last word.
        """
        ruled = self.privilege.upheld.keys()
        if classes:
            return frozenset(ruled)
        return frozenset(ruled & self.privilege.from_before) if self.court_looks else frozenset()

    @property
    def looked_at(self) -> frozenset[int]:
        """The positions that Bob was shown, or that the court keeps from him."""
        return frozenset(self.disclosed | self.privilege.withheld | self.kept)

    @property
    def claimable(self) -> frozenset[int]:
        """What Alice can still claim as privileged: what Bob was not shown, and what she has neither claimed nor given
        up. What she gives up decides the chance of its escalation, so she must not choose again when she may know the
        coins.
        """
        everything = frozenset(range(1, self.size + 1))
        looked = self.sort is Sort.ESCALATION and self.report is not None
        given_up = self.given_up if looked else frozenset()
        return everything - self.disclosed - self.privilege.claimed.keys() - self.in_camera.keys() - given_up

    @property
    def found(self) -> int:
        """How many of the disclosed positions are responsive; the others are the non-responsive disclosure."""
        settled = self.settled
        return sum(settled.get(position, False) for position in self.disclosed)

    @property
    def confirmed(self) -> int:
        """How many of these Bob or the court has read: a certificate counts no others."""
        settled = self.settled
        return sum(settled.get(position, False) for position in self.disclosed - self.unread)

    @property
    def known(self) -> Known:
        """What is known at this point."""
        log = self.privilege
        return Known(
            settled=self.settled,
            unread=self.unread,
            shown=self.kept | self.disclosed,
            withheld=log.withheld,
            counted=log.late,
            unruled=self.for_the_court,
        )

    @property
    def for_the_court(self) -> frozenset[int]:
        """What the court must see before Bob, if it is due. What Alice puts into a class goes to him if she labels it
        as responsive.
        """
        log = self.privilege
        plain = {position for position in log.classes if self.report is not None and self.reported(position)}
        looked_at = frozenset(range(1, self.size + 1)) - log.claimed.keys() if self.court_looks else frozenset()
        return (log.unruled | looked_at) - plain - self.in_camera.keys()

    @property
    def said(self) -> Report:
        """Alice's report, for those who can see it."""
        if self.report is None:
            raise RuntimeError("there is no report, or it is sealed from this reader")
        return self.report

    @property
    def given_up(self) -> frozenset[int]:
        """Of an escalation: the positions that Alice gives up, which she thereby labels as responsive."""
        return frozenset(position for position, label in enumerate(self.said.labels, start=1) if label)

    @property
    def owes_words(self) -> bool:
        """Whether Alice's report or look, which begins a draw, is neither on record nor ordered away."""
        asked = self.sort is not Sort.VALIDATION or self.report is None
        return asked and self.report_entry < 0 and not (self.unreported or self.silent)

    @property
    def labelled(self) -> bool:
        """Whether Alice labels what is put up here for the first time; not what a validation in one stage draws."""
        return self.sort is Sort.BATCH or self.called > 0

    @property
    def to_label(self) -> int:
        """How many positions Alice's report labels: in a validation those that were called."""
        return self.called if self.sort is Sort.VALIDATION else self.size

    def in_full(self, report: Report) -> Report:
        """Her report with a label for every position: what was withheld before still counts as not responsive."""
        return replace(report, labels=report.labels + (False,) * (self.size - self.to_label))

    @property
    def trained(self) -> int:
        """How many documents the closed round added to those that are trained on."""
        return len(self.fresh if self.labelled else self.fresh - self.privilege.withheld)

    def reported(self, position: int) -> bool:
        """Alice's label; below a reported threshold, and without a report, it counts as not responsive."""
        return bool(self.said.labels[position - 1])

    def go_without_report(self) -> None:
        """By the court's order, the round goes on without Alice's report."""
        self.unreported, self.report = True, Report(labels=(False,) * self.size)

    def go_without_look(self) -> None:
        """By the court's order, the escalation goes on as if Alice gave nothing up."""
        self.silent, self.report = True, Report(labels=(False,) * self.size)

    def go_without_labels(self) -> None:
        """By the court's order, the round goes on without Bob's labels of the last wave."""
        self.unread |= frozenset(self.waves[-1]) - self.in_camera.keys()

    def take_step(self, step: Step) -> None:
        """Take note of what went out, and of what was known before it, for those who can check it at the close."""
        if self.documents is not None:
            self.steps.append((step, self.known))

    def open_disputes(self) -> tuple[int, ...]:
        """The positions on which Alice and Bob disagree and the court has not ruled."""
        if self.unreported:
            return ()
        ruled = self.rulings.keys() | self.in_camera.keys()
        return tuple(place for place, label in self.bob.items() if label != self.reported(place) and place not in ruled)

    def alice_errors(self) -> int:
        """In how many disputes the court found against Alice, who has not labelled what a validation newly draws."""
        unlabelled = frozenset() if self.labelled else self.fresh
        return sum(label != self.reported(place) for place, label in self.rulings.items() if place not in unlabelled)

    def examine(self, rule: Examiner, coins: Sequence[int], known: Known) -> Examination:
        """What the rule or the round's own procedure makes of it; without a report, what the court's order makes."""
        if self.procedure is not None:
            return self.procedure.examine(self, coins, known)
        if self.unreported:
            everything = frozenset(range(1, self.size + 1))
            return Examination(threshold=0, error=0, due=everything, chances={}, drawn=frozenset())
        return rule.examine(self.said, coins, known.settled, known.counted)

    def next_step(self, rule: Examiner, coins: Sequence[int], known: Known | None = None) -> Step:
        """What Bob must be shown now, or the part of it that the court must see first."""
        known = known or self.known
        due = self.examine(rule, coins, known).due - known.shown - known.withheld
        wave = sorted(due)[:LONGEST_WAVE]
        claimed = tuple(position for position in wave if position in known.unruled)
        return Step(positions=claimed or tuple(wave), in_camera=bool(claimed))

    def check_steps(self, rule: Examiner, coins: Sequence[int]) -> None:
        """Raise unless Bob and the court were shown what the rule says, step by step, and nothing is missing."""
        for step, known in (*self.steps, (OVER, self.known)):
            due = self.next_step(rule, coins, known)
            if due != step:
                raise Malformed(f"the rule discloses the positions {due}, but {step} were disclosed")

    def output(self) -> list[bool]:
        """The labels that the next model is trained on. An escalation changes only what was settled in it."""
        if self.sort is Sort.ESCALATION:
            settled = self.settled
            return [settled.get(position, False) for position in range(1, self.size + 1)]
        return base.output(self.said, self.settled)

    def ending(self, rule: Examiner, coins: Sequence[int], truth: Truth | None) -> Outcome:
        """How the round ends by the rule."""
        found = self.examine(rule, coins, self.known)
        return Outcome(
            compelled=found.compelled_at is not None,
            error=found.error,
            responsive=tuple(position for position, label in enumerate(self.output(), start=1) if label),
            sampled=len(found.drawn),
            threshold=found.threshold,
            truth=truth,
        )

    def fate(self, position: int) -> Fate:
        """What became of a position, for the books: what Bob left unread is not settled there."""
        if self.privilege.upheld.get(position):
            return Fate.UPHELD
        for judged in (self.in_camera, self.rulings, self.bob):  # the court has the last word
            if position in judged:
                return Fate.RESPONSIVE if judged[position] else Fate.NOT_RESPONSIVE
        return Fate.UNREAD if position in self.unread else Fate.HIDDEN

    def evidence(self, examination: Examination) -> Evidence:
        """What the closed batch tells about hidden documents, for the bound of the paper's rules."""
        return base.evidence(
            examination,
            self.settled,
            by_coin=self.by_coin,
            withheld=self.privilege.withheld,
            unread=self.unread,
            unproven=self._unproven() if self.unread else 0,
        )

    def _unproven(self) -> int:
        """How many positions are not responsive on Alice's word alone."""
        judged = self.bob.keys() | self.rulings.keys() | self.in_camera.keys() | self.privilege.withheld
        return sum(not label and place not in judged for place, label in enumerate(self.output(), start=1))

    def truth(self, responsive: Container[int]) -> Truth:
        """What a simulation knows: `responsive` are the numbers of documents."""
        places = [place for place, each in enumerate(self.places, start=1) if each.document in responsive]
        shown = self.disclosed
        return Truth(responsive=len(places), revealed=sum(place in shown for place in places))

    def shown_to_bob(self, wave: Sequence[int]) -> tuple[Release, ...] | None:
        """What a disclosure releases: the places of its positions. None: unknown here."""
        if self.sources is None:
            return None
        return privilege_log.releases("documents", [self.sources[position - 1] for position in wave])

    def opened_to_bob(self) -> tuple[Release, ...]:
        """What the close releases: Alice's report, if there is one that she sealed."""
        return tuple(
            Release(audience=Audience.BOB, entry=self.report_entry, field=name, indices=None)
            for name in self.report_fields
        )
