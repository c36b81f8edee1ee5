"""One round, from its batch to its close: what follows from its entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from verifier.checks import Audience
from verifier.record.entries import Release
from verifier.replay.contents import Place, Truth
from verifier.replay.forms import Kind
from verifier.rules import table
from verifier.rules.base import Examined, Report, without_report
from verifier.rules.terms import Terms


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
    places: dict[int, Place]  # by position, as far as the copy shows them
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
    reported: bool = True  # False once the court ordered the matter to go on without a report
    steps: list[Step] = field(default_factory=list)
    claimed: dict[int, str] = field(default_factory=dict)  # with the report: the bases, as far as the copy shows them
    unclaimed: set[int] = field(default_factory=set)  # as far as the copy shows it
    claims_shown: bool = True  # whether the copy shows for every position if the report claims it
    late: dict[int, tuple[int, int]] = field(default_factory=dict)  # claimed later: the claim's entry, the place in it
    late_bases: dict[int, str] = field(default_factory=dict)  # as far as the copy shows them
    privileged: dict[int, bool] = field(default_factory=dict)  # what the court saw in camera: whether it upheld
    camera: tuple[int, ...] = ()  # the last positions that went to the court in camera
    camera_in: dict[int, int] = field(default_factory=dict)  # each such ruling's entry
    unread: set[int] = field(default_factory=set)  # shown to Bob, who did not answer

    @property
    def known(self) -> bool:
        """Whether the copy shows Alice's labels, or there are none."""
        return self.report is not None or not self.reported

    @property
    def claims_privilege(self) -> bool:
        """Whether Alice claims any document."""
        return "privilege" in self.report_fields or bool(self.late)

    @property
    def shown(self) -> set[int]:
        """The positions that Bob was shown."""
        return {position for wave in self.waves for position in wave}

    @property
    def withheld(self) -> tuple[int, ...]:
        """The positions whose privilege the court upheld."""
        return tuple(sorted(position for position, upheld in self.privileged.items() if upheld))

    @property
    def settled(self) -> dict[int, bool]:
        """The disclosed positions with their labels: agreed, ruled, or Alice's (if shown) where Bob did not answer."""
        found = self.bob | self.rulings
        if self.unread and self.known:
            labels = self.labels
            found |= {position: labels[position - 1] for position in self.unread}
        return found

    @property
    def labels(self) -> tuple[bool, ...]:
        """Alice's labels, which must be known; false if she gives none."""
        return tuple(map(bool, self.report.labels)) if self.report else (False,) * self.size

    def disagreements(self) -> tuple[int, ...]:
        """The positions on which Alice and Bob disagree and the court has not ruled; none without a report."""
        if self.report is None:
            return ()
        labels = self.report.labels
        return tuple(
            position
            for position, label in self.bob.items()
            if label != bool(labels[position - 1]) and position not in self.rulings
        )

    def alice_errors(self) -> int:
        """Rulings against Alice: the disputed positions on which the court agreed with Bob."""
        return sum(label == self.bob[position] for position, label in self.rulings.items())

    def examine(
        self, terms: Terms, coins: Sequence[int], settled: Mapping[int, bool], counted: frozenset[int]
    ) -> Examined:
        """The round under its rule, with these labels settled; without a report everything is due."""
        if self.report is None:
            return without_report(self.size)
        return table.of(terms).examine(terms, self.report, coins, settled, counted)

    def responsive(self) -> tuple[int, ...]:
        """The positions whose output label is responsive: as settled, or else as Alice reports."""
        settled = self.settled
        return tuple(position for position, label in enumerate(self.labels, start=1) if settled.get(position, label))

    def unproven(self) -> int:
        """How many positions were labelled only by Alice, as not responsive, in a round that Bob left partly unread."""
        judged = {*self.responsive(), *self.bob, *self.rulings, *self.withheld}
        return self.size - len(judged) if self.unread else 0

    def released_by(self, wave: Sequence[int]) -> tuple[Release, ...]:
        """What a disclosure must release: the places of its positions, to Bob."""
        indices = tuple(position - 1 for position in wave)
        return (Release(audience=Audience.BOB, entry=self.batch_entry, field="documents", indices=indices),)

    def released_in_camera(self, positions: Sequence[int]) -> tuple[Release, ...]:
        """What a camera must release: the bases of the claims that it is about, to Bob."""
        indices: dict[int, list[int]] = {}
        for position in positions:
            entry, index = self.late.get(position, (self.report_entry, position - 1))
            indices.setdefault(entry, []).append(index)
        return tuple(
            Release(audience=Audience.BOB, entry=entry, field="privilege", indices=tuple(indices[entry]))
            for entry in sorted(indices)
        )

    def released_at_close(self) -> tuple[Release, ...]:
        """What the close must release: Alice's labels and her threshold, to Bob."""
        return tuple(
            Release(audience=Audience.BOB, entry=self.report_entry, field=name, indices=None)
            for name in sorted(self.report_fields)
            if name != "privilege"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRound:
    """What remains of a round: its numbers."""

    number: int
    size: int
    near_cut: int | None
    revealed: int
    found: int
    disputes: int
    alice_errors: int
    withheld: int
    unread: int
    reported: bool  # False: the court ordered the matter to go on without a report
    # as Trent states them in the close
    compelled: bool
    error: int
    sampled: int
    threshold: int
    truth: Truth | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDetail:
    """A round position by position, kept only if the reader asks for reasons."""

    number: int
    size: int
    batch_entry: int
    report_entry: int
    closed_entry: int | None  # None while the round is open
    waves: tuple[tuple[int, ...], ...]
    shown_in: tuple[int, ...]
    labelled_in: tuple[int, ...]
    names: dict[int, str]  # of what Bob was shown, as far as the copy shows them
    report: Report | None
    bob: dict[int, bool]
    rulings: dict[int, bool]
    ruled_in: dict[int, int]
    reported: bool  # False: the court ordered the matter to go on without a report
    withheld: tuple[int, ...]  # as privileged
    unread: frozenset[int]  # shown to Bob, who did not answer
    claims: dict[int, str]  # of privilege: the bases, as far as the copy shows them
    late: frozenset[int]  # claimed after the report
    camera_in: dict[int, int]  # what the court saw in camera: its ruling's entry
    examined: Examined | None = None  # if the copy shows the report, once the coins are known
    coins: Sequence[int] = ()  # likewise
    certain: Mapping[int, str] = field(default_factory=dict)  # if so: what is due whatever the coins, and why


def detail(
    current: Round,
    terms: Terms,
    closed_entry: int | None = None,
    judged: tuple[Examined, Sequence[int]] | None = None,
) -> RoundDetail:
    """A round as it stands."""
    shown = [position for wave in current.waves for position in wave]
    report = current.report
    return RoundDetail(
        number=current.number,
        size=current.size,
        batch_entry=current.batch_entry,
        report_entry=current.report_entry,
        closed_entry=closed_entry,
        waves=tuple(current.waves),
        shown_in=tuple(current.shown_in),
        labelled_in=tuple(current.labelled_in),
        names={position: current.places[position].name for position in shown if position in current.places},
        report=report,
        bob=dict(current.bob),
        rulings=dict(current.rulings),
        ruled_in=dict(current.ruled_in),
        reported=current.reported,
        withheld=current.withheld,
        unread=frozenset(current.unread),
        claims=current.claimed | current.late_bases,
        late=frozenset(current.late),
        camera_in=dict(current.camera_in),
        examined=judged[0] if judged else None,
        coins=judged[1] if judged else (),
        certain=table.of(terms).certain(terms, report, judged[0]) if report and judged else {},
    )
