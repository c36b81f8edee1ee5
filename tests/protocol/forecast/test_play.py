"""Trials over counts, against the experiments on 721,181 abstracts, and against what must hold in every matter."""

from dataclasses import astuple
from fractions import Fraction
from typing import Any

import pytest

from protocol.errors import BadTerms
from protocol.forecast.forecast import Forecast, Range
from protocol.forecast.play import Outcome
from protocol.matter import terms, validations
from protocol.matter.validations import Certificate
from tests.protocol.forecast.schemes import DENSE, RARE, large, played, small, validation


def other(found: Forecast) -> Range:
    return found.range(lambda each: each.other)


@pytest.mark.parametrize(("every", "shown"), [(1000, 506), (10, 755), (5, 1122)])
def test_a_truthful_alice_costs_what_the_experiment_on_a_rare_topic_showed(every: int, shown: int) -> None:
    found = played(large(every=every), **RARE)
    assert other(found).low <= shown <= other(found).high
    assert found.share(lambda each: bool(each.reached_reviewed)) == 1
    assert found.range(lambda each: each.found / each.responsive).median == pytest.approx(0.87, abs=0.01)


@pytest.mark.parametrize(("target", "shown"), [("0.8", 282), ("0.95", 1051)])
def test_and_so_do_other_targets(target: str, shown: int) -> None:
    assert other(played(large(every=1000, target=target), **RARE)).median == pytest.approx(shown, rel=0.12)


def test_a_truthful_alice_costs_what_the_experiment_on_a_dense_topic_showed() -> None:
    found = played(large(), **DENSE)
    assert other(found).low <= 224 <= other(found).high
    assert found.share(lambda each: each.escalations == 0) == 1


@pytest.mark.parametrize("about", [RARE, DENSE])
def test_at_720_000_documents_the_truth_shows_fewer_than_1500_others(about: dict[str, Any]) -> None:
    assert max(each.other for each in played(large(), **about).outcomes) < 1500


@pytest.mark.parametrize(
    ("alice", "given", "shown", "hidden"),
    [
        ("careless:0.05", {}, 10_916, 46),
        ("careless:0.05:0.95", {}, 3_129, 0),
        ("hides:0.2", {"every": 1000}, 18_708, 129),
        ("hides:0.2", {}, 22_188, 26),
    ],
)
def test_other_alices_cost_what_the_experiments_showed(
    alice: str, given: dict[str, int], shown: int, hidden: int
) -> None:
    found = played(large(**given), alice=alice, **RARE)
    assert other(found).low * 0.9 <= shown <= other(found).high * 1.1
    hid = found.range(lambda each: each.hidden)
    assert hid.low - 10 <= hidden <= hid.high + 10


def test_the_risk_limit_holds_against_a_hider() -> None:
    found = played(large(rounds=10, target="0.8"), trials=200, alice="hides:0.3", **RARE)
    assert found.share(lambda each: bool(each.reached_reviewed)) == 1
    below = found.share(lambda each: each.found / (each.found + each.hidden) < 0.8)
    assert below <= 0.05


def test_certificates_of_the_collection_are_rarely_wrong() -> None:
    about: dict[str, Any] = {"documents": 20_000, "richness": "0.05", "gain": "0.8"}
    found = played(small(rounds=8, validation=validation(show="0.1")), trials=200, **about)

    def wrong(each: Outcome) -> bool:
        return each.certified_collection is not None and each.certified_collection > each.found / each.responsive

    assert found.share(wrong) <= 0.05


def test_what_is_found_after_a_validation_is_not_taken_off_what_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    proven: list[Certificate] = []
    real = validations.one_stage

    def noted(*given: Any, **named: Any) -> Certificate:
        proven.append(real(*given, **named))
        return proven[-1]

    monkeypatch.setattr(validations, "one_stage", noted)
    often = validation(show="0.1", least_yield=None, every=2, target="0.99")
    (each,) = played(small(rounds=7, validation=often), trials=1, documents=6000, alice="hides:0.5").outcomes
    missing = min(certificate.at_most for certificate in proven)
    assert len(proven) > 1
    assert missing > min(certificate.total for certificate in proven) - each.found, "nothing was found later"
    assert each.certified_collection == each.found / (each.found + missing)


@pytest.mark.parametrize("alice", ["truthful", "careless:0.1", "careless:0.1:0.5", "hides:0.5"])
@pytest.mark.parametrize("penalty", ["none", "batch"])
@pytest.mark.parametrize("review", [None, "0.1"])
def test_nothing_is_lost_or_counted_twice(alice: str, penalty: str, review: str | None) -> None:
    agreed = small(penalty=penalty, rounds=6, validation=validation(review=review, least_yield=None, every=2))
    for each in played(agreed, trials=15, documents=6000, alice=alice).outcomes:
        assert 0 <= each.found <= each.responsive
        assert each.found + each.other <= each.reviewed <= 6000
        assert each.hidden + each.found <= each.responsive
        assert each.read >= each.reviewed - each.other - each.found
        assert 0 < each.batches <= 6
        assert len(each.moments) == each.batches
        assert [moment.found for moment in each.moments] == sorted(moment.found for moment in each.moments)


def test_if_all_documents_are_reviewed_all_responsive_ones_come_up() -> None:
    found = played(small(rounds=40), trials=10, documents=10_000)
    assert {each.found == each.responsive for each in found.outcomes} == {True}
    assert {each.ended for each in found.outcomes} == {"documents"}
    assert {each.batches for each in found.outcomes} == {20}
    assert all(each.certified_collection == each.certified_reviewed for each in found.outcomes)


def test_the_limit_ends_escalations_and_the_target_is_not_reached() -> None:
    few: dict[str, Any] = {"documents": 10_000, "richness": "0.002"}
    found = played(small(limit="0.25"), trials=30, **few)
    assert found.share(lambda each: each.limit_used_up) == 1
    assert found.share(lambda each: bool(each.reached_reviewed)) == 0
    assert other(found).high <= 0.3 * 10_000
    free = played(small(limit="1"), trials=30, **few)
    assert free.share(lambda each: bool(each.reached_reviewed)) == 1
    assert other(free).median > other(found).median


def test_the_court_as_viewer_keeps_what_is_not_responsive_from_bob() -> None:
    bob = played(small(validation=validation()))
    court = played(small(validation=validation(viewer="court")))
    assert other(court).median < other(bob).median / 5
    assert court.range(lambda each: each.court).median > 4000


def test_two_stages_show_bob_less_and_alice_more() -> None:
    one = played(small(validation=validation(show="0.04")), gain="0.88")
    two = played(small(validation=validation(review="0.2", show="0.2")), gain="0.88")
    assert two.range(lambda each: each.read).median > one.range(lambda each: each.read).median
    assert two.range(lambda each: each.found).median >= one.range(lambda each: each.found).median


def test_a_validation_that_reaches_its_target_ends_the_review() -> None:
    found = played(small(rounds=60, validation=validation(target="0.5")), gain="0.9")
    stopped = [each for each in found.outcomes if each.ended == "validation"]
    assert stopped
    assert all(each.batches < 60 and each.reached_collection for each in stopped)


def test_without_a_query_the_first_batch_is_drawn_from_all() -> None:
    found = played(small(), richness="0.01", gain="0.9")
    asked = played(small(query="words"), richness="0.01", gain="0.9")
    assert found.range(lambda each: each.moments[0].found).median <= 10
    assert asked.range(lambda each: each.moments[0].found).median > 50


@pytest.mark.parametrize(
    ("protocol", "low", "high"), [("reveal-all", 1, 1), ("label", 0.45, 0.65), ("classifier", 0.2, 0.5)]
)
def test_the_papers_rules_show_about_what_they_showed_on_a_rare_topic(protocol: str, low: float, high: float) -> None:
    found = played(terms.terms(protocol=protocol, rounds=30, batch=1000, query="words"), trials=3, **RARE)
    everything = found.range(lambda each: each.reviewed - each.found)
    assert low <= other(found).median / everything.median <= high
    assert found.share(lambda each: each.reached_reviewed is None) == 1


def test_the_same_seed_gives_the_same_trials_and_another_one_does_not() -> None:
    agreed = small(validation=validation())
    first, again, another = (played(agreed, 5, seed) for seed in ("1", "1", "2"))
    assert [astuple(each) for each in first.outcomes] == [astuple(each) for each in again.outcomes]
    assert [astuple(each) for each in first.outcomes] != [astuple(each) for each in another.outcomes]


def test_more_trials_begin_with_the_same_ones() -> None:
    assert played(small(), 8).outcomes[:5] == played(small(), 5).outcomes


def test_a_range_is_of_values_that_occurred() -> None:
    assert Range.of([3]) == Range(3, 3, 3)
    assert Range.of(range(1, 101)) == Range(5, 50, 96)
    assert Fraction(Range.of([5, 1, 9]).median) == 5


def test_more_documents_than_can_be_ranked_are_refused_and_counts_have_no_such_limit() -> None:
    with pytest.raises(BadTerms, match="write fewer rounds, smaller batches, or a smaller --collection"):
        played(terms.terms(protocol="label", rounds=4000, batch=10_000), 1, documents=10**9)
    assert played(small(rounds=10, batch=2**31), 1, documents=10**9).outcomes[0].reviewed == 10**9
