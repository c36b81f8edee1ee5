"""Books with a mistake in them: what must fail, and a simulation that does not notice it would be worth nothing.

Each of these mistakes is natural, and was made.
"""

from collections.abc import Sequence
from math import inf

from protocol.certificates.exact import ONE, cost
from protocol.certificates.reviewed import Standing, certify, next_chance
from protocol.paper.experiments.spotchecks import Hidden, Review

LAST_ENTRY = 20
"""Where the table of `TableEnds` ends."""


class TableEnds(Review):
    """The boundary's last entry is used again for all further hits."""

    def standing(self) -> Standing:
        standing = super().standing()
        return Standing(
            found=standing.found,
            hits=min(standing.hits, LAST_ENTRY),
            credit=standing.credit,
            exposures=standing.exposures,
        )

    def budget(self) -> int:
        return self.certified().budget


class CoinsKnownAtTheLook(Review):
    """Alice knows a draw's coins when she says what she gives up, and gives up what they would draw: nothing is hit."""

    def escalate(self) -> None:
        values = dict(zip(self.hidden, super()._values(self.hidden), strict=True))
        while True:
            standing = self.standing()
            if not standing.withheld or certify(standing, self.terms.target, self.terms.doubt).met:
                return
            chance = next_chance(standing, self.terms.target, self.terms.doubt)
            end = cost(chance) / ONE if chance < ONE else inf
            endangered = [document for document in self.hidden if values[document] < end]
            if not endangered:
                break
            self.give_up(endangered)
        self._known = values
        self.draw(chance)
        self._known = {}

    def _values(self, documents: Sequence[Hidden]) -> list[float]:
        known: dict[Hidden, float] = getattr(self, "_known", {})
        return [known[document] for document in documents] if known else super()._values(documents)


class CoinsUsedAgain(Review):
    """Every document keeps the coin of its first draw."""

    def _values(self, documents: Sequence[Hidden]) -> list[float]:
        fresh = zip(documents, super()._values(documents), strict=True)
        return [value if document.last == inf else document.last for document, value in fresh]


class RulingsOpen(Review):
    """What an escalation draws is not ruled on yet when it is decided whether another one must come."""

    pending = (0, 0, 0)

    def reached(self) -> bool:
        now = self.hits, self.credit, self.found
        self.hits, self.credit, self.found = (all_ - open_ for all_, open_ in zip(now, self.pending, strict=True))
        reached = super().reached()
        self.hits, self.credit, self.found = now
        return reached

    def escalate(self) -> None:
        before = self.hits, self.credit, self.found
        super().escalate()
        self.pending = self.hits - before[0], self.credit - before[1], self.found - before[2]

    def batch(self, responsive: Sequence[Hidden], reported: int, padding: int, innocent: int) -> None:
        self.pending = 0, 0, 0
        super().batch(responsive, reported, padding, innocent)


MISTAKES: dict[str, type[Review]] = {
    "the boundary's table ends": TableEnds,
    "documents are given up when the coins are known": CoinsKnownAtTheLook,
    "a round's coins are used again": CoinsUsedAgain,
    "rulings are open when the next step is decided": RulingsOpen,
}
