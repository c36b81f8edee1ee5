"""What a survey of Lemma "high-dim-label" counts, by what an undecided point's chance was taken from."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from protocol.paper.theory.highdim import Reading


@dataclass(frozen=True, slots=True)
class View:
    """How the undecided points are ordered or counted, and along which direction; in words, for the table."""

    order: str
    direction: str


FAN = 12
"""How many random directions stand for all, where one is chosen for its effect."""

OF_BEST, RANDOM, ALICES, KINDEST = "of h*", "random", "worst of a fan", "best of a fan"

PROVED = View("by projection", OF_BEST)
LEAN = View("by projection, c = 2 ln(1/delta)", OF_BEST)
PREMISE = View("printed, where b <= a, c = 2 ln(1/delta)", OF_BEST)


def printed(reading: Reading, direction: str = OF_BEST) -> View:
    """The order of the paper, with the classifiers that a reading takes."""
    return View(f"printed, classifiers: {reading.value}", direction)


def proofs(reading: Reading, *, sides: bool) -> View:
    """The proof's n(x), where h* is consistent for half-spaces, and where it is for the points only."""
    return View(f"the proof's n(x), {_where(sides)}, classifiers: {reading.value}", OF_BEST)


PROOFS_LEAN = View("the proof's n(x), half-spaces, c = 2 ln(1/delta)", OF_BEST)


def without_itself(reading: Reading) -> View:
    """The proof's n(x) by the word, x not counted, where h* is consistent for the points only."""
    return View(f"the proof's n(x) - 1, points only, classifiers: {reading.value}", OF_BEST)


def _where(sides: bool) -> str:  # noqa: FBT001 - which of two words
    return "half-spaces" if sides else "points only"


@dataclass(slots=True)
class Worst:
    """What a view came to: how many reports could break the lemma, how many did, and the worst of them."""

    tried: int = 0
    above: int = 0
    sides: int = 0  # above delta, with h* consistent for half-spaces too
    chance: Fraction = Fraction(0)
    spot: tuple[int, ...] = ()  # the instance's number, the hidden positives

    def add(self, chance: Fraction, delta: Fraction, spot: tuple[int, ...], *, sides: bool) -> None:
        """Count one more report."""
        self.tried += 1
        if chance > delta:
            self.above += 1
            self.sides += sides
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
    counted: int = 0  # points with the proof's n(x), h* consistent for half-spaces
    exceptions: int = 0  # that have more counted than stand before them along h*
    worst: dict[Key, Worst] = field(default_factory=dict)

    def at(self, view: View, k: int, delta: Fraction) -> Worst:
        """The place of a view."""
        return self.worst.setdefault((view, k, delta), Worst())

    def look(self, *, size: int = 0, error: int = 0, optimal: int = 0, **seen: int) -> None:
        """Note something that was looked at: the largest, or how many."""
        self.size, self.error, self.optimal = max(self.size, size), max(self.error, error), max(self.optimal, optimal)
        for name, count in seen.items():
            setattr(self, name, getattr(self, name) + count)

    def absorb(self, sent: Any) -> None:
        """Add what a worker sent."""
        self.look(**sent["looked"])
        for order, direction, k, delta, tried, above, sides, chance, spot in sent["worst"]:
            found = Worst(tried=tried, above=above, sides=sides, chance=Fraction(chance), spot=tuple(spot))
            self.at(View(order, direction), k, Fraction(delta)).absorb(found)

    def sent(self) -> Any:
        """All of it as JSON."""
        names = ("size", "error", "optimal", "reports", "consistent", "counted", "exceptions")
        looked = {name: getattr(self, name) for name in names}
        worst = [
            [view.order, view.direction, k, str(delta), it.tried, it.above, it.sides, str(it.chance), list(it.spot)]
            for (view, k, delta), it in self.worst.items()
        ]
        return {"looked": looked, "worst": worst}
