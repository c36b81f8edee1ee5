"""The Merkle tree of RFC 9162: root, proofs, and their verification.

A proof is checked against roots that somebody signed; nobody has to trust its maker.
`Frontier` adds leaves one by one and keeps only the roots of the full subtrees, for logs of any length.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import islice
from typing import Self

from ledger.hashing import Digest

_BLOCK = 2**10  # a power of two: the leaves of a full subtree, few enough to stay in the processor's cache

EMPTY_ROOT = Digest(sha256(b"").digest())


def leaf_hash(data: bytes) -> bytes:
    """The hash of one leaf."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def root(leaves: Iterable[bytes]) -> Digest:
    """The tree's root; of no leaves, the hash of nothing."""
    rest = iter(leaves)
    tops = []
    while block := list(islice(rest, _BLOCK)):
        tops += _levels_above([sha256(b"\x00" + data).digest() for data in block])[-1]
    return Digest(_levels_above(tops)[-1][0]) if tops else EMPTY_ROOT


def levels(leaves: Iterable[bytes]) -> list[list[bytes]]:
    """All hashes of the tree, from the leaf hashes up to the root."""
    return _levels_above([leaf_hash(data) for data in leaves])


def root_of_hashes(hashes: Sequence[bytes]) -> Digest:
    """The root over leaves of which only the hashes are known, or over full subtrees of one size."""
    return Digest(_levels_above(list(hashes))[-1][0]) if hashes else EMPTY_ROOT


def _levels_above(level: list[bytes]) -> list[list[bytes]]:
    """A level and those above it.

    An odd node at a level's end moves up unchanged, which gives the same tree as the RFC's recursive split.
    """
    found = [level]
    while len(level) > 1:
        pairs = iter(level)
        above = [sha256(b"\x01" + left + right).digest() for left, right in zip(pairs, pairs, strict=False)]
        if len(level) % 2:
            above.append(level[-1])
        level = above
        found.append(level)
    return found


class Frontier:
    """A growing tree of which only the full subtrees' roots are kept."""

    __slots__ = ("_roots", "size")

    def __init__(self) -> None:
        self.size = 0
        self._roots: list[bytes] = []  # one for each bit of size, largest subtree first

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frontier) and (self.size, self._roots) == (other.size, other._roots)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def add(self, data: bytes) -> None:
        """Append one leaf."""
        node = sha256(b"\x00" + data).digest()
        size, roots = self.size, self._roots
        while size & 1:
            node = sha256(b"\x01" + roots.pop() + node).digest()
            size >>= 1
        roots.append(node)
        self.size += 1

    def root(self) -> Digest:
        """The root over all leaves so far."""
        if not self._roots:
            return EMPTY_ROOT
        node = self._roots[-1]
        for left in reversed(self._roots[:-1]):
            node = node_hash(left, node)
        return Digest(node)

    def copy(self) -> Self:
        """An independent frontier of the same leaves."""
        twin = type(self)()
        twin.size, twin._roots = self.size, self._roots.copy()
        return twin


def inclusion_proof(tree: Sequence[Sequence[bytes]], index: int) -> list[bytes]:
    """The hashes that lead from leaf `index` to the root; `tree` is what `levels` gives."""
    if not 0 <= index < len(tree[0]):
        raise IndexError(f"leaf {index} of a tree of {len(tree[0])}")
    proof = []
    for level in tree[:-1]:
        sibling = index ^ 1
        if sibling < len(level):
            proof.append(level[sibling])
        index >>= 1
    return proof


def verify_inclusion(*, data: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """RFC 9162, 2.1.3.2: whether `data` is leaf `index` of the tree of `size` leaves with this root."""
    if not 0 <= index < size:
        return False
    node, place, last = leaf_hash(data), index, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = node_hash(sibling, node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


def consistency_proof(leaves: Sequence[bytes], old_size: int) -> list[bytes]:
    """RFC 9162, 2.1.4.1: that the first `old_size` leaves are a prefix of all of them."""
    if not 0 < old_size <= len(leaves):
        raise IndexError(f"a prefix of {old_size} of a tree of {len(leaves)}")
    return _subproof(leaves, old_size, whole=True)


def _subproof(leaves: Sequence[bytes], old_size: int, *, whole: bool) -> list[bytes]:
    size = len(leaves)
    if old_size == size:
        return [] if whole else [root(leaves)]
    split = 1 << (size - 1).bit_length() - 1
    if old_size <= split:
        return [*_subproof(leaves[:split], old_size, whole=whole), root(leaves[split:])]
    return [*_subproof(leaves[split:], old_size - split, whole=False), root(leaves[:split])]


def verify_consistency(
    *, old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """RFC 9162, 2.1.4.2: whether the smaller tree is a prefix of the larger one."""
    if not 0 < old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    path = list(proof)
    if old_size & (old_size - 1) == 0:  # a full subtree: its root is the first step
        path.insert(0, old_root)
    if not path:
        return False
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old_node = new_node = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old_node, new_node = node_hash(step, old_node), node_hash(step, new_node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new_node = node_hash(new_node, step)
        place, last = place >> 1, last >> 1
    return last == 0 and old_node == old_root and new_node == new_root
