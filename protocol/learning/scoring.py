"""Exact scores of all documents, shard by shard, and the batch: the N highest.

Scores are sums of integers. Float64 adds integers exactly as long as every partial sum stays within 2^53, in any order
and however the rows are divided. That is checked from the norms before each use, instead of hoped for.

Each shard puts forward what could be in the batch or near its end, and nobody needs the other scores. So neither the
number of shards nor who scores them changes anything. By default they are scored by threads of this process. The
workers of a cluster get the paths of the shards, and the weights in a file beside them.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest
from protocol.corpus.features import Features
from protocol.corpus.manifest import NUMBERS, ROWS
from protocol.learning import shardwork
from protocol.learning.model import ROW_BITS, Integers, Mask, TooLarge, ceil_sqrt, sum_of_squares
from protocol.learning.shardwork import Scale
from protocol.workers import leaving, pool

_EXACT_FLOAT = 2**53
_EXACT_INTEGER = 2**62
_ENTRY = 6  # bytes of a row's entry: a column and a value

BUDGET = 2**30
"""Bytes of rows that may be mapped into memory, and so stay there from one round to the next."""

T = TypeVar("T")


class Shard(Protocol):
    """What is needed of a shard."""

    @property
    def path(self) -> Path: ...
    @property
    def numbers(self) -> NDArray[np.int32]: ...
    @property
    def rows(self) -> Features: ...
    @property
    def entries(self) -> int: ...
    def digests(self, *names: str) -> Mapping[str, Digest]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Some documents by ascending number, with their scores, and their coins if there was a draw."""

    numbers: Integers
    scores: Integers
    coins: NDArray[np.uint64]

    @classmethod
    def of(cls, found: Iterable[shardwork.Found]) -> "Candidates":
        """What all shards put forward."""
        parts = [*found, shardwork.NOTHING]
        numbers, scores, coins = (np.concatenate([part[place] for part in parts]) for place in range(3))
        order = np.argsort(numbers)
        return cls(numbers[order], scores[order], coins[order])


class Scorer:
    """Scores the documents of some shards, on this machine or on a cluster."""

    def __init__(self, shards: Sequence[Shard], cluster: Executor | None = None, *, budget: int = BUDGET) -> None:
        self._shards, self._cluster, self._budget = shards, cluster, budget
        if cluster is not None:
            leaving.check_shared(shards[0].path.resolve().parent)

    @cached_property
    def largest_norm(self) -> int:
        """The smallest integer that no row's Euclidean norm exceeds."""
        if self._cluster is not None:
            tasks = [
                (str(shard.path.resolve()), {name: each.hex() for name, each in shard.digests(NUMBERS, *ROWS).items()})
                for shard in self._shards
            ]
            squares = pool.gather(shardwork.largest_square_in, tasks, workers=self._cluster)
        else:
            squares = self._map(lambda shard: shardwork.largest_square(shard.rows, self._folder(shard)))
        return ceil_sqrt(max(squares, default=0))

    def best(self, weights: Integers, put_up: Sequence[Integers], count: int, reach: int) -> Candidates:
        """What each shard puts forward for a batch of the `count` highest, if scores may be wrong by `reach`.

        `put_up` are the rows in each shard that no batch may have.
        """
        scale = self.scale(weights)
        if self._cluster is not None:
            return self._by_cluster(shardwork.best_in, weights, scale, put_up, (count, str(reach)))
        return Candidates.of(
            self._map(
                lambda shard, rows: shardwork.best(self._scored(shard, weights, scale), rows, count, reach), put_up
            )
        )

    def drawn(self, weights: Integers, put_up: Sequence[Integers], count: int, seed: Digest) -> Candidates:
        """The `count` documents of each shard with the smallest coins, among those with a positive score."""
        scale = self.scale(weights)
        if self._cluster is not None:
            return self._by_cluster(shardwork.drawn_in, weights, scale, put_up, (count, seed.hex()))
        return Candidates.of(
            self._map(
                lambda shard, rows: shardwork.drawn(self._scored(shard, weights, scale), rows, count, seed), put_up
            )
        )

    def scale(self, weights: Integers) -> Scale:
        """What scores by these weights can be computed with: floats while every partial sum is exact.

        By Cauchy-Schwarz, no partial sum without the bias exceeds the product of the norms.
        """
        largest = max(int(weights.max()), -int(weights.min()))
        reach = ceil_sqrt(sum_of_squares(weights[:-1])) * self.largest_norm
        if reach + (largest << ROW_BITS) >= _EXACT_INTEGER:  # the second term holds where squares would overflow
            raise TooLarge(
                f"weights up to 2^{largest.bit_length()} with rows of norm {self.largest_norm}: scores are exact below "
                "2^62 only; these weights belong to no model of these documents"
            )
        return "float" if reach <= _EXACT_FLOAT else "integer"

    def scores(self, weights: Integers) -> list[Integers]:
        """Each shard's scores of its documents; the last weight is the bias."""
        scale = self.scale(weights)
        return self._map(lambda shard: self._scored(shard, weights, scale).scores)

    def _scored(self, shard: Shard, weights: Integers, scale: Scale) -> shardwork.Scored:
        return shardwork.Scored(shard.numbers, shardwork.scores(shard.rows, weights, scale, self._folder(shard)))

    def _folder(self, shard: Shard) -> Path | None:
        return None if self._fits else shard.path

    @cached_property
    def _fits(self) -> bool:
        """Whether the entries of all rows may stay mapped."""
        return sum(shard.entries for shard in self._shards) * _ENTRY <= self._budget

    def _map(self, work: Callable[..., T], *more: Iterable[Any]) -> list[T]:
        with pool.threads(min(pool.cores(), len(self._shards) or 1)) as threads:
            return list(threads.map(work, self._shards, *more))

    def _by_cluster(
        self,
        work: Callable[..., Any],
        weights: Integers,
        scale: Scale,
        put_up: Sequence[Integers],
        more: tuple[str | int, ...],
    ) -> Candidates:
        folder = self._shards[0].path.resolve().parent
        with _weights_file(folder, weights) as file:
            tasks = [
                (str(shard.path.resolve()), file, scale, rows.tolist(), *more)
                for shard, rows in zip(self._shards, put_up, strict=True)
            ]
            return Candidates.of(map(shardwork.plain, pool.gather(work, tasks, workers=self._cluster)))


@contextmanager
def _weights_file(folder: Path, weights: Integers) -> Iterator[str]:
    """The weights in a file beside the folder of the shards, in which nothing else may lie, while workers need it."""
    path = folder.with_name(f".{folder.name}.weights-{os.urandom(8).hex()}.npy")  # others may work on the same shards
    with leaving.whole_file(path) as file:
        np.save(file, weights)
    try:
        yield str(path)
    finally:
        path.unlink(missing_ok=True)


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
