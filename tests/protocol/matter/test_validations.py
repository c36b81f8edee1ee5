"""When a validation is due, what it draws, and what it certifies; without any matter around it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.certificates.collection import most
from protocol.certificates.exact import ONE, threshold
from protocol.matter import validations
from protocol.matter.validations import Certificate, Chances, Course, Plan, Tally

PLAN = Plan(
    doubt=Fraction("0.05"),
    every=3,
    hits=None,
    review=None,
    show=Fraction("0.05"),
    target=Fraction("0.8"),
    window=2,
    least_yield=Fraction("0.1"),
)
TWO = replace(PLAN, review=Fraction("0.5"), show=Fraction("0.5"))
QUIET = Course(
    yields=[90, 5, 5], found=100, held=[], reached=False, ended=False, population=500, free=9
)  # the last two rounds brought exactly a tenth


def due(plan: Plan = PLAN, **changed: Any) -> bool:
    return validations.due(plan, replace(QUIET, **changed))


def test_a_validation_is_due_once_the_last_rounds_bring_little() -> None:
    assert due()


def test_rounds_that_bring_more_than_the_yield_put_the_first_validation_off() -> None:
    assert not due(yields=[89, 5, 6])
    assert due(yields=[89, 5, 6], found=110)


def test_fewer_rounds_than_the_window_put_the_first_validation_off() -> None:
    assert not due(yields=[0], found=0)
    assert due(yields=[0, 0], found=0)


def test_without_any_find_a_quiet_window_is_enough() -> None:
    assert due(yields=[0, 0], found=0)
    assert not due(yields=[0, 1], found=1)


@pytest.mark.parametrize(
    "changed",
    [{"yields": []}, {"reached": True}, {"population": 0}, {"free": 0}, {"held": [3]}, {"held": [1, 3]}],
    ids=["no round is closed", "one has reached the target", "all is shown", "no draw is free", "just held", "twice"],
)
@pytest.mark.parametrize("ended", [False, True])
def test_no_validation_is_due_where_it_could_not_help(changed: dict[str, Any], *, ended: bool) -> None:
    assert not due(**changed, ended=ended)


def test_two_stages_need_two_free_draws() -> None:
    assert not due(TWO, free=1)
    assert due(TWO, free=2)


def test_the_next_validations_come_every_so_many_rounds_after_the_first() -> None:
    held = [[2]] * 4 + [[2, 5]] * 4
    dues = [due(yields=[9] * closed, held=each) for closed, each in enumerate(held, start=2)]
    assert dues == [False, False, False, True, False, False, True, False]


def test_a_validation_at_an_end_that_was_then_put_off_does_not_shift_the_rhythm() -> None:
    assert not due(yields=[9] * 7, held=[2, 4])
    assert due(yields=[9] * 8, held=[2, 4])


def test_without_a_yield_validations_come_every_so_many_rounds_from_the_start() -> None:
    plan = replace(PLAN, least_yield=None)
    assert [due(plan, yields=[9] * closed) for closed in range(7)] == [False, False, False, True, False, False, True]


def test_at_the_end_of_the_review_a_validation_is_due_whatever_the_rounds_brought() -> None:
    assert due(yields=[9], ended=True)
    assert due(yields=[9, 9, 9], held=[1, 2], ended=True)


def test_the_population_is_what_is_neither_shown_nor_kept_by_the_court() -> None:
    assert list(validations.population(6, shown={0, 5}, kept={2})) == [1, 3, 4]
    assert list(validations.population(2, shown={0}, kept={1})) == []


def test_the_chance_is_the_rate_of_the_terms() -> None:
    assert validations.chances(PLAN, 1, 7) == Chances(first=threshold(PLAN.show))
    assert validations.chances(PLAN, 1, 7).withheld == threshold(PLAN.show)


def test_with_expected_hits_the_chance_is_no_larger_than_the_target_needs() -> None:
    plan = replace(PLAN, hits=1, show=Fraction("0.5"))
    few, many = validations.chances(plan, 1, 50), validations.chances(plan, 1, 500)
    assert many.first < few.first < threshold(plan.show)
    assert validations.one_stage(plan, 1, found=500, shown=Tally(hits=1)).reached
    assert not validations.one_stage(plan, 1, found=500, shown=Tally(hits=2)).reached


def test_with_expected_hits_the_chance_never_exceeds_the_rate_of_the_terms() -> None:
    assert validations.chances(replace(PLAN, hits=3), 1, 0).first == threshold(PLAN.show)


def test_in_two_stages_the_withheld_have_the_chance_of_both_draws() -> None:
    found = validations.chances(TWO, 1, 7)
    assert (found.first, found.second, found.withheld) == (ONE // 2, ONE // 2, ONE // 4)


def test_one_stage_bounds_the_total_by_the_hits() -> None:
    bound = most(2, threshold(PLAN.show), Fraction("0.04"))
    found = validations.one_stage(PLAN, 1, found=100, shown=Tally(hits=2))
    assert found == Certificate(total=100 + bound, at_most=bound - 2, reached=False)


def test_what_bob_did_not_read_counts_as_hits_that_he_does_not_have() -> None:
    read = validations.one_stage(PLAN, 1, found=100, shown=Tally(hits=2))
    unread = validations.one_stage(PLAN, 1, found=100, shown=Tally(hits=1, unread=1))
    assert unread.total == read.total
    assert unread.at_most == read.at_most + 1


def test_no_more_can_be_responsive_than_there_are_documents() -> None:
    found = validations.one_stage(PLAN, 1, found=100, shown=Tally(hits=2))
    assert validations.within(PLAN, found, found.total) == found
    assert validations.within(PLAN, found, 103) == Certificate(total=103, at_most=1, reached=True)


def test_a_validation_that_draws_nothing_still_bounds_what_is_missing() -> None:
    found = validations.one_stage(PLAN, 1, found=0, shown=Tally())
    assert found.at_most == found.total == most(0, threshold(PLAN.show), Fraction("0.04"))
    assert not found.reached


def test_a_later_validation_has_less_doubt_and_proves_less() -> None:
    first, second = (validations.one_stage(PLAN, number, found=9, shown=Tally()).at_most for number in (1, 2))
    assert first < second


def test_the_target_is_reached_exactly_at_its_share() -> None:
    bound = most(0, threshold(PLAN.show), Fraction("0.04"))
    reached = [
        validations.one_stage(PLAN, 1, found=found, shown=Tally()).reached for found in (4 * bound - 1, 4 * bound)
    ]
    assert reached == [False, True]


def test_a_chance_of_everything_leaves_nothing_missing() -> None:
    plan = replace(PLAN, show=1 - Fraction(1, 10**29))
    assert validations.one_stage(plan, 1, found=0, shown=Tally(hits=3)) == Certificate(total=3, at_most=0, reached=True)


def test_two_stages_count_every_stratum() -> None:
    strata = {"reported": Tally(hits=3), "called": Tally(), "withheld": Tally()}
    clean = validations.two_stages(TWO, 1, found=50, **strata)
    assert clean.total == 50 + 3 + clean.at_most
    for stratum in ("reported", "called", "withheld"):
        hit = strata[stratum].hits + 1
        more = validations.two_stages(TWO, 1, found=50, **(strata | {stratum: Tally(hits=hit)}))
        unread = validations.two_stages(TWO, 1, found=50, **(strata | {stratum: Tally(hits=hit - 1, unread=1)}))
        assert more.at_most >= clean.at_most
        assert (unread.total, unread.at_most) == (more.total, more.at_most + 1)


def test_two_stages_reach_the_target_exactly_at_its_share() -> None:
    missing = validations.two_stages(TWO, 1, found=0, reported=Tally(), called=Tally(), withheld=Tally()).at_most
    strata = {"reported": Tally(), "called": Tally(), "withheld": Tally()}
    reached = [validations.two_stages(TWO, 1, found=4 * missing - less, **strata).reached for less in (1, 0)]
    assert reached == [False, True]


def test_terms_of_one_stage_have_no_certificate_of_two() -> None:
    with pytest.raises(ValueError, match="one stage"):
        validations.two_stages(PLAN, 1, found=0, reported=Tally(), called=Tally(), withheld=Tally())


@given(st.integers(0, 400), st.integers(0, 6), st.integers(0, 6))
def test_the_parts_of_a_certificate_add_up(found: int, hits: int, unread: int) -> None:
    made = validations.one_stage(PLAN, 1, found=found, shown=Tally(hits=hits, unread=unread))
    assert made.total == found + hits + made.at_most
    assert made.at_most >= unread
    assert made.reached == (5 * (found + hits) >= 4 * made.total)
