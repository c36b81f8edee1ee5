"""A consistency proof is accepted exactly where RFC 9162's recursion rebuilds both roots from it: no altered proof, no
other root and no rewritten history passes.
"""

from hashlib import sha256

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
    consistency_shape,
    evaluate,
    leaves,
    names,
    nodes,
    sizes,
)


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
