"""A Merkle tree in a file: the hashes of all levels, from the leaves up to the root, 32 bytes each."""

from collections.abc import Iterable
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path

from ledger import merkle
from ledger.hashing import Digest
from protocol.corpus.leaves import ProofPath


def write(path: Path, leaves: Iterable[bytes]) -> Digest:
    """Store the tree over the data of at least one leaf; its root."""
    levels = merkle.levels(leaves)
    with path.open("wb") as file:
        for level in levels:
            file.write(b"".join(level))
    return Digest(levels[-1][0])


class StoredTree:
    """A stored tree, memory-mapped."""

    def __init__(self, path: Path, leaves: int) -> None:
        sizes = [leaves]
        while sizes[-1] > 1:
            sizes.append((sizes[-1] + 1) // 2)
        with path.open("rb") as file:
            nodes = mmap(file.fileno(), 0, access=ACCESS_READ)
        if len(nodes) != sum(sizes) * Digest.size:
            raise ValueError(f"{len(nodes)} bytes, where a tree of {leaves} leaves has {sum(sizes) * Digest.size}")
        self._nodes = nodes
        self._levels = [(end - size, size) for size, end in zip(sizes, accumulate(sizes), strict=True)]

    @property
    def root(self) -> Digest:
        """The root over all leaves."""
        return Digest(self._node(self._levels[-1][0]))

    def path(self, leaf: int) -> ProofPath:
        """The inclusion proof of one leaf: its siblings on the way up, where it has one."""
        place, found = leaf, []
        for first, size in self._levels[:-1]:
            sibling = place ^ 1
            if sibling < size:
                found.append(self._node(first + sibling))
            place >>= 1
        return ProofPath(b"".join(found))

    def _node(self, number: int) -> bytes:
        return self._nodes[number * Digest.size : (number + 1) * Digest.size]
