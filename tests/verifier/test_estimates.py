"""Estimates of a validation: points, exact intervals, how often they miss, and what they never contradict."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.certificates.exact import ONE, threshold
from verifier.estimates import Looked, Stratum, estimates

DOUBT = Fraction(1, 20)
HALF = threshold(Fraction(1, 2))


def one_stage(
    never: tuple[int, int, int], withheld: tuple[int, int, int], chance: int = HALF, found: int = 10, unread: int = 0
) -> Looked:
    parts = [Stratum(documents=each[0], shown=each[1], hits=each[2]) for each in (never, withheld)]
    return Looked(found=found, collection=1000, never=parts[0], withheld=parts[1], unread=unread, chance=chance)


def test_the_point_is_what_the_hits_stand_for() -> None:
    told = estimates(one_stage((200, 100, 6), (100, 50, 2)), DOUBT)
    assert (told.never.point, told.withheld.point) == (12, 4)
    assert told.elusion is not None
    assert told.elusion.point == Fraction(12, 200)
    assert told.richness is not None
    assert told.richness.point == Fraction(10 + 16, 1000)
    assert told.recall is not None
    assert told.recall.point == Fraction(18, 26)
    assert told.recall.least < told.recall.point < told.recall.most


def test_a_draw_that_shows_everything_leaves_nothing_to_estimate() -> None:
    told = estimates(one_stage((200, 200, 6), (100, 100, 2), chance=ONE), DOUBT)
    assert (told.never.least, told.never.point, told.never.most) == (6, 6, 6)
    assert told.recall is not None
    assert told.recall.least == told.recall.most == 1


def test_a_share_of_nothing_is_none() -> None:
    told = estimates(one_stage((0, 0, 0), (0, 0, 0), found=0), DOUBT)
    assert told.elusion is told.recall is None


def test_what_nobody_labelled_widens_the_interval_upwards_only() -> None:
    read, unread = (estimates(one_stage((200, 100, 6), (100, 50, 2), unread=each), DOUBT) for each in (0, 3))
    assert unread.never.most > read.never.most
    assert unread.never.least == read.never.least
    assert unread.recall is not None
    assert read.recall is not None
    assert unread.recall.least < read.recall.least


@pytest.mark.parametrize("responsive", [0, 1, 3, 10, 25])
@pytest.mark.parametrize("rate", ["0.1", "0.3"])
def test_one_stage_misses_as_seldom_as_it_says(responsive: int, rate: str) -> None:
    chance, missed = Fraction(rate), Fraction(0)
    for hits in range(responsive + 1):
        told = estimates(one_stage((40, 0, hits), (0, 0, 0), chance=threshold(chance)), DOUBT)
        if not told.never.least <= responsive <= told.never.most:
            missed += comb(responsive, hits) * chance**hits * (1 - chance) ** (responsive - hits)
    assert missed <= DOUBT


@pytest.mark.parametrize("truthful", [True, False])
def test_two_stages_miss_as_seldom_as_they_say_whatever_alice_reports(truthful: bool) -> None:  # noqa: FBT001
    responsive, review, show, missed = 12, Fraction(1, 2), Fraction(1, 4), Fraction(0)
    for called in range(responsive + 1):
        reported = called if truthful else called // 3
        hidden = called - reported
        for hits in range(hidden + 1):
            looked = Looked(
                found=5,
                collection=100,
                never=Stratum(documents=60, shown=0, hits=reported + hits),
                withheld=Stratum(documents=0, shown=0, hits=0),
                unread=0,
                chance=threshold(review) * threshold(show) // ONE,
                review=threshold(review),
                show=threshold(show),
                reported=reported,
            )
            told = estimates(looked, DOUBT).never
            if not told.least <= responsive <= told.most:
                missed += (
                    comb(responsive, called) * review**called * (1 - review) ** (responsive - called)
                    * comb(hidden, hits) * show**hits * (1 - show) ** (hidden - hits)
                )  # fmt: skip
    assert missed <= DOUBT


@settings(max_examples=60)
@given(st.data())
def test_no_estimate_contradicts_what_was_seen(data: st.DataObject) -> None:
    strata = []
    for _ in range(2):
        documents = data.draw(st.integers(0, 60))
        shown = data.draw(st.integers(0, documents))
        strata.append((documents, shown, data.draw(st.integers(0, shown))))
    chance = data.draw(st.integers(ONE // 50, ONE))
    told = estimates(one_stage(strata[0], strata[1], chance=chance, found=data.draw(st.integers(0, 50))), DOUBT)
    for count, (documents, shown, hits) in zip((told.never, told.withheld), strata, strict=True):
        assert hits <= count.least <= count.point <= count.most <= documents - shown + hits
    for share in (told.elusion, told.richness, told.recall):
        assert share is None or 0 <= share.least <= share.point <= share.most <= 1
