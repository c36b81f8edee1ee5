"""The method of the earlier paper (Dong, Hartline and Vijayaraghavan): one linear program over all points a negative.

Slow, and as direct as the definition; what is faster is compared with it.
"""

from collections.abc import Iterable

import numpy as np
from scipy.optimize import linprog

from protocol.paper.geometry.points import UNIT, Floats, Labelled

TOLERANCE = 1e-9


def critical_points(points: Labelled, only: Iterable[int] | None = None) -> list[int]:
    """The negatives, of all or of some, whose label can be flipped; each by a linear program from nothing."""
    lifted = points.lifted() / UNIT
    chosen = range(len(points.negative)) if only is None else only
    return [each for each in chosen if flipping_plane(lifted, each) is not None]


def flipping_plane(rows: Floats, chosen: int) -> Floats | None:
    """A plane h in the unit box with h z >= 0 for all others and h z < 0 for the chosen row, or None."""
    others = np.delete(rows, chosen, axis=0)
    found = linprog(rows[chosen], A_ub=-others, b_ub=np.zeros(len(others)), bounds=(-1, 1), method="highs")
    return np.asarray(found.x, np.float64) if found.status == 0 and found.fun < -TOLERANCE else None
