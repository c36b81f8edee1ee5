"""RFC 9162's definitions as they are written, the shapes that proofs have by the same recursion, and the proofs and
sizes that tests offer to a verifier.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise

from hypothesis import strategies as st

Proof = list[bytes]

ALL_UP_TO = 40  # every index and every pair of sizes up to here


def leaves(size: int) -> list[bytes]:
    return [b"leaf %d" % index for index in range(size)]


# RFC 9162 as it is written. D[k1:k2] is Python's slice, and `:` appends to a list.


def largest_power_below(n: int) -> int:
    """K: "the largest power of two smaller than n", so that k < n <= 2k."""
    k = 1
    while 2 * k < n:
        k *= 2
    return k


def mth(d: Sequence[bytes]) -> bytes:
    """2.1.1, MTH(D_n)."""
    n = len(d)
    if n == 0:
        return sha256(b"").digest()
    if n == 1:
        return sha256(b"\x00" + d[0]).digest()
    k = largest_power_below(n)
    return sha256(b"\x01" + mth(d[0:k]) + mth(d[k:n])).digest()


def path(m: int, d: Sequence[bytes]) -> list[bytes]:
    """2.1.3.1, PATH(m, D_n)."""
    n = len(d)
    if n == 1:
        return []
    k = largest_power_below(n)
    if m < k:
        return [*path(m, d[0:k]), mth(d[k:n])]
    return [*path(m - k, d[k:n]), mth(d[0:k])]


def subproof(m: int, d: Sequence[bytes], b: bool) -> list[bytes]:  # noqa: FBT001 (the RFC's signature)
    """2.1.4.1, SUBPROOF(m, D_n, b); PROOF(m, D_n) is SUBPROOF(m, D_n, true)."""
    n = len(d)
    if m == n:
        return [] if b else [mth(d)]
    k = largest_power_below(n)
    if m <= k:
        return [*subproof(m, d[0:k], b), mth(d[k:n])]
    return [*subproof(m - k, d[k:n], False), mth(d[0:k])]


# What a verifier can rebuild, by the same recursion: which proof node stands on which side of what.

Built = str | tuple["Built", "Built"]
"""A hash as an expression: the leaf, the old root, a node of the proof ("0", "1", ...), or an inner node of two."""


@cache
def inclusion_shape(m: int, n: int) -> Built:
    """The root in terms of the leaf and the nodes of PATH(m, D_n)."""
    steps = 0

    def built(m: int, n: int) -> Built:
        nonlocal steps
        if n == 1:
            return "leaf"
        k = largest_power_below(n)
        below = built(m, k) if m < k else built(m - k, n - k)
        node = str(steps)
        steps += 1
        return (below, node) if m < k else (node, below)

    return built(m, n)


@cache
def consistency_shape(m: int, n: int) -> tuple[Built, Built]:
    """The old and the new root in terms of the old root and the nodes of PROOF(m, D_n)."""
    steps = 0

    def take() -> Built:
        nonlocal steps
        steps += 1
        return str(steps - 1)

    def built(m: int, n: int, *, whole: bool) -> tuple[Built, Built]:
        if m == n:
            same = "old root" if whole else take()
            return same, same
        k = largest_power_below(n)
        if m <= k:
            old, new = built(m, k, whole=whole)
            return old, (new, take())
        old, new = built(m - k, n - k, whole=False)
        left = take()
        return (left, old), (left, new)

    return built(m, n, whole=True)


def names(shape: Built) -> set[str]:
    return {shape} if isinstance(shape, str) else names(shape[0]) | names(shape[1])


def evaluate(shape: Built, values: dict[str, bytes]) -> bytes:
    if isinstance(shape, str):
        return values[shape]
    return sha256(b"\x01" + evaluate(shape[0], values) + evaluate(shape[1], values)).digest()


# What is offered to a verifier

nodes = st.lists(st.binary(min_size=32, max_size=32), max_size=70)
sizes = st.one_of(st.integers(1, 20), st.integers(1, 2**70))

anything = st.binary(max_size=70)
any_size = st.one_of(
    st.integers(-3, 40),
    st.integers(-(2**200), 2**200),
    st.integers(0, 300).map(lambda bits: 2**bits),
    st.integers(0, 300).map(lambda bits: 2**bits - 1),
)


def altered_proofs(proof: Proof) -> Iterator[tuple[str, Proof]]:
    """Every proof that differs from this one by one change."""
    stranger = sha256(b"a node of no tree").digest()
    for at, node in enumerate(proof):
        before, after = proof[:at], proof[at + 1 :]
        yield f"first bit of node {at} flipped", [*before, bytes([node[0] ^ 0x80]) + node[1:], *after]
        yield f"last bit of node {at} flipped", [*before, node[:-1] + bytes([node[-1] ^ 1]), *after]
        yield f"node {at} replaced", [*before, stranger, *after]
        yield f"node {at} cut short", [*before, node[:-1], *after]
        yield f"node {at} extended", [*before, node + b"\0", *after]
        yield f"node {at} emptied", [*before, b"", *after]
        yield f"node {at} dropped", before + after
        yield f"node {at} doubled", [*before, node, node, *after]
        for other in range(at + 1, len(proof)):
            swapped = proof.copy()
            swapped[at], swapped[other] = swapped[other], swapped[at]
            yield f"nodes {at} and {other} exchanged", swapped
    for at, (left, right) in enumerate(pairwise(proof)):
        before, after = proof[:at], proof[at + 2 :]
        yield f"a byte moved from node {at + 1} to {at}", [*before, left + right[:1], right[1:], *after]
        yield f"a byte moved from node {at} to {at + 1}", [*before, left[:-1], left[-1:] + right, *after]
        yield f"nodes {at} and {at + 1} joined", [*before, left + right, *after]
    for at in range(len(proof) + 1):
        yield f"a node added at {at}", [*proof[:at], stranger, *proof[at:]]
    if proof:
        yield "all nodes dropped", []
