"""Labelled points on an integer grid, and their lift: a plane through the origin instead of one with an offset.

A coordinate is a whole number of steps of 2^-GRID_BITS, so that whatever is claimed of the points can be checked
exactly. The paper's sets have no point twice; here a point may be there twice, and a negative that is there twice is
never critical, since its twin keeps it from being flipped alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from protocol.errors import ProtocolError

GRID_BITS = 20
UNIT = 1 << GRID_BITS
"""The lift's constant coordinate: a 1 in steps of the grid."""
LARGEST = 1 << 26
"""A coordinate in grid steps is below this: products with 30-bit planes then fit 63 bits in up to 126 dimensions, and
with planes of fewer bits in more."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class BadPoints(ProtocolError):
    """These are not labelled points on the grid."""


class NotSeparable(ProtocolError):
    """No plane was found that has all responsive points on one side and all others on the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A set of labelled points, a row each, in grid steps."""

    positive: Integers  # X_+ in the paper
    negative: Integers  # X_- in the paper

    def __post_init__(self) -> None:
        for name, each in (("positive", self.positive), ("negative", self.negative)):
            if each.ndim != 2 or each.dtype != np.int64:
                raise BadPoints(f"the {name} points must be rows of 64-bit integers, {each.dtype} {each.shape} found")
            if each.size and max(int(each.max()), -int(each.min())) >= LARGEST:
                raise BadPoints(f"a {name} point has a coordinate beyond {LARGEST - 1} grid steps; scale the points")
        if self.positive.shape[1] != self.negative.shape[1]:
            raise BadPoints(
                f"positive points have {self.positive.shape[1]} coordinates, negative ones {self.negative.shape[1]}"
            )
        if not self.dimension:
            raise BadPoints("the points have no coordinates; at least one is needed")
        if not len(self.negative):
            raise BadPoints("there is no negative point, so there is nothing to decide")

    @property
    def dimension(self) -> int:
        """The paper's d."""
        return int(self.positive.shape[1])

    @property
    def size(self) -> int:
        """The paper's n."""
        return len(self.positive) + len(self.negative)

    def rows(self) -> Integers:
        """All points, negatives first as in the paper's V."""
        return np.concatenate((self.negative, self.positive))

    def lifted(self) -> Integers:
        """The vectors z, (u, x) of a positive and -(u, x) of a negative: a plane h separates if h z > 0 for all.

        u is the unit.
        """
        rows = np.concatenate((np.full((self.size, 1), UNIT, np.int64), self.rows()), axis=1)
        rows[: len(self.negative)] *= -1
        return rows


def on_grid(positive: ArrayLike, negative: ArrayLike) -> Labelled:
    """Points rounded to the grid."""
    return Labelled(positive=_rounded(positive, "positive"), negative=_rounded(negative, "negative"))


def _rounded(points: ArrayLike, name: str) -> Integers:
    steps = np.rint(np.asarray(points, np.float64) * UNIT)
    if not np.all(np.abs(steps) < LARGEST):  # which no NaN is
        raise BadPoints(f"a {name} point has a coordinate beyond {LARGEST // UNIT}, or none; scale the points")
    return steps.astype(np.int64)
