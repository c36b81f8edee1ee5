"""The certificate of the collection, against exact sums and against the numbers of the specification."""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.certificates.binomial import last, side
from verifier.certificates.collection import Bet, alpha, least_rate, most, two_stages
from verifier.certificates.exact import ONE, cost, threshold

chances = st.integers(ONE // 50, ONE - 1) | st.sampled_from([ONE // 2, ONE // 4, 3 * (ONE // 4), ONE])
levels = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


def probability(hits: int, number: int, chance: int) -> Fraction:
    """P(at most `hits` of `number` documents are drawn), as it is written."""
    drawn = Fraction(chance, ONE)
    terms = (comb(number, each) * drawn**each * (1 - drawn) ** (number - each) for each in range(min(hits, number) + 1))
    return sum(terms, Fraction(0))


def test_the_shares_of_the_doubt() -> None:
    doubt = Fraction(1, 20)
    assert [alpha(doubt, number) for number in (1, 2, 3)] == [Fraction(1, 25), Fraction(1, 125), Fraction(1, 625)]
    assert sum(alpha(doubt, number) for number in range(1, 50)) < doubt


@pytest.mark.parametrize(
    ("hits", "rate", "level", "expected"),
    [
        (0, "0.01", "0.04", 320),
        (1, "0.01", "0.04", 499),
        (2, "0.01", "0.04", 657),
        (5, "0.01", "0.04", 1086),
        (0, "0.05", "0.008", 94),
        (3, "0.02", "0.04", 401),
        (0, "0.25", "0.04", 11),
        (0, "1", "0.04", 0),
        (7, "1", "0.04", 7),
    ],
)
def test_the_most_that_there_can_have_been(hits: int, rate: str, level: str, expected: int) -> None:
    assert most(hits, threshold(Fraction(rate)), Fraction(level)) == expected


@given(st.integers(0, 12), st.integers(0, 40), chances, levels)
def test_a_probability_is_compared_as_exact_fractions_are(hits: int, number: int, chance: int, level: Fraction) -> None:
    exact = probability(hits, number, chance)
    assert side(hits, number, chance, level) == (exact > level) - (exact < level)


@given(st.integers(0, 12), st.integers(1, 18), chances)
def test_equality_is_told_from_the_smallest_difference(hits: int, more: int, chance: int) -> None:
    number = hits + more
    level = probability(hits, number, chance)
    if chance == ONE:
        return
    nearby = Fraction(1, 2 * ONE**number)
    assert side(hits, number, chance, level) == 0
    assert side(hits, number, chance, level - nearby) == 1
    assert side(hits, number, chance, level + nearby) == -1


def test_a_probability_that_first_digits_do_not_tell_from_a_level_is_not_equal_to_it() -> None:
    assert side(149, 150, ONE // 2, Fraction(1)) == -1
    assert side(0, 150, ONE // 2, Fraction(0)) == 1


@settings(max_examples=60)
@given(st.integers(0, 6), chances.filter(lambda chance: chance > ONE // 10), levels)
def test_most_is_the_largest_number_with_such_a_probability(hits: int, chance: int, level: Fraction) -> None:
    number = hits
    while probability(hits, number + 1, chance) > level:
        number += 1
    assert most(hits, chance, level) == number


def test_a_probability_that_equals_its_share_is_not_above_it() -> None:
    assert most(0, ONE // 2, Fraction(1, 4)) == 1
    assert most(0, ONE // 2, Fraction(1, 4) - Fraction(1, 10**30)) == 2
    assert most(50, ONE // 2, Fraction(1, 2)) == 100  # of 101, at most 50 are drawn with probability 1/2


def test_shares_far_below_every_digit_that_is_kept_first() -> None:
    assert most(0, ONE // 2, Fraction(1, 3**500)) == 792  # 2^792 < 3^500 < 2^793
    number = most(40, ONE // 2, Fraction(1, 3**200))
    assert probability(40, number, ONE // 2) > Fraction(1, 3**200) >= probability(40, number + 1, ONE // 2)


@pytest.mark.parametrize("hits", [100, 1000, 3000])
def test_thousands_of_hits(hits: int) -> None:
    chance, level = threshold(Fraction(1, 100)), Fraction(1, 25)
    number = most(hits, chance, level)
    assert _decimal_probability(hits, number, chance) > level >= _decimal_probability(hits, number + 1, chance)


def _decimal_probability(hits: int, number: int, chance: int) -> Fraction:
    """P(at most `hits`) from the exact probability of 0 upward, with many digits."""
    work = Context(prec=80)
    term = work.power(work.divide(ONE - chance, ONE), number)
    total = term
    for drawn in range(1, hits + 1):
        term = work.divide(work.multiply(term, (number - drawn + 1) * chance), drawn * (ONE - chance))
        total = work.add(total, term)
    return Fraction(total)


@pytest.mark.parametrize("chance", [0, -1, ONE + 1])
def test_a_draw_without_a_chance_bounds_nothing(chance: int) -> None:
    with pytest.raises(ValueError, match="bounds nothing"):
        most(3, chance, Fraction(1, 25))


@given(st.integers(-50, 50), st.integers(0, 60), st.integers(-80, 80), st.integers(1, 20))
def test_the_last_is_found_from_any_guess(least: int, further: int, guess: int, step: int) -> None:
    assert last(lambda number: number <= least + further, least, guess, step) == least + further


@settings(max_examples=40)
@given(
    st.integers(0, 300),
    st.integers(0, 6),
    st.fractions(Fraction(1, 2), 1, max_denominator=50),
    st.fractions(Fraction(1, 1000), 1, max_denominator=3000),
)
def test_the_rate_by_rule_is_the_least_that_would_reach_the_target(
    found: int, expected: int, target: Fraction, largest: Fraction
) -> None:
    level = Fraction(1, 25)

    def reaches(chance: int) -> bool:
        reached, needed = found + expected, found + most(expected, chance, level)
        return reached * target.denominator >= target.numerator * needed

    rates = [threshold(Fraction(each, 1000)) for each in range(1, 1001)]
    usable = [chance for chance in rates if chance <= threshold(largest)]
    chance = least_rate(found, expected, target, level, largest)
    if chance == threshold(largest) and chance not in usable:
        assert not any(reaches(each) for each in usable[-1:])
        return
    assert chance in usable
    before = usable[: usable.index(chance)][-1:]
    assert not any(reaches(each) for each in before)
    assert reaches(chance) or chance == threshold(largest)


def test_rates_by_rule() -> None:
    level = Fraction(1, 25)
    assert least_rate(1000, 0, Fraction(9, 10), level, Fraction(1, 5)) == threshold(Fraction(29, 1000))
    assert most(0, threshold(Fraction(29, 1000)), level) <= 111 < most(0, threshold(Fraction(28, 1000)), level)
    assert least_rate(10, 0, Fraction(9, 10), level, Fraction(1, 5)) == threshold(Fraction(1, 5))
    assert least_rate(10, 0, Fraction(1), level, Fraction(1)) == threshold(Fraction(960, 1000))
    assert least_rate(0, 0, Fraction(1), level, Fraction(1, 3)) == threshold(Fraction(1, 3))


WHOLE = {"gain": 185395973344368338, "loss_hit": None, "loss_withheld_hit": None}
HALF = {"gain": 92697986672184169, "loss_hit": 12740017879673984869, "loss_withheld_hit": 12740017879673984893}


@pytest.mark.parametrize(
    ("review", "show", "reported", "hits", "losses", "budgets", "bounds", "expected"),
    [
        (
            *("0.05", "0.2", 0, 0, (3930876009447533690, 1856011077446442990)),
            *((63494050529186328761, 89066667819591640080), (342, 960), 342),
        ),
        (
            *("0.05", "0.2", 10, 0, (3930876009447533690, 1856011077446442990)),
            *((102802810623661665661, 107626778594056069980), (554, 1161), 554),
        ),
        ("0.05", "0.2", 10, 1, (1856011077446442990,), (120366796473730054849,), (1298,), 1298),
        (
            *("0.1", "0.1", 30, 0, (1758162494469621399, 855935864470475333)),
            *((116238925363274970731, 114744743753705900070), (626, 1237), 626),
        ),
    ],
)
def test_two_stages_prove_what_the_specification_says(
    review: str,
    show: str,
    reported: int,
    hits: int,
    losses: tuple[int, ...],
    budgets: tuple[int, ...],
    bounds: tuple[int, ...],
    expected: int,
) -> None:
    proven = two_stages(Fraction(review), Fraction(show), Fraction(1, 25), reported, hits, 0)
    assert proven.at_most == expected
    assert [bet.loss_reported for bet in proven.bets] == list(losses)
    assert [bet.budget for bet in proven.bets] == list(budgets)
    assert [bet.at_most for bet in proven.bets] == list(bounds)
    assert proven.bets[-1].gain == HALF["gain"]
    assert proven.bets[-1].loss_hit == HALF["loss_hit"]
    if len(proven.bets) == 2:
        assert (proven.bets[0].gain, proven.bets[0].loss_hit) == (WHOLE["gain"], None)


def test_a_withheld_document_that_is_hit_costs_by_its_own_chance() -> None:
    without = two_stages(Fraction("0.05"), Fraction("0.2"), Fraction(1, 25), 10, 1, 0)
    proven = two_stages(Fraction("0.05"), Fraction("0.2"), Fraction(1, 25), 10, 1, 3)
    assert proven.bets[0].loss_withheld_hit == HALF["loss_withheld_hit"]
    assert proven.bets[0].budget == without.bets[0].budget + 3 * 12740017879673984893
    assert proven.at_most == 1710
    assert len(two_stages(Fraction("0.05"), Fraction("0.2"), Fraction(1, 25), 10, 0, 1).bets) == 1


rates = st.fractions(Fraction(1, 1000), 1, max_denominator=1000)


@given(rates, rates, levels, st.tuples(*3 * [st.integers(0, 30)]))
def test_two_stages_are_the_formula_with_hundreds_of_digits(
    review: Fraction, show: Fraction, level: Fraction, finds: tuple[int, int, int]
) -> None:
    proven = two_stages(review, show, level, *finds)
    if review == show == 1:
        return
    expected = [_bet(review, show, level, finds, halved=True)]
    if finds[1:] == (0, 0):
        expected.insert(0, _bet(review, show, level, finds, halved=False))
    assert list(proven.bets) == expected
    assert proven.at_most == min(bet.budget // bet.gain for bet in expected)


def _bet(review: Fraction, show: Fraction, level: Fraction, finds: tuple[int, int, int], *, halved: bool) -> Bet:
    work = Context(prec=300)
    called, checked = threshold(review), threshold(show)
    both = called * checked // ONE
    gain = cost(both) // 2 if halved else cost(both)
    growth = work.exp(work.divide(gain, ONE))

    def kept(chance: int) -> Decimal:
        return work.multiply(work.divide(ONE - chance, ONE), growth)

    def drawn(mean: Decimal, chance: int) -> Decimal:
        return work.divide(work.subtract(mean, kept(chance)), work.divide(chance, ONE))

    def up(value: Decimal) -> int:
        return int(work.multiply(value, -ONE).to_integral_value(ROUND_CEILING))

    reported = drawn(Decimal(1), called)
    weight = level / 5 if halved else level * 4 / 5
    stake = up(work.ln(work.divide(weight.numerator, weight.denominator)))
    first = up(work.ln(reported))
    if not halved:
        return Bet(
            gain=gain, loss_reported=first, loss_hit=None, loss_withheld_hit=None, budget=stake + finds[0] * first
        )
    second, third = up(work.ln(drawn(reported, checked))), up(work.ln(drawn(Decimal(1), both)))
    budget = stake + finds[0] * first + finds[1] * second + finds[2] * third
    return Bet(gain=gain, loss_reported=first, loss_hit=second, loss_withheld_hit=third, budget=budget)


@pytest.mark.parametrize("called", [1, 2])
def test_two_stages_that_draw_next_to_nothing_bound_nothing(called: int) -> None:
    with pytest.raises(ValueError, match="bounds nothing"):
        two_stages(Fraction(called, ONE), Fraction(1, 2), Fraction(1, 25), 0, 0, 0)


def test_two_stages_that_show_everything_leave_nothing() -> None:
    proven = two_stages(Fraction(1), Fraction(1), Fraction(1, 25), 4, 1, 0)
    assert (proven.bets, proven.at_most) == ((), 0)
