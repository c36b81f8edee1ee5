"""What was received is kept in a file, whatever it is and however much; names are kept as hashes."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources import items
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.names import TakenNames, content_hash

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
tuples = st.lists(st.text(max_size=9), max_size=3).map(tuple)
some_items = st.lists(
    st.builds(
        Item,
        where=texts,
        outcome=st.sampled_from(Outcome),
        reason=st.sampled_from(["", "damaged", "too large"]),
        documents=st.tuples(st.integers(0, 40), st.integers(0, 3)).map(lambda pair: range(pair[0], sum(pair))),
        custodians=tuples,
        paths=tuples,
    ),
    max_size=30,
)


@settings(deadline=None)
@given(some_items, st.sampled_from([1, 40, 2**18]))
def test_items_come_back_as_they_were_added(found: list[Item], piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(items, "_PIECE", piece)
        received = Received()
        for item in found:
            received.add(item)
        assert len(received) == len(found)
        assert list(received) == found
        assert all(one == other for one, other in zip(received, received, strict=True))  # two may read at once
        for first, last in ((0, 50), (3, 7)):
            expected: dict[int, list[Item]] = {}
            for item in found:
                for document in item.documents if item.outcome is Outcome.DUPLICATE else ():
                    if first <= document < last:
                        expected.setdefault(document, []).append(item)
            assert received.duplicates(first, last) == expected


def test_the_file_of_what_was_received_has_no_name(tmp_path: Path) -> None:
    received = Received(folder=tmp_path)
    for number in range(20_000):
        received.add(Item(where=f"folder/file {number}", outcome=Outcome.ENTERED, documents=range(number, number + 1)))
    assert received._written > 2**18
    assert not list(tmp_path.iterdir())
    assert [item.where for item in received][12_345] == "folder/file 12345"


def test_names_are_known_again_and_others_are_not() -> None:
    names = TakenNames()
    for number in range(5000):
        assert f"name {number}" not in names
        names.add(f"name {number}", content_hash(b"%d" % number), number)
        assert f"name {number}" in names
    assert len(names) == 5000
    assert all(f"name {number}" in names for number in range(5000))
    assert names.line("name 4321") == (content_hash(b"4321"), 4321)
    assert "name 5000" not in names
    assert "\udcff" not in names
