"""The boundary is that of its definition, for every doubt, and never ends."""

from decimal import ROUND_CEILING, localcontext
from fractions import Fraction
from itertools import islice
from math import comb, factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.certificates import boundary as module
from protocol.certificates.boundary import LAST_OF_RECURSION, boundary, closed_form, recursion
from protocol.fixedpoint import ceil_ln

USUAL = Fraction(1, 20)
UNIT = 2**32

FIRST_VALUES = [15843616615, 26168438949, 35358310379, 43913127879, 52041348959, 59855827042, 67426361921, 74799869458]
VALUES = {10: 96032160683, 20: 161243387279, 50: 336859026612, 100: 606627976265, 500: 2570309441628}


def defined(doubt: Fraction, count: int) -> list[int]:
    """The recursion of the definition, in exact integers."""
    volumes, values = [1], [0]
    for hits in range(count):
        if hits:
            volumes.append(
                sum(
                    (-1) ** (hits - k + 1) * comb(hits, k) * volumes[k] * values[k + 1] ** (hits - k)
                    for k in range(hits)
                )
            )
        above = volumes[hits] * (hits + 1) * (hits + 2) * doubt.denominator
        below = factorial(hits) * doubt.numerator << 32 * hits
        values.append(max(values[-1], ceil_ln(above, below, 32)))
    return values[1:]


def test_the_boundary_has_the_published_values() -> None:
    assert [boundary(USUAL, hits) for hits in range(8)] == FIRST_VALUES
    assert {hits: boundary(USUAL, hits) for hits in VALUES} == VALUES


@pytest.mark.parametrize(
    "doubt",
    [
        *(USUAL, Fraction(1, 10), Fraction(1, 100), Fraction(1, 2), Fraction(999, 1000)),
        *(Fraction(1, 10**9), Fraction(1, 10**28), Fraction(10**28 - 1, 10**28)),
    ],
)
def test_the_boundary_equals_its_definition_for_few_hits(doubt: Fraction) -> None:
    assert [boundary(doubt, hits) for hits in range(50)] == defined(doubt, 50)


@given(st.fractions(0, 1, max_denominator=10**6).filter(lambda doubt: 0 < doubt < 1))
@settings(max_examples=15)
def test_the_boundary_equals_its_definition_for_any_doubt(doubt: Fraction) -> None:
    assert list(islice(recursion(doubt), 12)) == defined(doubt, 12)


@pytest.mark.slow
@pytest.mark.parametrize("doubt", [USUAL, Fraction(1, 1000)])
def test_the_boundary_equals_its_definition_for_many_hits(doubt: Fraction) -> None:
    assert [boundary(doubt, hits) for hits in range(301)] == defined(doubt, 301)


@pytest.mark.slow
def test_the_recursion_itself_goes_on_beyond_the_point_where_the_closed_form_takes_over() -> None:
    values = list(islice(recursion(USUAL), 2001))
    assert (values[500], values[1000], values[2000]) == (2570309441628, 4910249631156, 9484967594448)
    assert all(value <= closed_form(USUAL, hits) for hits, value in enumerate(values) if hits % 50 == 1)


@pytest.mark.parametrize("bits", [20, 40, 60])
def test_a_recursion_with_too_few_bits_stops_before_a_value_could_be_wrong(bits: int) -> None:
    told = list(islice(module._attempt(USUAL, bits), 60))
    assert len(told) < 60
    assert told == [boundary(USUAL, hits) for hits in range(len(told))]


def test_a_recursion_that_runs_out_of_bits_goes_on_with_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SPARE_BITS", 30)
    assert list(islice(recursion(USUAL), 40)) == [boundary(USUAL, hits) for hits in range(40)]


def test_the_boundary_can_be_asked_for_in_any_order() -> None:
    doubt = Fraction(7, 100)
    asked = {hits: boundary(doubt, hits) for hits in (30, 3, 45, 0, 44)}
    assert asked == dict(zip(asked, (defined(doubt, 46)[hits] for hits in asked), strict=True))


def test_more_hits_never_lower_the_boundary_and_it_never_ends() -> None:
    hits = [0, 1, 2, 5, 50, 120, 499, 500, 501, 502, 600, 1000, 5000, 10**5]
    values = [boundary(USUAL, number) for number in hits]
    assert values == sorted(set(values))
    assert all(value > UNIT * number for number, value in zip(hits, values, strict=True))


@given(st.integers(LAST_OF_RECURSION + 1, 2000), st.fractions(0, 1, max_denominator=10**9))
@settings(max_examples=20)
def test_the_closed_form_is_the_least_value_that_is_enough(hits: int, doubt: Fraction) -> None:
    if not 0 < doubt < 1:
        return

    def needed(value: int) -> int:
        above = value**hits * (hits + 1) * (hits + 2) * doubt.denominator
        return ceil_ln(above, factorial(hits) * doubt.numerator << 32 * hits, 32)

    value = boundary(doubt, hits)
    assert value >= needed(value)
    assert value == UNIT * hits or value - 1 < needed(value - 1)


def test_a_smaller_doubt_raises_the_boundary() -> None:
    for hits in (0, 1, 7, 60, 501):
        values = [boundary(Fraction(1, inverse), hits) for inverse in (2, 3, 20, 100, 10**6)]
        assert values == sorted(set(values))


def test_the_callers_decimal_context_decides_nothing() -> None:
    doubt = Fraction(3, 70)
    with localcontext() as context:
        context.prec, context.rounding, context.Emin, context.Emax = 2, ROUND_CEILING, -1, 1
        asked = [boundary(doubt, 9), closed_form(doubt, 700)]
    closed_form.cache_clear()
    assert asked == [defined(doubt, 10)[9], closed_form(doubt, 700)]


def test_there_is_no_boundary_for_an_impossible_doubt_or_number_of_hits() -> None:
    for doubt in (Fraction(0), Fraction(1), Fraction(-1, 20)):
        with pytest.raises(ValueError, match="not between 0 and 1"):
            boundary(doubt, 0)
    with pytest.raises(ValueError, match="-1 hits"):
        boundary(USUAL, -1)
