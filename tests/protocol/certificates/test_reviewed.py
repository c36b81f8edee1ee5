"""The certificate of the reviewed: a worked example to the integer, and what it promises in every case."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from protocol.certificates.boundary import boundary
from protocol.certificates.exact import ONE, cost, threshold
from protocol.certificates.reviewed import LARGEST_CHANCE, LEAST_STEP, Certified, Standing, capped, certify, next_chance

DOUBT = Fraction(1, 20)

standings = st.builds(
    Standing,
    found=st.integers(0, 200),
    hits=st.integers(0, 8),
    credit=st.integers(0, 2**68),
    exposures=st.dictionaries(st.integers(0, 3 * ONE), st.integers(0, 60), max_size=6),
)
targets = st.sampled_from([Fraction(text) for text in ("0.5", "0.75", "0.8", "0.9", "0.95", "1")])


def test_the_worked_example_step_by_step() -> None:
    target, exposure = Fraction("0.8"), cost(threshold(Fraction("0.25")))
    assert exposure == 5306797565112371680
    standing = Standing(found=40, hits=0, credit=0, exposures={exposure: 30})
    assert certify(standing, target, DOUBT) == Certified(budget=68047815211787223040, allowed=10, at_most=12, met=False)
    chance = next_chance(standing, target, DOUBT)
    assert chance == 858736591500547602
    assert cost(chance) == 879367454141012233

    coin = 368934881474191032  # three are drawn, and one of them is responsive
    assert cost(coin) == 372674171482340477
    credit, exposure = exposure + cost(coin), exposure + cost(chance)
    assert (credit, exposure) == (5679471736594712157, 6186165019253383913)
    standing = Standing(found=41, hits=1, credit=credit, exposures={exposure: 27})
    assert certify(standing, target, DOUBT) == Certified(
        budget=106713117736732899747, allowed=10, at_most=17, met=False
    )

    credit += 2 * exposure  # two are given up, and both are responsive
    assert credit == 18051801775101479983
    standing = Standing(found=43, hits=1, credit=credit, exposures={exposure: 25})
    assert certify(standing, target, DOUBT) == Certified(budget=94340787698226131921, allowed=10, at_most=15, met=False)
    chance = next_chance(standing, target, DOUBT)
    assert chance == 2241886081469749831
    assert cost(chance) == 2390270226039900808

    exposure += cost(chance)  # three are drawn, and none of them is responsive
    assert exposure == 8576435245293284721
    standing = Standing(found=43, hits=1, credit=credit, exposures={exposure: 22})
    assert certify(standing, target, DOUBT) == Certified(budget=94340787698226131921, allowed=10, at_most=10, met=True)


def test_a_draw_adds_at_least_the_least_step() -> None:
    target, exposure = Fraction("0.9"), 185395973344368339
    budget = 101 * exposure + 5
    assert budget == 18724993307781202244
    credit = (boundary(DOUBT, 0) << 32) - budget
    standing = Standing(found=900, hits=0, credit=credit, exposures={exposure: 500})
    assert certify(standing, target, DOUBT) == Certified(budget=budget, allowed=100, at_most=101, met=False)
    assert LEAST_STEP == 92233720368547758
    assert next_chance(standing, target, DOUBT) == 92003519894890615


def expanded(standing: Standing) -> list[int]:
    return sorted(Counter(standing.exposures).elements())


@given(standings, targets)
def test_the_certificate_is_what_a_list_of_all_documents_gives(standing: Standing, target: Fraction) -> None:
    certified, exposures = certify(standing, target, DOUBT), expanded(standing)
    assert certified.budget == 2**32 * boundary(DOUBT, standing.hits) - standing.credit
    sums = [sum(exposures[:taken]) for taken in range(len(exposures) + 1)]
    affordable = [taken for taken, total in enumerate(sums) if total <= certified.budget]
    assert certified.at_most == (max(affordable) if certified.budget >= 0 else len(exposures))


@given(standings, targets)
def test_the_target_is_met_exactly_if_the_least_exposures_exceed_the_budget(
    standing: Standing, target: Fraction
) -> None:
    certified, exposures = certify(standing, target, DOUBT), expanded(standing)
    allowed = certified.allowed
    assert Fraction(standing.found) >= target * (standing.found + allowed)
    assert standing.found < target * (standing.found + allowed + 1)
    too_much = certified.budget >= 0 and sum(exposures[: allowed + 1]) > certified.budget
    assert certified.met == (standing.withheld <= allowed or too_much)
    assert certified.met == (certified.at_most <= allowed)


def after(standing: Standing, chance: int) -> Standing:
    """What the standing becomes by a draw that hits nothing and shows nothing."""
    exposures: Counter[int] = Counter()
    for exposure, number in standing.exposures.items():
        exposures[exposure + cost(chance)] += number
    return Standing(found=standing.found, hits=standing.hits, credit=standing.credit, exposures=exposures)


@given(standings, targets)
def test_the_next_chance_is_the_least_that_meets_the_target_if_nothing_is_hit(
    standing: Standing, target: Fraction
) -> None:
    certified = certify(standing, target, DOUBT)
    assume(not certified.met)
    chance = next_chance(standing, target, DOUBT)
    if chance == ONE:
        assert certified.budget < 0 or not certify(after(standing, LARGEST_CHANCE), target, DOUBT).met
        return
    assert cost(chance - 1) < LEAST_STEP or not certify(after(standing, chance - 1), target, DOUBT).met
    assert certify(after(standing, chance), target, DOUBT).met
    assert cost(chance) >= LEAST_STEP


@given(standings, targets)
def test_what_a_draw_without_a_hit_shows_only_helps(standing: Standing, target: Fraction) -> None:
    assume(not certify(standing, target, DOUBT).met)
    chance = next_chance(standing, target, DOUBT)
    assume(chance < ONE)
    drawn = after(standing, chance)
    fewer = {exposure: number - number // 3 for exposure, number in drawn.exposures.items()}
    rest = Standing(found=standing.found, hits=standing.hits, credit=standing.credit, exposures=fewer)
    assert certify(rest, target, DOUBT).at_most <= certify(drawn, target, DOUBT).at_most
    assert certify(rest, target, DOUBT).met


def test_a_negative_budget_proves_nothing_and_shows_all() -> None:
    credit = (boundary(DOUBT, 0) << 32) + 1
    standing = Standing(found=100, hits=0, credit=credit, exposures={0: 5, ONE: 20})
    certified = certify(standing, Fraction("0.9"), DOUBT)
    assert (certified.budget, certified.at_most, certified.met) == (-1, 25, False)
    assert next_chance(standing, Fraction("0.9"), DOUBT) == ONE


def test_what_was_never_exposed_can_all_be_hidden() -> None:
    standing = Standing(found=1000, hits=0, credit=0, exposures={0: 50, 4 * ONE: 20})
    assert certify(standing, Fraction("0.99"), DOUBT).at_most == 50
    exactly = Standing(found=1000, hits=0, credit=boundary(DOUBT, 0) << 32, exposures={0: 50, 1: 20})
    assert certify(exactly, Fraction("0.99"), DOUBT).at_most == 50


def test_if_nothing_is_withheld_or_no_more_than_is_allowed_every_target_is_met() -> None:
    nothing = Standing(found=0, hits=0, credit=0, exposures={})
    assert certify(nothing, Fraction(1), DOUBT).met
    few = Standing(found=90, hits=0, credit=2**80, exposures={0: 10})
    assert certify(few, Fraction("0.9"), DOUBT).met
    assert not certify(few, Fraction("0.91"), DOUBT).met
    with pytest.raises(ValueError, match="nothing to draw"):
        next_chance(few, Fraction("0.9"), DOUBT)


@pytest.mark.parametrize("target", [Fraction(0), Fraction(-1, 2), Fraction(11, 10)])
def test_a_target_must_be_a_share(target: Fraction) -> None:
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        certify(Standing(found=1, hits=0, credit=0, exposures={}), target, DOUBT)


@pytest.mark.parametrize(("found", "hundredths"), [(8, 98), (20, 71), (100, 27), (1100, 3)])
def test_a_target_of_nine_tenths_costs_nearly_everything_if_few_are_found(found: int, hundredths: int) -> None:
    standing = Standing(found=found, hits=0, credit=0, exposures={0: 10**5})
    chance = next_chance(standing, Fraction("0.9"), DOUBT)
    assert hundredths - 1 < Fraction(100 * chance, ONE) <= hundredths


def test_a_chance_that_would_have_to_be_larger_than_the_largest_shows_all() -> None:
    standing = Standing(found=1, hits=0, credit=0, exposures={0: 100})
    assert cost(LARGEST_CHANCE) > boundary(DOUBT, 0) << 32
    assert next_chance(standing, Fraction("0.9"), DOUBT) < ONE
    later = Standing(found=1, hits=1, credit=0, exposures={0: 100})
    assert next_chance(later, Fraction("0.9"), DOUBT) == ONE


@given(st.integers(0, ONE), st.integers(1, 10**6), st.integers(-(10**6), 10**6))
def test_a_draw_shows_no_more_on_average_than_the_allowance(chance: int, withheld: int, allowance: int) -> None:
    found, used = capped(chance, withheld, allowance)
    if used:
        assert found == max(0, allowance) * ONE // withheld
        assert found <= chance
        assert found < ONE
    else:
        assert found == chance
    assert found * withheld <= max(0, allowance) * ONE
    assert used == (chance * withheld > allowance * ONE)


def test_the_cap_at_its_edges() -> None:
    assert capped(ONE, 100, 100) == (ONE, False)
    assert capped(ONE, 100, 99) == (99 * ONE // 100, True)
    assert capped(5, 1, 0) == (0, True)
    assert capped(5, 1, -3) == (0, True)
    assert capped(ONE // 4, 100, 25) == (ONE // 4, False)
    assert capped(ONE // 4 + 1, 100, 25) == (ONE // 4, True)
    with pytest.raises(ValueError, match="nothing is withheld"):
        capped(5, 0, 3)


def test_thirty_thousand_withheld_documents_are_never_written_out_one_by_one() -> None:
    standing = Standing(found=1000, hits=3, credit=0, exposures={cost(2**58) + step: 10**12 for step in range(40)})
    assert certify(standing, Fraction("0.9"), DOUBT).allowed == 111
    assert next_chance(standing, Fraction("0.9"), DOUBT) < ONE
