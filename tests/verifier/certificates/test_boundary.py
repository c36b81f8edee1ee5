"""The boundary: the recursion in its first form, the numbers of the specification, and the closed form."""

from decimal import Context, Decimal
from fractions import Fraction
from itertools import islice
from math import comb, factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.certificates.boundary import LAST, boundary, closed_form, recursion
from verifier.logarithms import ln_ceil

DOUBT = Fraction(1, 20)
FIRST = [
    *(15843616615, 26168438949, 35358310379, 43913127879, 52041348959, 59855827042, 67426361921, 74799869458),
    *(82009754095, 89080833460, 96032160683, 102878750779, 109632691834, 116303890179, 122900587292, 129429728699),
    *(135897233703, 142308196760, 148667040604, 154977634560, 161243387279, 167467320350, 173652127412),
    *(179800222118, 185913777415, 191994757998, 198044947333, 204065970321, 210059312435, 216026335984),
    *(221968294003, 227886342194, 233781549235, 239654905719, 245507331952, 251339684765, 257152763505),
    *(262947315315, 268724039807, 274483593202, 280226592027, 285953616406, 291665213015, 297361897732),
    *(303044158021, 308712455085, 314367225813, 320008884545, 325637824677, 331254420115, 336859026612),
]
DOUBTS = [DOUBT, Fraction(1, 2), Fraction(1, 10**6), Fraction(99, 100), Fraction(7, 300)]


def first_form(doubt: Fraction, last: int) -> list[int]:
    """b_0 to b_last, each power and each binomial coefficient as it is written."""
    volumes, bounds = [1], [ln_ceil(2 * doubt.denominator, doubt.numerator, 32)]
    for hits in range(1, last + 1):
        volumes.append(
            sum((-1) ** (hits - k + 1) * comb(hits, k) * volumes[k] * bounds[k] ** (hits - k) for k in range(hits))
        )
        ratio = Fraction(volumes[-1] * (hits + 1) * (hits + 2), factorial(hits) * 2 ** (32 * hits)) / doubt
        bounds.append(max(bounds[-1], ln_ceil(ratio.numerator, ratio.denominator, 32)))
    return bounds


def test_the_first_fifty_are_those_of_the_specification() -> None:
    assert [boundary(DOUBT, hits) for hits in range(len(FIRST))] == FIRST


def test_a_hundred_hits() -> None:
    assert boundary(DOUBT, 100) == 606627976265


def test_the_last_of_the_recursion_and_the_first_of_the_closed_form() -> None:
    assert boundary(DOUBT, LAST) == 2570309441628
    assert boundary(DOUBT, LAST + 1) == closed_form(DOUBT, LAST + 1) > boundary(DOUBT, LAST)


@pytest.mark.parametrize("doubt", DOUBTS, ids=str)
def test_it_is_the_first_form_of_the_recursion(doubt: Fraction) -> None:
    assert [boundary(doubt, hits) for hits in range(61)] == first_form(doubt, 60)


@pytest.mark.slow
def test_it_is_the_first_form_of_the_recursion_for_many_hits() -> None:
    assert [boundary(DOUBT, hits) for hits in range(301)] == first_form(DOUBT, 300)


@pytest.mark.slow
def test_the_recursion_itself_never_ends() -> None:
    assert next(islice(recursion(DOUBT), 1000, None)) == 4910249631156


def test_the_order_of_questions_does_not_matter() -> None:
    doubt = Fraction(3, 100)
    asked = {hits: boundary(doubt, hits) for hits in (30, 5, 31, 0, 12)}
    fresh = list(islice(recursion(doubt), 32))
    assert asked == {hits: fresh[hits] for hits in asked}


@pytest.mark.parametrize("doubt", DOUBTS, ids=str)
def test_the_closed_form_grows_and_is_never_below_the_recursion(doubt: Fraction) -> None:
    closed = [closed_form(doubt, hits) for hits in range(1, 61)]
    assert closed == sorted(closed)
    assert all(bound >= boundary(doubt, hits) for hits, bound in enumerate(closed, 1))


@settings(max_examples=30)
@given(st.integers(1, 3000), st.fractions(Fraction(1, 10**40), Fraction(99, 100)))
def test_the_closed_form_is_the_least_that_its_definition_allows(hits: int, doubt: Fraction) -> None:
    work = Context(prec=120)
    ways = work.ln(Decimal(factorial(hits) * doubt.numerator))
    shares = work.ln(Decimal((hits + 1) * (hits + 2) * doubt.denominator))

    def suffices(bound: int) -> bool:
        power = work.multiply(hits, work.ln(work.divide(bound, 2**32)))
        needed = work.add(work.subtract(power, ways), shares)
        return work.multiply(needed, 2**32) <= bound

    bound = closed_form(doubt, hits)
    assert bound > hits * 2**32
    assert suffices(bound)
    assert not suffices(bound - 1)


def test_two_thousand_and_ten_thousand_hits() -> None:
    assert boundary(DOUBT, 2000) >> 32 == 2241
    assert boundary(DOUBT, 10_000) == 45416822619607
