"""The Merkle tree over all leaves of a corpus, in a file: the hashes of all levels, from the leaves to the root."""

from collections.abc import Iterable
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ledger import merkle
from ledger.hashing import Digest
from protocol.corpus import paths
from protocol.corpus.paths import ProofPath


def write_tree(path: Path, leaves: Iterable[bytes]) -> Digest:
    """Store the hashes of all levels, from at least one leaf up to the root, 32 bytes each. Returns the root."""
    levels = merkle.levels(leaves)
    with path.open("wb") as file:
        for level in levels:
            file.write(b"".join(level))
    return Digest(levels[-1][0])


class StoredTree:
    """A Merkle tree in a file, memory-mapped."""

    def __init__(self, path: Path, leaves: int) -> None:
        sizes = [leaves]
        while sizes[-1] > 1:
            sizes.append((sizes[-1] + 1) // 2)
        with path.open("rb") as file:
            nodes = mmap(file.fileno(), 0, access=ACCESS_READ)
        if len(nodes) != sum(sizes) * Digest.size:
            raise ValueError(f"{len(nodes)} bytes, where a tree of {leaves} leaves has {sum(sizes) * Digest.size}")
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
