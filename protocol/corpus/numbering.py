"""Numbering the documents of a corpus: the permutation of `leaves.numbering`, for any number of documents.

Each document's key derives from the secret and its place in the source, and the numbers ascend with the keys. Eight
bytes of each key are sorted. Where these are equal, which hardly ever happens, the whole keys decide.
"""

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ledger.commitments import Secret, derived_salt
from protocol.corpus.manifest import read_secret
from protocol.workers import pool

_ALONE = 200_000  # documents whose keys one process has made before others would have started
_KEPT = 8  # bytes of a key
_SOME = 2**14  # keys that are written at a time


def numbers(folder: Path, size: int, workers: int) -> NDArray[np.int32]:
    """The number of each document by its place in the source; the secret is in the folder."""
    ranges = pool.shares(np.ones(size, np.int8), alone=_ALONE, workers=workers if size >= _ALONE else 1)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts = [Path(scratch) / str(number) for number in range(len(ranges))]
        tasks = [(str(folder), str(part), *each) for part, each in zip(parts, ranges, strict=True)]
        pool.gather(write_keys, tasks, workers=len(tasks))
        keys = np.concatenate([np.fromfile(part, ">u8") for part in parts]).astype(np.uint64)
    found = np.empty(size, "<i4")
    found[order(keys, read_secret(folder))] = np.arange(size, dtype="<i4")
    return found


def order(keys: NDArray[np.uint64], secret: Secret) -> NDArray[np.int64]:
    """The place in the source of each document by its number."""
    found = np.argsort(keys, kind="stable")
    ordered = keys[found]
    equal = np.flatnonzero(ordered[1:] == ordered[:-1])
    for start in equal.tolist():
        end = int(np.searchsorted(ordered, ordered[start], side="right"))
        found[start:end] = sorted(found[start:end].tolist(), key=lambda place: derived_salt(secret, "order", place))
    return found


def write_keys(corpus: str, part: str, first: int, last: int) -> None:
    """Write the first bytes of the keys of documents `first` to `last` - 1 into a file."""
    secret = read_secret(Path(corpus))
    with Path(part).open("wb") as file:
        for start in range(first, last, _SOME):
            some = range(start, min(start + _SOME, last))
            file.write(b"".join([derived_salt(secret, "order", place)[:_KEPT] for place in some]))
