"""The Merkle tree against RFC 9162's own words, and against another implementation's trees and proofs."""

from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle
from tests.vectors import load

VECTORS: dict[str, Any] = load("interop_merkle.json")
HASHES = [bytes.fromhex(text) for text in VECTORS["hashes"]]

ALL_UP_TO = 40  # every index and every pair of sizes up to here
AROUND_BLOCKS = [1023, 1024, 1025, 2048, 3000]


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


# Roots and proofs


def test_the_vectors_state_their_origin_and_every_case_says_what_it_shows() -> None:
    assert VECTORS["origin"]["implementation"]
    assert VECTORS["origin"]["version"]
    cases = VECTORS["trees"] + VECTORS["checks"]
    assert all(case["comment"] for case in cases)
    assert len({case["id"] for case in cases}) == len(cases)
    assert {tree["size"] for tree in VECTORS["trees"]} == {*range(1, ALL_UP_TO + 1), *AROUND_BLOCKS}


@pytest.mark.parametrize("tree", VECTORS["trees"], ids=lambda tree: tree["id"])
def test_roots_and_proofs_are_the_other_implementations(tree: dict[str, Any]) -> None:
    data = leaves(tree["size"])
    levels = merkle.levels(data)
    assert merkle.root(data) == HASHES[tree["root"]]
    for index, places in tree["inclusion"].items():
        assert merkle.inclusion_proof(levels, int(index)) == [HASHES[place] for place in places]
    for old_size, places in tree["consistency"].items():
        assert merkle.consistency_proof(data, int(old_size)) == [HASHES[place] for place in places]


@pytest.mark.parametrize("check", VECTORS["checks"], ids=lambda check: check["id"])
def test_verdicts_are_the_other_implementations(check: dict[str, Any]) -> None:
    proof = [bytes.fromhex(node) for node in check["proof"]]
    if check["kind"] == "inclusion":
        verdict = merkle.verify_inclusion(
            data=bytes.fromhex(check["leaf_hex"]),
            index=check["index"],
            size=check["size"],
            proof=proof,
            root=bytes.fromhex(check["root"]),
        )
    else:
        verdict = merkle.verify_consistency(
            old_size=check["old_size"],
            old_root=bytes.fromhex(check["old_root"]),
            new_size=check["new_size"],
            new_root=bytes.fromhex(check["new_root"]),
            proof=proof,
        )
    assert verdict is check["valid"]


def test_no_leaves_have_the_hash_of_nothing_as_root() -> None:
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert merkle.root([]).hex() == merkle.EMPTY_ROOT.hex() == merkle.Frontier().root().hex() == nothing


def test_an_empty_leaf_is_not_an_empty_tree() -> None:
    assert merkle.root([b""]) != merkle.root([])
    assert merkle.root([b""]) == sha256(b"\x00").digest()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 300), st.binary(max_size=4), st.data())
def test_roots_and_proofs_are_those_of_the_rfc(size: int, salt: bytes, data: st.DataObject) -> None:
    filled = [salt + leaf for leaf in leaves(size)]
    assert merkle.root(filled) == merkle.root(iter(filled)) == mth(filled)
    if filled:
        index = data.draw(st.integers(0, size - 1), label="index")
        assert merkle.inclusion_proof(merkle.levels(filled), index) == path(index, filled)
        assert merkle.consistency_proof(filled, index + 1) == subproof(index + 1, filled, b=True)


@pytest.mark.parametrize("size", AROUND_BLOCKS)
def test_roots_and_proofs_are_those_of_the_rfc_around_whole_blocks(size: int) -> None:
    data = leaves(size)
    levels = merkle.levels(data)
    assert merkle.root(data) == merkle.root(iter(data)) == mth(data)
    assert levels[-1] == [merkle.root(data)]
    for index in {0, 1, size // 2, size // 3, size - 2, size - 1, *(at for at in (1022, 1023, 1024) if at < size)}:
        assert merkle.inclusion_proof(levels, index) == path(index, data)
        assert merkle.consistency_proof(data, index + 1) == subproof(index + 1, data, b=True)


def test_a_leaf_may_hold_any_bytes_and_any_number_of_them() -> None:
    data = [b"", b"\x00", b"\x01" * 65, bytes(100_000), b"", sha256(b"").digest()]
    assert merkle.root(data) == mth(data)


def test_order_and_repetition_of_leaves_show_in_the_root() -> None:
    roots = [merkle.root(data) for data in ([b"a", b"b"], [b"b", b"a"], [b"a", b"b", b"b"], [b"a"], [b"ab"])]
    assert len(set(roots)) == len(roots)


@pytest.mark.parametrize(("size", "index"), [(0, 0), (1, 1), (1, -1), (5, 5), (5, -1), (5, 2**70)])
def test_no_inclusion_proof_is_made_for_a_leaf_that_is_not_there(size: int, index: int) -> None:
    with pytest.raises(IndexError, match=f"leaf {index} of a tree of {size}"):
        merkle.inclusion_proof(merkle.levels(leaves(size)), index)


@pytest.mark.parametrize(("size", "old_size"), [(0, 0), (5, 0), (5, -1), (5, 6), (0, 1)])
def test_no_consistency_proof_is_made_from_nothing_or_from_more_than_there_is(size: int, old_size: int) -> None:
    with pytest.raises(IndexError, match=f"a prefix of {old_size} of a tree of {size}"):
        merkle.consistency_proof(leaves(size), old_size)


# The frontier


def test_the_frontier_has_the_trees_root_at_every_size() -> None:
    data = leaves(300)
    frontier = merkle.Frontier()
    for size, leaf in enumerate(data):
        assert (frontier.size, frontier.root()) == (size, mth(data[:size]))
        frontier.add(leaf)
    assert (frontier.size, frontier.root()) == (300, mth(data))


@pytest.mark.parametrize("size", AROUND_BLOCKS)
def test_the_frontier_has_the_trees_root_around_whole_blocks(size: int) -> None:
    frontier = merkle.Frontier()
    for leaf in leaves(size):
        frontier.add(leaf)
    assert frontier.root() == merkle.root(leaves(size))


@settings(deadline=None)
@given(st.integers(0, 70), st.integers(1, 10), st.integers(1, 10))
def test_a_copied_frontier_and_its_original_grow_apart(size: int, more: int, others: int) -> None:
    common = leaves(size)
    original = merkle.Frontier()
    for leaf in common:
        original.add(leaf)
    twin = original.copy()
    assert (twin.size, twin.root()) == (original.size, original.root())
    ours, theirs = [b"original %d" % n for n in range(more)], [b"twin %d" % n for n in range(others)]
    for leaf in ours:
        original.add(leaf)
    for leaf in theirs:
        twin.add(leaf)
    assert (original.size, original.root()) == (size + more, mth(common + ours))
    assert (twin.size, twin.root()) == (size + others, mth(common + theirs))


# Verification of inclusion

Proof = list[bytes]


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


@pytest.mark.parametrize("size", range(1, ALL_UP_TO + 1))
def test_every_inclusion_proof_verifies_and_no_altered_one_does(size: int) -> None:
    data = leaves(size)
    root, levels = merkle.root(data), merkle.levels(data)
    for index, leaf in enumerate(data):
        proof = merkle.inclusion_proof(levels, index)
        assert merkle.verify_inclusion(data=leaf, index=index, size=size, proof=proof, root=root)
        for change, wrong in altered_proofs(proof):
            assert not merkle.verify_inclusion(data=leaf, index=index, size=size, proof=wrong, root=root), change


@pytest.mark.parametrize("size", range(1, ALL_UP_TO + 1))
def test_an_inclusion_proof_holds_for_one_leaf_one_index_and_one_root_only(size: int) -> None:
    data = leaves(size)
    root, levels = merkle.root(data), merkle.levels(data)
    for index, leaf in enumerate(data):
        proof = merkle.inclusion_proof(levels, index)
        for wrong in {*range(-2, size + 3), -index, index + 2**64, ~index} - {index}:
            assert not merkle.verify_inclusion(data=leaf, index=wrong, size=size, proof=proof, root=root)
        for other in {*data, b"", leaf + b"\0", leaf[:-1], merkle.leaf_hash(leaf)} - {leaf}:
            assert not merkle.verify_inclusion(data=other, index=index, size=size, proof=proof, root=root)
        for false_root in (bytes(32), b"", root[:-1], root + b"\0", root[::-1], bytes([root[0] ^ 1]) + root[1:]):
            assert not merkle.verify_inclusion(data=leaf, index=index, size=size, proof=proof, root=false_root)


@pytest.mark.parametrize("size", range(1, ALL_UP_TO + 1))
def test_an_inclusion_proof_is_refused_beside_every_other_size_and_its_root(size: int) -> None:
    levels = merkle.levels(leaves(size))
    others = {other: merkle.root(leaves(other)) for other in range(ALL_UP_TO + 2) if other != size}
    for index, leaf in enumerate(leaves(size)):
        proof = merkle.inclusion_proof(levels, index)
        for other, root in others.items():
            assert not merkle.verify_inclusion(data=leaf, index=index, size=other, proof=proof, root=root)


@pytest.mark.parametrize("size", range(1, ALL_UP_TO + 1))
def test_a_wrong_size_beside_the_right_root_is_refused_unless_the_leafs_way_up_is_the_same(size: int) -> None:
    # Leaf 0 goes left, left in trees of 3 and of 4 leaves: a proof cannot tell these sizes apart, by the RFC's own
    # rule. It need not, since a size is signed together with its root.
    data = leaves(size)
    root, levels = merkle.root(data), merkle.levels(data)
    for index, leaf in enumerate(data):
        proof, shape = merkle.inclusion_proof(levels, index), inclusion_shape(index, size)
        for wrong in {*range(-1, 2 * ALL_UP_TO), 2**64 + size} - {size}:
            same_way = index < wrong and inclusion_shape(index, wrong) == shape
            accepted = merkle.verify_inclusion(data=leaf, index=index, size=wrong, proof=proof, root=root)
            assert accepted is same_way, (index, wrong)


@pytest.mark.parametrize("size", range(1, ALL_UP_TO + 1))
def test_an_inclusion_proof_that_leads_beyond_the_root_is_refused_though_its_hashes_add_up(size: int) -> None:
    data = leaves(size)
    root, levels = merkle.root(data), merkle.levels(data)
    above = sha256(b"a node beside the root").digest()
    for index, leaf in enumerate(data):
        proof = [*merkle.inclusion_proof(levels, index), above]
        for higher in (merkle.node_hash(above, root), merkle.node_hash(root, above)):
            assert not merkle.verify_inclusion(data=leaf, index=index, size=size, proof=proof, root=higher)


nodes = st.lists(st.binary(min_size=32, max_size=32), max_size=70)
sizes = st.one_of(st.integers(1, 20), st.integers(1, 2**70))


@settings(deadline=None)
@given(st.data(), sizes, nodes, st.binary(max_size=40))
def test_inclusion_is_accepted_exactly_where_the_rfcs_recursion_rebuilds_the_root(
    data: st.DataObject, size: int, proof: Proof, leaf: bytes
) -> None:
    index = data.draw(st.integers(0, size - 1) | st.sampled_from([0, size - 1]), label="index")
    shape = inclusion_shape(index, size)
    length = len(names(shape) - {"leaf"})
    fitting = (proof + [sha256(b"%d" % n).digest() for n in range(length)])[:length]
    values = {str(n): node for n, node in enumerate(fitting)} | {"leaf": sha256(b"\x00" + leaf).digest()}
    root = evaluate(shape, values)
    assert merkle.verify_inclusion(data=leaf, index=index, size=size, proof=fitting, root=root)
    for wrong in (fitting[:-1] if fitting else [root], [*fitting, root], [root, *fitting]):
        assert not merkle.verify_inclusion(data=leaf, index=index, size=size, proof=wrong, root=root)


anything = st.binary(max_size=70)
any_size = st.one_of(
    st.integers(-3, 40),
    st.integers(-(2**200), 2**200),
    st.integers(0, 300).map(lambda bits: 2**bits),
    st.integers(0, 300).map(lambda bits: 2**bits - 1),
)


@settings(deadline=None)
@given(anything, any_size, any_size, st.lists(anything, max_size=80), anything)
def test_inclusion_of_garbage_is_refused_and_raises_nothing(
    leaf: bytes, index: int, size: int, proof: Proof, root: bytes
) -> None:
    assert merkle.verify_inclusion(data=leaf, index=index, size=size, proof=proof, root=root) is False


# Verification of consistency


@pytest.mark.parametrize("new_size", range(1, ALL_UP_TO + 1))
def test_every_consistency_proof_verifies_and_no_altered_one_does(new_size: int) -> None:
    data = leaves(new_size)
    new_root = merkle.root(data)

    def consistent(proof: Proof) -> bool:
        return merkle.verify_consistency(
            old_size=old_size, old_root=old_root, new_size=new_size, new_root=new_root, proof=proof
        )

    for old_size in range(1, new_size + 1):
        old_root = merkle.root(data[:old_size])
        proof = merkle.consistency_proof(data, old_size)
        assert consistent(proof)
        for change, wrong in altered_proofs(proof):
            assert not consistent(wrong), (old_size, change)


@pytest.mark.parametrize("new_size", range(2, ALL_UP_TO + 1))
def test_a_consistency_proof_holds_for_one_pair_of_roots_only(new_size: int) -> None:
    data = leaves(new_size)
    new_root = merkle.root(data)
    others = [merkle.root(leaves(size)) for size in range(new_size + 2)]
    for old_size in range(1, new_size):
        old_root, proof = merkle.root(data[:old_size]), merkle.consistency_proof(data, old_size)

        def consistent(old: bytes, new: bytes, old_size: int = old_size, proof: Proof = proof) -> bool:
            return merkle.verify_consistency(
                old_size=old_size, old_root=old, new_size=new_size, new_root=new, proof=proof
            )

        assert consistent(old_root, new_root)
        assert not consistent(new_root, old_root)
        for wrong in [*others, bytes(32), b"", old_root[:-1], bytes([old_root[0] ^ 1]) + old_root[1:]]:
            assert wrong == old_root or not consistent(wrong, new_root)
            assert wrong == new_root or not consistent(old_root, wrong)


@pytest.mark.parametrize("new_size", range(1, ALL_UP_TO + 1))
def test_wrong_sizes_beside_the_right_roots_are_refused_unless_the_way_up_is_the_same(new_size: int) -> None:
    data = leaves(new_size)
    new_root = merkle.root(data)
    for old_size in range(1, new_size + 1):
        old_root, proof = merkle.root(data[:old_size]), merkle.consistency_proof(data, old_size)
        shape = consistency_shape(old_size, new_size)
        wrong_pairs = [(wrong, new_size) for wrong in range(-1, new_size + 2)]
        wrong_pairs += [(old_size, wrong) for wrong in range(-1, new_size + 20)]
        wrong_pairs += [(new_size, old_size), (old_size - 1, new_size - 1), (2 * old_size, 2 * new_size)]
        for old, new in wrong_pairs:
            same_way = 0 < old <= new and consistency_shape(old, new) == shape
            accepted = merkle.verify_consistency(
                old_size=old, old_root=old_root, new_size=new, new_root=new_root, proof=proof
            )
            assert accepted is same_way, (old_size, old, new)


@pytest.mark.parametrize("new_size", range(1, ALL_UP_TO + 1))
def test_a_consistency_proof_that_leads_beyond_the_roots_is_refused_though_its_hashes_add_up(new_size: int) -> None:
    data = leaves(new_size)
    new_root = merkle.root(data)
    above = sha256(b"a node beside the roots").digest()
    for old_size in range(1, new_size + 1):
        old_root = merkle.root(data[:old_size])
        proof = [*merkle.consistency_proof(data, old_size), above]
        for old, new in (
            (merkle.node_hash(above, old_root), merkle.node_hash(above, new_root)),
            (old_root, merkle.node_hash(new_root, above)),
        ):
            assert not merkle.verify_consistency(
                old_size=old_size, old_root=old, new_size=new_size, new_root=new, proof=proof
            )


@pytest.mark.parametrize("new_size", [2, 3, 7, 8, 13, 32, 40])
def test_a_history_rewritten_before_the_old_size_is_found(new_size: int) -> None:
    for old_size in range(1, new_size):
        old_root = merkle.root(leaves(old_size))
        for place in range(old_size):
            rewritten = leaves(new_size)
            rewritten[place] = b"rewritten"
            assert not merkle.verify_consistency(
                old_size=old_size,
                old_root=old_root,
                new_size=new_size,
                new_root=merkle.root(rewritten),
                proof=merkle.consistency_proof(rewritten, old_size),
            )


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 21, 2**70])
def test_a_tree_is_consistent_with_itself_by_an_empty_proof_only(size: int) -> None:
    root = merkle.root(leaves(5))

    def consistent(old_root: bytes, new_root: bytes, proof: Proof) -> bool:
        return merkle.verify_consistency(
            old_size=size, old_root=old_root, new_size=size, new_root=new_root, proof=proof
        )

    assert consistent(root, root, [])
    assert not consistent(root, root, [root])
    assert not consistent(root, merkle.root(leaves(6)), [])
    assert not consistent(root, merkle.root(leaves(6)), [root])


@pytest.mark.parametrize("new_size", [0, 1, 2, 8, 21])
def test_nothing_is_consistent_with_an_empty_tree(new_size: int) -> None:
    new_root = merkle.root(leaves(new_size))
    for proof in ([], [merkle.EMPTY_ROOT], [new_root], [merkle.EMPTY_ROOT, new_root]):
        for old_root in (merkle.EMPTY_ROOT, new_root):
            assert not merkle.verify_consistency(
                old_size=0, old_root=old_root, new_size=new_size, new_root=new_root, proof=proof
            )


@settings(deadline=None)
@given(st.data(), sizes, nodes, st.binary(min_size=32, max_size=32))
def test_consistency_is_accepted_exactly_where_the_rfcs_recursion_rebuilds_both_roots(
    data: st.DataObject, new_size: int, proof: Proof, any_root: bytes
) -> None:
    old_size = data.draw(st.integers(1, new_size), label="old size")
    old_shape, new_shape = consistency_shape(old_size, new_size)
    length = len((names(old_shape) | names(new_shape)) - {"old root"})
    fitting = (proof + [sha256(b"%d" % n).digest() for n in range(length)])[:length]
    values = {str(n): node for n, node in enumerate(fitting)} | {"old root": any_root}
    old_root, new_root = evaluate(old_shape, values), evaluate(new_shape, values)

    def consistent(proof: Proof) -> bool:
        return merkle.verify_consistency(
            old_size=old_size, old_root=old_root, new_size=new_size, new_root=new_root, proof=proof
        )

    assert consistent(fitting)
    for wrong in (fitting[:-1] if fitting else [old_root], [*fitting, new_root], [old_root, *fitting]):
        assert not consistent(wrong)


@settings(deadline=None)
@given(any_size, anything, any_size, anything, st.lists(anything, max_size=80))
def test_consistency_of_garbage_is_refused_and_raises_nothing(
    old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Proof
) -> None:
    trivial = 0 < old_size == new_size and old_root == new_root and not proof  # a tree with itself
    verdict = merkle.verify_consistency(
        old_size=old_size, old_root=old_root, new_size=new_size, new_root=new_root, proof=proof
    )
    assert verdict is trivial


# A node is no leaf


@settings(deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_a_leaf_that_spells_a_nodes_children_has_another_hash_than_the_node(left: bytes, right: bytes) -> None:
    node = merkle.node_hash(left, right)
    assert node == sha256(b"\x01" + left + right).digest()
    assert all(merkle.leaf_hash(data) != node for data in (left + right, b"\x01" + left + right, node))


@pytest.mark.parametrize("height", range(1, 6))
def test_an_inner_node_is_never_accepted_as_a_leaf_of_a_smaller_tree(height: int) -> None:
    data = leaves(2**5)
    root, levels = merkle.root(data), merkle.levels(data)
    assert merkle.root(levels[height]) != root
    for place, node in enumerate(levels[height]):
        proof = merkle.inclusion_proof(levels, place << height)[height:]
        size = len(levels[height])
        values = {str(n): step for n, step in enumerate(proof)} | {"leaf": node}
        assert evaluate(inclusion_shape(place, size), values) == root  # without the prefix, this would be a proof
        children = levels[height - 1][2 * place] + levels[height - 1][2 * place + 1]
        for claimed in (children, b"\x01" + children, node):
            assert not merkle.verify_inclusion(data=claimed, index=place, size=size, proof=proof, root=root)


def test_leaves_and_nodes_are_hashed_behind_different_bytes() -> None:
    pair = bytes(range(64))
    assert merkle.leaf_hash(pair) == sha256(b"\x00" + pair).digest()
    assert merkle.node_hash(pair[:32], pair[32:]) == sha256(b"\x01" + pair).digest()
