"""Rows that are in no corpus, as shards."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest
from protocol.corpus.features import Features
from protocol.corpus.manifest import COLUMNS, NUMBERS, STARTS, VALUES
from protocol.learning.scoring import BUDGET, Scorer


@dataclass(frozen=True, kw_only=True, eq=False)
class Loose:
    """A shard in memory; in a folder too, if it was stored."""

    numbers: NDArray[np.int32]
    rows: Features
    path: Path = Path("nowhere")

    @property
    def entries(self) -> int:
        return len(self.rows.columns)

    def digests(self, *names: str) -> dict[str, Digest]:
        return {}

    def stored(self, folder: Path) -> "Loose":
        """The same in a folder, memory-mapped."""
        folder.mkdir(parents=True)
        arrays = {NUMBERS: self.numbers, STARTS: self.rows.starts.astype("<i8")}
        for name, array in (arrays | {COLUMNS: self.rows.columns, VALUES: self.rows.values}).items():
            np.save(folder / name, array)
        return Loose(numbers=self.numbers, rows=Features.open(folder, self.rows.terms), path=folder)


def cut(rows: Features, parts: int = 1, order: NDArray[np.int64] | None = None) -> list[Loose]:
    """Rows cut into so many shards, some of which may be empty; `order` has the numbers as the source has them."""
    order = np.arange(rows.size) if order is None else order
    return [Loose(numbers=each.astype(np.int32), rows=rows.some(each)) for each in np.array_split(order, parts)]


def scores(shards: list[Loose], weights: NDArray[np.int64], budget: int = BUDGET) -> NDArray[np.int64]:
    """The scores of all documents by number."""
    found = np.zeros(sum(len(shard.numbers) for shard in shards), np.int64)
    for shard, each in zip(shards, Scorer(shards, budget=budget).scores(weights), strict=True):
        found[shard.numbers] = each
    return found
