"""What the operator's log says of a matter: leaves from a matter's file, and what several leaves tell together."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.checkpoints import Checkpoint
from ledger.examining import examine, open_reader
from ledger.hashing import Digest, tagged_hash
from protocol.corpus.corpus import Corpus
from protocol.matter import logged
from protocol.matter.leaf import BadLeaf, Leaf, State, parse
from tests.support import logged_matters
from tests.support.logged_matters import Course

MATTER = tagged_hash("test", b"logged")


def leaf(size: int, state: State | None = None, *, head: bytes = b"head", matter: Digest = MATTER) -> Leaf:
    found = Checkpoint(
        matter=matter, size=size, root=tagged_hash("test", bytes([size])), head=tagged_hash("test", head, bytes([size]))
    )
    return Leaf(checkpoint=found, state=state or (State.OPENED if size == 1 else State.OPEN))


@pytest.fixture(scope="module")
def course(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Course:
    return logged_matters.played(small_corpus, tmp_path_factory.mktemp("course"))


def test_a_leaf_states_what_the_matters_file_holds(course: Course) -> None:
    for path, state in (
        (course.opened, "opened"), (course.begun, "open"), (course.later, "open"), (course.closed, "closed")
    ):  # fmt: skip
        seen, found = examine(open_reader(path)), logged.read(path)
        stated = found.present.checkpoint
        assert (stated.matter, stated.size, stated.root, stated.head) == (seen.matter, seen.size, seen.root, seen.head)
        assert bytes(found.present).decode() == f"{stated.text}state {state}\n"
        assert bytes(found.opened).decode().endswith("\nstate opened\n")
        assert found.opened.size == 1


def test_the_states_of_other_sizes_are_found_on_the_way(course: Course) -> None:
    size = logged.read(course.begun).size
    found = logged.read(course.closed, {size})
    assert list(found.states) == [1, size, found.size]
    assert found.states[size] == logged.read(course.begun).present


@given(
    size=st.integers(min_value=1, max_value=2**50),
    closed=st.booleans(),
    raw=st.binary(min_size=32, max_size=32),
)
def test_a_leaf_is_read_as_it_was_written(size: int, *, closed: bool, raw: bytes) -> None:
    state = State.OPENED if size == 1 else State.CLOSED if closed else State.OPEN
    found = Checkpoint(matter=Digest(raw), size=size, root=Digest(raw[::-1]), head=Digest(raw))
    made = Leaf(checkpoint=found, state=state)
    assert parse(bytes(made)) == made


DATA = bytes(leaf(7))


@given(place=st.integers(min_value=0, max_value=len(DATA) - 1), other=st.binary(max_size=2))
def test_a_changed_leaf_is_another_leaf_or_none(place: int, other: bytes) -> None:
    changed = DATA[:place] + other + DATA[place + 1 :]
    try:
        found = parse(changed)
    except BadLeaf:
        return
    assert bytes(found) == changed


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"hello\n",
        DATA[:-1],
        DATA + b"\n",
        DATA.replace(b"state open", b"state"),
        DATA.replace(b"state open", b"state gone"),
        DATA.replace(b"state open", b"State open"),
        DATA.replace(b"state open", b"state  open"),
        DATA.replace(b"state open", b"state opened"),
        DATA.replace(b"\n7\n", b"\n07\n"),
        DATA.replace(b"\n7\n", b"\n0\n"),
        DATA.replace(b"\n7\n", b"\n1\n"),
        bytes(leaf(1, State.CLOSED)),
        "\u00e9".encode() + DATA,
    ],
)
def test_what_is_no_leaf_about_a_matter_is_refused(data: bytes) -> None:
    with pytest.raises(BadLeaf):
        parse(data)


def test_a_matter_without_an_end_and_one_with_it_are_told_apart() -> None:
    other = tagged_hash("test", b"another")
    leaves = [leaf(1), leaf(1, matter=other), leaf(5), leaf(9, State.CLOSED), leaf(4, matter=other)]
    found, strange = logged.accounts([*map(bytes, leaves), b"something else"])
    assert [(each.matter, each.has_opening, each.ended) for each in found.values()] == [
        (MATTER, True, True),
        (other, True, False),
    ]
    assert [list(each.leaves) for each in found.values()] == [[0, 2, 3], [1, 4]]
    assert [each.troubles for each in found.values()] == [[], []]
    assert strange == [5]


@pytest.mark.parametrize(
    ("leaves", "trouble"),
    [
        ([leaf(3)], "leaf 0 is its first, and not its opening"),
        ([leaf(1), leaf(1)], "leaf 1 repeats leaf 0"),
        ([leaf(1), leaf(5), leaf(5, head=b"other")], "leaves 1 and 2 state two histories of 5 entries"),
        ([leaf(1), leaf(1, head=b"other")], "leaves 0 and 1 state two histories of 1 entries"),
        ([leaf(1), leaf(5), leaf(4)], "leaf 2 goes back to 4 entries"),
        ([leaf(1), leaf(5, State.CLOSED), leaf(6)], "leaf 2 is not closed, and an earlier one is"),
        ([leaf(1), leaf(5), leaf(5, State.CLOSED)], "leaves 1 and 2 state two histories of 5 entries"),
    ],
)
def test_what_cannot_be_in_one_history_is_noted(leaves: list[Leaf], trouble: str) -> None:
    (found,), _ = (list(logged.accounts(map(bytes, leaves))[0].values()), None)
    assert found.troubles == [trouble]


def test_after_the_end_more_closed_states_may_follow() -> None:
    found, _ = logged.accounts(map(bytes, [leaf(1), leaf(5, State.CLOSED), leaf(7, State.CLOSED)]))
    assert found[MATTER].troubles == []
    assert found[MATTER].last == replace(leaf(7), state=State.CLOSED)


def test_an_empty_file_is_told(tmp_path: Path, course: Course) -> None:
    with pytest.raises(Exception, match="matter"):
        logged.read(course.key)
