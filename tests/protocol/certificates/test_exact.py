"""Chances and costs are the integers that exact arithmetic gives."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.certificates.exact import ONE, cost, least_chance, threshold

chances = st.integers(0, ONE - 1)


@pytest.mark.parametrize(
    ("rate", "chance"),
    [
        ("0.01", 184467440737095517),
        ("0.03", 553402322211286549),
        ("0.05", 922337203685477581),
        ("0.1", 1844674407370955162),
        ("0.25", 4611686018427387904),
        ("0.5", 9223372036854775808),
    ],
)
def test_a_rate_has_its_chance(rate: str, chance: int) -> None:
    assert threshold(Fraction(rate)) == chance


@pytest.mark.parametrize(
    ("rate", "costs"),
    [
        ("0.01", 185395973344368339),
        ("0.03", 561873205158436987),
        ("0.05", 946194274264587207),
        ("0.1", 1943558467813989742),
        ("0.13", 2568931715276922772),
        ("0.23", 4821328913872876665),
        ("0.25", 5306797565112371680),
        ("0.5", 12786308645202655659),
    ],
)
def test_a_rate_has_its_cost(rate: str, costs: int) -> None:
    assert cost(threshold(Fraction(rate))) == costs


@given(st.fractions(0, 1))
def test_a_threshold_is_the_rate_rounded_upward(rate: Fraction) -> None:
    assert threshold(rate) - 1 < rate * ONE <= threshold(rate)


def test_the_ends_of_the_scale() -> None:
    assert (threshold(Fraction(0)), threshold(Fraction(1))) == (0, ONE)
    assert (cost(0), cost(1), least_chance(0), least_chance(1)) == (0, 1, 0, 1)


@given(chances)
@example(0)
@example(ONE - 1)
def test_a_cost_is_the_logarithm_rounded_downward(chance: int) -> None:
    with localcontext() as context:
        context.prec = 120
        exact = -(1 - Decimal(chance) / ONE).ln() * ONE
    assert cost(chance) <= exact < cost(chance) + 1


@given(st.integers(0, ONE - 2))
@example(0)
@example(ONE - 2)
def test_a_larger_chance_costs_strictly_more(chance: int) -> None:
    assert cost(chance) < cost(chance + 1)


@given(st.integers(1, cost(ONE - 1)))
@example(1)
@example(2)
@example(cost(ONE - 1))
@example(cost(ONE - 2))
def test_the_least_chance_for_an_exposure_costs_as_much_and_the_one_below_does_not(exposure: int) -> None:
    found = least_chance(exposure)
    assert cost(found - 1) < exposure <= cost(found)


@given(chances)
def test_the_least_chance_that_costs_what_a_chance_costs_is_that_chance(chance: int) -> None:
    assert least_chance(cost(chance)) == chance


def test_impossible_rates_chances_and_exposures_are_refused() -> None:
    for rate in (Fraction(-1, 10), Fraction(11, 10)):
        with pytest.raises(ValueError, match="not a rate"):
            threshold(rate)
    for chance in (-1, ONE):
        with pytest.raises(ValueError, match="no cost"):
            cost(chance)
    with pytest.raises(ValueError, match="no chance below"):
        least_chance(cost(ONE - 1) + 1)
