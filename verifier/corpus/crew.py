"""Who does the work on a corpus: this process, its threads, processes beside it, or a cluster."""

import os
from dataclasses import dataclass
from typing import Protocol

from verifier.corpus.processes import Processes
from verifier.corpus.team import Here, Team, Threads

PIECE = 2**14
"""Documents in a task for Python."""
SCORED = 2**16
"""Documents in a task for numpy, which is faster."""

_ALONE = 10_000  # so few documents are done before a process has started


class Cluster(Protocol):
    """Other machines that do tasks. They reach the shards by the same path, and are given no secret."""

    def team(self) -> Team:
        """All of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Chooses the workers. Without a number of them, all cores work where there is enough work."""

    workers: int | None = None
    cluster: Cluster | None = None

    def sealing(self, documents: int) -> Team:
        """Workers that may be given the secret: processes on this machine."""
        workers = self._workers(documents)
        return Processes(workers) if workers > 1 else Here()

    def reading(self, documents: int) -> Team:
        """Workers for Python's own work, which are given no secret."""
        return self.sealing(documents) if self.cluster is None else self.cluster.team()

    def scoring(self, documents: int) -> Team:
        """Workers for numpy's work, which are given no secret."""
        if self.cluster is not None:
            return self.cluster.team()
        workers = self._workers(documents)
        return Threads(workers) if workers > 1 else Here()

    def _workers(self, documents: int) -> int:
        return self.workers or (1 if documents < _ALONE else cores())


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
