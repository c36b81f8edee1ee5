"""The certificate of the collection: bounds from one stage and from two, and rates by rule."""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.certificates import binomial
from protocol.certificates.binomial import side
from protocol.certificates.collection import Bet, TwoStages, alpha, bets, least_rate, missing, most
from protocol.certificates.exact import ONE, cost, threshold
from protocol.fixedpoint import roundings

LEVEL = Fraction("0.04")

rates = st.fractions(0, 1, max_denominator=1000).filter(lambda rate: rate >= Fraction(1, 20))
levels = st.fractions(0, 1, max_denominator=200).filter(lambda level: 0 < level < 1)


def naive(hits: int, number: int, chance: int) -> Fraction:
    """P(X <= hits) in exact fractions."""
    rate = Fraction(chance, ONE)
    return sum((comb(number, j) * rate**j * (1 - rate) ** (number - j) for j in range(hits + 1)), Fraction(0))


def test_the_shares_of_all_validations_add_up_to_the_doubt() -> None:
    doubt = Fraction("0.05")
    assert [alpha(doubt, number) for number in (1, 2)] == [Fraction("0.04"), Fraction("0.008")]
    assert sum(alpha(doubt, number) for number in range(1, 60)) + alpha(doubt, 59) / 4 == doubt
    with pytest.raises(ValueError, match="numbered from 1"):
        alpha(doubt, 0)


@pytest.mark.parametrize(
    ("hits", "rate", "level", "bound"),
    [
        (0, "0.01", "0.04", 320),
        (1, "0.01", "0.04", 499),
        (2, "0.01", "0.04", 657),
        (5, "0.01", "0.04", 1086),
        (0, "0.05", "0.008", 94),
        (3, "0.02", "0.04", 401),
        (0, "0.25", "0.04", 11),
    ],
)
def test_the_bound_of_one_stage_has_the_published_values(hits: int, rate: str, level: str, bound: int) -> None:
    assert most(hits, threshold(Fraction(rate)), Fraction(level)) == bound


@given(st.integers(0, 6), rates, levels)
@example(0, Fraction(1, 2), Fraction(1, 4))
@example(3, Fraction(1, 2), Fraction(1, 2))
@settings(max_examples=30)
def test_the_bound_of_one_stage_is_the_largest_number_that_is_above_the_level(
    hits: int, rate: Fraction, level: Fraction
) -> None:
    chance = threshold(rate)
    bound = most(hits, chance, level)
    assert naive(hits, bound, chance) > level
    assert naive(hits, bound + 1, chance) <= level


def test_a_probability_equal_to_the_level_is_not_above_it() -> None:
    half = threshold(Fraction(1, 2))
    assert most(0, half, Fraction(1, 4)) == 1
    for hits in (0, 1, 5, 40, 400):  # of an odd number at most half are drawn with probability 1/2
        assert side(hits, 2 * hits + 1, half, Fraction(1, 2)) == 0
        assert most(hits, half, Fraction(1, 2)) == 2 * hits
    assert side(0, 2, half, Fraction(1, 4) + Fraction(1, 2**300)) == -1
    assert side(0, 2, half, Fraction(1, 4) - Fraction(1, 2**300)) == 1


def test_a_level_nearer_than_the_first_digits_show_takes_more_digits() -> None:
    chance = threshold(Fraction("0.01"))
    exact = naive(3, 300, chance)
    for distance in (10**20, 10**45, 10**100):
        assert side(3, 300, chance, exact - Fraction(1, 3 * distance)) == 1
        assert side(3, 300, chance, exact + Fraction(1, 3 * distance)) == -1
    assert side(3, 300, chance, exact) == 0


@given(st.integers(0, 40), st.integers(0, 80), st.integers(0, ONE))
@settings(max_examples=30)
def test_the_two_roundings_enclose_the_probability(hits: int, more: int, chance: int) -> None:
    number = hits + 1 + more
    if not 0 < chance < ONE:
        return
    down, up = roundings(12)
    low, high = (Fraction(binomial._sum(hits, number, chance, context)) for context in (down, up))
    assert low <= naive(hits, number, chance) <= high
    assert high - low <= high / 10**8


@given(st.integers(1, 60), st.integers(1, 200), st.integers(1, ONE - 1), st.integers(1, 40))
@example(60, 540, ONE // 10, 100)
@example(400, 3600, ONE // 10, 80)
@settings(max_examples=50)
def test_the_ratios_of_the_terms_are_enclosed_however_few_bits_there_are(
    hits: int, more: int, chance: int, bits: int
) -> None:
    number = hits + more
    odds, term = Fraction(ONE - chance, chance), Fraction(1)
    exact = term
    for left in range(hits, 0, -1):
        term *= Fraction(left, number - left + 1) * odds
        exact += term
    low, high = (binomial._ratios(hits, number, chance, bits, upward=upward) for upward in (False, True))
    assert low <= exact * 2**bits <= high


def test_the_callers_decimal_context_decides_nothing() -> None:
    stages = two_stages("0.0731", "0.19")
    level, chance = Fraction("0.039"), threshold(Fraction("0.017"))
    asked = [most(11, chance, level), missing(stages, reported=3, hits=1, withheld_hits=1)]
    most.cache_clear()
    bets.cache_clear()
    with localcontext() as context:
        context.prec, context.rounding, context.Emin, context.Emax = 2, ROUND_CEILING, -1, 1
        assert [most(11, chance, level), missing(stages, reported=3, hits=1, withheld_hits=1)] == asked


def test_a_draw_of_everything_finds_everything() -> None:
    assert [most(hits, ONE, LEVEL) for hits in (0, 7, 3000)] == [0, 7, 3000]


def test_many_hits_and_many_documents_are_bounded_to_the_integer() -> None:
    chance = threshold(Fraction("0.01"))
    bound = most(3000, chance, LEVEL)
    assert bound == 309710
    with localcontext() as context:
        context.prec = 50
        rate = Decimal(chance) / ONE
        for number, above in ((bound, True), (bound + 1, False)):
            term = total = (1 - rate) ** number
            for j in range(3000):
                term = term * (number - j) / (j + 1) * rate / (1 - rate)
                total += term
            assert (total > Decimal("0.04")) == above


def test_the_least_chance_of_all_has_a_bound_too() -> None:
    with localcontext() as context:
        context.prec = 100
        exact = Decimal("0.04").ln() / (1 - Decimal(1) / ONE).ln()
    assert most(0, 1, LEVEL) == int(exact) > 3 * ONE


@given(st.integers(0, 30), rates, rates, levels, levels)
@settings(max_examples=20)
def test_the_bound_grows_with_the_hits_and_falls_with_the_rate_and_the_level(
    hits: int, rate: Fraction, other_rate: Fraction, level: Fraction, other_level: Fraction
) -> None:
    low, high = sorted((rate, other_rate))
    strict, lax = sorted((level, other_level))
    assert most(hits, threshold(low), strict) >= most(hits, threshold(high), strict)
    assert most(hits, threshold(low), strict) >= most(hits, threshold(low), lax)
    assert most(hits, threshold(low), strict) < most(hits + 1, threshold(low), strict)


@pytest.mark.parametrize(
    ("hits", "chance", "level"),
    [(-1, 5, LEVEL), (0, 0, LEVEL), (0, ONE + 1, LEVEL), (0, 5, Fraction(0)), (0, 5, Fraction(1))],
)
def test_impossible_questions_have_no_bound(hits: int, chance: int, level: Fraction) -> None:
    with pytest.raises(ValueError, match="no bound"):
        most(hits, chance, level)


@pytest.mark.parametrize("expected", [0, 4])
@pytest.mark.parametrize("largest", ["0.0005", "0.001", "0.1204", "1"])
@pytest.mark.parametrize("target", ["0.8", "0.95", "1"])
def test_the_rate_by_rule_is_the_first_of_all_thousandths_that_is_enough(
    expected: int, largest: str, target: str
) -> None:
    found, share = 500, Fraction(target)
    tried = [threshold(Fraction(k, 1000)) for k in range(1, 1001)]
    enough = (
        chance
        for chance in tried
        if chance <= threshold(Fraction(largest))
        and (found + expected) * share.denominator >= share.numerator * (found + most(expected, chance, LEVEL))
    )
    chosen = least_rate(found=found, expected_hits=expected, target=share, level=LEVEL, largest=Fraction(largest))
    assert chosen == next(enough, threshold(Fraction(largest)))


def test_a_rate_by_rule_may_be_as_large_as_the_largest_rate_and_no_larger() -> None:
    def chosen(largest: Fraction) -> int:
        return least_rate(found=500, expected_hits=4, target=Fraction("0.9"), level=LEVEL, largest=largest)

    free = chosen(Fraction(1))
    place = free * 1000 // ONE
    assert free == threshold(Fraction(place, 1000))
    assert chosen(Fraction(place, 1000)) == free
    assert chosen(Fraction(place + 1, 1000)) == free
    for smaller in (Fraction(place - 1, 1000), Fraction(place, 1000) - Fraction(1, 10**15)):
        assert chosen(smaller) == threshold(smaller) < free


def two_stages(review: str, show: str) -> TwoStages:
    return TwoStages(review=Fraction(review), show=Fraction(show), alpha=LEVEL)


@pytest.mark.parametrize(
    ("review", "show", "reported", "hits", "budgets", "bound"),
    [
        ("0.05", "0.2", 0, 0, (63494050529186328761, 89066667819591640080), 342),
        ("0.05", "0.2", 10, 0, (102802810623661665661, 107626778594056069980), 554),
        ("0.05", "0.2", 10, 1, (None, 120366796473730054849), 1298),
        ("0.1", "0.1", 30, 0, (116238925363274970731, 114744743753705900070), 626),
    ],
)
def test_the_bound_of_two_stages_has_the_published_values(
    review: str, show: str, reported: int, hits: int, budgets: tuple[int | None, int], bound: int
) -> None:
    stages = two_stages(review, show)
    assert tuple(bet.budget(reported, hits, 0) for bet in bets(stages)) == budgets
    assert missing(stages, reported=reported, hits=hits, withheld_hits=0) == bound


def test_the_bets_of_two_stages_have_the_published_gains_and_losses() -> None:
    first, second = bets(two_stages("0.05", "0.2"))
    assert (first.gain, first.loss_reported, first.loss_hit) == (185395973344368338, 3930876009447533690, None)
    assert (second.gain, second.loss_reported) == (92697986672184169, 1856011077446442990)
    assert second.loss_hit == 12740017879673984869
    first, second = bets(two_stages("0.1", "0.1"))
    assert (first.loss_reported, second.loss_reported) == (1758162494469621399, 855935864470475333)


@given(rates, rates)
@example(Fraction(1), Fraction(1, 2))
@example(Fraction(1, 2), Fraction(1))
@settings(max_examples=20)
def test_no_rounding_of_a_bet_raises_its_mean_above_one(review: Fraction, show: Fraction) -> None:
    called, shown = threshold(review), threshold(show)
    if called == shown == ONE:
        return
    first, second = bets(TwoStages(review=review, show=show, alpha=LEVEL))
    assert (first.gain, second.gain) == (cost(called * shown // ONE), cost(called * shown // ONE) // 2)
    with localcontext() as context:
        context.prec = 150
        pi, p, either = Decimal(called) / ONE, Decimal(shown) / ONE, Decimal(called * shown // ONE) / ONE
        for bet in bets(TwoStages(review=review, show=show, alpha=LEVEL)):
            unseen = (Decimal(bet.gain) / ONE).exp()
            reported = (1 - (1 - pi) * unseen) / pi
            exact = {
                bet.loss_reported: reported,
                bet.loss_hit: (reported - (1 - p) * unseen) / p,
                bet.loss_withheld_hit: (1 - (1 - either) * unseen) / either,
            }
            for loss, factor in exact.items():
                if loss is not None:
                    assert loss - 1 < -factor.ln() * ONE <= loss
            assert (1 - pi) * unseen + pi * (-Decimal(bet.loss_reported) / ONE).exp() <= 1


def test_a_withheld_hit_ends_the_first_bet_as_any_hit_does() -> None:
    stages = two_stages("0.05", "0.2")
    second = bets(stages)[1]
    assert second.loss_withheld_hit == 12740017879673984893
    budget = second.start + 4 * second.loss_reported + 2 * 12740017879673984893
    assert missing(stages, reported=4, hits=0, withheld_hits=2) == budget // second.gain
    assert [bet.budget(0, 0, 1) is None for bet in bets(stages)] == [True, False]


@given(rates, rates, st.integers(0, 50), st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=20)
def test_whatever_comes_to_light_never_lowers_the_bound_of_two_stages(
    review: Fraction, show: Fraction, reported: int, hits: int, withheld_hits: int
) -> None:
    stages = TwoStages(review=review, show=show, alpha=LEVEL)
    bound = missing(stages, reported=reported, hits=hits, withheld_hits=withheld_hits)
    assert bound <= missing(stages, reported=reported + 1, hits=hits, withheld_hits=withheld_hits)
    assert bound <= missing(stages, reported=reported, hits=hits + 1, withheld_hits=withheld_hits)
    assert bound <= missing(stages, reported=reported, hits=hits, withheld_hits=withheld_hits + 1)


def test_a_validation_that_shows_all_leaves_nothing_missing() -> None:
    stages = two_stages("1", "1")
    assert bets(stages) == ()
    assert missing(stages, reported=5, hits=3, withheld_hits=2) == 0


def test_a_draw_that_is_sure_to_call_costs_a_report_nothing() -> None:
    assert [bet.loss_reported for bet in bets(two_stages("1", "0.2"))] == [0, 0]


def test_rates_that_can_prove_nothing_are_refused() -> None:
    stages = TwoStages(review=Fraction(1, 2**64), show=Fraction(1, 2), alpha=LEVEL)
    with pytest.raises(ValueError, match="proves nothing"):
        missing(stages, reported=0, hits=0, withheld_hits=0)


def test_a_bet_that_a_hit_ends_says_nothing_after_it() -> None:
    bet = Bet(start=100, gain=7, loss_reported=3, loss_hit=None, loss_withheld_hit=None)
    assert bet.budget(2, 0, 0) == 106
    assert bet.budget(2, 1, 0) is None
    assert bet.budget(2, 0, 1) is None
