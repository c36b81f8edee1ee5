"""The compact set in which the verifier keeps the documents that were put up."""

from hypothesis import given
from hypothesis import strategies as st

from verifier.replay.numbers import Numbers

NATURAL = st.one_of(st.integers(0, 9000), st.integers(0, 2**53))


@given(st.lists(st.lists(NATURAL, max_size=20), max_size=5), st.lists(NATURAL, max_size=20))
def test_it_holds_the_numbers_that_were_added_and_no_others(added: list[list[int]], asked: list[int]) -> None:
    found = Numbers()
    for each in added:
        found.update(each)
    numbers = {number for each in added for number in each}
    near = {number + step for number in numbers for step in (-8, -1, 1, 8) if number + step >= 0}
    for number in (*numbers, *near, *asked):
        assert (number in found) == (number in numbers)


@given(st.lists(st.integers(0, 12_300), max_size=40), st.integers(0, 12_300))
def test_it_tells_which_numbers_below_an_end_it_does_not_hold(added: list[int], end: int) -> None:
    found = Numbers()
    found.update(added)
    assert list(found.lacking(end)) == sorted(set(range(end)).difference(added))
