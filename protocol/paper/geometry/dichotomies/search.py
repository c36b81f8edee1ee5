"""The best dichotomies for given labels by integer programming (HiGHS), in any small dimension.

The solver works with floating-point numbers, so its word is not taken: each dichotomy that it finds is given a
classifier with integer coefficients that is checked exactly. That it misses none rests on two things: a margin so
small that every dichotomy of integer points has it (proved in `margin`), and the solver's own completeness within
its tolerances, which `MARGIN` keeps at a distance. Tests compare it with the enumeration.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocol.errors import ProtocolError, TrentOnly
from protocol.paper.geometry.dichotomies.base import (
    BadPoints,
    Classifier,
    Dichotomy,
    Optimum,
    Point,
    between,
    classified,
    constants,
    dimension,
)

try:
    from scipy.optimize import Bounds, LinearConstraint, milp
except ImportError:
    raise TrentOnly("the search for classifiers needs one more package: pip install 'tallystick[trent]'") from None

MARGIN = 1e-4
"""The least margin that the search takes: the solver holds constraints to about 1e-6."""

_OPTIONS = {"mip_rel_gap": 0, "presolve": False}  # with it, HiGHS sometimes prints a line of its own
_FINEST = 40  # coefficients are tried with up to this many bits


class SolverFailed(ProtocolError):
    """The solver gave up, or its answer does not stand an exact check."""


def optimal(points: Sequence[Point], labels: Sequence[bool]) -> Optimum:
    """The least error, and all dichotomies that have it: solve, forbid what was found, solve again.

    The solver calls some answers optimal that are not. A better one comes later then, and the others are dropped.
    """
    model = _Model(points, labels)
    found: dict[frozenset[int], int] = {}
    while (positive := model.solve([*found], min(found.values(), default=None))) is not None:
        found[positive] = sum((index in positive) != label for index, label in enumerate(labels))
    if not found:
        raise SolverFailed("the solver found no classifier, though constant ones exist; report these points")
    error = min(found.values())
    best = [each for each, errors in found.items() if errors == error]
    listed = [Dichotomy(positive=each, classifier=exact(points, each, model.normals[each])) for each in best]
    return Optimum(error=error, dichotomies=tuple(sorted(listed, key=lambda each: sorted(each.positive))))


def margin(points: Sequence[Point]) -> float:
    """What min |w . x + b| can reach, with |w_j| <= 1, for every dichotomy of points with integer coordinates.

    The best margin is an optimal vertex of a linear program in (w, b, margin), so by Cramer's rule a non-zero integer
    over a determinant: r <= d + 1 rows (x, 1, +-1) restricted to r - 2 coordinates and the last two, the others being
    held at +-1. Hadamard's bound over its columns gives the number here; a shift of the points changes nothing.
    """
    wide = dimension(points)
    reach = max(1, *(max(column) - min(column) for column in zip(*points, strict=True)))
    return 1 / ((wide + 1) * math.pow(reach * math.sqrt(wide + 1), wide - 1))


def exact(points: Sequence[Point], positive: frozenset[int], normal: Sequence[float]) -> Classifier:
    """A classifier with integers near a solver's normal that makes exactly this dichotomy, or a refusal."""
    for each in constants(points):
        if each.positive == positive:
            return each.classifier
    for bits in range(2, _FINEST):
        rounded = tuple(round(math.ldexp(each, bits)) for each in normal)
        classifier = between(rounded, points, positive)
        if classifier is not None and classified(classifier, points) == positive:
            return classifier
    raise SolverFailed(f"the solver's hyperplane does not part points {sorted(positive)} from the others exactly")


class _Model:
    """Variables: w in [-1, 1]^d, b, and for each point whether it is positive."""

    def __init__(self, points: Sequence[Point], labels: Sequence[bool]) -> None:
        if len(points) != len(labels):
            raise BadPoints(f"{len(points)} points have {len(labels)} labels; give one each")
        self.wide, self.count = dimension(points), len(points)
        least = margin(points)
        if least < MARGIN:
            raise BadPoints(
                f"classifiers may come as near as {least:.1e} to a point, too near for the solver; scale down"
            )
        spread: NDArray[np.float64] = np.array(points, dtype=np.float64)
        spread -= spread.min(axis=0)
        room = float(spread.sum(axis=1).max()) + 1  # |w . x| stays below this
        rows = np.hstack([spread, np.ones((self.count, 1)), -(2 * room + least) * np.eye(self.count)])
        # positive: w.x + b >= margin; negative: w.x + b <= -margin; the other one is slack
        self.sides = LinearConstraint(rows, -2 * room, -least)
        self.weights = np.concatenate([np.zeros(self.wide + 1), [-1.0 if label else 1.0 for label in labels]])
        self.responsive = sum(labels)
        low = [-1.0] * self.wide + [-room] + [0.0] * self.count
        high = [1.0] * self.wide + [room] + [1.0] * self.count
        self.bounds = Bounds(low, high)
        self.integral = np.concatenate([np.zeros(self.wide + 1), np.ones(self.count)])
        self.normals: dict[frozenset[int], list[float]] = {}

    def solve(self, but: Sequence[frozenset[int]], error: int | None) -> frozenset[int] | None:
        """A best dichotomy other than these; with `error`, one of at most that error, or None."""
        constraints = [self.sides]
        for each in but:
            inside = np.array([index in each for index in range(self.count)], dtype=np.float64)
            row = np.concatenate([np.zeros(self.wide + 1), 1 - 2 * inside])
            constraints.append(LinearConstraint(row, 1 - inside.sum(), np.inf))
        if error is not None:
            constraints.append(LinearConstraint(self.weights, -np.inf, error - self.responsive + 0.5))
        answer: Any = milp(
            self.weights,
            integrality=self.integral,
            bounds=self.bounds,
            constraints=constraints,
            options=_OPTIONS,
        )
        if answer.status == 2:  # infeasible
            return None
        if answer.status != 0:
            raise SolverFailed(f"the solver gave up on {self.count} points: {answer.message}")
        positive = frozenset(index for index in range(self.count) if answer.x[self.wide + 1 + index] > 0.5)
        if positive in but:
            raise SolverFailed("the solver repeated a dichotomy that it was told to leave out")
        self.normals[positive] = [float(each) for each in answer.x[: self.wide]]
        return positive
