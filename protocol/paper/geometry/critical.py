"""The critical points of a separable set: the negatives whose label could be flipped, and only they must be disclosed.

`as_written` follows the paper's Algorithm "Critical Points" line by line. `decide` finds the same with less work, and
leaves for every negative what shows that it is right, in floats; `certificate` turns that into whole numbers, and
decides exactly where floats leave doubt.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from protocol.paper.geometry.cone import Cone, Shot
from protocol.paper.geometry.everylp import flipping_plane
from protocol.paper.geometry.extremal import extremal_points
from protocol.paper.geometry.points import Floats, Labelled
from protocol.paper.geometry.projective import Mapped, mapped
from protocol.paper.geometry.screening import Screen
from protocol.paper.geometry.solver import INFINITY, Unsolved

DEPTH = 1e-9
"""How deep in the cone of the others a point must lie for floats to say that it is not critical."""
OUTSIDE = 0.01
"""How far outside a point must be for the search to stop there: any plane that separates it leads to a new corner."""
_PIVOTS = 3  # a linear program takes about this many times d pivots; each looks at all that were found


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What floats make of every negative."""

    mapped: Mapped
    basis: Sequence[int] | None  # as many independent rows as there are coordinates, if there are, for the centre
    functionals: dict[int, Floats]  # of critical points: negative there, positive on all other rows
    shots: dict[int, Shot]  # of the others
    doubtful: Sequence[int]


def as_written(points: Labelled) -> list[int]:
    """Algorithm "Critical Points": max-margin classifier, orthogonal map, division, corners; in floats."""
    corners = extremal_points(mapped(points).points)
    return [each for each in corners if each < len(points.negative)]


def decide(points: Labelled) -> Decision:
    """Decide every negative: corners by matrix products first, then a linear program for each that is left."""
    behind = mapped(points)
    negatives = len(points.negative)
    rows = behind.homogeneous
    screen = Screen(rows)
    basis = spread_out(rows)
    if basis is None:  # all points lie in one plane: leave the others to exact arithmetic
        screen.search(np.arange(negatives), lambda decided, _: decided > 0)
        return _screened(behind, screen, negatives)
    screen.search(np.asarray(basis, np.intp), lambda *_: False)
    _screen(screen, rows, negatives)
    return _Loop(behind, basis, screen, negatives).run()


def spread_out(rows: Floats) -> list[int] | None:
    """As many rows as there are coordinates, chosen far apart, which makes them corners; None if there are not."""
    if len(rows) < rows.shape[1]:
        return None
    triangle, order = qr(rows.T, mode="r", pivoting=True)
    sizes = np.abs(np.diagonal(triangle))
    return [int(each) for each in order[: rows.shape[1]]] if sizes[-1] > 1e-9 * sizes[0] else None


def _screen(screen: Screen, rows: Floats, negatives: int) -> None:
    """Matrix products, as long as a step finds more corners than linear programs would in its time."""
    count, size = rows.shape

    def worth_it(decided: int, undecided: int) -> bool:
        program: int = _PIVOTS * size * (len(screen.corners) + size)
        return decided * program > (decided + undecided) * int(count)

    sample = np.arange(0, negatives, max(1, negatives // (8 * size)), dtype=np.intp)
    known = len(screen.corners)
    screen.search(sample, lambda *_: False)
    if worth_it(len(screen.corners) - known, len(sample)):
        screen.search(np.arange(negatives), worth_it)


def _screened(behind: Mapped, screen: Screen, negatives: int) -> Decision:
    found = {row: corner.functional for row, corner in screen.corners.items() if row < negatives}
    left = [each for each in range(negatives) if each not in found]
    return Decision(mapped=behind, basis=None, functionals=found, shots={}, doubtful=left)


class _Loop:
    """Clarkson's loop over the negatives that screening has left."""

    def __init__(self, behind: Mapped, basis: Sequence[int], screen: Screen, negatives: int) -> None:
        self._mapped, self._rows, self._basis = behind, behind.homogeneous, basis
        self._negatives = negatives
        self._functionals = {row: each.functional for row, each in screen.corners.items() if row < negatives}
        self._shots: dict[int, Shot] = {}
        self._doubtful: list[int] = []
        centre = behind.denominators[basis] @ self._rows[basis]
        self._cone = Cone(self._rows, centre / centre[0])
        for row in [*basis, *sorted(set(screen.corners) - set(basis))]:
            self._cone.add(row)

    def run(self) -> Decision:
        block = 64  # how many of the next points are tried against each solution
        queue = np.argsort(self._mapped.denominators[: self._negatives], kind="stable")
        queue = queue[[each not in self._functionals for each in queue.tolist()]]
        for place, row in enumerate(queue.tolist()):
            if row in self._functionals or row in self._shots:
                continue
            try:
                inside = self._decide(row)
            except Unsolved:
                self._doubtful.append(row)
                continue
            if inside and (block > 1 or place % 64 == 0):
                ahead = self._ahead(queue[place + 1 : place + 1 + max(block, 16)])
                found = self._cone.also_inside(ahead, DEPTH) if len(ahead) else {}
                self._shots |= found
                block = min(2 * block, 1 << 14) if 8 * len(found) > len(ahead) else max(1, block // 2)
        return Decision(
            mapped=self._mapped,
            basis=self._basis,
            functionals=self._functionals,
            shots=self._shots,
            doubtful=self._doubtful,
        )

    def _ahead(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        known = self._functionals.keys() | self._shots.keys()
        return np.array([each for each in rows.tolist() if each not in known and each not in self._cone], np.intp)

    def _decide(self, row: int) -> bool:
        """Whether a row is proven inside the cone; else it is critical, or doubtful."""
        if row in self._basis:  # without it, the centre need not be inside
            functional = flipping_plane(self._rows, row)
            if functional is None or not self._keep(row, self._rows @ functional, functional):
                self._doubtful.append(row)
            return False
        enough = OUTSIDE
        while True:
            shot, functional = self._cone.shoot(row, enough)
            if shot is not None and shot.depth > DEPTH:
                self._shots[row] = shot
                return True
            values = self._rows @ functional
            corner = int(values.argmin())  # the paper's argmax; a tie is left to exact arithmetic
            if values[row] > -DEPTH or (corner != row and corner in self._cone):
                if shot is None:
                    enough = INFINITY  # the early plane does not help
                    continue
                self._doubtful.append(row)
                return False
            kept = self._keep(corner, values, functional)
            if corner == row:
                if not kept:
                    self._doubtful.append(row)
                self._cone.add(row)
                return False
            self._cone.add(corner)

    def _keep(self, row: int, values: Floats, functional: Floats) -> bool:
        """Remember a critical point, if it is clearly the lowest."""
        lowest, second = float(values[row]), float(np.delete(values, row).min(initial=np.inf))
        if not lowest < second - DEPTH * (1 + abs(lowest)):
            return False
        if row < self._negatives:
            shifted = functional.copy()
            shifted[0] -= (lowest + second) / 2
            self._functionals[row] = shifted
        return True
