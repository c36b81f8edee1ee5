"""Simulated parties behave as their names say."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import pytest

from protocol.errors import BadTerms
from protocol.rules.base import Examiner, Report, best_rank, malformed
from protocol.simulation import bestresponse, strategies
from tests.support.paper_rules import rule

TRUTH = [True] * 8 + [False, True] * 6 + [False] * 20
LABEL = rule("label", delta=Fraction(1, 100), k=1)
CLASSIFIER = rule("classifier", delta=Fraction(1, 100), k=1)
SECRET = b"secret"


def hidden(truth: Sequence[bool], report: Report) -> list[int]:
    return [
        place
        for place, (label, said) in enumerate(zip(truth, report.labels, strict=True), start=1)
        if label and not said
    ]


@pytest.mark.parametrize("spec", ["truthful", "careless:0", "hiding:0:random", "adaptive:0", "best:0"])
def test_who_hides_nothing_reports_the_truth(spec: str) -> None:
    assert strategies.alice(spec, SECRET).report(LABEL, TRUTH, 1).labels == tuple(TRUTH)
    classified = strategies.alice(spec, SECRET).report(CLASSIFIER, TRUTH, 1)
    assert classified.threshold == best_rank(TRUTH)[0]
    assert classified.labels[: classified.threshold] == tuple(TRUTH[: classified.threshold])


@pytest.mark.parametrize(
    "spec", ["truthful", "careless:0.3", "hiding:0.4:random", "hiding:1:near", "hiding:1:far", "adaptive:0.5", "best:9"]
)
@pytest.mark.parametrize("chosen", [LABEL, CLASSIFIER])
def test_every_report_has_the_shape_that_the_rule_asks_for(spec: str, chosen: Examiner) -> None:
    for truth in (TRUTH, [False] * 5, [True] * 5, [True], [False]):
        report = strategies.alice(spec, SECRET).report(chosen, truth, 3)
        assert malformed(chosen, len(truth), report) is None


def test_mistakes_come_at_their_rate_and_both_ways() -> None:
    truth = [True, False] * 2000
    said = strategies.alice("careless:0.1", SECRET).report(LABEL, truth, 1).labels
    wrong = [label for label, other in zip(truth, said, strict=True) if label != other]
    assert 330 < len(wrong) < 470
    assert 140 < sum(wrong) < 260


@pytest.mark.parametrize(
    "spec", ["truthful", "careless:0.3", "careless:0.3:0", "hiding:1:far", "hiding:0.5:random", "adaptive:1", "best:9"]
)
def test_in_a_second_look_nobody_gives_anything_up_unasked(spec: str) -> None:
    assert strategies.alice(spec, SECRET).look([True] * 50, 3) == []


def test_a_second_look_finds_its_share_of_the_errors_and_nothing_else() -> None:
    truth = [True, False] * 2000
    given_up = strategies.alice("careless:0.1:0.9", SECRET).look(truth, 3)
    assert all(truth[position - 1] for position in given_up)
    assert 1740 < len(given_up) < 1860
    assert strategies.alice("careless:0.1:1", SECRET).look(truth, 3) == list(range(1, 4001, 2))
    assert given_up != strategies.alice("careless:0.1:0.9", SECRET).look(truth, 4)


@pytest.mark.parametrize("spec", ["careless:0.1:", "careless:0.1:1.5", "careless:0.1:x", "careless:0.1:0.5:0.5"])
def test_a_second_look_needs_a_share(spec: str) -> None:
    with pytest.raises(BadTerms):
        strategies.alice(spec, SECRET)


@pytest.mark.parametrize("role", [strategies.bob, strategies.court])
def test_only_alice_looks_a_second_time(role: Callable[[str, bytes], object]) -> None:
    with pytest.raises(BadTerms, match="is not known"):
        role("careless:0.1:0.5", SECRET)


def test_mistakes_differ_from_round_to_round_and_party_to_party() -> None:
    strategy = strategies.bob("careless:0.5", SECRET)
    positions, truth = range(1, 101), [True] * 100
    rounds = [strategy.label(number, positions, truth) for number in (1, 2)]
    other = strategies.bob("careless:0.5", b"other").label(1, positions, truth)
    assert len({tuple(each) for each in (*rounds, other)}) == 3
    assert strategy.label(1, positions, truth) == rounds[0]


@pytest.mark.parametrize(("share", "count"), [("0.1", 2), ("0.5", 7), ("1", 14)])
@pytest.mark.parametrize("which", ["random", "near", "far"])
def test_a_share_of_the_responsive_documents_is_hidden_rounded_up(share: str, count: int, which: str) -> None:
    report = strategies.alice(f"hiding:{share}:{which}", SECRET).report(LABEL, TRUTH, 1)
    assert len(hidden(TRUTH, report)) == count


def test_far_hides_the_outliers_and_near_those_at_the_threshold() -> None:
    threshold, _ = best_rank(TRUTH)
    far = hidden(TRUTH, strategies.alice("hiding:0.2:far", SECRET).report(LABEL, TRUTH, 1))
    near = hidden(TRUTH, strategies.alice("hiding:0.2:near", SECRET).report(LABEL, TRUTH, 1))
    assert far == [16, 18, 20]
    assert max(abs(place - threshold) for place in near) <= 4


def test_a_threshold_report_lies_about_nothing_above_the_threshold() -> None:
    report = strategies.alice("hiding:0.5:near", SECRET).report(CLASSIFIER, TRUTH, 1)
    assert report.threshold is not None
    assert report.labels[: report.threshold] == tuple(TRUTH[: report.threshold])


def test_the_adaptive_one_hides_again_when_caught_and_stops_when_ahead() -> None:
    alice = strategies.alice("adaptive:0.5", SECRET)
    assert hidden(TRUTH, alice.report(LABEL, TRUTH, 1))
    alice.learn(1, 7, caught=True)
    assert hidden(TRUTH, alice.report(LABEL, TRUTH, 2))
    alice.learn(2, 0, caught=False)
    assert hidden(TRUTH, alice.report(LABEL, TRUTH, 3))
    alice.learn(3, 7, caught=False)
    assert not hidden(TRUTH, alice.report(LABEL, TRUTH, 4))


def test_a_vexatious_bob_says_the_opposite() -> None:
    assert strategies.bob("vexatious", SECRET).label(1, [1, 2], [True, False]) == [False, True]


def losses(truth: Sequence[bool], c: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The loss of hiding each subset of the responsive documents."""
    responsive = [place for place, label in enumerate(truth, start=1) if label]
    return {
        chosen: bestresponse.expected_loss(LABEL, strategies.hiding_report(LABEL, truth, chosen), truth, c)
        for count in range(len(responsive) + 1)
        for chosen in combinations(responsive, count)
    }


def test_the_expected_loss_is_what_all_coins_give_on_average() -> None:
    truth = [True, True, False, False, True, False, False, False] + [False] * 40 + [True]
    report = strategies.hiding_report(LABEL, truth, [5, 49])
    start = LABEL.examine(report, [2**64 - 1] * len(truth), {})
    survival = Fraction(1)
    for place in (5, 49):
        survival *= 1 - Fraction(start.chances[place], 2**64)
    shown = sum(not truth[place - 1] for place in start.due - start.drawn)
    drawn = sum(Fraction(chance, 2**64) for place, chance in start.chances.items() if not truth[place - 1])
    expected = survival * (shown + drawn - 3 * 2) + (1 - survival) * truth.count(False)
    found = bestresponse.expected_loss(LABEL, report, truth, Fraction(3))
    assert abs(found - expected) < Fraction(1, 2**50)


def test_the_best_response_does_no_worse_than_the_truth_and_hides_where_it_pays() -> None:
    outlier = [True] * 5 + [False] * 300 + [True]
    assert hidden(outlier, strategies.alice("best:1000", SECRET).report(LABEL, outlier, 1)) == [306]
    near = [True] * 6 + [False] * 300
    assert not hidden(near, strategies.alice("best:20", SECRET).report(LABEL, near, 1))


def test_on_small_batches_the_farthest_ones_are_a_best_choice_of_their_number() -> None:
    truth = [True, True, False, False, True] + [False] * 60 + [True, False, True]
    found = losses(truth, Fraction(60))
    best = strategies.alice("best:60", SECRET).report(LABEL, truth, 1)
    chosen = tuple(hidden(truth, best))
    assert found[chosen] == min(found.values())


@pytest.mark.parametrize(
    "spec", ["", "sly", "careless", "careless:-1", "careless:1.5", "hiding:0.5", "best:x", "adaptive"]
)
def test_an_unknown_strategy_is_refused(spec: str) -> None:
    with pytest.raises(BadTerms):
        strategies.alice(spec, SECRET)
