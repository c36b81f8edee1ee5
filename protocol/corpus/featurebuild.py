"""Building the rows of a whole corpus, shard by shard.

Each shard is counted by itself (`counting`), the vocabularies are merged into the term table (`merging`), and then the
counts of each shard become its rows (`weighing`). The result is the same for every number of shards and of workers.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from ledger.hashing import Digest
from protocol.corpus import merging
from protocol.corpus.arrays import open_array
from protocol.corpus.counting import count
from protocol.corpus.features import idf, mapped
from protocol.corpus.manifest import FREQUENCIES
from protocol.corpus.scratch import Scratch
from protocol.corpus.weighing import weigh
from protocol.workers import pool

IDFS = "idfs.npy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a shard that were written."""

    files: dict[str, Digest]
    nnz: int
    oversized: tuple[int, ...]
    """Rows that are empty since they would be too long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was built: the term table, and the rows of each shard."""

    files: dict[str, Digest]
    terms: int
    shards: tuple[Rows, ...]


class Counting:
    """Counts shards as they come, so that more documents can be read in the meantime."""

    def __init__(self, scratch: Path, workers: int, cluster: Executor | None = None) -> None:
        self._scratch, self._workers, self._cluster = scratch, workers, cluster
        self._crew: Executor | None = None
        self._futures: list[Future[None]] = []
        self._waiting: list[tuple[str, str]] = []
        self.stems: list[str] = []
        """What the names of each shard's files in the scratch folder begin with."""

    def add(self, shard: Path, *, more: bool) -> None:
        """Count a shard: at once by a cluster, or if there are several workers and more shards to come; otherwise when
        `finish` is called.
        """
        self.stems.append(str(self._scratch / shard.name))
        self._waiting.append((str(shard), self.stems[-1]))
        if self._cluster is not None or (more and self._workers > 1):
            self._submit(self._workers)

    def _submit(self, workers: int) -> None:
        if self._cluster is None and self._crew is None:
            self._crew = pool.executor(workers)
        crew = self._cluster or self._crew
        self._futures += [crew.submit(count, *task) for task in self._waiting if crew is not None]
        self._waiting = []

    def finish(self, progress: Callable[[int], None] = lambda _: None) -> None:
        """Wait until all are counted; `progress` is told how many are."""
        self._submit(self._workers if len(self.stems) > 1 else 1)  # one shard is counted before a worker has started
        for done, future in enumerate(as_completed(self._futures), 1):
            future.result()
            progress(done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._crew is not None:
            self._crew.shutdown(cancel_futures=kind is not None)


def build(
    shards: Sequence[Path],
    stems: Sequence[str],
    documents: int,
    folder: Path,
    *,
    workers: pool.Workers,
    progress: Callable[[int], None] = lambda _: None,
) -> Built:
    """Write the rows of shards that were counted, and the one term table of all into the folder."""
    files, terms = merging.merge_all(stems, folder, partial(pool.gather, workers=workers))
    idfs = mapped(partial(idf, documents=documents), open_array(folder / FREQUENCIES, "<i4"))
    path = Path(f"{stems[0]}.{IDFS}")
    np.save(path, idfs)
    tasks = [(str(shard), stem, str(path)) for shard, stem in zip(shards, stems, strict=True)]
    done = pool.gather(weigh, tasks, progress, workers=workers)
    path.unlink()
    for stem in stems:  # not by the worker, who may do its task twice
        Scratch(stem).remove("ids", "counts", "lengths", "ranks", "columns")
    return Built(files=files, terms=terms, shards=tuple(map(_rows, done)))


def _rows(value: dict[str, Any]) -> Rows:
    files = {name: Digest.parse(digest) for name, digest in value["files"].items()}
    return Rows(files=files, nnz=value["nnz"], oversized=tuple(value["oversized"]))
