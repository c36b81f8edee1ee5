"""How deep does a point lie in the cone of others? One linear program that stays, and what it proves at once of more.

For a vector z_j, a set I of others and a centre G inside their cone: the largest s such that z_j - s G is a sum of
non-negative multiples of I. With s > 0, z_j is in the cone with room to spare, so it is not critical; with s < 0, the
program's prices are a plane h with h z_j = s and h z_i >= 0. Another j changes the right-hand side only, another member
of I adds a column: both go on from the basis before.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocol.paper.geometry.points import Floats
from protocol.paper.geometry.solver import INFINITY, Solver


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """z_j = sum of parts * members + depth * centre."""

    depth: float  # s above
    members: NDArray[np.intp]
    parts: Floats


class Cone:
    """The cone of a growing set of rows."""

    def __init__(self, rows: Floats, centre: Floats) -> None:
        self._rows, self._centre = rows, centre
        self._solver = Solver()
        for _ in range(rows.shape[1]):
            self._solver.row(None, 0.0, 0.0)
        self._solver.column(-1.0, -INFINITY, INFINITY, centre)
        self.members: list[int] = []  # I in the paper
        self._places: dict[int, int] = {}

    def __contains__(self, row: int) -> bool:
        return row in self._places

    def add(self, row: int) -> None:
        """One more generator."""
        if row not in self._places:
            self.members.append(row)
            self._places[row] = len(self.members)
            self._solver.column(0.0, 0.0, INFINITY, self._rows[row])

    def shoot(self, row: int, enough: float = INFINITY) -> tuple[Shot | None, Floats]:
        """The depth of a row among the other generators, and the plane that bounds it.

        The search ends early where the row is further outside than `enough`: then there is a plane only.
        """
        place = self._places.get(row)
        self._solver.demand(self._rows[row])
        if place is not None:
            self._solver.bound(place, 0.0)
        values = self._solver.solve(enough)
        plane = -self._solver.prices()
        if place is not None:
            self._solver.bound(place, INFINITY)
        if values is None:
            return None, plane
        used = np.flatnonzero(values[1:] > 0)
        members = np.asarray(self.members, np.intp)[used]
        return Shot(depth=float(values[0]), members=members, parts=values[1:][used]), plane

    def also_inside(self, rows: NDArray[np.intp], least: float) -> dict[int, Shot]:
        """Which rows lie in the simplex of the last solution, at least so deep: a product instead of a program."""
        columns = self._solver.basic_columns()
        if len(columns) != self._rows.shape[1] or 0 not in columns:
            return {}
        columns.remove(0)
        members = np.asarray(self.members, np.intp)[np.asarray(columns, np.intp) - 1]
        corners = np.concatenate((self._centre[None, :], self._rows[members]))
        try:
            parts = np.asarray(np.linalg.solve(corners.T, self._rows[rows].T).T, np.float64)
        except np.linalg.LinAlgError:
            return {}
        inside = np.flatnonzero((parts[:, 0] > least) & (parts[:, 1:].min(axis=1) >= 0))
        return {
            int(rows[each]): Shot(depth=float(parts[each, 0]), members=members, parts=parts[each, 1:])
            for each in inside.tolist()
        }
