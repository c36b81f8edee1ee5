"""The path of some leaves of a Merkle tree to its root: one for all of them, so they share their upper nodes.

Let the known nodes be these leaves. Level by level, from the leaves up, and ascending within a level: if the sibling of
a known node exists and is not known, its hash is the next one of the path. Then the parents of the known nodes are
known. A node without a sibling goes up as it is, as in RFC 9162.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Self

from ledger import merkle
from ledger.hashing import Digest


class ProofPath(bytes):
    """The hashes of a path one after the other, in JSON as one text of hex digits."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The path that lowercase hex digits spell, 64 a hash."""
        raw = bytes.fromhex(text)
        if len(raw) % Digest.size or raw.hex() != text:
            raise ValueError(f"a multiple of {2 * Digest.size} lowercase hex digits was expected")
        return cls(raw)


def siblings(leaves: Iterable[int], size: int) -> Iterator[tuple[int, int]]:
    """The level and the place of each node of the path of these leaves of a tree of `size`, in order."""
    known = sorted(set(leaves))
    for level in range((size - 1).bit_length()):
        present = set(known)
        yield from ((level, place ^ 1) for place in known if place ^ 1 not in present and place ^ 1 < size)
        known = list(dict.fromkeys(place >> 1 for place in known))
        size = (size + 1) // 2


def root(leaves: Mapping[int, bytes], size: int, path: bytes) -> Digest | None:
    """The root that the data of these leaves, by place, and their path lead to; None if the path is not theirs."""
    if not leaves or not all(0 <= place < size for place in leaves) or len(path) % Digest.size:
        return None
    left = iter([path[start : start + Digest.size] for start in range(0, len(path), Digest.size)])
    known = {place: merkle.leaf_hash(leaves[place]) for place in sorted(leaves)}
    while size > 1:
        above: dict[int, bytes] = {}
        for place, node in known.items():
            if place >> 1 in above:
                continue
            if place ^ 1 >= size:
                above[place >> 1] = node
                continue
            sibling = known.get(place ^ 1) or next(left, None)
            if sibling is None:
                return None
            above[place >> 1] = merkle.node_hash(sibling, node) if place & 1 else merkle.node_hash(node, sibling)
        known, size = above, (size + 1) // 2
    return Digest(known[0]) if next(left, None) is None else None
