"""The max-margin classifier of separable points: a hard-margin SVM whose offset costs nothing.

Few points decide it. So it is solved on a working set, to which the worst of all points are added until none lies
within the margin. Within the working set, the least |w| under linear constraints is a non-negative least-squares
problem (Lawson and Hanson's "least distance programming"); that wants the offset b to cost something, so what costs is
its distance from the offset before, a little, until it stays.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from protocol.paper.geometry.points import Floats, NotSeparable

TOLERANCE = 1e-9
"""Of the margin, as a share of it."""
_BATCH = 50  # points added at a time
_OFFSET_WEIGHT = 100.0  # one over the square root of what a unit of offset costs
_ROUNDS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """x -> w x + b, which is 1 or more on the responsive points and -1 or less on the others."""

    weights: Floats  # w in the paper
    offset: float  # b in the paper
    multipliers: Floats  # of the points, those of the negatives first: what the KKT conditions ask for


def max_margin(positive: Floats, negative: Floats) -> Classifier:
    """The classifier with the largest margin. Raises NotSeparable if floats find none."""
    points = np.concatenate((negative, positive))
    signs = np.repeat([-1.0, 1.0], [len(negative), len(positive)])
    centre = points.mean(axis=0)
    spread = float(np.abs(points - centre).max()) or 1.0
    rows = np.column_stack((np.ones(len(points)), (points - centre) / spread)) * signs[:, None]
    plane, multipliers = _solve(rows, signs)
    weights = plane[1:] / spread
    return Classifier(
        weights=weights,
        offset=float(plane[0] - weights @ centre),
        multipliers=multipliers / spread**2,
    )


def _solve(rows: Floats, signs: Floats) -> tuple[Floats, Floats]:
    """The plane (b, w) with rows @ plane >= 1 and the least |w|, and the multipliers."""
    sides = [each for sign in (-1.0, 1.0) if len(each := np.flatnonzero(signs == sign))]
    along = rows[:, 1:] @ np.sum([rows[each, 1:].mean(axis=0) for each in sides], axis=0)
    working = [int(each[np.argmin(along[each])]) for each in sides]
    margin, offset = 1.0, 0.0
    for _ in range(_ROUNDS):
        plane, parts = _least(rows[working], margin, offset)
        margins = rows @ plane
        worst = np.argsort(margins, kind="stable")[:_BATCH]
        fresh = sorted({int(each) for each in worst if margins[each] < 1 - TOLERANCE} - set(working))
        if not fresh:
            break
        working += fresh
        margin, offset = 1 / max(1e-12, float(np.linalg.norm(plane[1:]))), float(plane[0])
    least = float((rows @ plane).min())
    if least <= 0:
        raise NotSeparable(_ADVICE)
    multipliers = np.zeros(len(rows))
    multipliers[working] = parts / least
    return plane / least, multipliers


def _least(rows: Floats, margin: float, offset: float) -> tuple[Floats, Floats]:
    """The plane of a working set, by problems in which only leaving the offset before costs."""
    size = rows.shape[1]
    for _ in range(60):
        # Solved for plane * margin, whose norm is about one, so that nothing cancels.
        signs = rows[:, 0]
        constraints = np.concatenate((rows[:, 1:], signs[:, None] * _OFFSET_WEIGHT), axis=1)
        wanted = margin * (1 - signs * offset)
        system = np.concatenate((constraints, wanted[:, None]), axis=1).T
        target = np.zeros(size + 1)
        target[-1] = 1.0
        parts, residual = nnls(system, target, maxiter=100 * (len(rows) + size))
        left = target - system @ parts
        if residual**2 < 1e-14 or left[-1] <= 0:
            raise NotSeparable(_ADVICE)
        weights = -left[:-2] / (left[-1] * margin)
        step = -left[-2] * _OFFSET_WEIGHT / (left[-1] * margin)
        offset += step
        multipliers = parts / (left[-1] * margin)
        if abs(step) <= 1e-12 * (1 + abs(offset)):
            break
    return np.concatenate(([offset], weights)), multipliers


_ADVICE = (
    "no plane was found that has all responsive points on one side and all others on the other; the critical points "
    "protocol is for separable sets only"
)
