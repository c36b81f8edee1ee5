"""The books of spot checks: hits, credit and exposures, to the integer, with privilege and silence too."""

from fractions import Fraction
from typing import Any

import pytest

from verifier.certificates.exact import ONE, cost, threshold
from verifier.certificates.reviewed import Standing, certify
from verifier.replay.books import Exposed, GivenUp, after_look, draw, draw_by_batch, next_draw

DOUBT = Fraction("0.05")
TARGET = Fraction("0.8")
QUARTER = threshold(Fraction("0.25"))
MUCH = 10**6
"""An allowance that no draw uses up."""


def test_the_worked_example_comes_out_to_the_integer() -> None:
    exposure = 5306797565112371680
    assert cost(QUARTER) == exposure
    standing = Standing(found=40, hits=0, credit=0, exposures={exposure: 30})
    first = certify(standing, TARGET, DOUBT)
    assert (first.budget, first.allowed, first.at_most, first.met) == (68047815211787223040, 10, 12, False)

    ahead = next_draw(standing, TARGET, DOUBT, MUCH)
    assert (ahead.chance, ahead.lowered, ahead.ended) == (858736591500547602, False, False)
    coins = [368934881474191032, *[0] * 2, *[ahead.chance] * 27]
    exposed = [
        Exposed(position=number, coin=coin, exposure=exposure, responsive=number == 1)
        for number, coin in enumerate(coins[:3], start=1)
    ]
    entered = draw(exposed, ahead.chance, dict(enumerate(coins[3:], start=4)))
    assert (entered.hits, entered.credit, len(entered.left)) == (1, 5679471736594712157, 27)
    left = exposure + entered.cost
    assert left == 6186165019253383913

    standing = Standing(found=41, hits=1, credit=entered.credit, exposures={left: 27})
    second = certify(standing, TARGET, DOUBT)
    assert (second.budget, second.allowed, second.at_most) == (106713117736732899747, 10, 17)
    standing = after_look(standing, [GivenUp(exposure=left, found=True, beforehand=False)] * 2)
    assert (standing.found, standing.credit, standing.exposures) == (43, 18051801775101479983, {left: 25})
    assert certify(standing, TARGET, DOUBT).at_most == 15

    ahead = next_draw(standing, TARGET, DOUBT, MUCH)
    assert ahead.chance == 2241886081469749831
    exposed = [Exposed(position=number, coin=0, exposure=left) for number in range(1, 4)]
    entered = draw(exposed, ahead.chance, dict.fromkeys(range(4, 26), ONE - 1))
    assert (entered.hits, entered.credit, len(entered.left)) == (0, 0, 22)
    assert left + entered.cost == 8576435245293284721
    last = certify(
        Standing(found=43, hits=1, credit=standing.credit, exposures={left + entered.cost: 22}), TARGET, DOUBT
    )
    assert (last.at_most, last.allowed, last.met) == (10, 10, True)


def test_a_draw_takes_at_least_the_least_step() -> None:
    exposure, target = 185395973344368339, Fraction("0.9")
    budget = certify(Standing(found=900, hits=0, credit=0, exposures={}), target, DOUBT).budget
    standing = Standing(found=900, hits=0, credit=budget - 101 * exposure - 5, exposures={exposure: 500})
    assert next_draw(standing, target, DOUBT, MUCH).chance == 92003519894890615


LOW, HIGH = QUARTER - 1, QUARTER
HIT = cost(LOW)


@pytest.mark.parametrize(
    ("exposed", "hits", "credit"),
    [
        ({"coin": LOW, "responsive": True}, 1, HIT),
        ({"coin": LOW, "responsive": True, "exposure": 7}, 1, HIT + 7),
        ({"coin": LOW, "responsive": True, "beforehand": True}, 1, 0),
        ({"coin": LOW, "responsive": True, "late": True}, 1, HIT),
        ({"coin": LOW, "unread": True}, 1, 0),
        ({"coin": LOW, "upheld": True, "late": True}, 1, 0),
        ({"coin": LOW, "upheld": True, "beforehand": True}, 0, 0),
        ({"coin": LOW}, 0, 0),
        ({"coin": HIGH, "responsive": True, "late": True}, 0, cost(QUARTER)),
        ({"coin": HIGH, "responsive": True, "late": True, "exposure": 7}, 0, cost(QUARTER) + 7),
        ({"coin": HIGH, "upheld": True, "late": True}, 0, 0),
        ({"coin": HIGH, "unread": True, "late": True}, 0, 0),
    ],
)
def test_what_was_looked_at_counts_by_its_coin_and_its_end_and_is_withheld_no_more(
    exposed: dict[str, Any], hits: int, credit: int
) -> None:
    entered = draw([Exposed(position=1, **exposed)], QUARTER)
    assert (entered.hits, entered.credit, entered.left) == (hits, credit, ())


def test_what_nobody_looked_at_stays_withheld_with_the_cost_of_the_chance() -> None:
    entered = draw([], QUARTER, {2: HIGH, 3: LOW, 5: HIGH})
    assert (entered.hits, entered.credit, entered.left, entered.cost) == (0, 0, (2, 5), cost(QUARTER))


def test_a_certain_draw_leaves_nothing() -> None:
    entered = draw([Exposed(position=1, coin=ONE - 1)], ONE, {2: ONE - 1})
    assert (entered.left, entered.cost) == ((), 0)


def _seen(position: int, coin: int, **more: bool) -> Exposed:
    return Exposed(position=position, coin=coin, **more)


def test_a_hit_that_brings_the_batch_counts_once_with_the_least_coin_for_each() -> None:
    found = [_seen(1, LOW, responsive=True), _seen(2, HIGH, responsive=True), _seen(3, HIGH)]
    found.append(_seen(4, HIGH, responsive=True, beforehand=True))
    entered = draw_by_batch(found, QUARTER, {5: HIGH})
    assert (entered.hits, entered.credit, entered.left) == (1, 2 * HIT, (5,))


@pytest.mark.parametrize("lost", [{"unread": True}, {"upheld": True, "late": True}])
def test_a_drawn_position_that_nobody_judged_takes_all_credit_and_exposure_of_its_batch(lost: dict[str, bool]) -> None:
    found = [_seen(1, LOW, **lost), _seen(2, LOW, responsive=True)]
    entered = draw_by_batch(found, QUARTER, {3: HIGH})
    assert (entered.hits, entered.credit, entered.left, entered.cost) == (1, 0, (3,), 0)


def test_without_a_hit_by_coin_a_batch_counts_like_any_other() -> None:
    found = [_seen(1, HIGH, responsive=True, late=True), _seen(2, HIGH, responsive=True)]
    assert draw_by_batch(found, QUARTER, {3: HIGH}) == draw(found, QUARTER, {3: HIGH})
    assert draw(found, QUARTER).credit == 2 * cost(QUARTER)


def test_what_is_given_up_and_unread_is_found_without_credit() -> None:
    before = Standing(found=3, hits=1, credit=10, exposures={5: 2, 8: 1})
    given_up = [
        GivenUp(exposure=5, found=True, beforehand=True),
        GivenUp(exposure=8, found=False, beforehand=False),
    ]
    after = after_look(before, given_up)
    assert (after.found, after.hits, after.credit, after.exposures) == (4, 1, 10, {5: 1})


def test_nothing_more_is_drawn_once_the_certificate_is_met() -> None:
    standing = Standing(found=1000, hits=0, credit=0, exposures={cost(QUARTER): 30})
    assert next_draw(standing, TARGET, DOUBT, MUCH).ended
    assert next_draw(Standing(found=0, hits=5, credit=0, exposures={}), TARGET, DOUBT, MUCH).ended


@pytest.mark.parametrize(("allowance", "chance"), [(0, 0), (-3, 0), (1, ONE // 30)])
def test_the_limit_lowers_the_chance_and_is_then_used_up(allowance: int, chance: int) -> None:
    standing = Standing(found=40, hits=0, credit=0, exposures={cost(QUARTER): 30})
    ahead = next_draw(standing, TARGET, DOUBT, allowance)
    assert (ahead.chance, ahead.lowered, ahead.ended) == (chance, True, False)


def test_an_allowance_that_suffices_just_so_is_not_used_up() -> None:
    standing = Standing(found=1, hits=0, credit=4 * ONE, exposures={cost(QUARTER): 30})
    assert next_draw(standing, TARGET, DOUBT, 30).chance == ONE
    assert not next_draw(standing, TARGET, DOUBT, 30).lowered
    assert next_draw(standing, TARGET, DOUBT, 29).lowered
