"""The certificate of the reviewed: the worked example, and exposures counted one document at a time."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.certificates.boundary import boundary
from verifier.certificates.exact import ONE, chance_for, cost, threshold
from verifier.certificates.reviewed import Certificate, Standing, capped, certify, next_chance

DOUBT = Fraction(1, 20)


def test_the_worked_example_step_by_step() -> None:
    target = Fraction(4, 5)
    exposure = cost(threshold(Fraction(1, 4)))
    assert exposure == 5306797565112371680
    start = Standing(found=40, hits=0, credit=0, exposures={exposure: 30})
    assert certify(start, target, DOUBT) == Certificate(budget=68047815211787223040, allowed=10, at_most=12, met=False)
    chance = next_chance(start, target, DOUBT)
    assert chance == 858736591500547602 == chance_for(879367454141012233)

    # three drawn, one of them responsive
    coin = 368934881474191032
    assert coin < chance
    assert cost(coin) == 372674171482340477
    credit = exposure + cost(coin)
    exposure += cost(chance)
    assert (credit, exposure) == (5679471736594712157, 6186165019253383913)
    drawn = Standing(found=41, hits=1, credit=credit, exposures={exposure: 27})
    assert certify(drawn, target, DOUBT) == Certificate(budget=106713117736732899747, allowed=10, at_most=17, met=False)

    # two given up, both responsive
    credit += 2 * exposure
    assert credit == 18051801775101479983
    given_up = Standing(found=43, hits=1, credit=credit, exposures={exposure: 25})
    assert certify(given_up, target, DOUBT) == Certificate(
        budget=94340787698226131921, allowed=10, at_most=15, met=False
    )
    chance = next_chance(given_up, target, DOUBT)
    assert chance == 2241886081469749831 == chance_for(2390270226039900808)

    # three drawn, none responsive
    exposure += cost(chance)
    assert exposure == 8576435245293284721
    end = Standing(found=43, hits=1, credit=credit, exposures={exposure: 22})
    assert certify(end, target, DOUBT) == Certificate(budget=94340787698226131921, allowed=10, at_most=10, met=True)


def test_a_step_is_never_smaller_than_the_least() -> None:
    exposure = 185395973344368339
    credit = (boundary(DOUBT, 0) << 32) - 101 * exposure - 5
    standing = Standing(found=900, hits=0, credit=credit, exposures={exposure: 500})
    assert certify(standing, Fraction(9, 10), DOUBT) == Certificate(
        budget=18724993307781202244, allowed=100, at_most=101, met=False
    )
    assert next_chance(standing, Fraction(9, 10), DOUBT) == 92003519894890615


def test_more_credit_than_the_boundary_proves_nothing_and_everything_is_shown() -> None:
    standing = Standing(found=10, hits=0, credit=1 + (boundary(DOUBT, 0) << 32), exposures={0: 3, 7: 4})
    assert certify(standing, Fraction(1, 2), DOUBT) == Certificate(budget=-1, allowed=10, at_most=7, met=True)
    assert certify(standing, Fraction(9, 10), DOUBT) == Certificate(budget=-1, allowed=1, at_most=7, met=False)
    assert next_chance(standing, Fraction(9, 10), DOUBT) == ONE


def test_a_budget_that_is_used_up_exactly_still_pays() -> None:
    budget = boundary(DOUBT, 0) << 32
    standing = Standing(found=10, hits=0, credit=budget - 20, exposures={10: 5})
    assert certify(standing, Fraction(1, 2), DOUBT).at_most == 2
    standing = Standing(found=10, hits=0, credit=budget, exposures={0: 2, 10: 5})
    assert certify(standing, Fraction(1, 2), DOUBT).at_most == 2


def test_without_anything_withheld_the_target_is_met() -> None:
    standing = Standing(found=0, hits=0, credit=0, exposures={})
    assert certify(standing, Fraction(1), DOUBT).met
    assert certify(standing, Fraction(1), DOUBT).at_most == 0


def test_a_target_near_everything_shows_everything() -> None:
    standing = Standing(found=8, hits=3, credit=0, exposures={cost(threshold(Fraction(1, 100))): 200})
    assert next_chance(standing, Fraction(9, 10), DOUBT) == ONE


def test_a_chance_of_98_in_100_is_the_largest_below_certainty() -> None:
    dearest = cost(threshold(Fraction(98, 100)))

    def chance(budget: int) -> int:
        credit = (boundary(DOUBT, 0) << 32) - budget
        return next_chance(Standing(found=0, hits=0, credit=credit, exposures={0: 9}), Fraction(1, 2), DOUBT)

    assert chance(dearest - 1) == threshold(Fraction(98, 100))
    assert chance(dearest) == ONE


standings = st.builds(
    Standing,
    found=st.integers(0, 60),
    hits=st.integers(0, 8),
    credit=st.integers(0, 20 * ONE),
    exposures=st.dictionaries(st.integers(0, 3 * ONE) | st.just(0), st.integers(0, 20), max_size=6),
)
targets = st.fractions(Fraction(1, 10), 1, max_denominator=100)


@given(standings, targets)
def test_a_certificate_counts_documents_as_if_one_at_a_time(standing: Standing, target: Fraction) -> None:
    each = sorted(exposure for exposure, number in standing.exposures.items() for _ in range(number))
    made = certify(standing, target, DOUBT)
    assert made.budget == boundary(DOUBT, standing.hits) * 2**32 - standing.credit
    counts = [count for count in range(len(each) + 1) if sum(each[:count]) <= made.budget]
    assert made.at_most == (max(counts) if counts else len(each))
    found, allowed = standing.found, made.allowed
    assert found >= target * (found + allowed)
    assert found < target * (found + allowed + 1)
    assert made.met == (found >= target * (found + made.at_most))
    assert made.met == (len(each) <= allowed or (made.budget >= 0 and sum(each[: allowed + 1]) > made.budget))


@given(standings, targets)
def test_the_next_chance_is_the_least_that_meets_the_target_without_a_hit(standing: Standing, target: Fraction) -> None:
    chance = next_chance(standing, target, DOUBT)
    if certify(standing, target, DOUBT).met or chance == ONE:
        return
    assert cost(chance) >= ONE // 200
    assert certify(_after(standing, cost(chance)), target, DOUBT).met
    if cost(chance - 1) >= ONE // 200:
        assert not certify(_after(standing, cost(chance - 1)), target, DOUBT).met


def _after(standing: Standing, more: int) -> Standing:
    exposures = {exposure + more: number for exposure, number in standing.exposures.items()}
    return Standing(found=standing.found, hits=standing.hits, credit=standing.credit, exposures=exposures)


@given(standings, targets)
def test_everything_is_shown_only_if_a_chance_of_98_in_100_is_not_enough(standing: Standing, target: Fraction) -> None:
    made = certify(standing, target, DOUBT)
    if made.met or made.budget < 0:
        return
    enough = certify(_after(standing, cost(threshold(Fraction(98, 100)))), target, DOUBT).met
    assert (next_chance(standing, target, DOUBT) == ONE) == (not enough)


@pytest.mark.parametrize(
    ("chance", "withheld", "allowance", "expected"),
    [
        (ONE // 4, 100, 25, (ONE // 4, False)),
        (ONE // 4 + 1, 100, 25, (ONE // 4, True)),
        (ONE, 100, 100, (ONE, False)),
        (ONE, 100, 99, (99 * ONE // 100, True)),
        (ONE, 3, 0, (0, True)),
        (1, 3, -5, (0, True)),
        (ONE, 0, 0, (ONE, False)),
    ],
)
def test_a_draw_stays_within_what_escalations_may_show(
    chance: int, withheld: int, allowance: int, expected: tuple[int, bool]
) -> None:
    assert capped(chance, withheld, allowance) == expected


@given(st.integers(1, ONE), st.integers(1, 40_000), st.integers(-10, 40_000))
def test_a_capped_draw_shows_no_more_than_allowed_on_average(chance: int, withheld: int, allowance: int) -> None:
    result, used = capped(chance, withheld, allowance)
    assert used == (chance * withheld > allowance * ONE)
    assert result * withheld <= max(0, allowance) * ONE
    if used:
        assert result < ONE
        assert (result + 1) * withheld > max(0, allowance) * ONE
    else:
        assert result == chance
