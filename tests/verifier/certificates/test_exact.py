"""Chances and costs, against the numbers of the specification and against series of fractions."""

from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.certificates.exact import ONE, chance_for, cost, exponential, threshold

THRESHOLDS = {
    "0.01": 184467440737095517,
    "0.03": 553402322211286549,
    "0.05": 922337203685477581,
    "0.1": 1844674407370955162,
    "0.25": 4611686018427387904,
    "0.5": 9223372036854775808,
    "0": 0,
    "1": ONE,
}
COSTS = {
    "0.01": 185395973344368339,
    "0.03": 561873205158436987,
    "0.05": 946194274264587207,
    "0.1": 1943558467813989742,
    "0.13": 2568931715276922772,
    "0.23": 4821328913872876665,
    "0.25": 5306797565112371680,
    "0.5": 12786308645202655659,
    "0": 0,
}


@pytest.mark.parametrize("rate", THRESHOLDS)
def test_a_rate_becomes_a_chance_rounded_up(rate: str) -> None:
    assert threshold(Fraction(rate)) == THRESHOLDS[rate]


@pytest.mark.parametrize("rate", COSTS)
def test_a_chance_costs_what_the_specification_says(rate: str) -> None:
    assert cost(threshold(Fraction(rate))) == COSTS[rate]


@settings(max_examples=20)
@given(st.integers(0, ONE // 2))
def test_a_cost_is_the_series_of_the_logarithm_rounded_down(chance: int) -> None:
    part = Fraction(chance, ONE)
    series = sum((part**power / power for power in range(1, 150)), Fraction(0))
    assert cost(chance) == floor(ONE * series)
    assert cost(chance) == floor(ONE * (series + part**150))


@given(st.integers(0, ONE - 2))
def test_a_larger_chance_costs_more(chance: int) -> None:
    assert cost(chance) < cost(chance + 1)


@pytest.mark.parametrize("chance", [-1, ONE, ONE + 1])
def test_nothing_but_a_chance_below_certainty_has_a_cost(chance: int) -> None:
    with pytest.raises(ValueError, match="is not a chance"):
        cost(chance)


@given(st.integers(1, cost(ONE - 1)))
def test_the_chance_for_a_cost_is_the_least_that_costs_as_much(least: int) -> None:
    chance = chance_for(least)
    assert cost(chance) >= least
    assert cost(chance - 1) < least


@given(st.integers(0, ONE - 1))
def test_a_chance_is_found_again_from_its_cost(chance: int) -> None:
    assert chance_for(cost(chance)) == chance


def test_chances_for_costs_at_the_ends() -> None:
    assert chance_for(-1) == chance_for(0) == 0
    assert chance_for(1) == 1
    assert chance_for(cost(ONE - 1)) == ONE - 1
    assert chance_for(cost(ONE - 1) + 1) == ONE


@given(st.integers(-3 * ONE, 3 * ONE), st.sampled_from([20, 60]))
def test_an_exponential_lies_between_its_bounds(exponent: int, digits: int) -> None:
    below, above = exponential(exponent, digits)
    power = Fraction(exponent, ONE)
    term, series = Fraction(1), Fraction(1)
    for number in range(1, 90):
        term = Fraction(floor(term * power / number * 2**300), 2**300)
        series += term
    assert below < series < above
    assert above - below < Fraction(10) ** (4 - digits)
