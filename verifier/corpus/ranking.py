"""Which documents make a batch: the highest scores of a model, or a draw by coin from a query's results.

A score is exact wherever it fits 64 bits. That it does is known from the norms: no product w.x exceeds |w| |x|, so that
weights are refused unless

    ceil(|w|) largest_norm + 2^15 max |w_j| < 2^62,    |w| without the bias, the maximum with it
"""

from collections.abc import Callable, Sequence
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.errors import CorpusDamaged, TooLarge
from verifier.corpus.exact import ceil_sqrt, sum_of_squares
from verifier.corpus.features import query_row
from verifier.corpus.files import shown
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import LIMIT, Model
from verifier.corpus.rows import Integers, Span, in_threads, spans, sums
from verifier.corpus.scoring import ROW_BITS, scores

__all__ = ["Ranker", "TooLarge"]

Mask = NDArray[np.bool_]


class Ranker:
    """Ranks the documents of one corpus whose rows are sound."""

    def __init__(self, corpus: SealedCorpus) -> None:
        if not corpus.rows_are_sound():
            raise CorpusDamaged(f"in {shown(corpus.path)} a feature row's columns do not ascend, or are not terms")
        self._corpus = corpus
        self._blocks = list(spans(corpus.starts))
        self.largest_norm = ceil_sqrt(max(in_threads(self._largest_square, self._blocks)))
        """The Euclidean norm of the longest row, rounded up."""

    def scores(self, weights: Integers) -> Integers:
        """Each document's product with the weights, the last of which is the bias; or `TooLarge`."""
        if len(weights) != len(self._corpus.frequencies) + 1:
            raise ValueError(f"{len(weights)} weights for {len(self._corpus.frequencies)} terms and a bias")
        self._check_reach(weights)
        return scores(self._corpus, self._blocks, weights)

    def by_model(self, model: Model, reviewed: Mask, count: int) -> tuple[list[int], int]:
        """The unreviewed documents with the highest scores, and how many lie near the cut (`near_cut`)."""
        found = self.scores(model.weights)
        batch = highest(found, np.flatnonzero(~reviewed), count)
        return batch.tolist(), near_cut(found, reviewed, batch, model.gap, self.largest_norm)

    def by_coin(self, query: str, reviewed: Mask, count: int, coins: Callable[[list[int]], list[int]]) -> list[int]:
        """Documents drawn from the query's results that are left, by score; else from all that are left, as drawn."""
        products = self._products(query)
        results = np.flatnonzero(~reviewed & (products > 0)).tolist()
        if not results:
            return _drawn(np.flatnonzero(~reviewed).tolist(), count, coins)
        if len(results) > count:
            results = _drawn(results, count, coins)
        batch: list[int] = highest(products, np.array(sorted(results), np.int64), count).tolist()
        return batch

    def _products(self, query: str) -> Integers:
        """Each document's product with the query's row, which has no bias."""
        weights = np.zeros(len(self._corpus.frequencies) + 1, np.int64)
        columns, values = query_row(self._corpus, query)
        weights[columns] = values
        return self.scores(weights) if len(columns) else np.zeros(self._corpus.size, np.int64)

    def _largest_square(self, blocks: Sequence[Span]) -> int:
        largest = 0
        for first, last in blocks:
            starts = self._corpus.starts[first : last + 1]
            values = np.append(self._corpus.values[int(starts[0]) : int(starts[-1])], 0).astype(np.int64)
            largest = max(largest, int(sums(values * values, starts - starts[0]).max()))
        return largest

    def _check_reach(self, weights: Integers) -> None:
        largest = max(int(weights.max()), -int(weights.min()))
        reach = ceil_sqrt(sum_of_squares(weights[:-1])) * self.largest_norm + (largest << ROW_BITS)
        if reach >= LIMIT:
            raise TooLarge(f"a score may reach 2^{reach.bit_length() - 1}, exact arithmetic ends at 2^62")


def highest(scores: Integers, documents: Integers, count: int) -> Integers:
    """Those of the documents, which ascend, with the highest scores, in rank order: of equal ones the smaller first."""
    theirs = scores[documents]
    if 0 < count < len(documents):
        place = len(documents) - count
        documents = documents[theirs >= np.partition(theirs, place)[place]]
        theirs = scores[documents]
    return documents[np.argsort(-theirs, kind="stable")][:count]


def near_cut(scores: Integers, reviewed: Mask, batch: Integers, gap: int, largest_norm: int) -> int:
    """How many unreviewed documents the optimal model could put on the other side of the batch's end, at most.

    With R the smallest whole number of score units that is no less than sqrt(2 gap) sqrt(2) largest_norm: those of the
    batch at most R above the highest score that is not in it, and those not in it at most R below its lowest score. 0
    where nothing is outside, or nothing in the batch.
    """
    left = ~reviewed
    left[batch] = False
    outside, inside = scores[left], scores[batch]
    if not len(outside) or not len(inside):
        return 0
    # the square of R: gap has units of 2^-91, a norm 2^-15, a score 2^-43; and -(-a >> b) rounds up
    reach = ceil_sqrt(-(-(4 * gap * largest_norm**2) >> 91 + 2 * 15 - 2 * 43))
    leaving = inside - outside.max() <= reach
    entering = inside.min() - outside <= reach
    return int(np.count_nonzero(leaving)) + int(np.count_nonzero(entering))


def _drawn(items: list[int], count: int, coins: Callable[[list[int]], list[int]]) -> list[int]:
    """The items with the smallest coins, smallest first; of equal ones the smaller item first."""
    return [item for _, item in nsmallest(count, zip(coins(items), items, strict=True))]
