"""The high-dimensional protocol: order, chances, consistency, and the lemma as printed, as proved and as corrected."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.geometry.dichotomies import plane
from protocol.paper.geometry.dichotomies.base import Classifier, Optimum, Point, classified, dot, optimum
from protocol.paper.theory import highdim
from protocol.paper.theory.highdim import Reading
from protocol.paper.theory.highdim_instances import ELEVEN, FAMILIES, SIX, Counterexample, Instance, corner
from protocol.paper.theory.highdim_survey import (
    again,
    counterexample,
    half_planes,
    misses,
    oracle,
    reported,
    survey,
)
from protocol.paper.theory.highdim_tally import LEAN, PREMISE, PROOFS_LEAN, PROVED, Tally, printed, proofs
from protocol.rules.base import COINS, Report, chance
from protocol.rules.label_report import LabelReport

HALF, NINE_TENTHS = Fraction(1, 2), Fraction(9, 10)
UP = Classifier(normal=(0, 1), offset=0)


def rule(delta: Fraction, k: int = 1) -> LabelReport:
    return LabelReport(delta=delta, k=k)


def expected(places: list[int], error: int, delta: float) -> float:
    """The product that the paper's proof has, for k = 1."""
    c = (2 + 2 * error) * math.log(1 / delta)
    return math.prod(1 - min(1, c / place) for place in places)


def missed(order: Sequence[int], truth: Sequence[bool], tickets: int) -> Fraction:
    return highdim.undetected(highdim.hidden_places(order, truth), tickets)


# The order and the chances


def test_distance_is_measured_along_the_direction() -> None:
    points = ((0, 5), (0, 0), (3, 0))
    best = optimum(plane.dichotomies(points), [True, False, False]).dichotomies[0]
    line = highdim.representative(points, best, Reading.WIDEST)
    assert line == Classifier(normal=(0, 10), offset=-25)
    assert highdim.distances(points, best, (0, 1), Reading.WIDEST) == (0, Fraction(5, 2), Fraction(5, 2))
    assert highdim.distances(points, best, (7, 2), Reading.WIDEST) == (0, Fraction(5, 4), Fraction(5, 4))


@pytest.mark.parametrize("direction", [(1, 0), (0, -1), (5, -1)])
def test_a_direction_that_never_reaches_the_positive_side_makes_the_distance_infinite(direction: Point) -> None:
    points = ((0, 5), (0, 0), (3, 0))
    best = optimum(plane.dichotomies(points), [True, False, False]).dichotomies[0]
    assert highdim.distances(points, best, direction, Reading.WIDEST)[1:] == (math.inf, math.inf)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7), st.data())
def test_no_classifier_is_nearer_than_the_nearest_of_all(points: list[Point], data: st.DataObject) -> None:
    direction = data.draw(st.tuples(st.integers(-5, 5), st.integers(-5, 5)).filter(any))
    for each in plane.dichotomies(points):
        least = highdim.distances(tuple(points), each, direction, Reading.EVERY)
        for reading in (Reading.ORACLE, Reading.WIDEST):
            found = highdim.distances(tuple(points), each, direction, reading)
            assert all(a <= b for a, b in zip(least, found, strict=True))


def test_bob_gets_whatever_any_optimal_classifier_makes_positive() -> None:
    points = [(0, 0), (0, 1), (1, 0), (1, 1)]
    report = optimum(plane.dichotomies(points), [False, True, True, False])
    assert highdim.undecided(report, [False, True, True, False]) == []


def test_only_reported_negatives_are_undecided() -> None:
    report = optimum(plane.dichotomies([(0,), (1,), (2,), (3,), (4,)]), [True, False, False, False, True])
    assert [sorted(each.positive) for each in report.dichotomies] == [[0], [4]]
    assert highdim.undecided(report, [True, False, True, False, True]) == [1, 3]


@pytest.mark.parametrize("size", [1, 3, 6])
def test_on_a_line_the_protocol_is_the_one_of_label_reports(size: int) -> None:
    """Where only upward thresholds fit Alice's labels best; the other orientation is not among that rule's."""
    points: tuple[Point, ...] = tuple((2 * (size - index),) for index in range(size))
    known = plane.dichotomies(points)
    compared = 0
    for labels in product([False, True], repeat=size):
        best = optimum(known, labels)
        if all(sorted(each.positive) == list(range(len(each.positive))) for each in best.dichotomies):
            order = highdim.printed_order(points, best, highdim.undecided(best, labels), (1,), Reading.ORACLE)
            seen = rule(HALF).examine(Report(labels=labels), [COINS - 1] * size, {})
            assert [place + 1 for place in order] == list(seen.chances)
            assert best.error == seen.error
            compared += 1
    assert compared > size


def test_a_coin_below_the_chance_draws_and_one_at_it_does_not() -> None:
    tickets = rule(HALF).tickets(0)
    edge = chance(tickets, 3)
    truth, order = [False, False, True], [0, 1, 2]
    assert highdim.drawn(order, truth, tickets, [0, 0, edge - 1])
    assert not highdim.drawn(order, truth, tickets, [0, 0, edge])
    assert missed(order, truth, tickets) == Fraction(COINS - edge, COINS)


def test_nothing_hidden_is_never_detected_and_a_first_place_always() -> None:
    tickets = rule(HALF).tickets(0)
    assert missed([0, 1], [False, False], tickets) == 1
    assert missed([1, 0], [False, True], tickets) == 0


# Consistency


def _sided(*positive: set[int]) -> Optimum:
    dichotomies = plane.dichotomies([(0, 0), (0, 1), (1, 0), (1, 1)])
    return Optimum(error=0, dichotomies=tuple(each for each in dichotomies if each.positive in positive))


def test_a_classifier_is_consistent_when_it_keeps_what_all_others_share() -> None:
    report = _sided({0, 1}, {0, 2})
    assert highdim.consistent(report, _sided({0, 1, 2}).dichotomies[0])
    assert highdim.consistent(report, _sided({0}).dichotomies[0])
    assert not highdim.consistent(report, _sided({1, 3}).dichotomies[0])
    assert not highdim.consistent(report, _sided(set()).dichotomies[0])


def test_where_the_others_share_nothing_everything_is_consistent() -> None:
    assert highdim.consistent(_sided({0, 1}, {2, 3}), _sided({1}).dichotomies[0])


@pytest.mark.parametrize(
    ("sides", "inside"),
    [
        ([Classifier(normal=(0, 1), offset=-3)], True),  # parallel and further in
        ([Classifier(normal=(0, 2), offset=0)], True),  # the same
        ([Classifier(normal=(0, 1), offset=1)], False),  # parallel and further out
        ([Classifier(normal=(1, 9), offset=-50)], False),  # tilted: it leaves h* somewhere
        ([Classifier(normal=(0, -1), offset=-5)], False),  # the other way round
        ([Classifier(normal=(1, 1), offset=0), Classifier(normal=(-1, 1), offset=0)], True),  # a corner above
        ([Classifier(normal=(1, 1), offset=1), Classifier(normal=(-1, 1), offset=0)], False),  # its tip is below
        ([Classifier(normal=(1, 0), offset=0), Classifier(normal=(-1, 0), offset=-1)], True),  # share nothing
        ([Classifier(normal=(0, 0), offset=-1)], True),  # none
        ([Classifier(normal=(0, 0), offset=0)], False),  # all
    ],
)
def test_half_planes_are_consistent_when_their_intersection_is_inside(
    sides: list[Classifier],
    inside: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    assert highdim.consistent_sides(sides, UP) is inside


# As printed


def broken(example: Counterexample, reading: Reading, delta: Fraction) -> tuple[list[int], Fraction]:
    """The places of the hidden positives, after checking all that the lemma asks for, and the probability."""
    instance = example.instance
    report, order, probability = counterexample(example, reading, rule(delta))
    true = oracle(instance.points)(instance.truth)
    [best] = true.dichotomies
    normal = highdim.representative(instance.points, best, Reading.WIDEST).normal
    assert dot(normal, example.direction) ** 2 == dot(normal, normal) * dot(example.direction, example.direction)
    assert dot(normal, example.direction) > 0
    assert highdim.consistent(report.optimum, best)
    assert len(report.hidden) > true.error + 1
    return [1 + order.index(each) for each in report.hidden], probability


def test_six_points_break_the_lemma() -> None:
    places, probability = broken(SIX, Reading.WIDEST, NINE_TENTHS)
    assert sorted(places) == [4, 5]
    assert float(probability) == pytest.approx(expected([4, 5], 0, 0.9))
    assert probability > NINE_TENTHS


def test_fewer_than_six_do_not() -> None:
    assert all(expected([3, 4], 0, 1 - tenth / 20) <= 1 - tenth / 20 for tenth in range(1, 20))


def test_eleven_points_break_the_lemma_with_h_consistent_for_half_planes() -> None:
    places, probability = broken(ELEVEN, Reading.WIDEST, NINE_TENTHS)
    assert sorted(places) == [8, 9]
    assert float(probability) == pytest.approx(expected([8, 9], 1, 0.9))
    assert probability > NINE_TENTHS
    assert half_planes(ELEVEN, counterexample(ELEVEN, Reading.WIDEST, rule(NINE_TENTHS))[0])


@pytest.mark.parametrize("reading", Reading)
@pytest.mark.parametrize(("depth", "delta"), [(5, "0.9"), (6, "0.5"), (8, "0.1"), (11, "0.01")])
def test_a_corner_breaks_the_lemma_whichever_classifiers_stand_for_the_dichotomies(
    depth: int, delta: str, reading: Reading
) -> None:
    places, probability = broken(corner(depth), reading, Fraction(delta))
    assert sorted(places) == [2 * depth + 2, 2 * depth + 3, 2 * depth + 4]
    assert float(probability) == pytest.approx(expected(places, 1, float(delta)))
    assert probability > Fraction(delta)
    assert half_planes(corner(depth), counterexample(corner(depth), reading, rule(HALF))[0])


def test_no_direction_saves_a_deep_corner() -> None:
    example = corner(18)
    report, _, _ = counterexample(example, Reading.WIDEST, rule(HALF))
    for x in range(-4, 5):  # all that meet both classifiers, in steps
        order = highdim.printed_order(example.instance.points, report.optimum, report.rest, (x, 5), Reading.WIDEST)
        assert missed(order, example.instance.truth, rule(HALF).tickets(1)) > HALF
    for along in ((1, 0), (-1, 0), (3, 1), (-1, -2)):  # that meet one of them, or none
        order = highdim.printed_order(example.instance.points, report.optimum, report.rest, along, Reading.WIDEST)
        assert missed(order, example.instance.truth, rule(HALF).tickets(1)) > HALF


def test_truthful_reports_leave_nothing_hidden_in_a_corner() -> None:
    instance = corner(6).instance
    assert reported(instance, (), oracle(instance.points)).hidden == ()


# As corrected


@pytest.mark.parametrize("delta", [Fraction(99, 100), NINE_TENTHS, HALF, Fraction(1, 10), Fraction(1, 100)])
def test_hidden_positives_that_negatives_ahead_do_not_outnumber_are_missed_with_at_most_delta(delta: Fraction) -> None:
    for a in range(1, 30):
        for b in range(a + 1):  # the worst order: all b negatives first
            truth = [False] * b + [True] * a
            assert missed(range(a + b), truth, rule(delta).tickets(0)) <= delta


def test_a_few_more_negatives_ahead_are_too_many() -> None:
    truth = [False] * 23 + [True] * 20
    assert missed(range(43), truth, rule(NINE_TENTHS).tickets(0)) < NINE_TENTHS
    truth = [False] * 40 + [True] * 20
    assert missed(range(60), truth, rule(NINE_TENTHS).tickets(0)) > NINE_TENTHS


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_by_projection_more_than_the_error_along_v_stays_hidden_with_at_most_delta(data: st.DataObject) -> None:
    """Whatever Alice reports, whatever Bob was given before, and whichever classifier v is the normal of."""
    points = data.draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=14))
    flags = st.lists(st.booleans(), min_size=len(points), max_size=len(points))
    truth, rest = data.draw(flags), [index for index, kept in enumerate(data.draw(flags)) if kept]
    normal = data.draw(st.tuples(st.integers(-3, 3), st.integers(-3, 3)).filter(any))
    order = highdim.projected_order(points, rest, normal)
    errors = []
    for value in range(-60, 61):
        positive = classified(Classifier(normal=normal, offset=value), points)
        errors.append(sum((index in positive) != label for index, label in enumerate(truth)))
    if sum(truth[index] for index in rest) > min(errors):
        for delta in (NINE_TENTHS, HALF):
            assert missed(order, truth, rule(delta).tickets(0)) <= delta


@pytest.mark.parametrize("size", [1, 4, 6])
def test_on_a_line_the_lemma_holds_for_every_report(size: int) -> None:
    points: tuple[Point, ...] = tuple((index,) for index in range(size))
    known = plane.dichotomies(points)
    for truth in product([False, True], repeat=size):
        true = optimum(known, truth)
        positive = [index for index, label in enumerate(truth) if label]
        for hide in (each for count in range(1, len(positive) + 1) for each in combinations(positive, count)):
            report = reported(Instance(points=points, truth=truth), hide, lambda labels: optimum(known, labels))
            if len(report.hidden) > true.error:
                for best in true.dichotomies:
                    along = best.classifier.normal if any(best.classifier.normal) else (1,)
                    order = highdim.printed_order(points, report.optimum, report.rest, along, Reading.ORACLE)
                    assert missed(order, truth, rule(NINE_TENTHS).tickets(0)) <= NINE_TENTHS


def test_negatives_are_counted_up_to_the_last_hidden_positive_inside() -> None:
    best = _sided({0, 1}).dichotomies[0]
    assert highdim.negatives_ahead([2, 0, 3, 1], [True, True, False, False], best) == (2, 2)
    assert highdim.negatives_ahead([2, 0, 3, 1], [True, False, False, True], best) == (1, 1)
    assert highdim.negatives_ahead([3, 2], [True, True, False, False], best) == (0, 0)


# The survey


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_makes_the_same_instance_from_the_same_number(family: str) -> None:
    made = FAMILIES[family](3, 1)
    assert made == FAMILIES[family](3, 1)
    assert made != FAMILIES[family](4, 1)
    assert len(made.points) == len(made.truth)
    assert any(made.truth)
    assert not all(made.truth)


@pytest.mark.parametrize("family", ["line", "noisy", "corners"])
def test_a_survey_breaks_no_corrected_claim_and_says_where_its_worst_is(family: str) -> None:
    oracles = (Reading.ORACLE, Reading.WIDEST)
    tally = Tally()
    tally.absorb(survey(family, 1, 2, 2, "1", "0.9 0.5"))
    assert tally.counted
    assert not tally.exceptions
    for view in (PROVED, LEAN, PREMISE, PROOFS_LEAN, *(proofs(each, sides=True) for each in oracles)):
        places = [worst for (found, _, _), worst in tally.worst.items() if found == view]
        assert places
        assert not any(worst.above for worst in places)
    worst = tally.at(printed(Reading.WIDEST), 1, HALF)
    assert again(family, 1, worst.spot, rule(HALF))[2] == worst.chance


def test_tallies_of_two_pieces_are_the_tally_of_both() -> None:
    whole, halves = Tally(), Tally()
    whole.absorb(survey("tilted", 1, 0, 2, "1", "0.5"))
    for first in (0, 1):
        halves.absorb(survey("tilted", 1, first, 1, "1", "0.5"))
    assert halves == whole


def test_real_coins_miss_as_often_as_the_exact_probability_says() -> None:
    report, order, probability = counterexample(corner(6), Reading.WIDEST, rule(HALF))
    seen = misses(order, report.instance.truth, rule(HALF).tickets(1), "test", 2000)
    assert abs(seen - 2000 * probability) < 5 * math.sqrt(2000 / 4)
