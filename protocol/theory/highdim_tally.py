"""What a survey of Theorem "high-dim-label" counts, by the order that the undecided points were put in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from protocol.theory.highdim import Reading


@dataclass(frozen=True, slots=True)
class View:
    """How the undecided points are ordered, and along which direction; in words, for the table."""

    order: str
    direction: str


OF_BEST, RANDOM, ALICES, KINDEST = "of h*", "random", "worst of a fan", "best of a fan"

PROVED = View("by projection", OF_BEST)
LEAN = View("by projection, c = 2 ln(1/delta)", OF_BEST)
PREMISE = View("printed, where b <= a, c = 2 ln(1/delta)", OF_BEST)


def printed(reading: Reading, direction: str = OF_BEST) -> View:
    """The order of the paper, with the classifiers that a reading takes."""
    return View(f"printed, classifiers: {reading.value}", direction)


@dataclass(slots=True)
class Worst:
    """What a view came to: how many reports could break the theorem, how many did, and the worst of them."""

    tried: int = 0
    above: int = 0
    sides: int = 0  # above delta, with h* consistent for half-spaces too
    chance: Fraction = Fraction(0)
    spot: tuple[int, ...] = ()  # the instance's number, the hidden positives

    def add(self, chance: Fraction, delta: Fraction, spot: tuple[int, ...], sides: Callable[[], bool]) -> None:
        """Count one more report."""
        self.tried += 1
        if chance > delta:
            self.above += 1
            self.sides += sides()
        self._keep(chance, spot)

    def absorb(self, other: "Worst") -> None:
        """Count what another has counted."""
        self.tried += other.tried
        self.above += other.above
        self.sides += other.sides
        self._keep(other.chance, other.spot)

    def _keep(self, chance: Fraction, spot: tuple[int, ...]) -> None:
        if chance > self.chance or not self.spot:
            self.chance, self.spot = chance, spot


Key = tuple[View, int, Fraction]  # k is 0 where the tolerance is left out


@dataclass(slots=True)
class Tally:
    """The worst of each view, tolerance k and doubt delta, and what was looked at."""

    size: int = 0
    error: int = 0
    optimal: int = 0  # the most optimal dichotomies of a report
    reports: int = 0
    consistent: int = 0
    worst: dict[Key, Worst] = field(default_factory=dict)

    def at(self, view: View, k: int, delta: Fraction) -> Worst:
        """The place of a view."""
        return self.worst.setdefault((view, k, delta), Worst())

    def look(self, *, size: int = 0, error: int = 0, optimal: int = 0, reports: int = 0, consistent: int = 0) -> None:
        """Note something that was looked at: the largest, or how many."""
        self.size, self.error, self.optimal = max(self.size, size), max(self.error, error), max(self.optimal, optimal)
        self.reports += reports
        self.consistent += consistent

    def absorb(self, sent: Any) -> None:
        """Add what a worker sent."""
        self.look(**sent["looked"])
        for order, direction, k, delta, tried, above, sides, chance, spot in sent["worst"]:
            found = Worst(tried=tried, above=above, sides=sides, chance=Fraction(chance), spot=tuple(spot))
            self.at(View(order, direction), k, Fraction(delta)).absorb(found)

    def sent(self) -> Any:
        """All of it as JSON."""
        looked = {
            "size": self.size,
            "error": self.error,
            "optimal": self.optimal,
            "reports": self.reports,
            "consistent": self.consistent,
        }
        worst = [
            [view.order, view.direction, k, str(delta), it.tried, it.above, it.sides, str(it.chance), list(it.spot)]
            for (view, k, delta), it in self.worst.items()
        ]
        return {"looked": looked, "worst": worst}
