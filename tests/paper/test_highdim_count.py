"""With the n(x) of its own proof the high-dimensional lemma holds for half-spaces, and not for points only."""

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.geometry.dichotomies import plane
from protocol.paper.geometry.dichotomies.base import Classifier, Point, optimum
from protocol.paper.theory import highdim, highdim_count
from protocol.paper.theory.highdim import Reading
from protocol.paper.theory.highdim_instances import ELEVEN, FAMILIES, SIX, Counterexample, corner
from protocol.paper.theory.highdim_survey import (
    counterexample,
    direction,
    half_planes,
    oracle,
    proofs_count,
    reported,
)
from protocol.rules.label_report import LabelReport

HALF, NINE_TENTHS = Fraction(1, 2), Fraction(9, 10)
UP = Classifier(normal=(0, 1), offset=0)
LEFT, RIGHT = Classifier(normal=(1, 1), offset=0), Classifier(normal=(-1, 1), offset=0)  # a corner at the origin


def rule(delta: Fraction, k: int = 1) -> LabelReport:
    return LabelReport(delta=delta, k=k)


@pytest.mark.parametrize(
    ("point", "sides", "along", "far"),
    [
        ((0, 5), [LEFT, RIGHT], (0, 1), 0),  # inside
        ((0, -5), [LEFT, RIGHT], (0, 1), 5),
        ((3, 0), [LEFT, RIGHT], (0, 1), 3),  # on one positive side, and 3 below the other
        ((0, -6), [LEFT, RIGHT], (0, 2), 3),  # counted in steps of v
        ((0, -5), [LEFT, RIGHT], (1, 0), math.inf),  # passes below the corner
        ((0, -5), [LEFT, RIGHT], (0, -1), math.inf),  # leads away
        ((-9, 2), [LEFT, RIGHT], (1, 0), 7),  # passes through
        ((0, -5), [UP, Classifier(normal=(0, -1), offset=-1)], (0, 1), math.inf),  # share nothing
        ((0, -5), [UP, Classifier(normal=(0, -1), offset=0)], (0, 1), 5),  # share a line
        ((2, -5), [UP, Classifier(normal=(1, 0), offset=-3)], (0, 1), math.inf),  # beside it, in parallel
        ((3, -5), [UP, Classifier(normal=(1, 0), offset=-3)], (0, 1), 5),
        ((0, 0), [UP, Classifier(normal=(0, 0), offset=-1)], (0, 1), math.inf),  # one is positive nowhere
    ],
)
def test_the_intersection_is_as_far_as_the_last_of_the_positive_sides(
    point: Point, sides: list[Classifier], along: Point, far: float
) -> None:
    assert highdim_count.to_intersection(point, sides, along) == far


@pytest.mark.parametrize(
    ("example", "counted", "printed_first"), [(SIX, [4, 5], 4), (ELEVEN, [1, 2], 8), (corner(6), [2, 3, 4], 14)]
)
def test_the_proofs_count_is_not_the_printed_place(
    example: Counterexample, counted: list[int], printed_first: int
) -> None:
    report, order, _ = counterexample(example, Reading.WIDEST, rule(HALF))
    assert sorted(proofs_count(example, report)) == counted
    assert min(highdim.hidden_places(order, example.instance.truth)) == printed_first


@pytest.mark.parametrize("example", [ELEVEN, *map(corner, (5, 6, 8, 11, 18))])
@pytest.mark.parametrize("delta", [NINE_TENTHS, HALF, Fraction(1, 10), Fraction(1, 100)])
def test_with_the_proofs_count_the_half_plane_counterexamples_are_none(
    example: Counterexample, delta: Fraction
) -> None:
    report, _, _ = counterexample(example, Reading.WIDEST, rule(delta))
    assert highdim.undetected(proofs_count(example, report), rule(delta).tickets(0)) <= delta


def test_six_points_break_the_lemma_with_the_proofs_count_where_h_is_consistent_for_points_only() -> None:
    report, _, _ = counterexample(SIX, Reading.WIDEST, rule(NINE_TENTHS))
    assert not half_planes(SIX, report)
    counted, tickets = proofs_count(SIX, report), rule(NINE_TENTHS).tickets(0)
    assert highdim.undetected(counted, tickets) > NINE_TENTHS
    assert highdim.undetected([each - 1 for each in counted], tickets) < NINE_TENTHS  # not if x does not count itself


def test_who_is_not_even_counted_is_drawn_for_sure() -> None:
    assert highdim.undetected([0, 7], rule(HALF).tickets(0)) == 0


def test_more_counted_than_ahead_is_an_exception() -> None:
    points = [(0, 3), (0, 2), (0, 1)]
    assert highdim_count.exceptions(points, {0: 1, 1: 2, 2: 3}, (0, 1)) == 0
    assert highdim_count.exceptions(points, {0: 2, 1: 1, 2: 4}, (0, 1)) == 2
    assert highdim_count.exceptions([(0, 1), (1, 1)], {0: 2, 1: 2}, (0, 1)) == 2  # who stands level is not ahead


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=3, max_size=9), st.data())
def test_the_proofs_count_is_at_most_the_place_along_any_v_that_the_intersection_bounds(
    points: list[Point], data: st.DataObject
) -> None:
    labels = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    report = optimum(plane.dichotomies(points), labels)
    sides = [each.classifier for each in report.dichotomies]
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(sides), max_size=len(sides)))
    normals = [tuple(weight * each for each in side.normal) for weight, side in zip(weights, sides, strict=True)]
    along = (sum(each[0] for each in normals), sum(each[1] for each in normals))
    if any(along):
        rest = highdim.undecided(report, labels)
        counted = highdim_count.counts(tuple(points), report, rest, along, Reading.ORACLE)
        assert highdim_count.exceptions(points, counted, along) == 0


@pytest.mark.parametrize("family", ["noisy", "outliers", "ties", "corners"])
def test_with_the_proofs_count_the_lemma_holds_by_its_own_premise(family: str) -> None:
    """Some optimal classifier of the report is k worse than h*, and Bob was given no hidden positive."""
    tried = 0
    for number in range(6):
        instance = FAMILIES[family](number, 1)
        ask = oracle(instance.points)
        true, positive = ask(instance.truth), [index for index, label in enumerate(instance.truth) if label]
        right = frozenset(positive)
        for hide in (each for size in (1, 2, 3) for each in combinations(positive, size)):
            report = reported(instance, hide, ask)
            worse = max(len(each.positive ^ right) for each in report.optimum.dichotomies) - true.error
            if worse < 1 or report.hidden != hide:
                continue
            sides = [each.classifier for each in report.optimum.dichotomies]
            for best in (each for each in true.dichotomies if highdim.consistent_sides(sides, each.classifier)):
                along = direction(instance, best, Reading.ORACLE)
                counted = highdim_count.counts(instance.points, report.optimum, report.rest, along, Reading.ORACLE)
                for delta in (NINE_TENTHS, HALF):
                    tickets = rule(delta, worse).tickets(report.optimum.error)
                    assert highdim.undetected([counted[each] for each in hide], tickets) <= delta
                    tried += 1
    assert tried
