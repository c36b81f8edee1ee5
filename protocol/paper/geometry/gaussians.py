"""Two Gaussians, made separable as in the paper's figure "crit": what the best classifier gets wrong is shifted.

The means of two standard Gaussians lie `distance` apart. The best classifier is a plane across the line between them:
in the middle if both kinds of errors count alike, nearer to the rarer kind if all points do. A point on its wrong side
is shifted along that line, either to its mirror image or to just beyond the plane. The paper says none of these, so all
are settings.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import log

import numpy as np
from numpy.typing import NDArray

from protocol.paper.geometry.points import Floats, Labelled, on_grid

MARGIN = 0.001
"""How far from the plane every point is at least, once shifted."""


class Cut(StrEnum):
    """Which classifier is the best."""

    MIDDLE = "middle"  # half way between the means
    BAYES = "Bayes"  # the fewest expected errors


class Shift(StrEnum):
    """Where a misclassified point goes."""

    MIRROR = "mirror"
    BEYOND = "beyond"


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoGaussians:
    """What was drawn, and what became of it."""

    points: Labelled  # shifted
    scores: Floats  # along the line between the means, before the shift; negatives first
    responsive: NDArray[np.bool_]  # in the same order
    shifted: tuple[int, int]  # how many negatives and positives were misclassified


def two_gaussians(
    *, dimension: int, size: int, ratio: float, distance: float, cut: Cut, shift: Shift, seed: int
) -> TwoGaussians:
    """Draw `size` points, with `ratio` responsive ones for each other one."""
    random = np.random.default_rng([seed, dimension, size])
    positives = max(1, round(size * ratio / (1 + ratio)))
    negatives = size - positives
    negative = random.standard_normal((negatives, dimension))
    positive = random.standard_normal((positives, dimension))
    positive[:, 0] += distance
    plane = distance / 2 + (log(negatives / positives) / distance if cut is Cut.BAYES else 0)
    scores = np.concatenate((negative[:, 0], positive[:, 0]))
    below, above = plane - negative[:, 0], positive[:, 0] - plane
    negative[:, 0] = plane - _right(below, shift)
    positive[:, 0] = plane + _right(above, shift)
    return TwoGaussians(
        points=on_grid(positive, negative),
        scores=scores,
        responsive=np.repeat([False, True], [negatives, positives]),
        shifted=(int((below < 0).sum()), int((above < 0).sum())),
    )


def _right(sides: Floats, shift: Shift) -> Floats:
    """Distances from the plane, all on the right side of it."""
    return np.maximum(np.abs(sides) if shift is Shift.MIRROR else sides, MARGIN)
