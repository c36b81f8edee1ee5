"""One path for many leaves: it leads to the root from exactly these leaves, with nothing changed, missing or added."""

from hashlib import sha256
from itertools import chain, combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support import rfc9162
from verifier.record.trees import root_from_path, root_from_shared_path

Levels = list[list[bytes]]


def levels(leaves: list[bytes]) -> Levels:
    """All nodes of the tree, level by level; a node without a sibling goes up as it is."""
    found = [[sha256(b"\x00" + leaf).digest() for leaf in leaves]]
    while len(found[-1]) > 1:
        below = found[-1]
        pairs = [below[place : place + 2] for place in range(0, len(below), 2)]
        found.append([sha256(b"\x01" + b"".join(pair)).digest() if len(pair) == 2 else pair[0] for pair in pairs])
    return found


def path_of(tree: Levels, numbers: set[int]) -> list[bytes]:
    """The path by the letter of the specification."""
    found, known = [], set(numbers)
    for level in tree:
        for number in sorted(known):
            sibling = number ^ 1
            if sibling < len(level) and sibling not in known:
                found.append(level[sibling])
        known = {number // 2 for number in known}
    return found


def data(size: int) -> list[bytes]:
    return [b"leaf %d" % number for number in range(size)]


def root(leaves: list[bytes], numbers: set[int], path: list[bytes], size: int | None = None) -> bytes | None:
    size = len(leaves) if size is None else size
    return root_from_shared_path({number: leaves[number] for number in numbers}, size, b"".join(path))


trees = st.integers(1, 70).flatmap(
    lambda size: st.tuples(st.just(data(size)), st.sets(st.integers(0, size - 1), min_size=1))
)


@pytest.mark.parametrize("size", range(1, 10))
def test_every_subset_of_a_small_tree_leads_to_its_root(size: int) -> None:
    leaves = data(size)
    tree = levels(leaves)
    assert tree[-1] == [rfc9162.mth(leaves)]
    for numbers in chain.from_iterable(combinations(range(size), count) for count in range(1, size + 1)):
        assert root(leaves, set(numbers), path_of(tree, set(numbers))) == tree[-1][0]


@given(trees)
def test_any_subset_of_any_tree_leads_to_its_root(drawn: tuple[list[bytes], set[int]]) -> None:
    leaves, numbers = drawn
    assert root(leaves, numbers, path_of(levels(leaves), numbers)) == rfc9162.mth(leaves)


@given(trees)
def test_the_path_of_one_leaf_is_its_inclusion_proof(drawn: tuple[list[bytes], set[int]]) -> None:
    leaves, numbers = drawn
    number = min(numbers)
    path = path_of(levels(leaves), {number})
    assert root(leaves, {number}, path) == root_from_path(leaves[number], number, len(leaves), path)


def test_all_leaves_together_need_no_path() -> None:
    for size in range(1, 40):
        assert root(data(size), set(range(size)), []) == rfc9162.mth(data(size))


def test_each_inner_node_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    leaves, hashed = data(64), []
    path = path_of(levels(leaves), set(range(16, 48)))

    def counted(message: bytes) -> object:
        hashed.append(message)
        return sha256(message)

    monkeypatch.setattr("verifier.record.trees.sha256", counted)
    assert root(leaves, set(range(16, 48)), path) == rfc9162.mth(leaves)
    assert len(hashed) == len(set(hashed)) == 32 + 16 + 8 + 4 + 2 + 2 + 1


@given(trees, st.data())
def test_a_changed_hash_does_not_lead_to_the_root(drawn: tuple[list[bytes], set[int]], more: st.DataObject) -> None:
    leaves, numbers = drawn
    path = path_of(levels(leaves), numbers)
    assume(path)
    place = more.draw(st.integers(0, len(path) - 1))
    bit = more.draw(st.integers(0, 255))
    changed = (int.from_bytes(path[place], "big") ^ 1 << bit).to_bytes(32, "big")
    assert root(leaves, numbers, [*path[:place], changed, *path[place + 1 :]]) != rfc9162.mth(leaves)


@given(trees, st.data())
def test_a_missing_hash_is_no_path(drawn: tuple[list[bytes], set[int]], more: st.DataObject) -> None:
    leaves, numbers = drawn
    path = path_of(levels(leaves), numbers)
    assume(path)
    del path[more.draw(st.integers(0, len(path) - 1))]
    assert root(leaves, numbers, path) is None


@given(trees, st.data())
def test_an_extra_hash_is_no_path(drawn: tuple[list[bytes], set[int]], more: st.DataObject) -> None:
    leaves, numbers = drawn
    path = path_of(levels(leaves), numbers)
    path.insert(more.draw(st.integers(0, len(path))), more.draw(st.sampled_from([bytes(32), *path])))
    assert root(leaves, numbers, path) is None


@given(trees, st.data())
def test_two_hashes_that_were_swapped_do_not_lead_to_the_root(
    drawn: tuple[list[bytes], set[int]], more: st.DataObject
) -> None:
    leaves, numbers = drawn
    path = path_of(levels(leaves), numbers)
    assume(len(path) > 1)
    one, other = sorted(more.draw(st.sets(st.integers(0, len(path) - 1), min_size=2, max_size=2)))
    path[one], path[other] = path[other], path[one]
    assert root(leaves, numbers, path) != rfc9162.mth(leaves)


@given(trees, st.data())
def test_a_path_of_other_leaves_does_not_lead_to_the_root(
    drawn: tuple[list[bytes], set[int]], more: st.DataObject
) -> None:
    leaves, numbers = drawn
    others = more.draw(st.sets(st.integers(0, len(leaves) - 1), min_size=1))
    path = path_of(levels(leaves), others)
    assume(path != path_of(levels(leaves), numbers))
    assert root(leaves, numbers, path) != rfc9162.mth(leaves)


@given(trees, st.data())
def test_a_leaf_with_other_data_does_not_lead_to_the_root(
    drawn: tuple[list[bytes], set[int]], more: st.DataObject
) -> None:
    leaves, numbers = drawn
    path = path_of(levels(leaves), numbers)
    changed = list(leaves)
    changed[more.draw(st.sampled_from(sorted(numbers)))] = b"another"
    assert root(changed, numbers, path) != rfc9162.mth(leaves)


@given(trees, st.data())
def test_two_leaves_that_were_swapped_do_not_lead_to_the_root(
    drawn: tuple[list[bytes], set[int]], more: st.DataObject
) -> None:
    leaves, numbers = drawn
    assume(len(numbers) > 1)
    path = path_of(levels(leaves), numbers)
    one, other = more.draw(st.permutations(sorted(numbers)))[:2]
    swapped = list(leaves)
    swapped[one], swapped[other] = leaves[other], leaves[one]
    assert root(swapped, numbers, path) != rfc9162.mth(leaves)


@given(trees)
def test_half_a_hash_at_the_end_is_no_path(drawn: tuple[list[bytes], set[int]]) -> None:
    leaves, numbers = drawn
    path = b"".join(path_of(levels(leaves), numbers))
    shown = {number: leaves[number] for number in numbers}
    assert root_from_shared_path(shown, len(leaves), path + bytes(16)) is None
    assert not path or root_from_shared_path(shown, len(leaves), path[:-16]) is None


@pytest.mark.parametrize(("numbers", "size"), [((), 4), ((4,), 4), ((-1,), 4), ((0, 4), 4), ((0,), 0), ((2**40,), 4)])
def test_leaves_that_the_tree_does_not_have_have_no_path(numbers: tuple[int, ...], size: int) -> None:
    assert root_from_shared_path(dict.fromkeys(numbers, b"leaf 0"), size, bytes(64)) is None


def test_all_leaves_of_a_tree_are_not_all_of_a_larger_one() -> None:
    for size in range(12, 40):
        assert root(data(11), set(range(11)), [], size) is None
