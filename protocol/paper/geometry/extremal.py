"""Algorithm "Extremal Points" of the paper (Clarkson 1994), as written there.

The linear program is one HiGHS model that stays: the next point changes its costs, a point that is found adds a row,
and each time the solver goes on from where it was. What is returned rests on floats; `critical` is the faster way,
and proves what it says.
"""

import numpy as np

from protocol.paper.geometry.points import Floats
from protocol.paper.geometry.solver import INFINITY, Solver

TOLERANCE = 1e-9


def extremal_points(points: Floats) -> list[int]:
    """The corners of the points' convex hull, in increasing order; of twins the first counts as a corner."""
    found = [_largest(points, points[:, 0])]  # I in the paper
    program = _Separation(points)
    program.add(found[0])
    for chosen in range(len(points)):
        while chosen not in found:
            direction = program.direction(chosen)
            if direction is None:
                break
            corner = _largest(points, points @ direction)
            if corner in found:  # the direction separates only by what rounding left
                break
            found.append(corner)
            program.add(corner)
    return sorted(found)


def _largest(points: Floats, values: Floats) -> int:
    """Where a linear function is largest; among equals the lexicographically largest point, which is a corner."""
    equal = np.flatnonzero(values >= values.max() - TOLERANCE * max(1.0, float(np.abs(values).max())))
    return int(max(equal.tolist(), key=lambda each: (tuple(points[each]), -each)))


class _Separation:
    """Maximise v x_j - s, where v x_i <= s for all that were found and v is in the unit box."""

    def __init__(self, points: Floats) -> None:
        self._points = points
        self._size = points.shape[1]
        self._solver = Solver()
        for _ in range(self._size):
            self._solver.column(0.0, -1.0, 1.0)
        self._solver.column(0.0, -INFINITY, INFINITY)

    def add(self, found: int) -> None:
        self._solver.row(np.append(self._points[found], -1.0), -INFINITY, 0.0)

    def direction(self, chosen: int) -> Floats | None:
        """v, if it separates the chosen point from all that were found."""
        self._solver.costs(np.append(-self._points[chosen], 1.0))
        values = self._solver.solve()
        if values is None:
            return None
        gain = self._points[chosen] @ values[: self._size] - values[self._size]
        return values[: self._size] if gain > TOLERANCE else None
