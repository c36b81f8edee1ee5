"""The documents that nobody has reviewed yet, as two numbers, and what the next batch takes of them."""

from enum import Enum

from numpy.random import RandomState

from protocol.forecast.gain import Curve


class FoundBy(Enum):
    """How a batch is chosen, and what it is worth beside one that a trained model ranks."""

    COINS = 0.0
    QUERY = 0.25  # as measured on seven topics: about so much of a ranked batch
    MODEL = 1.0


class Pool:
    """What is left of the collection, in the order in which CAL would put it up."""

    def __init__(self, *, documents: int, responsive: int, curve: Curve, random: RandomState) -> None:
        self.documents, self.all_responsive = documents, responsive
        self.responsive, self.other = responsive, documents - responsive
        self.curve, self.effort = curve, 0.0  # how far along it, in documents for each responsive one
        self._random = random

    @property
    def left(self) -> int:
        """How many documents were never put up."""
        return self.responsive + self.other

    def batch(self, size: int, found_by: FoundBy) -> tuple[int, int]:
        """Take a batch: how many of it are responsive, and how many are not.

        A responsive document comes up with the chance that the curve gives it, and at least with that of a batch that
        is drawn from all that is left.
        """
        size = min(size, self.left)
        if not size:
            return 0, 0
        if found_by is FoundBy.COINS or not self.responsive:
            return self._take(int(self._random.hypergeometric(self.responsive, self.other, size)), size)
        before = self.effort
        self.effort += size * found_by.value / self.all_responsive
        recall, reached = self.curve.recall([before, self.effort])
        chance = max((reached - recall) / (1 - recall), size / self.left)
        return self._take(int(self._random.binomial(self.responsive, min(1.0, chance))), size)

    def drawn(self, chance: float) -> tuple[int, int]:
        """Take what coins draw from all that is left."""
        return self._remove(*(int(self._random.binomial(each, chance)) for each in (self.responsive, self.other)))

    def _take(self, responsive: int, size: int) -> tuple[int, int]:
        responsive = min(max(responsive, size - self.other), size, self.responsive)
        return self._remove(responsive, size - responsive)

    def _remove(self, responsive: int, other: int) -> tuple[int, int]:
        self.responsive -= responsive
        self.other -= other
        return responsive, other
