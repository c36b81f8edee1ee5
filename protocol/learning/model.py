"""The model as integers, and the proof that it is the optimal one.

A support vector machine with squared hinge loss and C = 1. Rows x (with a constant 1 for the bias), labels y = +1, -1:

    minimise  P(w) = 1/2 |w|^2 + sum max(0, 1 - y w.x)^2
    maximise  D(a) = sum a - 1/2 |w(a)|^2 - 1/4 sum a^2   over a >= 0,   with w(a) = sum a y x

The model is the dual a. Whatever a is, D(a) <= P(w) for every w, so P - D bounds what the model lacks; who checks it
needs no solver. Everything is a whole number of units:

    x 2^-15    a 2^-30    w(a) 2^-45    w, which is w(a) rounded once, 2^-28    scores w.x 2^-43    P and D 2^-91

Why 2^-28. Where both classes occur, P is at least 2/3, and to round k weights adds some k/24 squared units to it: for
k = 1,000,000, that is below 10^-12 of P with this unit, and 256 times as much with 2^-24, where the best of models
would fail its certificate on a few long documents. And |w|^2 <= 2 P(0) = 2m for the best model of m documents, so that
scores stay below 2^53 for m = 500,000.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from protocol.corpus.features import Features
from protocol.corpus.rows import Rows
from protocol.errors import NotOptimal, ProtocolError

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

ROW_BITS = 15
DUAL_BITS = 30
WEIGHT_BITS = 28
SCORE_BITS = WEIGHT_BITS + ROW_BITS

_SUM_BITS = DUAL_BITS + ROW_BITS
_UNIT_BITS = 2 * _SUM_BITS + 1  # of P and D: the halves of squared sums are whole
_LIMIT = 2**62  # what sums of int64 are held below

SMALL_BLOCK = 2**16  # entries, few enough that arrays of that size take no fresh memory from the system

ACCEPTED = 10**12
"""A model's gap is at most its primal value divided by this."""


class TooLarge(ProtocolError):
    """Numbers beyond the range in which the arithmetic is proven to be exact."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainingSet:
    """The labelled documents' rows, one after the other in the order of review."""

    signs: Integers
    """y: +1 for a responsive document, -1 for another."""
    starts: Integers
    columns: NDArray[np.int32]
    values: NDArray[np.uint16]
    terms: int

    @classmethod
    def of(cls, features: Features | Rows, documents: Integers, labels: Mask) -> Self:
        """The rows of these documents, copied."""
        rows = features.some(documents)
        return cls(
            signs=np.where(labels, 1, -1),
            starts=rows.starts,
            columns=rows.columns,
            values=rows.values,
            terms=rows.terms,
        )

    @property
    def lengths(self) -> Integers:
        """How many entries each row has."""
        return np.diff(self.starts)

    def blocks(self) -> Iterator[tuple[slice, slice]]:
        """All rows, with their entries, in blocks small enough that working on one takes no fresh memory."""
        for rows in divided(self.starts, int(self.starts[-1]) // SMALL_BLOCK + 1):
            yield rows, slice(int(self.starts[rows.start]), int(self.starts[rows.stop]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """P and D of a model, in units of 2^-91."""

    primal: int
    dual: int

    @property
    def gap(self) -> int:
        """How much better than this model another one could be, at most; never negative."""
        return self.primal - self.dual

    @property
    def accepted(self) -> bool:
        """Whether the gap is at most 10^-12 of the primal value."""
        return self.gap * ACCEPTED <= self.primal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """The dual values of all labelled documents, and what follows from them."""

    alphas: Integers
    weights: Integers
    """One for each term, and the bias as the last."""
    certificate: Certificate


def derive(rows: TrainingSet, alphas: Integers) -> Model:
    """The model that these dual values define."""
    sums = _column_sums(rows, alphas)
    shift = _SUM_BITS - WEIGHT_BITS
    weights = sums + (1 << shift - 1) >> shift
    square = sum_of_squares(weights)
    slacks = np.maximum((1 << SCORE_BITS) - rows.signs * _margins(rows, weights, square), 0)
    primal = (square << _UNIT_BITS - 2 * WEIGHT_BITS - 1) + (sum_of_squares(slacks) << _UNIT_BITS - 2 * SCORE_BITS)
    dual = (
        (sum(alphas.tolist()) << _UNIT_BITS - DUAL_BITS)
        - sum_of_squares(sums)
        - (sum_of_squares(alphas) << _UNIT_BITS - 2 * DUAL_BITS - 2)
    )
    return Model(alphas=alphas, weights=weights, certificate=Certificate(primal=primal, dual=dual))


def near_cut(scores: Integers, reviewed: Mask, batch: Integers, gap: int, largest_norm: int) -> int:
    """How many documents the optimal model w* could put on the other side of the batch's end, at most.

    P is 1-strongly convex, so 1/2 |w - w*|^2 <= P(w) - P(w*) <= gap. Two documents' scores s and t differ under
    w* by s - t + (w* - w).(x - x'), so that w* puts the lower one first only if s - t <= sqrt(2 gap) |x - x'|. The
    bias cancels in x - x', and no value is negative: |x - x'|^2 <= |x|^2 + |x'|^2 <= 2 largest_norm^2. Call the
    bound R. If w* moves a document out of the batch, it moves another one in, and puts it first. The first one's
    score is then at most R above the highest score b outside of the batch; the other's at most R below the lowest
    score a within.
    """
    outside = ~reviewed
    outside[batch] = False
    left = scores[outside]
    if not len(left) or not len(batch):
        return 0
    chosen = scores[batch]
    reach = radius(gap, largest_norm)
    leaving = chosen <= int(left.max()) + reach
    entering = left >= int(chosen.min()) - reach
    return int(np.count_nonzero(leaving) + np.count_nonzero(entering))


def radius(gap: int, largest_norm: int) -> int:
    """R in units of scores: the square root of 4 gap largest_norm^2, rounded up."""
    shift = _UNIT_BITS + 2 * ROW_BITS - 2 * SCORE_BITS
    return ceil_sqrt(-(-4 * gap * largest_norm**2 >> shift))


def _column_sums(rows: TrainingSet, alphas: Integers) -> Integers:
    """The exact w(a); the bias is the last."""
    if len(alphas) != len(rows.signs) or (alphas < 0).any():
        raise NotOptimal(
            f"{len(rows.signs)} labelled documents need as many dual values, none below 0; there are "
            f"{len(alphas)}, {np.count_nonzero(alphas < 0)} of them below 0: train the model again"
        )
    _check("sum of dual values", sum(alphas.tolist()) * max(1 << ROW_BITS, int(rows.values.max(initial=0))))
    signed = alphas * rows.signs
    sums = np.zeros(rows.terms + 1, np.int64)
    lengths = rows.lengths
    for part, entries in rows.blocks():
        np.add.at(sums, rows.columns[entries], np.repeat(signed[part], lengths[part]) * rows.values[entries])
    sums[-1] = signed.sum() << ROW_BITS
    return sums


def _margins(rows: TrainingSet, weights: Integers, square: int) -> Integers:
    """The exact scores of the rows. By Cauchy-Schwarz no partial sum exceeds |w| |x|."""
    length = int(rows.lengths.max(initial=0)) + 1
    largest = max(1 << ROW_BITS, int(rows.values.max(initial=0)))
    _check("score", (1 << SCORE_BITS) + ceil_sqrt(square * length) * largest)
    margins = np.full(len(rows.signs), int(weights[-1]) << ROW_BITS)
    for part, entries in rows.blocks():
        products = weights[rows.columns[entries]] * rows.values[entries]
        margins[part] += row_sums(products, rows.starts[part.start : part.stop + 1] - rows.starts[part.start])
    return margins


def _check(name: str, bound: int) -> None:
    if bound >= _LIMIT:
        raise TooLarge(
            f"a {name} may reach 2^{bound.bit_length()}, exact arithmetic ends at 2^62: the dual values are wrong, or "
            "the labels of more than 65,000 documents follow no pattern; check the labels and train again"
        )


def row_sums(entries: Integers, starts: Integers) -> Integers:
    """The sum of each row's entries."""
    sums = np.zeros(len(starts) - 1, np.int64)
    filled = np.flatnonzero(np.diff(starts))  # reduceat takes no empty row
    if len(filled):
        sums[filled] = np.add.reduceat(entries, starts[filled])
    return sums


def divided(starts: Integers, parts: int) -> list[slice]:
    """Consecutive rows in at most so many parts, with about the same number of entries in each."""
    rows, entries = len(starts) - 1, int(starts[-1])
    inner = np.searchsorted(starts, [entries * part // parts for part in range(1, parts)])
    edges = [0, *np.minimum(inner, rows).tolist(), rows]
    return [slice(first, last) for first, last in pairwise(edges) if first < last]


def sum_of_squares(numbers: Integers) -> int:
    """Exact for numbers of at most 62 bits: squares of halves of 31 bits, summed in halves again."""
    mask = (1 << 31) - 1
    high, low = numbers >> 31, numbers & mask
    total = 0
    for product, shift in ((low * low, 0), (low * high, 32), (high * high, 62)):
        total += ((int((product >> 31).sum()) << 31) + int((product & mask).sum())) << shift
    return total


def ceil_sqrt(number: int) -> int:
    """The smallest integer whose square is no smaller."""
    return isqrt(number - 1) + 1 if number > 0 else 0
