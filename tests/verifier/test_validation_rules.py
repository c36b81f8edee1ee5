"""A validation by itself: when one is due, its chances, which numbers the coins draw, and what it proves."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.certificates.collection import alpha, most, two_stages
from verifier.certificates.exact import ONE, threshold
from verifier.record.shapes import read
from verifier.rules import coins
from verifier.rules.terms import Validation
from verifier.rules.validation import (
    Course,
    Finds,
    Held,
    chances,
    is_due,
    missing_at_most,
    proven,
    reaches,
)

DOUBT = Fraction(1, 20)
ALL = 10**6
"""A population that limits nothing."""
SEED = bytes(range(32))


def agreed(**changed: object) -> Validation:
    usual = {"every": 10, "hits": None, "review": None, "show": "0.05", "target": "0.8"}
    return read(Validation, usual | {"viewer": "bob", "window": 5, "yield": "0.02"} | changed)


def course(*brought: int, **changed: object) -> Course:
    usual = {"found": sum(brought), "at_its_end": False, "population": 1000, "free_draws": 9, "held": ()}
    return Course(brought=brought, **(usual | changed))  # type: ignore[arg-type]


def test_the_first_comes_once_the_last_window_brought_little() -> None:
    assert is_due(agreed(), course(100, 0, 0, 1, 1, 0))
    assert not is_due(agreed(), course(100, 0, 0, 1, 1, 1)), "3 is more than 2 percent of 103"
    assert is_due(agreed(), course(98, 0, 0, 1, 1, 0)), "just 2 percent of 100 are little enough"
    assert not is_due(agreed(), course(97, 0, 0, 1, 1, 0))


def test_the_first_comes_after_a_whole_window() -> None:
    assert not is_due(agreed(), course(0, 0, 0, 0))
    assert is_due(agreed(), course(0, 0, 0, 0, 0))


def test_what_an_escalation_found_counts_in_the_whole_but_not_in_the_window() -> None:
    assert not is_due(agreed(), course(49, 0, 0, 1, 1, 0))
    assert is_due(agreed(), course(49, 0, 0, 1, 1, 0, found=100))


@pytest.mark.parametrize("after", [3, 10, 13, 23])
def test_later_ones_come_every_so_many_rounds_after_the_first(after: int) -> None:
    held = (Held(3, reached=False),)
    assert is_due(agreed(), course(*[50] * after, held=held)) == (after in {13, 23})


def test_a_validation_at_the_end_moves_no_later_one() -> None:
    held = (Held(3, reached=False), Held(8, reached=False))
    assert is_due(agreed(), course(*[50] * 13, held=held))
    assert not is_due(agreed(), course(*[50] * 18, held=held))


def test_without_a_yield_they_come_every_so_many_rounds() -> None:
    terms = agreed(**{"yield": None, "every": 3})
    assert [rounds for rounds in range(10) if is_due(terms, course(*[7] * rounds))] == [3, 6, 9]


def test_one_comes_at_the_end_of_the_review() -> None:
    assert not is_due(agreed(), course(50, 50))
    assert is_due(agreed(), course(50, 50, at_its_end=True))


@pytest.mark.parametrize(
    "changed",
    [
        {"population": 0},
        {"free_draws": 0},
        {"held": (Held(2, reached=False),)},
        {"held": (Held(1, reached=True),)},
    ],
)
def test_none_comes_twice_or_after_the_target_or_without_documents_or_draws(changed: dict[str, object]) -> None:
    assert not is_due(agreed(), course(50, 50, at_its_end=True, **changed))


def test_none_comes_before_the_first_batch() -> None:
    assert not is_due(agreed(**{"yield": None}), course(at_its_end=True))


def test_two_stages_need_two_draws() -> None:
    assert is_due(agreed(), course(1, at_its_end=True, free_draws=1))
    assert not is_due(agreed(review="0.1"), course(1, at_its_end=True, free_draws=1))
    assert is_due(agreed(review="0.1"), course(1, at_its_end=True, free_draws=2))


def test_the_chance_is_what_is_to_be_shown() -> None:
    found = chances(agreed(), DOUBT, 1, 500)
    assert (found.first, found.checked, found.withheld) == (threshold(Fraction("0.05")), None, found.first)


def test_the_chance_by_expected_hits_is_the_least_that_reaches_the_target() -> None:
    terms = agreed(hits=2, show="0.5")
    rate = chances(terms, DOUBT, 1, 500).first
    assert rate < threshold(Fraction("0.5"))
    assert proven(terms, DOUBT, 1, 500, Finds(hits=2), ALL).reached
    assert not proven(terms, DOUBT, 1, 500, Finds(hits=3), ALL).reached
    less = rate - threshold(Fraction("0.001"))
    assert not reaches(Fraction("0.8"), 502, 500 + most(2, less, alpha(DOUBT, 1)))


def test_the_chance_by_expected_hits_is_never_more_than_what_may_be_shown() -> None:
    assert chances(agreed(hits=50), DOUBT, 1, 10).first == threshold(Fraction("0.05"))


def test_two_stages_have_three_chances() -> None:
    found = chances(agreed(review="0.5", show="0.3"), DOUBT, 1, 500)
    assert (found.first, found.checked) == (ONE // 2, threshold(Fraction("0.3")))
    assert found.withheld == found.first * found.checked // ONE  # type: ignore[operator]


@given(st.sampled_from([0, 1, ONE // 7, ONE // 2, ONE - 1, ONE]), st.sets(st.integers(0, 2**31), max_size=60))
def test_a_number_is_drawn_if_its_coin_is_below_the_chance(chance: int, items: set[int]) -> None:
    ordered = sorted(items)
    due = [item for item, coin in zip(ordered, coins.coins(SEED, ordered), strict=True) if coin < chance]
    assert coins.drawn(SEED, ordered, chance) == due


@given(st.integers(0, 10**6), st.integers(0, 2**31))
def test_a_coin_that_equals_the_chance_does_not_draw(more: int, item: int) -> None:
    (coin,) = coins.coins(SEED, [item])
    assert coins.drawn(SEED, [item], coin) == []
    assert coins.drawn(SEED, [item], min(ONE, coin + 1 + more)) == [item]


def test_one_stage_counts_what_bob_left_unread_against_the_certificate() -> None:
    share, chance = alpha(DOUBT, 2), threshold(Fraction("0.05"))
    read_all = proven(agreed(), DOUBT, 2, 900, Finds(hits=3), ALL)
    assert (read_all.total, read_all.at_most) == (900 + most(3, chance, share), most(3, chance, share) - 3)
    unread = proven(agreed(), DOUBT, 2, 900, Finds(hits=3, unread_hits=2), ALL)
    assert (unread.total, unread.at_most) == (900 + most(5, chance, share), most(5, chance, share) - 3)


def test_two_stages_add_what_was_found_and_what_can_be_missing() -> None:
    terms = agreed(review="0.5", show="0.3")
    finds = Finds(reported=4, hits=1, withheld=2, unread_reported=1, unread_withheld=1)
    missing = two_stages(Fraction("0.5"), Fraction("0.3"), alpha(DOUBT, 1), 5, 1, 3).at_most
    found = proven(terms, DOUBT, 1, 900, finds, ALL)
    assert (found.total, found.at_most) == (900 + 7 + 2 + missing, 2 + missing)
    assert found.reached == (4 * (900 + 9 + missing) <= (900 + 7) * 5)


def test_no_more_can_be_responsive_than_there_are_documents() -> None:
    found = proven(agreed(), DOUBT, 1, 900, Finds(hits=3), 40)
    assert (found.total, found.at_most) == (940, 37)
    called = proven(agreed(review="0.5", show="0.3"), DOUBT, 1, 900, Finds(reported=2), 3)
    assert (called.total, called.at_most) == (903, 1)


def test_a_target_is_reached_by_its_exact_share() -> None:
    assert reaches(Fraction("0.8"), 80, 100)
    assert not reaches(Fraction("0.8"), 79, 100)
    assert reaches(Fraction("0.8"), 0, 0)


def test_the_collection_takes_the_validation_after_which_the_least_can_be_missing() -> None:
    assert missing_at_most([20, None, 10, 15], unreviewed=50, hidden=3) == 10
    assert missing_at_most([20], unreviewed=0, hidden=3) == 20


def test_without_a_validation_nothing_is_known_of_what_was_never_put_up() -> None:
    assert missing_at_most([], unreviewed=1, hidden=3) is None
    assert missing_at_most([None], unreviewed=0, hidden=3) == 3
