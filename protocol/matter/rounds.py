"""One round, from its batch to its close."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from ledger.entries import Attachment, Release
from ledger.hashing import Digest
from ledger.records import Malformed
from ledger.roles import Audience
from protocol.matter import statements
from protocol.matter.statements import Place
from protocol.rules import base
from protocol.rules.base import Examination, Report, Rule

NO_REPORT = Report(labels=())


@dataclass(slots=True, kw_only=True)
class Round:
    """What a round's entries have said so far."""

    number: int
    places: tuple[Place, ...]
    batch_entry: int
    near_cut: int | None
    model: Attachment | None
    report: Report = NO_REPORT
    report_entry: int = -1
    waves: list[tuple[int, ...]] = field(default_factory=list)
    bob: dict[int, bool] = field(default_factory=dict)
    disputed: tuple[int, ...] = ()  # of the last wave
    rulings: dict[int, bool] = field(default_factory=dict)
    examination: Examination | None = None  # once the round is closed
    closed: statements.Closed | None = None

    @property
    def size(self) -> int:
        """How many documents the batch has."""
        return len(self.places)

    @property
    def settled(self) -> dict[int, bool]:
        """The disclosed positions with their labels, agreed or ruled."""
        return self.bob | self.rulings

    @property
    def found(self) -> int:
        """How many of the disclosed positions are responsive; the others are the non-responsive disclosure."""
        return sum(self.settled.values())

    def reported(self, position: int) -> bool:
        """Alice's label; below a reported threshold it counts as not responsive."""
        return bool(self.report.labels[position - 1])

    def open_disputes(self) -> tuple[int, ...]:
        """The positions on which Alice and Bob disagree and the court has not ruled."""
        return tuple(
            place for place, label in self.bob.items() if label != self.reported(place) and place not in self.rulings
        )

    def alice_errors(self) -> int:
        """In how many disputes the court found against Alice."""
        return sum(label != self.reported(place) for place, label in self.rulings.items())

    def next_wave(self, rule: Rule, coins: Sequence[int]) -> tuple[int, ...]:
        """What Bob must be shown now."""
        return tuple(sorted(rule.examine(self.report, coins, self.settled).due - self.settled.keys()))

    def check_waves(self, rule: Rule, coins: Sequence[int]) -> None:
        """Raise unless Bob was shown what the rule says, wave by wave, and nothing is missing."""
        settled: dict[int, bool] = {}
        for wave in (*self.waves, ()):
            due = tuple(sorted(rule.examine(self.report, coins, settled).due - settled.keys()))
            if due != wave:
                raise Malformed(f"the rule discloses the positions {due} where {wave} were disclosed")
            settled |= {place: self.settled[place] for place in wave}

    def outcome(
        self, rule: Rule, coins: Sequence[int], *, draw: int, link: Digest, truth: statements.Truth | None
    ) -> tuple[Examination, statements.Closed]:
        """The last examination, and what the round's close says."""
        found = rule.examine(self.report, coins, self.settled)
        labels = base.output(self.report, self.settled)
        return found, statements.Closed(
            compelled=found.compelled_at is not None,
            draw=draw,
            error=found.error,
            link=link,
            responsive=tuple(position for position, label in enumerate(labels, start=1) if label),
            sampled=len(found.drawn),
            threshold=found.threshold,
            truth=truth,
        )

    def truth(self, responsive: Container[int]) -> statements.Truth:
        """What a simulation knows: `responsive` are the numbers of documents."""
        places = [place for place, each in enumerate(self.places, start=1) if each.document in responsive]
        return statements.Truth(responsive=len(places), revealed=sum(place in self.bob for place in places))

    def shown_to_bob(self, wave: Sequence[int]) -> tuple[Release, ...]:
        """What a disclosure releases: the places of its positions."""
        indices = tuple(position - 1 for position in wave)
        return (Release(audience=Audience.BOB, entry=self.batch_entry, field="documents", indices=indices),)

    def opened_to_bob(self) -> tuple[Release, ...]:
        """What the close releases: Alice's report."""
        fields = ("labels",) if self.report.threshold is None else ("labels", "threshold")
        return tuple(
            Release(audience=Audience.BOB, entry=self.report_entry, field=name, indices=None) for name in fields
        )
