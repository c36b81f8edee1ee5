"""What is withheld is kept in columns, in the order of review, and found again by its place in the list."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.replay.contents import Place
from verifier.replay.withheld import Labelled, Places, Withheld


def _part(number: int, positions: list[int], exposure: int = 0, **more: object) -> Labelled:
    places = {position: Place(100 * number + position, f"näme {number}/{position}") for position in positions}
    return Labelled(
        round=number,
        entry=10 * number,
        report_entry=10 * number + 1,
        positions=array("L", positions),
        numbers=array("Q", [100 * number + position for position in positions]),
        places=Places(places),
        exposure=exposure,
        **more,  # type: ignore[arg-type]
    )


def _list() -> Withheld:
    withheld = Withheld()
    withheld.add(_part(1, [2, 5, 9], exposure=4))
    withheld.add(_part(2, []))
    withheld.add(_part(3, [1, 7], exposure=4, claims={7: "advice"}))
    return withheld


def test_places_come_back_as_they_were() -> None:
    places = {3: Place(2**40, "a"), 1: Place(0, ""), 2: Place(7, "ß/ü")}
    kept = Places(places)
    assert dict(kept) == places
    assert len(kept) == 3
    assert 4 not in kept
    assert kept.get(0) is None


def test_the_list_is_in_the_order_of_rounds_and_positions() -> None:
    withheld = _list()
    assert [withheld.origin(place)[:2] for place in range(1, 6)] == [(1, 2), (1, 5), (1, 9), (3, 1), (3, 7)]
    assert withheld.origin(5) == (3, 7, 30, 31)
    assert withheld.place(5) == Place(307, "näme 3/7")
    assert withheld.number(4) == 301


def test_a_removal_closes_the_gap_and_a_draw_raises_all_that_is_left() -> None:
    withheld = _list()
    withheld.remove({1, 3, 4})
    assert [withheld.origin(place)[:2] for place in range(1, len(withheld) + 1)] == [(1, 5), (3, 7)]
    withheld.expose(3)
    withheld.add(_part(6, [8], exposure=1))
    assert withheld.exposures() == {7: 2, 1: 1}
    assert [withheld.exposure(place) for place in (1, 2, 3)] == [7, 7, 1]
    withheld.remove({1, 2, 3})
    assert len(withheld) == 0
    assert withheld.exposures() == {}


def test_claims_keep_their_place_in_the_list() -> None:
    withheld = _list()
    assert withheld.claims() == {5: "advice"}
    assert withheld.unclaimed() == {1, 2, 3, 4}
    withheld.remove({1})
    assert withheld.claims() == {4: "advice"}
    withheld.remove({4})
    assert withheld.claims() == {}


def test_nothing_is_known_of_claims_that_the_copy_hides() -> None:
    withheld = Withheld()
    withheld.add(_part(1, [1, 2], claims_shown=False))
    assert withheld.unclaimed() == set()
    withheld.add(_part(2, [4, 5], claims_shown=False, unclaimed=frozenset({5})))
    assert withheld.unclaimed() == {4}


@given(st.lists(st.lists(st.integers(1, 60), unique=True).map(sorted), max_size=6), st.data())
def test_removals_are_those_of_a_plain_list(parts: list[list[int]], data: st.DataObject) -> None:
    withheld, plain = Withheld(), [(number, position) for number, part in enumerate(parts) for position in part]
    for number, part in enumerate(parts):
        withheld.add(_part(number, part))
    for _ in range(3):
        gone = set(data.draw(st.lists(st.integers(1, max(1, len(plain))), max_size=len(plain))))
        withheld.remove(gone)
        plain = [each for place, each in enumerate(plain, start=1) if place not in gone]
        assert [withheld.origin(place)[:2] for place in range(1, len(withheld) + 1)] == plain


def test_a_place_that_is_not_there_has_no_document() -> None:
    with pytest.raises(IndexError):
        Withheld().at(1)
