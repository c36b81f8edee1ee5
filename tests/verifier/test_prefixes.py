"""Consistency proofs, as the verifier follows them, beside those that the ledger makes."""

from hashlib import sha256
from itertools import pairwise

from ledger import merkle
from verifier.record.trees import is_prefix

LEAVES = [bytes([number]) for number in range(40)]


def test_every_beginning_of_every_small_tree_is_proven() -> None:
    for whole in range(1, len(LEAVES) + 1):
        for size in range(1, whole + 1):
            proof = merkle.consistency_proof(LEAVES[:whole], size)
            roots = merkle.root(LEAVES[:size]), merkle.root(LEAVES[:whole])
            assert is_prefix(size, roots[0], whole, roots[1], proof)


def test_nothing_else_is() -> None:
    for whole in range(2, 24):
        for size in range(1, whole):
            proof = merkle.consistency_proof(LEAVES[:whole], size)
            small, large = merkle.root(LEAVES[:size]), merkle.root(LEAVES[:whole])
            other = sha256(b"another").digest()
            spoiled = [
                (size, other, whole, large, proof),
                (size, small, whole, other, proof),
                (size, small, whole, large, proof[:-1]),
                (size, small, whole, large, [*proof, other]),
                (size, small, whole, large, [other, *proof[1:]]),
                (0, small, whole, large, proof),
                (whole + 1, small, whole, large, proof),
                (whole, small, whole, large, []),
            ]
            for at, (one, two) in enumerate(pairwise(proof)):
                if one != two:
                    spoiled.append((size, small, whole, large, [*proof[:at], two, one, *proof[at + 2 :]]))
            for case in spoiled:
                assert not is_prefix(*case), (whole, size, case)
