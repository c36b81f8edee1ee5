"""Merging the tokens of all shards into the term table, as a tree.

A run is a sorted list of tokens, each followed by a newline, with the number of documents that each occurs in. Some
runs are merged into one, which says for each of them where its tokens have gone, until there is one run. Then the
columns of its tokens are known, and on the way back those of every shard's. Runs are read piece by piece, so neither
the number of shards nor that of tokens has to fit into memory.

A newline is smaller than any byte of a token, so tokens with their newlines are in the same order as without them.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import IO

import numpy as np

from ledger.hashing import Digest
from protocol.corpus import hashed
from protocol.corpus.features import MIN_FREQUENCY, Integers
from protocol.corpus.hashed import Hashed
from protocol.corpus.manifest import FREQUENCIES, TERMS
from protocol.corpus.scratch import Scratch
from protocol.workers.leaving import may_leave

NO_TERM = -1
FAN = 16
"""Runs that are merged at a time."""

_PIECE = 2**19  # bytes of a run's tokens that are in memory

Gather = Callable[[Callable[..., None], Sequence[Sequence[str]]], object]
"""Does the tasks of one level, all at a time or one by one."""


def merge_all(stems: Sequence[str], folder: Path, gather: Gather) -> tuple[dict[str, Digest], int]:
    """Write the term table of all runs into the folder, and leave beside each run the columns of its tokens.

    Returns the hashes of the table's files, and how many terms there are.
    """
    levels: list[list[tuple[str, list[str]]]] = []
    names = (f"{stems[0]}.merged{number}" for number in count())
    runs = list(stems)
    while len(runs) > 1:
        groups = [(next(names), runs[first : first + FAN]) for first in range(0, len(runs), FAN)]
        gather(merge, [(into, *some) for into, some in groups])
        for stem in runs:
            Scratch(stem).remove("tokens", "frequencies")  # here, since a worker may do its task twice
        levels.append(groups)
        runs = [into for into, _ in groups]
    files, terms = _write_table(Scratch(runs[0]), folder)
    for groups in reversed(levels):
        for into, some in groups:
            _hand_down(Scratch(into), map(Scratch, some))
    return files, terms


def _hand_down(merged: Scratch, runs: Iterable[Scratch]) -> None:
    columns = np.fromfile(merged.path("columns"), "<i4")
    for run in runs:
        columns[np.fromfile(run.path("into"), "<i4")].tofile(run.path("columns"))
        run.remove("into")
    merged.remove("columns")


def _write_table(run: Scratch, folder: Path) -> tuple[dict[str, Digest], int]:
    """Keep the tokens that are terms."""
    frequencies = run.load("frequencies", "<i8")
    kept = frequencies >= MIN_FREQUENCY
    first = 0
    with run.path("tokens").open("rb") as tokens, Hashed(folder / TERMS) as terms:
        while some := tokens.readlines(_PIECE):
            wanted = np.flatnonzero(kept[first : first + len(some)]).tolist()
            terms.write(b"".join([some[each] for each in wanted]))
            first += len(some)
        digest = terms.close()
    columns = np.where(kept, np.cumsum(kept) - 1, NO_TERM)
    columns.astype("<i4").tofile(run.path("columns"))
    run.remove("tokens", "frequencies")
    saved = hashed.save(folder / FREQUENCIES, frequencies[kept].astype("<i4"))
    return {TERMS: digest, FREQUENCIES: saved}, int(np.count_nonzero(kept))


@may_leave
def merge(into: str, *stems: str) -> None:
    """Merge runs into one, and leave beside each of them the places of its tokens in it."""
    merged = Scratch(into)
    with ExitStack() as files:
        runs = [_Run(Scratch(stem), files) for stem in stems]
        tokens = files.enter_context(merged.writing("tokens"))
        frequencies = files.enter_context(merged.writing("frequencies"))
        first = 0
        while sum(run.fill() for run in runs):
            ends = [run.tokens[-1] for run in runs if run.has_more]
            taken = [run.take(min(ends) if ends else None) for run in runs]
            found = sorted(set().union(*(some for some, _ in taken)))
            place_of = dict(zip(found, range(len(found)), strict=True))
            sums = np.zeros(len(found), np.int64)
            for run, (some, counts) in zip(runs, taken, strict=True):
                places = np.fromiter(map(place_of.__getitem__, some), np.int64, count=len(some))
                sums[places] += counts  # a token stands once in a run
                run.into.write((places + first).astype("<i4").tobytes())
            tokens.write(b"".join(found))
            frequencies.write(sums.astype("<i8").tobytes())
            first += len(found)


class _Run:
    """A run that is being read."""

    def __init__(self, run: Scratch, files: ExitStack) -> None:
        self._tokens: IO[bytes] = files.enter_context(run.path("tokens").open("rb"))
        self._frequencies: IO[bytes] = files.enter_context(run.path("frequencies").open("rb"))
        self.into: IO[bytes] = files.enter_context(run.writing("into"))
        self.tokens: list[bytes] = []
        self.has_more = True
        self._counts: Integers = np.zeros(0, np.int64)

    def fill(self) -> int:
        """Read more if nothing is left; how many tokens there are."""
        if self.has_more and not self.tokens:
            self.tokens = self._tokens.readlines(_PIECE)
            self._counts = np.fromfile(self._frequencies, "<i8", len(self.tokens))
            self.has_more = bool(self.tokens)
        return len(self.tokens)

    def take(self, last: bytes | None) -> tuple[list[bytes], Integers]:
        """The tokens up to `last`, or all, with their frequencies."""
        end = len(self.tokens) if last is None else bisect_right(self.tokens, last)
        some, counts = self.tokens[:end], self._counts[:end]
        self.tokens, self._counts = self.tokens[end:], self._counts[end:]
        return some, counts
