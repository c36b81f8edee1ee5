"""A Merkle tree in a file: the hashes of all levels, from the leaves up to the root, 32 bytes each."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ledger import merkle
from ledger.hashing import Digest


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
        nodes = np.asarray(np.memmap(path, np.uint8, "r", shape=(sum(sizes), Digest.size)))
        ends = accumulate(sizes)
        self._levels = [_Level(nodes[end - size : end]) for size, end in zip(sizes, ends, strict=True)]

    @property
    def root(self) -> Digest:
        """The root over all leaves."""
        return Digest(self._levels[-1][0])

    def path(self, leaf: int) -> tuple[Digest, ...]:
        """The inclusion proof of one leaf."""
        return tuple(Digest(node) for node in merkle.inclusion_proof(self._levels, leaf))


class _Level(Sequence[bytes]):
    """The hashes of one level, read when they are asked for."""

    def __init__(self, nodes: NDArray[np.uint8]) -> None:
        self._nodes = nodes

    def __len__(self) -> int:
        return len(self._nodes)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | Sequence[bytes]:
        found = self._nodes[index]
        return _Level(found) if isinstance(index, slice) else found.tobytes()
