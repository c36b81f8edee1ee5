"""What an exhibit tells about coins that rest on the whole record, and what no chance allows."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.busy_verdict import VALIDATION, round_of
from verifier.certificates.exact import ONE
from verifier.checks import Check, Role
from verifier.exhibit.thrown import Coins, broken, called, decided, not_drawn
from verifier.replay.detail import RoundDetail
from verifier.replay.forms import Kind
from verifier.replay.rounds import Sort
from verifier.rules.base import Report

TENTH = ONE // 10


def review(kind: Kind, position: int, *, listed: bool = False, closed: bool = True) -> Any:
    """A round of an exhibit, as far as its coins ask for it."""
    first = SimpleNamespace(entry=SimpleNamespace(body=SimpleNamespace(sequence=4)))
    return SimpleNamespace(kind=kind, position=position, listed=listed, closed=closed, first=first)


def escalated(**changed: Any) -> RoundDetail:
    """Five withheld documents: 1 was given up, 2 and 3 were drawn."""
    empty: dict[str, Any] = {"report": None, "examined": None, "coins": (), "rulings": {}, "ruled_in": {}, "names": {}}
    return round_of(
        3,
        **(empty | {"sort": Sort.ESCALATION, "size": 5, "given_up": frozenset({1}), "waves": ((1,), (2, 3))} | changed),
    )


COINS = Coins(last=(9 * TENTH, TENTH, 2 * TENTH, 5 * TENTH, 4 * TENTH))


def test_one_chance_holds_for_all_that_an_escalation_draws() -> None:
    assert broken(review(Kind.ESCALATION, 2), escalated(), COINS, None) is None
    found = decided(review(Kind.ESCALATION, 2), escalated(), COINS, None)
    assert found is not None
    assert (found.coin, found.above, found.below, found.exact) == (TENTH, 2 * TENTH + 1, 4 * TENTH, False)
    assert decided(review(Kind.ESCALATION, 1), escalated(), COINS, None) is None  # it was given up


def test_what_a_larger_coin_should_have_kept_back_was_shown_without_cause() -> None:
    wrong = broken(review(Kind.ESCALATION, 2), escalated(waves=((1,), (2, 4))), COINS, None)
    assert wrong is not None
    assert (wrong.check, wrong.party, wrong.found) == (
        Check.DISCLOSURES,
        Role.TRENT,
        "shown without cause: position 4",
    )


def test_what_alice_claimed_late_or_the_court_saw_does_not_count_against_anybody() -> None:
    late = escalated(waves=((1,), (2, 3, 4)), late=frozenset({4}))
    assert broken(review(Kind.ESCALATION, 4), late, COINS, None) is None
    in_camera = escalated(waves=((1,), (2,)), camera_in={3: 9}, privileged=(3,))
    assert broken(review(Kind.ESCALATION, 3), in_camera, COINS, None) is None


def test_without_a_draw_only_what_was_given_up_is_shown() -> None:
    nothing = Coins()
    assert broken(review(Kind.ESCALATION, 1), escalated(waves=((1,),)), nothing, None) is None
    assert broken(review(Kind.ESCALATION, 2), escalated(), nothing, None) is not None


def test_an_open_escalation_is_not_judged() -> None:
    assert broken(review(Kind.ESCALATION, 2, closed=False), escalated(), Coins(), None) is None


@pytest.mark.parametrize(("coin", "wrong"), [(ONE // 20 - 1, False), (ONE // 20 + 1, True), (ONE - 1, True)])
def test_a_validation_lists_only_what_the_largest_chance_allows(coin: int, wrong: bool) -> None:  # noqa: FBT001
    one = review(Kind.VALIDATION, 1, listed=True)
    coins = Coins(first=coin)
    found = not_drawn(one, coins, VALIDATION)
    assert (found is not None) is wrong
    if found is not None:
        assert (found.check, found.party, found.entry) == (Check.VALIDATIONS, Role.TRENT, 4)
    told = called(one, coins, VALIDATION)
    assert told is not None
    assert told.exact
    by_rule = called(one, coins, replace(VALIDATION, hits=3))
    assert by_rule is not None
    assert (by_rule.above, by_rule.exact) == (0, False)


TWO = replace(VALIDATION, review="0.5", show="0.2")


@pytest.mark.parametrize(
    ("listed", "label", "coin", "wrong"),
    [
        (True, False, ONE // 6, False),
        (True, False, ONE // 4, True),
        (True, True, ONE // 4, False),
        (False, False, ONE // 11, False),
        (False, False, ONE // 9, True),
    ],
)
def test_after_a_call_the_second_coin_decides(listed: bool, label: bool, coin: int, wrong: bool) -> None:  # noqa: FBT001
    position = 1 if listed else 3
    detail = escalated(
        sort=Sort.VALIDATION,
        given_up=frozenset(),
        waves=((position,),),
        report=Report(labels=(label, False), threshold=None),
    )
    one = review(Kind.CALL, position, listed=listed)
    found = broken(one, detail, Coins(first=0, second=coin), TWO)
    assert (found is not None) is wrong
    late = replace(detail, late=frozenset({position}))
    assert broken(one, late, Coins(first=0, second=coin), TWO) is None
    hidden = replace(detail, waves=())
    assert broken(one, hidden, Coins(first=0, second=coin), TWO) is None


def test_without_a_report_only_what_was_called_is_shown() -> None:
    detail = escalated(sort=Sort.VALIDATION, given_up=frozenset(), waves=((1, 3),), reported=False)
    assert broken(review(Kind.CALL, 1, listed=True), detail, Coins(first=0), TWO) is None
    assert broken(review(Kind.CALL, 3), detail, Coins(), TWO) is not None
