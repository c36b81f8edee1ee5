"""Finding the optimal model. Floats search for it; the certificate decides whether it is found.

scikit-learn's LinearSVC finds the same optimum if its tolerance is tight enough, and takes longer
(`tallystick experiment models`). Here it is Newton's method, after Keerthi and DeCoste, "A modified finite Newton
method for fast solution of large scale linear SVMs" (2005), in the dual. If only the documents with a slack counted,
the *active* ones, their optimal dual values would solve a linear system:

    (1/2 + Q) a = 1,   Q the products y x . y' x' of the active rows

Solve it by conjugate gradients, see which documents have a slack now, and repeat: a handful of times from the model of
the round before, a few more from nothing. Sums are taken in one order, so the same machine finds the same model again:
where two threads share the work, the rows are cut at one place, however many cores there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from protocol.corpus.features import Features
from protocol.corpus.rows import Rows
from protocol.errors import NotOptimal
from protocol.learning.labelled import LabelledRows
from protocol.learning.model import DUAL_BITS, Integers, Mask, Model, TrainingSet, derive
from protocol.workers import pool

Floats = NDArray[np.float64]

_TARGET = 1e-13  # of the primal value: a gap far below what the certificate accepts, for few documents near the cut
_FORCING = 0.03  # how much of the residual a step may leave
_STEPS = 40
_ITERATIONS = 200
_BISECTIONS = 50
_ROUNDING = 1e-14  # of a primal value
_SHARED = 2**18  # entries from which two threads are faster than one
_OTHER = pool.threads(1)  # it starts with its first task


class Trainer:
    """Trains models on documents of one corpus, each model on the documents of the one before and some more."""

    def __init__(self, features: Features | Rows) -> None:
        self._rows = LabelledRows(features)

    def train(self, documents: Integers, labels: Mask, start: Integers | None = None) -> Model:
        """The optimal model of these documents, with its certificate.

        `start` has the dual values of an earlier model, of the first documents of these. It saves half of the time,
        and changes the model only by what the certificate allows. What was trained before changes nothing.
        """
        self._rows.hold(documents, labels)
        duals = np.zeros(len(documents))
        if start is not None:
            duals[: len(start)] = start / 2.0**DUAL_BITS
        return _search(self._rows.integers, self._rows.floats, duals)


def _search(training: TrainingSet, rows: Any, duals: Floats) -> Model:
    point = _Point.of(rows, duals, rows.T @ duals)
    found, target, forcing = None, _TARGET, _FORCING
    for _ in range(_STEPS):
        if point.gap <= target * point.primal:
            found = derive(training, rounded(point.duals, training.signs))
            if found.certificate.accepted:
                return found
            target /= 100
        next_point = _step(rows, point, goal=max(forcing**2 * point.gap, target * point.primal / 2))
        if next_point is None:
            forcing /= 10
        else:
            point = next_point
    gap = found.certificate.gap / found.certificate.primal if found else point.gap / point.primal
    raise NotOptimal(
        f"after {_STEPS} steps the model of {len(duals)} documents is still {gap:.1e} of its value away from the "
        "optimum, but only 1e-12 is allowed; nothing was recorded, please report this"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Point:
    """The state of the search: dual values, the weights that they add up to, and the margins under these weights."""

    duals: Floats
    weights: Floats
    margins: Floats
    primal: float
    gap: float

    @classmethod
    def of(cls, rows: Any, duals: Floats, weights: Floats) -> Self:
        return cls.at(duals, weights, rows @ weights)

    @classmethod
    def at(cls, duals: Floats, weights: Floats, margins: Floats) -> Self:
        slacks = np.maximum(1 - margins, 0)
        primal = _square(weights) / 2 + _square(slacks)
        gap = _square(slacks - duals / 2)  # P - D where all documents without a slack have the dual value 0
        return cls(duals=duals, weights=weights, margins=margins, primal=primal, gap=gap)

    def toward(self, aim: Self, share: float) -> Self:
        duals, weights, margins = (
            there * share + here * (1 - share)
            for here, there in (
                (self.duals, aim.duals),
                (self.weights, aim.weights),
                (self.margins, aim.margins),
            )
        )
        return self.at(duals, weights, margins)


def _step(rows: Any, point: _Point, goal: float) -> _Point | None:
    """A better point: after a Newton step, or on the way. None if there is none, which means that the linear system
    must be solved better.
    """
    active = np.flatnonzero(point.margins < 1)
    part = rows[active]
    duals = np.zeros_like(point.duals)
    duals[active] = _solved(part, point.duals[active], goal)
    aim = _Point.of(rows, duals, part.T @ duals[active])
    if aim.primal < point.primal or (aim.primal <= point.primal * (1 + _ROUNDING) and aim.gap < point.gap):
        return aim
    share = _best_share(point, aim)
    return point.toward(aim, share) if share else None


def _best_share(point: _Point, aim: _Point) -> float:
    """How much of the way has the least primal value: that is convex, so halve where its slope changes sign."""
    weights, margins = aim.weights - point.weights, aim.margins - point.margins
    slope, curvature = float((point.weights * weights).sum()), _square(weights)
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        share = (low + high) / 2
        slacks = np.maximum(1 - point.margins - share * margins, 0)
        if slope + share * curvature < 2 * (slacks * margins).sum():
            low = share
        else:
            high = share
    return low


def _solved(rows: Any, duals: Floats, goal: float) -> Floats:
    """The solution of (1/2 + Q) a = 1 by conjugate gradients from `duals`, up to a squared residual of `goal`."""
    product = _multiplied(rows)
    residual = 1 - product(duals)
    direction, square = residual, _square(residual)
    for _ in range(_ITERATIONS):
        if square <= goal:
            break
        image = product(direction)
        length = square / (direction * image).sum()
        duals = duals + length * direction
        residual = residual - length * image
        previous, square = square, _square(residual)
        direction = residual + square / previous * direction
    return duals


def _multiplied(rows: Any) -> Callable[[Floats], Floats]:
    """How vectors are multiplied by 1/2 + Q: with many entries, by this thread and another one."""
    if rows.nnz < _SHARED:
        columns = rows.T
        return lambda duals: duals / 2 + rows @ (columns @ duals)
    cut = int(np.searchsorted(rows.indptr, rows.nnz // 2))
    upper, lower = _between(rows, 0, cut), _between(rows, cut, rows.shape[0])
    upper_columns, lower_columns = upper.T, lower.T

    def product(duals: Floats) -> Floats:
        theirs = _OTHER.submit(upper_columns.dot, duals[:cut])
        ours = lower_columns @ duals[cut:]
        weights = theirs.result() + ours
        theirs = _OTHER.submit(upper.dot, weights)
        ours = lower @ weights
        image: Floats = duals / 2 + np.concatenate((theirs.result(), ours))
        return image

    return product


def _between(rows: Any, first: int, last: int) -> Any:
    """These rows. Slicing a matrix would copy them."""
    start, stop = rows.indptr[first], rows.indptr[last]
    arrays = rows.data[start:stop], rows.indices[start:stop], rows.indptr[first : last + 1] - start
    return type(rows)(arrays, shape=(last - first, rows.shape[1]))


def rounded(duals: Floats, signs: Integers) -> Integers:
    """The dual values as integers. What rounding takes from one, the next largest of the same side gets, so that equal
    rows and the bias, which all rows have in common, are off by a unit in all and not by the sum of all roundings.
    """
    order = np.lexsort((duals, signs))
    sums = np.cumsum((signs * np.maximum(duals, 0))[order]) * 2.0**DUAL_BITS
    alphas = np.empty_like(signs)
    alphas[order] = np.diff(np.rint(sums), prepend=0)
    return alphas * signs


def _square(vector: Floats) -> float:
    """Summed by numpy, whose order is fixed; a BLAS may divide the work among threads."""
    return float((vector * vector).sum())
