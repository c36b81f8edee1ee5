"""Exact scores of all documents, and the batch: the N highest.

Scores are sums of integers. Float64 adds integers exactly as long as every partial sum stays within 2^53, in any order
and however the rows are divided. That is checked from the norms before each use, instead of hoped for.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from os import cpu_count
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from protocol.corpus.features import Features
from protocol.learning.model import (
    ROW_BITS,
    SMALL_BLOCK,
    Integers,
    Mask,
    TooLarge,
    ceil_sqrt,
    divided,
    row_sums,
    sum_of_squares,
)

_EXACT_FLOAT = 2**53
_EXACT_INTEGER = 2**62
_LARGEST_PART = 2**30  # entries, which scipy numbers with 32 bits


class Scorer:
    """The rows of all documents in memory (12 bytes an entry), ready to be multiplied with weights.

    They are divided into `parts` of about the same size, each scored by a thread of its own; by default one for each
    processor. No number depends on that.
    """

    def __init__(self, features: Features, parts: int | None = None) -> None:
        entries = int(features.starts[-1])
        parts = max(parts or cpu_count() or 1, entries // _LARGEST_PART + 1)
        with ThreadPoolExecutor(parts) as threads:
            self._blocks = list(threads.map(partial(_block, features), divided(features.starts, parts)))
        small = divided(features.starts, entries // SMALL_BLOCK + 1)
        self.largest_norm = ceil_sqrt(max((_largest_square(features, rows) for rows in small), default=0))
        """The smallest integer that no row's Euclidean norm exceeds."""

    def scores(self, weights: Integers) -> Integers:
        """Each document's product with the weights, of which the last is the bias."""
        exact = np.float64 if self._reach(weights) <= _EXACT_FLOAT else np.int64
        factors, bias = weights[:-1].astype(exact), int(weights[-1]) << ROW_BITS
        scores = np.empty(sum(block.shape[0] for block in self._blocks), np.int64)

        def score(block: Any, last: int) -> None:
            part = scores[last - block.shape[0] : last]
            part[:] = block.astype(exact, copy=False) @ factors
            part += bias

        with ThreadPoolExecutor(len(self._blocks) or 1) as threads:
            list(threads.map(score, self._blocks, accumulate(block.shape[0] for block in self._blocks)))
        return scores

    def _reach(self, weights: Integers) -> int:
        """What no partial sum without the bias exceeds: by Cauchy-Schwarz, the product of the norms."""
        largest = max(int(weights.max()), -int(weights.min()))
        reach = ceil_sqrt(sum_of_squares(weights[:-1])) * self.largest_norm
        if reach + (largest << ROW_BITS) >= _EXACT_INTEGER:  # the second term holds where squares would overflow
            raise TooLarge(
                f"weights up to 2^{largest.bit_length()} with rows of norm {self.largest_norm}: scores are exact below "
                "2^62 only; these weights belong to no model of these documents"
            )
        return reach


def top(scores: Integers, reviewed: Mask, count: int) -> Integers:
    """The unreviewed documents with the highest scores, highest first; of equal ones, the smaller number first."""
    eligible = ~reviewed
    left = scores[eligible]
    if 0 < count < len(left):
        left.partition(len(left) - count)
        eligible &= scores >= left[len(left) - count]
    documents = np.flatnonzero(eligible)
    order = np.lexsort((documents, ~scores[documents]))  # ~s falls as s rises, and never overflows
    return documents[order][:count]


def _block(features: Features, rows: slice) -> Any:
    starts = features.starts[rows.start : rows.stop + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    return csr_array(
        (
            features.values[entries].astype(np.float64),
            np.asarray(features.columns[entries]),  # stays in its file
            (starts - starts[0]).astype(np.int32),
        ),
        shape=(len(starts) - 1, features.terms),
    )


def _largest_square(features: Features, rows: slice) -> int:
    starts = features.starts[rows.start : rows.stop + 1]
    values = features.values[int(starts[0]) : int(starts[-1])].astype(np.int64)
    return int(row_sums(values * values, starts - starts[0]).max())
