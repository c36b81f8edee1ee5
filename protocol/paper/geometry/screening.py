"""Corners by matrix products: many are found, each with its plane, before the first linear program.

A point x_j is a corner if some direction is largest there. Gilbert's algorithm looks for the direction: it starts at
x_j - mean, and whenever some x_k reaches further, moves towards the shortest vector between x_j and the points it has
met. All points take their steps together. On the way every x_k that was met is a corner too. What is not found within a
few steps may be no corner, and is left to the linear programs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocol.paper.geometry.points import Floats

Indices = NDArray[np.intp]

GAP = 1e-9
"""By how much a corner must reach further than all others, as a share of the reach."""
_ENTRIES = 1 << 23  # of a matrix of products at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """A corner of the hull, and a functional on homogeneous rows that is negative there and positive elsewhere."""

    row: int
    functional: Floats


class Screen:
    """Searches that go on together; `corners` grows with every step."""

    def __init__(self, homogeneous: Floats) -> None:
        points = homogeneous[:, 1:]
        self._mean = points.mean(axis=0)
        scales, axes = np.linalg.eigh(np.cov((points - self._mean).T, bias=True).reshape(points.shape[1], -1))
        kept = scales > 1e-12 * max(float(scales[-1]), 1e-300)
        self._whitening = axes[:, kept] / np.sqrt(scales[kept])
        self._white = (points - self._mean) @ self._whitening
        self.corners: dict[int, Corner] = {}

    def search(self, rows: Indices, worth_it: Callable[[int, int], bool]) -> None:
        """Step with all rows that are not known yet, while `worth_it`(decided, undecided) of a step says so."""
        rows = np.array([each for each in rows.tolist() if each not in self.corners], np.intp)
        directions = self._white[rows]
        while len(rows):
            met = np.concatenate([self._step(rows[part], directions[part]) for part in self._parts(len(rows))])
            left = np.array([each not in self.corners for each in rows.tolist()], bool)
            decided = len(rows) - int(left.sum())
            rows, directions, met = rows[left], directions[left], met[left]
            if not worth_it(decided, len(rows)):
                return
            directions = self._nearer(directions, self._white[rows] - self._white[met])

    def _parts(self, count: int) -> Iterator[slice]:
        size = max(1, _ENTRIES // len(self._white))
        return (slice(start, start + size) for start in range(0, count, size))

    def _step(self, rows: Indices, directions: Floats) -> Indices:
        """Which other point reaches furthest in each row's direction; corners are kept."""
        reach = directions @ self._white.T
        every = np.arange(len(rows))
        own = reach[every, rows].copy()
        reach[every, rows] = -np.inf
        met = reach.argmax(axis=1)
        best = reach[every, met]
        for place in np.flatnonzero(own > best).tolist():
            self._keep(int(rows[place]), directions[place], float(own[place]), float(best[place]))
        behind = np.flatnonzero(own < best)
        _, firsts = np.unique(met[behind], return_index=True)
        fresh = behind[[place for place in firsts.tolist() if int(met[behind[place]]) not in self.corners]]
        reach[fresh, met[fresh]] = -np.inf
        seconds = np.maximum(reach[fresh].max(axis=1, initial=-np.inf), own[fresh])
        for place, second in zip(fresh.tolist(), seconds.tolist(), strict=True):
            self._keep(int(met[place]), directions[place], float(best[place]), second)
        return np.asarray(met, np.intp)

    def _keep(self, row: int, direction: Floats, reach: float, second: float) -> None:
        if row in self.corners or reach - second <= GAP * (abs(reach) + abs(second)):
            return
        slope = self._whitening @ direction
        middle = (reach + max(second, -abs(reach))) / 2  # there may be no other point
        functional = np.concatenate(([middle + slope @ self._mean], -slope))
        self.corners[row] = Corner(row=row, functional=functional)

    @staticmethod
    def _nearer(directions: Floats, steps: Floats) -> Floats:
        """The shortest vector on each segment from a direction to its new step."""
        apart = directions - steps
        lengths = np.maximum(np.einsum("ij,ij->i", apart, apart), 1e-300)
        shares = np.clip(np.einsum("ij,ij->i", directions, apart) / lengths, 0, 1)
        return np.asarray(directions - shares[:, None] * apart, np.float64)
