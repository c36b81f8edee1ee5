"""Two-sided intervals, against exact sums."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.certificates.test_collection import chances, levels, probability
from verifier.certificates.collection import most
from verifier.certificates.exact import ONE, threshold
from verifier.certificates.intervals import estimate, interval


@settings(max_examples=60)
@given(st.integers(0, 6), chances.filter(lambda chance: chance > ONE // 10), levels)
def test_an_interval_ends_where_the_hits_become_too_unlikely(hits: int, chance: int, level: Fraction) -> None:
    low, high = interval(hits, chance, level)
    assert high == most(hits, chance, level / 2)
    number = hits
    while 1 - probability(hits - 1, number, chance) <= level / 2:
        number += 1
    assert low == number


@pytest.mark.parametrize(
    ("hits", "rate", "expected"),
    [(0, "0.01", (0, 367)), (1, "0.01", (3, 554)), (10, "1", (10, 10)), (3000, "0.01", (289413, 310876))],
)
def test_intervals(hits: int, rate: str, expected: tuple[int, int]) -> None:
    assert interval(hits, threshold(Fraction(rate)), Fraction(1, 20)) == expected


def test_a_probability_that_equals_its_part_is_not_above_it() -> None:
    assert interval(2, ONE // 2, Fraction(1, 2))[0] == 3  # of two, both are drawn with probability 1/4


@given(st.integers(0, 10**6), st.integers(1, ONE))
def test_an_estimate_is_rounded_half_up(hits: int, chance: int) -> None:
    assert estimate(hits, chance) == floor(Fraction(hits * ONE, chance) + Fraction(1, 2))


def test_estimates() -> None:
    assert estimate(0, threshold(Fraction(1, 100))) == 0
    assert estimate(7, threshold(Fraction(1, 100))) == 700
    assert estimate(5, ONE) == 5
    assert estimate(3, ONE - ONE // 4) == 4
    assert estimate(1, ONE // 4 * 3) == 1
