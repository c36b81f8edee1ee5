"""One round, from its batch to its close: what follows from its entries."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from verifier.checks import Audience
from verifier.record.entries import Release
from verifier.replay.contents import Closed, Place
from verifier.rules.terms import Terms
from verifier.rules.verification import Examined, Report, examine


@dataclass(slots=True, kw_only=True)
class Round:
    """What the entries of a round have said so far."""

    number: int
    size: int
    batch_entry: int
    near_cut: int | None
    places: dict[int, Place]  # by position, as far as the copy shows them
    report: Report | None = None  # where the copy shows it
    report_entry: int = -1
    report_fields: tuple[str, ...] = ()
    waves: list[tuple[int, ...]] = field(default_factory=list)
    bob: dict[int, bool] = field(default_factory=dict)
    disputed: tuple[int, ...] = ()  # in the last dispute
    rulings: dict[int, bool] = field(default_factory=dict)
    shown_in: list[int] = field(default_factory=list)  # each wave's entry
    labelled_in: list[int] = field(default_factory=list)  # and that of Bob's labels of it
    ruled_in: dict[int, int] = field(default_factory=dict)  # each ruling's entry

    @property
    def settled(self) -> dict[int, bool]:
        """The disclosed positions with their labels, agreed or ruled."""
        return self.bob | self.rulings

    def disagreements(self) -> tuple[int, ...]:
        """Where Alice and Bob disagree and the court has not ruled; needs the report."""
        labels = self.report.labels if self.report else ()
        return tuple(
            position
            for position, label in self.bob.items()
            if label != bool(labels[position - 1]) and position not in self.rulings
        )

    def alice_errors(self) -> int:
        """Rulings against Alice: what is disputed and ruled as Bob says."""
        return sum(label == self.bob[position] for position, label in self.rulings.items())

    def wrong_wave(self, terms: Terms, coins: Sequence[int]) -> tuple[int, list[int], list[int]] | None:
        """The first wave that is not what the rule discloses, with what it left out and what it added."""
        report = self.report or Report(labels=(), threshold=None)
        known, settled = self.settled, dict[int, bool]()
        for number, wave in enumerate((*self.waves, ()), start=1):
            due = examine(terms, report, coins, settled).due - settled.keys()
            if due != set(wave):
                return number, sorted(due - set(wave)), sorted(set(wave) - due)
            settled |= {position: known[position] for position in wave}
        return None

    def examined(self, terms: Terms, coins: Sequence[int]) -> Examined:
        """The round under its rule, with all that is settled."""
        return examine(terms, self.report or Report(labels=(), threshold=None), coins, self.settled)

    def responsive(self) -> tuple[int, ...]:
        """The positions whose output label is responsive: as settled, else as Alice reports."""
        labels = self.report.labels if self.report else ()
        settled = self.settled
        return tuple(position for position, label in enumerate(labels, start=1) if settled.get(position, bool(label)))

    def released_by(self, wave: Sequence[int]) -> tuple[Release, ...]:
        """What a disclosure must release: the places of its positions, to Bob."""
        indices = tuple(position - 1 for position in wave)
        return (Release(audience=Audience.BOB, entry=self.batch_entry, field="documents", indices=indices),)

    def released_at_close(self) -> tuple[Release, ...]:
        """What the close must release: Alice's report, to Bob."""
        return tuple(
            Release(audience=Audience.BOB, entry=self.report_entry, field=name, indices=None)
            for name in sorted(self.report_fields)
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
    closed: Closed  # as Trent states it


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDetail:
    """A round position by position, for a reader who asks for reasons; kept only if somebody does."""

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
    examined: Examined | None = None  # where the copy shows the report, once the coins are known
    coins: Sequence[int] = ()  # likewise


def detail(
    current: Round, closed_entry: int | None = None, judged: tuple[Examined, Sequence[int]] | None = None
) -> RoundDetail:
    """A round as it stands."""
    shown = [position for wave in current.waves for position in wave]
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
        report=current.report,
        bob=dict(current.bob),
        rulings=dict(current.rulings),
        ruled_in=dict(current.ruled_in),
        examined=judged[0] if judged else None,
        coins=judged[1] if judged else (),
    )
