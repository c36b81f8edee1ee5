"""What is done with the rows of one shard in a round, by a thread of this process or by a worker elsewhere.

A worker elsewhere gets the path of the shard, and gives back plain numbers. It needs no secret.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ledger import coins
from ledger.hashing import Digest
from protocol.corpus.arrays import open_array
from protocol.corpus.features import Features
from protocol.corpus.manifest import NUMBERS, Watched
from protocol.learning.model import ROW_BITS, Integers
from protocol.learning.rowblocks import SPACE, blocks
from protocol.workers.leaving import may_leave

Scale = Literal["float", "integer"]
"""What scores are computed with."""

Found = tuple[Integers, Integers, NDArray[np.uint64]]
"""Numbers of documents, their scores, and their coins if there was a draw."""

NOTHING: Found = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64))

_LOWEST = -(2**63)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The documents of a shard, row by row."""

    numbers: NDArray[np.int32]
    scores: Integers

    def left(self, put_up: Integers) -> NDArray[np.bool_]:
        """The rows that were not put up."""
        found = np.ones(len(self.scores), bool)
        found[put_up] = False
        return found

    def at(self, rows: Integers) -> Found:
        """What is told of some rows, without coins."""
        return self.numbers[rows].astype(np.int64), self.scores[rows], np.zeros(len(rows), np.uint64)


def scores(rows: Features, weights: Integers, scale: Scale, folder: Path | None) -> Integers:
    """Each document's product with the weights, of which the last is the bias."""
    factors, bias = weights[:-1].astype(np.float64 if scale == "float" else np.int64), int(weights[-1]) << ROW_BITS
    found, space = np.empty(rows.size, np.int64), np.empty(SPACE, factors.dtype)
    for block in blocks(rows, folder):
        found[block.rows] = block.products(factors, space)
    found += bias
    return found


def largest_square(rows: Features, folder: Path | None) -> int:
    """The largest squared norm of a row."""
    return max((block.largest_square() for block in blocks(rows, folder)), default=0)


def best(shard: Scored, put_up: Integers, count: int, reach: int) -> Found:
    """All documents that are no further than `reach` below the one after the `count` highest; all if there is none.

    The batch's end lies no lower than the shard's own. So the union over all shards has the batch, the highest document
    outside of it, and all that `near_cut` counts.
    """
    eligible = shard.left(put_up)
    left = shard.scores[eligible]
    if count < len(left):
        place = len(left) - count - 1
        left.partition(place)
        eligible &= shard.scores >= max(int(left[place]) - reach, _LOWEST)
    return shard.at(np.flatnonzero(eligible))


def drawn(shard: Scored, put_up: Integers, count: int, seed: Digest) -> Found:
    """The documents with the smallest coins among those with a positive score; of equal coins, the smaller number."""
    rows = np.flatnonzero(shard.left(put_up) & (shard.scores > 0))
    tickets = np.array(coins.coins(seed, shard.numbers[rows].tolist()), np.uint64)
    order = np.lexsort((shard.numbers[rows], tickets))[:count]
    numbers, scored, _ = shard.at(rows[order])
    return numbers, scored, tickets[order]


@may_leave
def largest_square_in(shard: str, digests: dict[str, str]) -> int:
    """The same for a shard in a folder, if its files have these hashes."""
    Watched(Path(shard), {name: Digest.parse(digest) for name, digest in digests.items()}).check(*digests)
    return largest_square(Features.open(Path(shard), 0), Path(shard))


@may_leave
def best_in(shard: str, weights: str, scale: Scale, put_up: list[int], count: int, reach: str) -> list[list[int]]:
    """The same for a shard in a folder, and weights in a file."""
    return _told(best(_opened(shard, weights, scale), np.array(put_up, np.int64), count, int(reach)))


@may_leave
def drawn_in(shard: str, weights: str, scale: Scale, put_up: list[int], count: int, seed: str) -> list[list[int]]:
    """The same for a shard in a folder, and weights in a file."""
    return _told(drawn(_opened(shard, weights, scale), np.array(put_up, np.int64), count, Digest.parse(seed)))


def plain(told: list[list[int]]) -> Found:
    """What a worker elsewhere told."""
    numbers, scored, tickets = told
    return np.array(numbers, np.int64), np.array(scored, np.int64), np.array(tickets, np.uint64)


def _told(found: Found) -> list[list[int]]:
    return [each.tolist() for each in found]


def _opened(shard: str, weights: str, scale: Scale) -> Scored:
    folder, given = Path(shard), open_array(Path(weights), "<i8")
    rows = Features.open(folder, len(given) - 1)
    numbers: NDArray[Any] = open_array(folder / NUMBERS, "<i4")
    return Scored(numbers, scores(rows, given, scale, folder))
