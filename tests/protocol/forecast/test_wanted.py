"""Terms for a wanted certificate: each way reaches it, costs what it says, or is refused in words."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from protocol.forecast import wanted, ways
from protocol.forecast.assumed import assumed
from protocol.forecast.wanted import Advice, Wanted
from protocol.matter import terms
from protocol.rules.terms import Terms
from tests.protocol.forecast.schemes import small, validation

pytestmark = pytest.mark.slow

KNOWN: dict[str, Any] = {"richness": "0.01", "gain": "0.88"}
BOTH = Wanted(reviewed=Fraction(9, 10), collection=Fraction(8, 10))


@pytest.fixture(scope="module", autouse=True)
def _fewer_trials() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wanted, "TRIED", 50)
        patch.setattr(wanted, "TOLD", 80)
        yield


@pytest.fixture(scope="module")
def found() -> Advice:
    return wanted.advice(BOTH, small(query="words"), assumed(**KNOWN), seed="1")


def test_there_are_four_ways_and_each_reaches_both_targets(found: Advice) -> None:
    assert [each.name for each in found.ways] == list(wanted.WAYS)
    for way in found.ways:
        assert way.refusal is None
        assert way.forecast.share(lambda each: bool(each.reached_reviewed)) >= 0.9
        assert way.forecast.share(lambda each: bool(each.reached_collection)) >= 0.8


def test_each_way_is_terms_that_can_be_run(found: Advice) -> None:
    for way in found.ways:
        terms.check(way.terms)
        assert way.terms.query == "words"
        assert way.terms.validation is not None
        assert way.terms.validation.target == "0.8"
    one, two, court, longer = (each.terms for each in found.ways)
    assert two.validation is not None
    assert two.validation.review is not None
    assert court.validation is not None
    assert court.validation.viewer == "court"
    assert (one.rounds, longer.rounds) == (20, 40)


def test_the_court_as_viewer_spares_bob_most(found: Advice) -> None:
    shown = [each.forecast.range(lambda each: each.other).median for each in found.ways]
    assert min(shown) == shown[2]
    assert found.ways[2].forecast.range(lambda each: each.court).median > 1000


def test_the_table_has_a_column_for_each_way(found: Advice) -> None:
    rows = {row[0]: row[1:] for row in ways.rows(found)}
    assert all(len(row) == len(found.ways) for row in rows.values())
    assert rows["validation.viewer"] == ["bob", "bob", "court", "bob"]
    assert rows["validation.review"][0] == "-" != rows["validation.review"][1]
    assert rows["review.target"] == ["0.9"] * 4


def test_what_to_write_has_the_names_of_the_terms_file(found: Advice) -> None:
    written = ways.settings(found.ways[1].terms)
    assert written["review"]["protocol"] == "spot-check"
    assert set(written["validation"]) == {"target", "show", "review", "viewer", "window", "yield", "every"}
    assert "review" not in ways.settings(found.ways[0].terms)["validation"]


def test_a_target_that_shows_nearly_everything_is_refused_in_words() -> None:
    few = assumed(documents=10_000, richness="0.002")
    found = wanted.advice(Wanted(reviewed=Fraction(9, 10), collection=None), small(), few, seed="1")
    assert found.ways == ()
    assert found.refusal is not None
    assert found.refusal.startswith(
        "With about 20 responsive documents a target of 0.9 shows Bob 71 % of what is withheld. A target of 0.62 shows"
    )


def test_a_target_above_what_the_review_brings_up_is_refused_with_how_many_rounds_it_needs() -> None:
    agreed = small(rounds=4, query="words")
    found = wanted.advice(Wanted(reviewed=None, collection=Fraction(9, 10)), agreed, assumed(**KNOWN), seed="1")
    refusal = found.ways[0].refusal
    assert refusal is not None
    assert "0.9 of the collection is certified in only 0 % of the trials" in refusal
    assert "rounds would be needed" in refusal


@pytest.mark.parametrize(
    "given",
    [small(validation=validation(every=7)), terms.terms(protocol="label", rounds=20, batch=500, delta="0.05")],
)
def test_only_the_reviewed_can_be_wanted_under_any_rule(given: Terms) -> None:
    found = wanted.advice(Wanted(reviewed=Fraction(8, 10), collection=None), given, assumed(**KNOWN), seed="1")
    (way,) = found.ways
    assert way.terms.protocol == "spot-check"
    assert way.terms.validation == given.validation
    assert way.forecast.share(lambda each: bool(each.reached_reviewed)) == 1


def test_in_a_dense_matter_a_smaller_rate_is_enough() -> None:
    dense = assumed(documents=700_000, richness="0.02", gain="0.9")
    agreed = small(rounds=30, batch=2000)
    found = wanted.advice(Wanted(reviewed=Fraction(8, 10), collection=None), agreed, dense, seed="1")
    assert Fraction(getattr(found.ways[0].terms, "rate")) < Fraction(1, 100)  # noqa: B009 - terms of another rule lack it
