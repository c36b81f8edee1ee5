"""The Merkle trees of RFC 9162."""

from collections.abc import Iterable, Sequence
from hashlib import sha256


class GrowingTree:
    """A tree to which leaves are added; it keeps one hash for each full subtree."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []  # of the full subtrees, the largest first

    def add(self, leaf: bytes) -> None:
        """Append a leaf with this data."""
        node = sha256(b"\x00" + leaf).digest()
        self.size += 1
        for _ in range((self.size & -self.size).bit_length() - 1):  # as many subtrees are full now
            node = sha256(b"\x01" + self._peaks.pop() + node).digest()
        self._peaks.append(node)

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Append several leaves."""
        for leaf in leaves:
            self.add(leaf)

    def root(self) -> bytes:
        """The root over all leaves; of none, the hash of nothing."""
        if not self._peaks:
            return sha256(b"").digest()
        *higher, node = self._peaks
        for peak in reversed(higher):
            node = sha256(b"\x01" + peak + node).digest()
        return node


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root to which an inclusion proof leads, or None where a tree of `size` leaves has no such path."""
    if not 0 <= index < size:
        return None
    node = sha256(b"\x00" + leaf).digest()
    last = size - 1
    steps = iter(path)
    while last:
        if index & 1 or index < last:  # it has a sibling at this level
            sibling = next(steps, None)
            if sibling is None:
                return None
            node = sha256(b"\x01" + (sibling + node if index & 1 else node + sibling)).digest()
        index, last = index >> 1, last >> 1
    return node if next(steps, None) is None else None
