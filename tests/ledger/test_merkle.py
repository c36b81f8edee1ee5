"""The Merkle tree's roots, proofs and verification of inclusion against RFC 9162's own words, and against another
implementation's trees and proofs.
"""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle
from tests.support.rfc9162 import (
    ALL_UP_TO,
    Proof,
    altered_proofs,
    any_size,
    anything,
    evaluate,
    inclusion_shape,
    leaves,
    mth,
    names,
    nodes,
    path,
    sizes,
    subproof,
)
from tests.vectors import load

VECTORS: dict[str, Any] = load("interop_merkle.json")
HASHES = [bytes.fromhex(text) for text in VECTORS["hashes"]]

AROUND_BLOCKS = [1023, 1024, 1025, 2048, 3000]


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


@settings(deadline=None)
@given(anything, any_size, any_size, st.lists(anything, max_size=80), anything)
def test_inclusion_of_garbage_is_refused_and_raises_nothing(
    leaf: bytes, index: int, size: int, proof: Proof, root: bytes
) -> None:
    assert merkle.verify_inclusion(data=leaf, index=index, size=size, proof=proof, root=root) is False


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
