"""The root of a tree of RFC 9162 over very many leaves, from subtrees that are made apart."""

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.team import Team

SUBTREE = 2**16
"""Leaves of a full subtree that is one task."""


def root(leaves: NDArray[np.uint8], team: Team) -> bytes:
    """The root over leaf hashes, one in each row; there is at least one."""

    def tasks() -> Iterator[tuple[bytes]]:
        for first in range(0, len(leaves), SUBTREE):
            yield (leaves[first : first + SUBTREE].tobytes(),)

    return folded(b"".join(team.in_order(folded, tasks())))


def folded(nodes: bytes) -> bytes:
    """What nodes of 32 bytes come to, level by level; a node without a sibling goes up as it is."""
    while len(nodes) > 32:
        pairs = len(nodes) // 64 * 64
        level = [sha256(b"\x01" + nodes[start : start + 64]).digest() for start in range(0, pairs, 64)]
        nodes = b"".join((*level, nodes[pairs:]))
    return nodes
