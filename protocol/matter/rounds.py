"""One round, from its batch to its close, with its privilege log.

Trent and the parties keep the same state. Where a value is sealed from a reader, the reader's round holds None.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ledger.entries import Attachment, Release
from ledger.records import Malformed
from ledger.roles import Audience
from protocol.matter.values import Outcome, Place, Truth
from protocol.rules import base
from protocol.rules.base import Evidence, Examination, Examiner, Report


@dataclass(slots=True, kw_only=True)
class PrivilegeLog:
    """What Alice claims by position, with the report or late, and what the court has ruled on it."""

    claimed: dict[int, tuple[int, int]] = field(default_factory=dict)  # where the basis stands: the entry, the index
    late: frozenset[int] = frozenset()  # claimed after the report: they count as drawn
    sealed_in: int | None = None  # the report whose claims this reader cannot see
    asked: tuple[int, ...] = ()  # what the court was asked about last
    upheld: dict[int, bool] = field(default_factory=dict)  # what it ruled

    @property
    def withheld(self) -> frozenset[int]:
        """The positions that never go to Bob."""
        return frozenset(position for position, upheld in self.upheld.items() if upheld)

    @property
    def unruled(self) -> frozenset[int]:
        """The claims on which the court has not ruled."""
        return frozenset(self.claimed.keys() - self.upheld.keys())

    def claim(self, entry: int, bases: Sequence[Any]) -> None:
        """Take note of a report's claims: for each position a basis, or None."""
        self.claimed |= {index + 1: (entry, index) for index, basis in enumerate(bases) if basis is not None}

    def claim_late(self, entry: int, positions: Sequence[int]) -> None:
        """Take note of claims that were made after the report."""
        self.claimed |= {position: (entry, index) for index, position in enumerate(positions)}
        self.late |= frozenset(positions)

    def may_be_claimed(self, positions: Iterable[int]) -> bool:
        """Whether these are claims, as far as this reader can tell."""
        return self.sealed_in is not None or self.claimed.keys() >= set(positions)

    def ask(self, positions: tuple[int, ...]) -> None:
        """Take note of what goes to the court, which tells everybody that it is claimed."""
        self.claimed |= {position: self._basis(position) for position in positions}
        self.asked = positions

    def rule(self, upheld: Sequence[bool]) -> None:
        """Take note of the court's ruling on what it was asked about."""
        self.upheld |= dict(zip(self.asked, upheld, strict=True))

    def opened_to_bob(self, positions: Iterable[int]) -> tuple[Release, ...]:
        """What goes to Bob when these positions go to the court: the bases of the claims."""
        places = sorted(map(self._basis, positions))
        return tuple(
            Release(audience=Audience.BOB, entry=entry, field="privilege", indices=tuple(index for _, index in group))
            for entry, group in groupby(places, key=lambda place: place[0])
        )

    def _basis(self, position: int) -> tuple[int, int]:
        """Where the basis of a claim stands. A report that seals its claims has a place for each position."""
        if position not in self.claimed and self.sealed_in is not None:
            return self.sealed_in, position - 1
        return self.claimed[position]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a round's next step rests on, besides the report and the coins."""

    settled: Mapping[int, bool]
    withheld: frozenset[int]
    counted: frozenset[int]  # as drawn
    unruled: frozenset[int]  # claimed as privileged, and the court has not ruled


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What goes out next: to the court in camera, or to Bob as a wave. Empty when the round is over."""

    positions: tuple[int, ...]
    in_camera: bool = False

    def __str__(self) -> str:
        return f"{'in camera ' if self.in_camera else ''}{self.positions}"


OVER = Step(positions=())


@dataclass(slots=True, kw_only=True)
class Round:
    """What a round's entries have said so far."""

    number: int
    size: int  # how many documents the batch has
    documents: tuple[Place, ...] | None  # None: sealed from this reader
    batch_entry: int
    near_cut: int | None
    model: Attachment | None  # where the batch's model is kept, if a model chose it and this reader has it
    report: Report | None = None  # None: there is none yet, or it is sealed from this reader
    report_entry: int = -1
    unreported: bool = False  # by the court's order there is no report: everything is due, and nothing is drawn
    privilege: PrivilegeLog = field(default_factory=PrivilegeLog)
    waves: list[tuple[int, ...]] = field(default_factory=list)
    steps: list[tuple[Step, Known]] = field(default_factory=list)  # waves and what went to the court before them
    bob: dict[int, bool] = field(default_factory=dict)
    unread: frozenset[int] = frozenset()  # shown to Bob, who may not have answered, by the court's order
    disputed: tuple[int, ...] = ()  # of the last wave
    rulings: dict[int, bool] = field(default_factory=dict)
    examination: Examination | None = None  # once the round is closed
    by_coin: Examination | None = None  # what the coins alone make of it: late claims do not count as drawn
    outcome: Outcome | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """The documents of the batch, in its order, for those who can see them."""
        if self.documents is None:
            raise RuntimeError("the documents of the batch are sealed from this reader")
        return self.documents

    @property
    def settled(self) -> dict[int, bool]:
        """The disclosed positions with their labels, agreed or ruled; where Bob was silent, Alice's."""
        return {position: self.reported(position) for position in self.unread} | self.bob | self.rulings

    @property
    def disclosed(self) -> set[int]:
        """The positions that Bob was shown."""
        return {position for wave in self.waves for position in wave}

    @property
    def claimable(self) -> frozenset[int]:
        """What Alice can still claim as privileged: what Bob was not shown, and what she has not claimed."""
        return frozenset(range(1, self.size + 1)) - self.disclosed - self.privilege.claimed.keys()

    @property
    def found(self) -> int:
        """How many of the disclosed positions are responsive; the others are the non-responsive disclosure."""
        return sum(self.settled.values())

    @property
    def known(self) -> Known:
        """What is known at this point."""
        log = self.privilege
        return Known(settled=self.settled, withheld=log.withheld, counted=log.late, unruled=log.unruled)

    @property
    def said(self) -> Report:
        """Alice's report, for those who can see it."""
        if self.report is None:
            raise RuntimeError("there is no report, or it is sealed from this reader")
        return self.report

    def reported(self, position: int) -> bool:
        """Alice's label; below a reported threshold, and without a report, it counts as not responsive."""
        return bool(self.said.labels[position - 1])

    def go_without_report(self) -> None:
        """By the court's order, the round goes on without Alice's report."""
        self.unreported, self.report = True, Report(labels=(False,) * self.size)

    def go_without_labels(self) -> None:
        """By the court's order, the round goes on without Bob's labels of the last wave."""
        self.unread |= frozenset(self.waves[-1])

    def take_step(self, step: Step) -> None:
        """Take note of what went out, and of what was known before it, for those who can check it at the close."""
        if self.documents is not None:
            self.steps.append((step, self.known))

    def open_disputes(self) -> tuple[int, ...]:
        """The positions on which Alice and Bob disagree and the court has not ruled."""
        if self.unreported:
            return ()
        return tuple(
            place for place, label in self.bob.items() if label != self.reported(place) and place not in self.rulings
        )

    def alice_errors(self) -> int:
        """In how many disputes the court found against Alice."""
        return sum(label != self.reported(place) for place, label in self.rulings.items())

    def examine(self, rule: Examiner, coins: Sequence[int], known: Known) -> Examination:
        """What the rule makes of the round; without a report, what the court's order makes of it."""
        if self.unreported:
            everything = frozenset(range(1, self.size + 1))
            return Examination(threshold=0, error=0, due=everything, chances={}, drawn=frozenset())
        return rule.examine(self.said, coins, known.settled, known.counted)

    def next_step(self, rule: Examiner, coins: Sequence[int], known: Known | None = None) -> Step:
        """What Bob must be shown now, or the part of it that the court must see first."""
        known = known or self.known
        wave = self.examine(rule, coins, known).due - known.settled.keys() - known.withheld
        claimed = wave & known.unruled
        return Step(positions=tuple(sorted(claimed or wave)), in_camera=bool(claimed))

    def check_steps(self, rule: Examiner, coins: Sequence[int]) -> None:
        """Raise unless Bob and the court were shown what the rule says, step by step, and nothing is missing."""
        for step, known in (*self.steps, (OVER, self.known)):
            due = self.next_step(rule, coins, known)
            if due != step:
                raise Malformed(f"the rule discloses the positions {due}, but {step} were disclosed")

    def output(self) -> list[bool]:
        """The labels that the next model is trained on."""
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

    def evidence(self, examination: Examination) -> Evidence:
        """What the closed round tells about hidden documents."""
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
        judged = self.bob.keys() | self.rulings.keys() | self.privilege.withheld
        return sum(not label and place not in judged for place, label in enumerate(self.output(), start=1))

    def truth(self, responsive: Container[int]) -> Truth:
        """What a simulation knows: `responsive` are the numbers of documents."""
        places = [place for place, each in enumerate(self.places, start=1) if each.document in responsive]
        shown = self.disclosed
        return Truth(responsive=len(places), revealed=sum(place in shown for place in places))

    def shown_to_bob(self, wave: Sequence[int]) -> tuple[Release, ...]:
        """What a disclosure releases: the places of its positions."""
        indices = tuple(position - 1 for position in wave)
        return (Release(audience=Audience.BOB, entry=self.batch_entry, field="documents", indices=indices),)

    def opened_to_bob(self, rule: Examiner) -> tuple[Release, ...]:
        """What the close releases: Alice's report, if there is one."""
        if self.unreported:
            return ()
        fields = ("labels", "threshold") if rule.reports_threshold else ("labels",)
        return tuple(
            Release(audience=Audience.BOB, entry=self.report_entry, field=name, indices=None) for name in fields
        )
