"""Two-sided intervals are exact, and an estimate is rounded half up."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.certificates.collection import most
from protocol.certificates.exact import ONE, threshold
from protocol.certificates.intervals import estimate, interval

rates = st.fractions(0, 1, max_denominator=1000).filter(lambda rate: rate >= Fraction(1, 20))
levels = st.fractions(0, 1, max_denominator=200).filter(lambda level: 0 < level < 1)


def at_least(hits: int, number: int, chance: int) -> Fraction:
    """P(X >= hits) in exact fractions."""
    rate = Fraction(chance, ONE)
    fewer = sum((comb(number, j) * rate**j * (1 - rate) ** (number - j) for j in range(hits)), Fraction(0))
    return 1 - fewer


@given(st.integers(1, 6), rates, levels)
@example(1, Fraction(1), Fraction(1, 20))
@example(1, Fraction(1, 2), Fraction(1, 2))
@settings(max_examples=30)
def test_the_low_end_is_the_least_number_that_is_not_too_few(hits: int, rate: Fraction, level: Fraction) -> None:
    chance = threshold(rate)
    low, high = interval(hits, chance, level)
    assert at_least(hits, low, chance) > level / 2
    assert low == hits or at_least(hits, low - 1, chance) <= level / 2
    assert high == most(hits, chance, level / 2)
    if level <= Fraction(1, 2):  # with less confidence than that, an interval may miss the likeliest number
        assert low <= estimate(hits, chance) <= high


def test_a_probability_equal_to_half_the_level_leaves_a_number_out() -> None:
    quarter = threshold(Fraction(1, 4))
    assert interval(1, quarter, Fraction(1, 2))[0] == 2  # one document is drawn with probability 1/4, two with 7/16


def test_without_a_hit_the_low_end_is_zero() -> None:
    chance = threshold(Fraction("0.01"))
    assert interval(0, chance, Fraction("0.05")) == (0, 367)
    assert estimate(0, chance) == 0


def test_a_draw_of_everything_leaves_no_doubt() -> None:
    assert interval(12, ONE, Fraction("0.05")) == (12, 12)
    assert estimate(12, ONE) == 12


def test_many_hits_have_an_interval_around_their_estimate() -> None:
    chance = threshold(Fraction("0.01"))
    assert interval(3000, chance, Fraction("0.04")) == (288915, 311400)
    assert estimate(3000, chance) == 300000


def test_an_estimate_is_rounded_half_up() -> None:
    two_thirds = threshold(Fraction(2, 3))
    assert estimate(1, two_thirds) == 1  # a little below 1.5, because the threshold is rounded upward
    assert estimate(1, 2 * ONE // 3) == 2
    assert [estimate(hits, threshold(Fraction("0.4"))) for hits in (1, 2, 3)] == [2, 5, 7]
    assert estimate(5, ONE // 2) == 10


def test_an_interval_needs_a_draw() -> None:
    for hits in (0, 3):
        with pytest.raises(ValueError, match="no bound"):
            interval(hits, 0, Fraction("0.05"))
