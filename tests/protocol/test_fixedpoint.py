"""Logarithms as integers are exact, and a fraction is what its digits say."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal, getcontext, localcontext
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.errors import BadTerms
from protocol.fixedpoint import ceil_ln, floor_exp, floor_ln, parse_fraction, round_ln

positive = st.integers(1, 2**70)
bits = st.integers(0, 80)


def scaled(numerator: int, denominator: int, places: int) -> Decimal:
    """2^places * ln(numerator / denominator) to some 300 digits."""
    with localcontext() as context:
        context.prec = 300
        return (Decimal(numerator).ln() - Decimal(denominator).ln()) * (1 << places)


@given(positive, positive, bits)
@example(2**70, 2**70 - 1, 80)
@example(1, 10**30, 32)
def test_logarithms_are_rounded_as_three_hundred_digits_say(numerator: int, denominator: int, places: int) -> None:
    exact = scaled(numerator, denominator, places)
    assert floor_ln(numerator, denominator, places) == int(exact.to_integral_value(ROUND_FLOOR))
    assert ceil_ln(numerator, denominator, places) == int(exact.to_integral_value(ROUND_CEILING))
    assert round_ln(numerator, denominator, places) == int(exact.to_integral_value(ROUND_HALF_UP))


@given(positive, bits)
def test_the_logarithm_of_one_is_zero_however_it_is_rounded(number: int, places: int) -> None:
    assert floor_ln(number, number, places) == round_ln(number, number, places) == ceil_ln(number, number, places) == 0


@pytest.mark.parametrize("distance", [10**45, 10**80, 10**200])
def test_a_logarithm_nearer_to_an_integer_than_the_first_digits_show_takes_more_digits(distance: int) -> None:
    assert (floor_ln(distance + 1, distance, 8), ceil_ln(distance + 1, distance, 8)) == (0, 1)
    assert (floor_ln(distance, distance + 1, 8), ceil_ln(distance, distance + 1, 8)) == (-1, 0)


def test_more_bits_than_digits_are_exact_too() -> None:
    exact = scaled(2, 1, 700)
    assert floor_ln(2, 1, 700) == int(exact.to_integral_value(ROUND_FLOOR))


def test_the_values_that_rules_and_weights_are_made_of_are_those_of_a_series_in_integers() -> None:
    assert ceil_ln(100, 1, 32) == 19779055342
    assert ceil_ln(20, 1, 32) == 12866572143
    assert round_ln(65535, 1, 14) == 181704
    assert round_ln(2, 1, 14) == 11357


def test_the_callers_decimal_context_decides_nothing() -> None:
    expected = floor_ln(3, 1, 64)
    with localcontext() as context:
        context.prec, context.rounding = 5, ROUND_CEILING
        assert floor_ln(3, 1, 64) == expected
    assert getcontext().prec != 5


@pytest.mark.parametrize(
    ("numerator", "denominator", "places"), [(0, 1, 8), (-1, 1, 8), (1, 0, 8), (1, -1, 8), (2, 1, -1)]
)
def test_there_is_no_logarithm_of_nothing_or_less(numerator: int, denominator: int, places: int) -> None:
    for function in (floor_ln, round_ln, ceil_ln):
        with pytest.raises(ValueError, match="no logarithm"):
            function(numerator, denominator, places)


@given(st.integers(-(2**70), 2**70), st.integers(2**64, 2**70), bits)
@example(1, 1, 700)
@example(-1, 10**80, 8)
@example(1, 10**80, 8)
def test_powers_of_e_are_rounded_down_as_five_hundred_digits_say(numerator: int, denominator: int, places: int) -> None:
    with localcontext() as context:
        context.prec = 500
        exact = (Decimal(numerator) / Decimal(denominator)).exp() * (1 << places)
    assert floor_exp(numerator, denominator, places) == int(exact.to_integral_value(ROUND_FLOOR))


def test_e_to_the_power_of_zero_is_one_and_a_power_without_a_denominator_is_refused() -> None:
    assert floor_exp(0, 7, 64) == 2**64
    assert floor_exp(-(10**9), 1, 64) == 0
    for denominator, places in ((0, 8), (-1, 8), (1, -1)):
        with pytest.raises(ValueError, match="no power of e"):
            floor_exp(1, denominator, places)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.01", Fraction(1, 100)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("0.050", Fraction(1, 20)),
        ("12.5", Fraction(25, 2)),
        ("0." + "0" * 27 + "1", Fraction(1, 10**28)),
    ],
)
def test_a_fraction_is_what_its_digits_say(text: str, value: Fraction) -> None:
    assert parse_fraction(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", ".5", "5.", "-0.1", "+0.1", "1e-2", "1E5", "0.1e1", "1/3", "0,01", " 0.1", "0.1 ", "0.1\n", "1_0"),
        *(
            "00.1",
            "01",
            "nan",
            "inf",
            "Infinity",
            "0x1",
            "\u0660.\u0661",
            "0.\uff11",
            "0.1.2",
            "1" * 31,
            "0." + "1" * 29,
            "9" * 10**6,
        ),
    ],
)
def test_a_fraction_written_in_any_other_way_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadTerms, match=r"not a plain decimal .* write, for example, 0\.01") as refusal:
        parse_fraction(text)
    assert len(str(refusal.value)) < 150
