"""Which documents make a batch: the highest scores of a model, or a draw by coin from a query's results.

Each piece of a shard names those of its documents that can matter, and the batch is chosen from all that were named. A
score is exact wherever it fits 64 bits. That it does is known from the norms: no product w.x exceeds |w| |x|, so that
weights are refused unless

    ceil(|w|) largest_norm + 2^15 max |w_j| < 2^62,    |w| without the bias, the maximum with it
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.crew import PIECE, SCORED, Crew
from verifier.corpus.errors import NotSound, TooLarge, shown
from verifier.corpus.exact import ceil_sqrt, sum_of_squares
from verifier.corpus.features import query_row
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import LIMIT, Model
from verifier.corpus.rows import Integers, are_sound, spans, sums
from verifier.corpus.scoring import ROW_BITS, scores
from verifier.corpus.shard import Piece, pieces

__all__ = ["Named", "NotSound", "Ranker", "TooLarge"]

Mask = NDArray[np.bool_]
Told = Callable[[int], None]
Coins = Callable[[list[int]], Iterable[int]]
"""The coins of these documents; other processes must find it by its name."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Named:
    """Some documents with their scores, by ascending number."""

    numbers: Integers
    scores: Integers

    @classmethod
    def joined(cls, some: list[Self]) -> Self:
        """All of them."""
        numbers = np.concatenate([np.zeros(0, np.int64), *(each.numbers for each in some)])
        found = np.concatenate([np.zeros(0, np.int64), *(each.scores for each in some)])
        order = np.argsort(numbers)
        return cls(numbers=numbers[order], scores=found[order])

    def ranked(self, count: int) -> Integers:
        """The places of the highest scores, highest first, of equal ones the smaller number."""
        places = np.arange(len(self.scores))
        if 0 < count < len(places):
            cut = len(places) - count
            places = np.flatnonzero(self.scores >= np.partition(self.scores, cut)[cut])
        return places[np.argsort(-self.scores[places], kind="stable")][:count]


class Ranker:
    """Ranks the documents of one corpus; `NotSound` if its rows cannot be scored."""

    def __init__(self, corpus: SealedCorpus, crew: Crew | None = None, told: Told = lambda _: None) -> None:
        self._corpus, self._crew = corpus, crew or Crew()
        largest, terms = 0, len(corpus.frequencies)
        with self._crew.scoring(corpus.size) as team:
            for square in self._each(team.in_order(survey, ((each, terms) for each in self._pieces())), told):
                largest = max(largest, square)
        self.largest_norm = ceil_sqrt(largest)
        """The Euclidean norm of the longest row, rounded up."""

    def by_model(self, model: Model, reviewed: Mask, count: int, told: Told = lambda _: None) -> tuple[list[int], int]:
        """The unreviewed documents with the highest scores, and how many lie near the cut (`near_cut`)."""
        reach = reach_of(model.gap, self.largest_norm)
        named = self.named(model.weights, reviewed, count, reach, told)
        batch = named.ranked(count)
        return named.numbers[batch].tolist(), near_cut(named.scores, batch, reach)

    def named(self, weights: Integers, reviewed: Mask, count: int, reach: int, told: Told = lambda _: None) -> Named:
        """All unreviewed documents that can be among the `count` highest, or within `reach` of their cut."""
        self._check_reach(weights)
        with self._crew.scoring(self._corpus.size) as team:
            given, done = team.share(weights), team.share(reviewed)
            tasks = ((each, given, done, count, reach) for each in self._pieces())
            return Named.joined(list(self._each(team.in_order(highest, tasks), told)))

    def by_coin(self, query: str, reviewed: Mask, count: int, coins: Coins, told: Told = lambda _: None) -> list[int]:
        """Documents drawn from the query's results that are left, by score; else from all that are left, as drawn."""
        weights = np.zeros(len(self._corpus.frequencies) + 1, np.int64)
        columns, values = query_row(self._corpus, query)
        weights[columns] = values
        if len(columns):
            self._check_reach(weights)
            if drawn := self._drawn(weights, reviewed, count, coins, told):
                return [number for _, number in sorted((-score, number) for _, number, score in drawn)]
        return [number for _, number, _ in self._drawn(None, reviewed, count, coins, told)]

    def _drawn(
        self, weights: Integers | None, reviewed: Mask, count: int, coins: Coins, told: Told
    ) -> list[tuple[int, int, int]]:
        """Of all documents the `count` smallest coins, each with the document's number and score, smallest first."""
        with self._crew.reading(self._corpus.size) as team:
            given, done, found = team.share(weights), team.share(reviewed), list[tuple[int, int, int]]()
            tasks = ((each, given, done, count, coins) for each in self._pieces(PIECE))
            for some in self._each(team.in_order(draw, tasks), told, PIECE):
                found = nsmallest(count, (*found, *some))
        return found

    def _check_reach(self, weights: Integers) -> None:
        """Raise `TooLarge` if a score may not fit."""
        if len(weights) != len(self._corpus.frequencies) + 1:
            raise ValueError(f"{len(weights)} weights for {len(self._corpus.frequencies)} terms and a bias")
        largest = max(int(weights.max()), -int(weights.min()))
        reach = ceil_sqrt(sum_of_squares(weights[:-1])) * self.largest_norm + (largest << ROW_BITS)
        if reach >= LIMIT:
            raise TooLarge(f"a score may reach 2^{reach.bit_length() - 1}, exact arithmetic ends at 2^62")

    def _pieces(self, most: int | None = None) -> list[Piece]:
        return pieces(self._corpus.shards, most or SCORED)

    def _each(self, results: Iterator[T], told: Told, most: int | None = None) -> Iterator[T]:
        """The results of all pieces; `told` is told how many documents are done."""
        done = 0
        for piece, result in zip(self._pieces(most), results, strict=True):
            yield result
            done += piece.size
            told(done)


def survey(piece: Piece, terms: int) -> int:
    """The largest square of a norm among the rows of a piece; `NotSound` if one of them cannot be scored."""
    rows, largest = piece.shard.rows(), 0
    for first, last in spans(rows.starts, piece.first, piece.last):
        if not are_sound(rows, (first, last), terms):
            where = shown(piece.shard.path)
            raise NotSound(f"in {where} a feature row's columns do not ascend, or are not terms")
        starts = rows.starts[first : last + 1]
        values = np.append(rows.values[int(starts[0]) : int(starts[-1])], 0).astype(np.int64)
        largest = max(largest, int(sums(values * values, starts - starts[0]).max()))
    return largest


def highest(piece: Piece, weights: Integers, reviewed: Mask, count: int, reach: int) -> Named:
    """All unreviewed documents of a piece that can be in a batch of this size, or near its cut.

    These are the ones that score no less than `reach` below the one at rank `count` + 1. Among all documents, the one
    at this rank cannot score less.
    """
    numbers, found = _left(piece, weights, reviewed)
    if count < len(found):
        cut = len(found) - count - 1
        kept = found >= max(int(np.partition(found, cut)[cut]) - reach, -LIMIT)
        numbers, found = numbers[kept], found[kept]
    return Named(numbers=numbers, scores=found)


def draw(
    piece: Piece, weights: Integers | None, reviewed: Mask, count: int, coins: Coins
) -> list[tuple[int, int, int]]:
    """Of the unreviewed documents with a positive score, or of all if there are no weights, the smallest coins."""
    numbers, found = _left(piece, weights, reviewed)
    if weights is not None:
        numbers, found = numbers[found > 0], found[found > 0]
    items = numbers.tolist()
    return nsmallest(count, zip(coins(items), items, found.tolist(), strict=True))


def _left(piece: Piece, weights: Integers | None, reviewed: Mask) -> tuple[Integers, Integers]:
    """The numbers and scores of the unreviewed documents of a piece."""
    numbers = piece.shard.numbers()[piece.first : piece.last].astype(np.int64)
    left = ~reviewed[numbers]
    if weights is None:
        return numbers[left], np.zeros(np.count_nonzero(left), np.int64)
    rows = piece.shard.rows()
    found = scores(rows, spans(rows.starts, piece.first, piece.last), weights)
    return numbers[left], found[left]


def reach_of(gap: int, largest_norm: int) -> int:
    """The smallest whole number of score units that is no less than sqrt(2 gap) sqrt(2) largest_norm."""
    # its square: gap has units of 2^-91, a norm 2^-15, a score 2^-43; and -(-a >> b) rounds up
    return ceil_sqrt(-(-(4 * gap * largest_norm**2) >> 91 + 2 * 15 - 2 * 43))


def near_cut(scores: Integers, batch: Integers, reach: int) -> int:
    """How many unreviewed documents the optimal model could put on the other side of the batch's end, at most.

    `scores` are those of all that can be near, and `batch` the places among them that are in the batch. Counted are
    those of the batch at most `reach` above the highest score that is not in it, and those not in it at most `reach`
    below its lowest score. 0 where nothing is outside, or nothing in the batch.
    """
    outside, inside = np.delete(scores, batch), scores[batch]
    if not len(outside) or not len(inside):
        return 0
    leaving = inside - outside.max() <= reach
    entering = inside.min() - outside <= reach
    return int(np.count_nonzero(leaving)) + int(np.count_nonzero(entering))
