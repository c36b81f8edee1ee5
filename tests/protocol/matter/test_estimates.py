"""Elusion, richness and recall of a validation: points and exact intervals, by stratum."""

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from protocol.certificates.exact import ONE
from protocol.certificates.intervals import interval
from protocol.matter.estimates import Count, Estimates, Share, Stratum, estimates
from protocol.matter.validations import Chances, Tally

DOUBT = Fraction("0.05")
TENTH = Chances(first=ONE // 10)
NEVER = Stratum(documents=1000, shown=100, drawn=Tally(hits=2))
WITHHELD = Stratum(documents=200, shown=20, drawn=Tally())


def estimated(**changed: Any) -> Estimates:
    given: dict[str, Any] = {
        "never": NEVER,
        "withheld": WITHHELD,
        "chances": TENTH,
        "found": 80,
        "documents": 1500,
        "doubt": DOUBT,
    }
    return estimates(**(given | changed))


def test_in_one_stage_a_hit_stands_for_as_many_as_the_chance_says() -> None:
    found = estimated()
    low, high = interval(2, ONE // 10, DOUBT)
    assert found.never == Count(point=20, low=low, high=high)
    assert found.withheld == Count(point=0, low=0, high=interval(0, ONE // 10, DOUBT)[1])
    assert found.elusion == Share(point=Fraction(20, 1000), low=Fraction(low, 1000), high=Fraction(high, 1000))


def test_richness_and_recall_take_both_strata_together() -> None:
    found = estimated()
    low, high = interval(2, ONE // 10, DOUBT)
    assert found.richness == Share(
        point=Fraction(100, 1500), low=Fraction(80 + low, 1500), high=Fraction(80 + high, 1500)
    )
    assert found.recall == Share(point=Fraction(82, 100), low=Fraction(82, 80 + high), high=Fraction(82, 80 + low))


def test_nothing_found_gives_no_recall_and_an_empty_stratum_no_elusion() -> None:
    empty = Stratum(documents=0, shown=0, drawn=Tally())
    found = estimated(never=empty, withheld=empty, found=0)
    assert found.recall is None
    assert found.elusion is None
    assert found.richness == Share(point=Fraction(0), low=Fraction(0), high=Fraction(0))


def test_no_interval_leaves_what_was_seen() -> None:
    found = estimated(never=Stratum(documents=12, shown=10, drawn=Tally(hits=9)), chances=Chances(first=ONE // 2))
    assert found.never == Count(point=11, low=11, high=11)


def test_everything_drawn_leaves_nothing_open() -> None:
    seen = Stratum(documents=30, shown=30, drawn=Tally(hits=4))
    assert estimated(never=seen, chances=Chances(first=ONE)).never == Count(point=4, low=4, high=4)


def test_what_bob_did_not_read_only_widens_an_interval_upward() -> None:
    read, unread = estimated(), estimated(never=replace(NEVER, drawn=Tally(hits=2, unread=3)))
    assert (unread.never.point, unread.never.low) == (read.never.point, read.never.low)
    assert unread.never.high > read.never.high


@pytest.mark.parametrize("reported", [0, 7])
def test_in_two_stages_what_alice_reports_needs_no_second_draw(reported: int) -> None:
    never = Stratum(documents=1000, shown=60, drawn=Tally(hits=1), reported=Tally(hits=reported))
    found = estimated(never=never, chances=Chances(first=ONE // 10, second=ONE // 2))
    assert found.never.point == 10 * reported + 20
    assert found.never.low <= found.never.point <= found.never.high


@pytest.mark.parametrize("second", [None, ONE // 2])
def test_the_intervals_hold_as_often_as_they_say(second: int | None) -> None:
    random, chances = Random(7), Chances(first=ONE // 4, second=second)
    held, plays, responsive = 0, 400, 60
    for _ in range(plays):
        called = sum(random.random() < 1 / 4 for _ in range(responsive))
        reported = called // 3 if second else 0
        hits = sum(random.random() < 1 / 2 for _ in range(called - reported)) if second else called
        never = Stratum(documents=1000, shown=reported + hits, drawn=Tally(hits=hits), reported=Tally(hits=reported))
        count = estimated(never=never, chances=chances).never
        held += count.low <= responsive <= count.high
    assert held >= plays * (1 - DOUBT) - 3 * (plays * DOUBT * (1 - DOUBT)) ** Fraction(1, 2)
