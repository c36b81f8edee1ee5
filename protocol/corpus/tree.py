"""The Merkle tree over all leaves of a corpus, in a file: the hashes of all levels, from the leaves to the root."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO

from ledger.hashing import Digest
from protocol.corpus import paths
from protocol.corpus.paths import ProofPath

_BLOCK = 2**15  # nodes that are read at a time; an even number


def levels(leaves: int) -> list[int]:
    """How many nodes each level has, from the leaves to the root."""
    sizes = [leaves]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    return sizes


def write_levels(path: Path, leaves: int) -> Digest:
    """Write all levels behind the hashes of the leaves, at least one, which are in the file. Returns the root."""
    start = 0
    with path.open("rb") as below, path.open("rb+") as above:
        above.seek(leaves * Digest.size)
        for size in levels(leaves)[:-1]:
            _write_above(below, above, start, size)
            above.flush()
            start += size
        below.seek(start * Digest.size)
        return Digest(below.read(Digest.size))


def _write_above(below: IO[bytes], above: IO[bytes], start: int, size: int) -> None:
    """Write the level above that of these nodes. An odd node at the end moves up unchanged."""
    step = 2 * Digest.size
    below.seek(start * Digest.size)
    for first in range(0, size, _BLOCK):
        nodes = below.read(min(_BLOCK, size - first) * Digest.size)
        whole = len(nodes) - len(nodes) % step
        above.write(b"".join([sha256(b"\x01" + nodes[at : at + step]).digest() for at in range(0, whole, step)]))
        above.write(nodes[whole:])


class StoredTree:
    """A Merkle tree in a file, memory-mapped."""

    def __init__(self, path: Path, leaves: int) -> None:
        sizes = levels(leaves)
        found = path.stat().st_size
        if found != sum(sizes) * Digest.size:
            raise ValueError(f"{path.name} has {found} bytes, not {sum(sizes) * Digest.size}")
        with path.open("rb") as file:
            nodes = mmap(file.fileno(), 0, access=ACCESS_READ)
        self._nodes, self._size = nodes, leaves
        self._starts = [0, *accumulate(sizes)]

    @property
    def root(self) -> Digest:
        """The root over all leaves."""
        return Digest(self._node(self._starts[-2]))

    def path(self, leaves: Iterable[int]) -> ProofPath:
        """The one path of these leaves."""
        return ProofPath(
            b"".join(self._node(self._starts[level] + place) for level, place in paths.siblings(leaves, self._size))
        )

    def _node(self, number: int) -> bytes:
        return self._nodes[number * Digest.size : (number + 1) * Digest.size]
