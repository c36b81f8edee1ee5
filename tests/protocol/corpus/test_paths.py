"""One path leads from any leaves of a tree to its root, and no other one does."""

from collections.abc import Iterator
from hashlib import sha256
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import merkle
from protocol.corpus import paths
from protocol.corpus.paths import ProofPath
from tests.support import literal_corpus


def leaf(number: int) -> bytes:
    return sha256(b"leaf %d" % number).digest()


def tree(size: int) -> tuple[list[bytes], list[list[bytes]]]:
    data = [leaf(number) for number in range(size)]
    return data, merkle.levels(data)


def path(levels: list[list[bytes]], some: set[int]) -> bytes:
    return b"".join(levels[level][place] for level, place in paths.siblings(some, len(levels[0])))


def hashes(path: bytes) -> list[bytes]:
    return [path[start : start + 32] for start in range(0, len(path), 32)]


def subsets(size: int) -> Iterator[set[int]]:
    every = range(size)
    return map(set, chain.from_iterable(combinations(every, count) for count in range(1, size + 1)))


@pytest.mark.parametrize("size", range(1, 11))
def test_the_path_of_every_subset_is_the_definitions_and_leads_to_the_root(size: int) -> None:
    data, levels = tree(size)
    for some in subsets(size):
        found = path(levels, some)
        assert hashes(found) == literal_corpus.path(data, some)
        assert paths.root({place: data[place] for place in some}, size, found) == levels[-1][0]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 100, 1025])
def test_the_path_of_one_leaf_is_the_inclusion_proof_of_the_rfc(size: int) -> None:
    _, levels = tree(size)
    for place in {0, size // 2, size - 1}:
        assert hashes(path(levels, {place})) == merkle.inclusion_proof(levels, place)


def test_the_path_of_all_leaves_is_empty() -> None:
    for size in range(1, 20):
        data, levels = tree(size)
        assert path(levels, set(range(size))) == b""
        assert paths.root(dict(enumerate(data)), size, b"") == levels[-1][0]


@st.composite
def known_leaves(draw: st.DrawFn) -> tuple[int, set[int]]:
    size = draw(st.integers(1, 300))
    return size, draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=40))


@settings(deadline=None)
@given(known_leaves(), st.data())
def test_a_changed_missing_further_or_swapped_hash_is_refused(case: tuple[int, set[int]], data: st.DataObject) -> None:
    size, some = case
    leaves, levels = tree(size)
    known, root = {place: leaves[place] for place in some}, levels[-1][0]
    found = hashes(path(levels, some))
    assert hashes(b"".join(found)) == literal_corpus.path(leaves, some)
    assert paths.root(known, size, b"".join(found)) == root
    wrong: list[list[bytes]] = [[*found, root], [leaf(0), *found]]
    if found:
        place = data.draw(st.integers(0, len(found) - 1))
        wrong += [
            [*found[:place], *found[place + 1 :]],
            [*found[:place], bytes(32), *found[place + 1 :]],
            [*found[:place], found[place], *found[place:]],
        ]
        other = data.draw(st.integers(0, len(found) - 1))
        if other != place:
            swapped = found.copy()
            swapped[place], swapped[other] = found[other], found[place]
            wrong.append(swapped)
    for each in wrong:
        assert paths.root(known, size, b"".join(each)) != root
    assert paths.root(known, size, b"".join(found) + b"\0") is None


@settings(deadline=None)
@given(known_leaves(), st.data())
def test_other_leaves_or_other_places_are_refused(case: tuple[int, set[int]], data: st.DataObject) -> None:
    size, some = case
    leaves, levels = tree(size)
    found, root = path(levels, some), levels[-1][0]
    known = {place: leaves[place] for place in some}
    place = data.draw(st.sampled_from(sorted(some)))
    assert paths.root(known | {place: bytes(32)}, size, found) != root
    fewer = {each: known[each] for each in some - {place}}
    assert paths.root(fewer, size, found) != root
    for free in set(range(size)) - some:
        assert paths.root(known | {free: leaves[free]}, size, found) != root
        assert paths.root(fewer | {free: leaves[place]}, size, found) != root
        break


def test_no_leaves_and_places_beyond_the_tree_lead_nowhere() -> None:
    leaves, levels = tree(5)
    assert paths.root({}, 5, b"") is None
    assert paths.root({}, 0, b"") is None
    for place in (-1, 5, 2**70):
        assert paths.root({place: leaves[0]}, 5, path(levels, {0})) is None


def test_a_path_is_lowercase_hex_of_whole_hashes() -> None:
    assert ProofPath.parse("ab" * 64) == bytes.fromhex("ab" * 64)
    for wrong in ("ab", "AB" * 32, "ab" * 33, " " + "ab" * 32, "zz" * 32):
        with pytest.raises(ValueError, match="hex"):
            ProofPath.parse(wrong)
