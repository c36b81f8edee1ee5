"""The Merkle trees of RFC 9162."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256


class GrowingTree:
    """A tree to which leaves are added; it keeps one hash for each full subtree."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []  # of the full subtrees, the largest first

    def add(self, leaf: bytes) -> None:
        """Append a leaf with this data."""
        self.extend([leaf])

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Append several leaves."""
        size, peaks = self.size, self._peaks
        for leaf in leaves:
            node = sha256(b"\x00" + leaf).digest()
            full = size  # each of its lowest one bits is a full subtree that the new leaf completes
            while full & 1:
                node = sha256(b"\x01" + peaks.pop() + node).digest()
                full >>= 1
            peaks.append(node)
            size += 1
        self.size = size

    def root(self) -> bytes:
        """The root over all leaves; of none, the hash of nothing."""
        if not self._peaks:
            return sha256(b"").digest()
        *higher, node = self._peaks
        for peak in reversed(higher):
            node = sha256(b"\x01" + peak + node).digest()
        return node


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root to which an inclusion proof leads, or None if a tree of `size` leaves has no such path."""
    if not 0 <= index < size:
        return None
    node, last = sha256(b"\x00" + leaf).digest(), size - 1
    for sibling in path:
        if index == last:  # at the end of its level a node may have no sibling, and moves up
            while last and not index & 1:
                index = last = last >> 1
            if not last:
                return None
        node = sha256(b"\x01" + sibling + node if index & 1 else b"\x01" + node + sibling).digest()
        index, last = index >> 1, last >> 1
    return None if last else node


def is_prefix(size: int, root: bytes, whole: int, whole_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether a consistency proof shows that the tree of `size` leaves is the beginning of the one of `whole`."""
    if not 0 < size <= whole:
        return False
    if size == whole:
        return not path and root == whole_root
    hashes = iter(path)
    small = size - 1
    last = whole - 1
    while small & 1:
        small, last = small >> 1, last >> 1
    first = root if size & (size - 1) == 0 else next(hashes, None)
    if first is None:
        return False
    inner = outer = first
    for sibling in hashes:
        if not last:
            return False
        if small & 1 or small == last:
            inner, outer = (sha256(b"\x01" + sibling + node).digest() for node in (inner, outer))
            while small and not small & 1:
                small, last = small >> 1, last >> 1
        else:
            outer = sha256(b"\x01" + outer + sibling).digest()
        small, last = small >> 1, last >> 1
    return not last and inner == root and outer == whole_root


def root_from_shared_path(leaves: Mapping[int, bytes], size: int, path: bytes) -> bytes | None:
    """The root to which some leaves, by their numbers, and the one path of them all lead.

    None if a tree of `size` leaves has no such path. Each inner node is hashed once, however many leaves are below it.
    """
    numbers = sorted(leaves)
    if not numbers or not 0 <= numbers[0] <= numbers[-1] < size:
        return None
    nodes = [sha256(b"\x00" + leaves[number]).digest() for number in numbers]
    taken, last = 0, size - 1  # the bytes of the path that are used, and the number of the level's last node
    while last:
        numbers, nodes, taken = _parents(numbers, nodes, last, path, taken)
        last >>= 1
    return nodes[0] if taken == len(path) else None


def _parents(
    numbers: list[int], nodes: list[bytes], last: int, path: bytes, taken: int
) -> tuple[list[int], list[bytes], int]:
    """The level above the known nodes of a level: siblings that are not known come from the path."""
    pairs: list[bytes] = []  # what is hashed for each node above
    above: list[int] = []
    left, waiting = -1, b""  # the left node that waits for its sibling
    for number, node in zip(numbers, nodes, strict=True):
        if left >= 0:
            if number == left + 1:
                pairs.append(waiting + node)
                left = -1
                continue
            pairs.append(waiting + path[taken : taken + 32])
            taken += 32
            left = -1
        above.append(number >> 1)
        if number & 1:
            pairs.append(path[taken : taken + 32] + node)
            taken += 32
        else:
            left, waiting = number, node
    alone = left == last  # at the end of its level a node may have no sibling, and moves up
    if left >= 0 and not alone:
        pairs.append(waiting + path[taken : taken + 32])
        taken += 32
    made = [sha256(b"\x01" + pair).digest() for pair in pairs]
    return above, [*made, waiting] if alone else made, taken
