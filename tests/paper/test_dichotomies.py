"""The oracle of all optimal linear classifiers: enumeration, search, and what is known about their numbers."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from protocol.paper.geometry.dichotomies import plane, search
from protocol.paper.geometry.dichotomies.base import (
    BadPoints,
    Classifier,
    Dichotomy,
    Optimum,
    Point,
    between,
    classified,
    optimum,
)

SQUARE = [(0, 0), (0, 1), (1, 0), (1, 1)]
XOR = [False, True, True, False]


def grid(reach: int, most: int, wide: int = 2) -> st.SearchStrategy[list[Point]]:
    """Few places for many points: collinear ones and duplicates are common."""
    return st.lists(st.tuples(*[st.integers(0, reach)] * wide), min_size=1, max_size=most)


def separable(points: list[Point], labels: tuple[bool, ...]) -> bool:
    """By a linear program, as nothing here does."""
    rows = [[-sign * each for each in (*point, 1)] for point, sign in zip(points, _signs(labels), strict=True)]
    found = linprog([0] * len(rows[0]), A_ub=rows, b_ub=[-1] * len(rows), bounds=(None, None))
    return bool(found.status == 0)


def _signs(labels: tuple[bool, ...]) -> list[int]:
    return [1 if label else -1 for label in labels]


def parts(found: Optimum) -> tuple[int, list[list[int]]]:
    return found.error, [sorted(each.positive) for each in found.dichotomies]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9])
def test_points_in_convex_position_have_as_many_dichotomies_as_ordered_pairs_and_two(count: int) -> None:
    assert len(plane.dichotomies([(x, x * x) for x in range(count)])) == count * (count - 1) + 2


def test_points_in_general_position_have_as_many_dichotomies_as_cover_counted() -> None:
    points = [(0, 0), (13, 1), (4, 11), (5, 3), (7, 5), (6, 2), (9, 8)]  # some inside the others' hull
    assert len(plane.dichotomies(points)) == 2 * sum(comb(len(points) - 1, k) for k in range(3))


@pytest.mark.parametrize("count", [1, 2, 6])
def test_points_on_a_line_have_two_dichotomies_a_point(count: int) -> None:
    for points in ([(3 * x,) for x in range(count)], [(2 * x, 5 - 3 * x) for x in range(count)]):
        assert len(plane.dichotomies(points)) == 2 * count


def test_points_in_one_place_are_never_parted() -> None:
    assert [sorted(each.positive) for each in plane.dichotomies([(4, 4)] * 3)] == [[], [0, 1, 2]]


def test_a_lattice_has_the_dichotomies_that_a_linear_program_separates() -> None:
    points: list[Point] = [(x, y) for x in range(4) for y in range(2)]
    found = {each.positive for each in plane.dichotomies(points)}
    for labels in product([False, True], repeat=8):
        positive = frozenset(index for index, label in enumerate(labels) if label)
        assert (positive in found) == separable(points, labels)


@settings(max_examples=12, deadline=None)
@given(grid(4, 6))
def test_enumeration_finds_exactly_what_a_linear_program_separates(points: list[Point]) -> None:
    found = {each.positive for each in plane.dichotomies(points)}
    for labels in product([False, True], repeat=len(points)):
        positive = frozenset(index for index, label in enumerate(labels) if label)
        assert (positive in found) == separable(points, labels)


@settings(max_examples=100, deadline=None)
@given(grid(9, 9))
def test_each_dichotomy_comes_once_with_a_classifier_that_makes_it(points: list[Point]) -> None:
    found = plane.dichotomies(points)
    assert len({each.positive for each in found}) == len(found)
    assert all(classified(each.classifier, points) == each.positive for each in found)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_search_and_enumeration_agree_on_plane_points(data: st.DataObject) -> None:
    points = data.draw(grid(data.draw(st.sampled_from([1, 3, 12])), 8))
    labels = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    found = search.optimal(points, labels)
    assert parts(found) == parts(optimum(plane.dichotomies(points), labels))
    assert all(classified(each.classifier, points) == each.positive for each in found.dichotomies)


def test_a_better_dichotomy_that_the_solver_finds_later_replaces_what_it_called_optimal() -> None:
    points = [(0, 3), (0, 5), (0, 5), (6, 2), (3, 2), (5, 4), (5, 4)]
    labels = [False, False, False, False, True, True, False]
    assert parts(search.optimal(points, labels)) == (1, [[4]])


@pytest.mark.slow
def test_search_and_enumeration_agree_on_hundreds_of_plane_instances() -> None:
    rng = np.random.default_rng(5)
    for _ in range(250):
        count, reach = int(rng.integers(1, 11)), int(rng.choice([1, 2, 5, 20]))
        points = [(int(x), int(y)) for x, y in rng.integers(-reach, reach + 1, size=(count, 2))]
        labels = [bool(each) for each in rng.random(count) < 0.5]
        assert parts(search.optimal(points, labels)) == parts(optimum(plane.dichotomies(points), labels))


def test_search_agrees_with_enumeration_on_a_line() -> None:
    points, labels = [(1,), (2,), (2,), (5,), (9,)], [True, False, True, False, True]
    assert parts(search.optimal(points, labels)) == parts(optimum(plane.dichotomies(points), labels))


def test_search_separates_as_many_labellings_in_space_as_cover_counted() -> None:
    points = [(0, 0, 0), (5, 1, 0), (1, 4, 2), (2, 2, 5), (3, 5, 4)]
    labellings = [list(labels) for labels in product([False, True], repeat=5)]
    assert sum(search.optimal(points, labels).error == 0 for labels in labellings) == 2 * (1 + 4 + 6 + 4)


def test_search_lists_all_optimal_dichotomies_of_a_cube_with_two_opposite_corners() -> None:
    points: list[Point] = [(x, y, z) for x in range(2) for y in range(2) for z in range(2)]
    labels = [point in ((0, 0, 0), (1, 1, 1)) for point in points]
    found = search.optimal(points, labels)
    near = [frozenset(index for index, label in enumerate(labels) if label != (index == turned)) for turned in range(8)]
    expected = [each for each in near if separable(points, tuple(index in each for index in range(8)))]
    assert found.error == 1
    assert {each.positive for each in found.dichotomies} == set(expected)


def test_exclusive_or_costs_one_point_whichever() -> None:
    assert parts(optimum(plane.dichotomies(SQUARE), XOR)) == (1, [[0, 1, 2], [1], [1, 2, 3], [2]])


def test_constant_classifiers_are_optimal_where_all_labels_are_alike() -> None:
    assert parts(optimum(plane.dichotomies(SQUARE), [True] * 4)) == (0, [[0, 1, 2, 3]])
    assert parts(search.optimal(SQUARE, [False] * 4)) == (0, [[]])


def test_a_point_on_the_hyperplane_is_positive() -> None:
    assert classified(Classifier(normal=(1, 0), offset=-1), SQUARE) == {2, 3}


def test_there_is_no_classifier_between_parts_that_share_a_value() -> None:
    assert between((1, 0), SQUARE, frozenset({0})) is None
    assert between((-1, -1), SQUARE, frozenset({0})) == Classifier(normal=(-2, -2), offset=1)


def test_the_widest_classifier_halves_the_way_between_two_points() -> None:
    found = plane.widest([(0, 0), (4, 2)], frozenset({1}))
    assert found == Classifier(normal=(8, 4), offset=-20)


def test_the_widest_classifier_is_parallel_to_an_edge_that_faces_a_point() -> None:
    found = plane.widest([(0, 0), (10, 0), (4, 6)], frozenset({2}))
    assert found.normal[0] == 0
    assert Fraction(-found.offset, found.normal[1]) == 3


@settings(max_examples=60, deadline=None)
@given(grid(8, 8))
def test_no_other_classifier_has_a_wider_margin_than_the_widest(points: list[Point]) -> None:
    for each in plane.dichotomies(points):
        if 0 < len(each.positive) < len(points):
            found = plane.widest(points, each.positive)
            assert classified(found, points) == each.positive
            assert _margin(found, points) >= _margin(each.classifier, points)


def _margin(classifier: Classifier, points: list[Point]) -> Fraction:
    near = min(abs(classifier.value(point)) for point in points)
    return Fraction(near**2, sum(each**2 for each in classifier.normal))


@settings(max_examples=15, deadline=None)
@given(grid(8, 6), st.tuples(st.integers(-5, 5), st.integers(-5, 5)).filter(any))
def test_the_nearest_of_all_classifiers_is_as_near_as_a_linear_program_finds(
    points: list[Point], direction: Point
) -> None:
    for each in plane.dichotomies(points)[::3]:
        lines = plane.touching(points, each.positive, direction)
        for index, point in enumerate(points):
            if index not in each.positive:
                speeds = [(line, sum(a * b for a, b in zip(line.normal, direction, strict=True))) for line in lines]
                found = [Fraction(-line.value(point), speed) for line, speed in speeds]
                least = _nearest(points, each, direction, point)
                assert least is None or float(min(found)) == pytest.approx(least, abs=1e-6)
                assert (least is None) == (not found)


def _nearest(points: list[Point], each: Dichotomy, direction: Point, point: Point) -> float | None:
    rows = [[(-1 if i in each.positive else 1) * v for v in (*p, 1)] for i, p in enumerate(points)]
    found = linprog(
        [-v for v in (*point, 1)],
        A_ub=rows,
        b_ub=[0] * len(rows),
        A_eq=[[*direction, 0]],
        b_eq=[1],
        bounds=(None, None),
    )
    return float(found.fun) if found.status == 0 else None


def test_enumeration_refuses_points_in_space() -> None:
    with pytest.raises(BadPoints, match="3 dimensions"):
        plane.dichotomies([(1, 2, 3)])


@pytest.mark.parametrize("points", [[], [()], [(1, 2), (1, 2, 3)]])
def test_points_of_no_one_dimension_are_refused(points: list[Point]) -> None:
    with pytest.raises(BadPoints, match="one dimension"):
        plane.dichotomies(points)
    with pytest.raises(BadPoints, match="one dimension"):
        search.optimal(points, [True] * len(points))


def test_search_refuses_labels_that_do_not_match_the_points() -> None:
    with pytest.raises(BadPoints, match="4 points have 3 labels"):
        search.optimal(SQUARE, [True] * 3)


def test_search_refuses_points_too_finely_placed_for_the_solver() -> None:
    with pytest.raises(BadPoints, match="scale down"):
        search.optimal([(0, 0, 0), (999, 1000, 1001)], [True, False])


def test_a_part_that_no_line_cuts_off_has_no_widest_classifier() -> None:
    with pytest.raises(BadPoints, match="no line parts"):
        plane.widest(SQUARE, frozenset({0, 3}))


def test_a_hyperplane_of_the_solver_that_parts_otherwise_is_refused() -> None:
    with pytest.raises(search.SolverFailed, match="does not part"):
        search.exact(SQUARE, frozenset({0}), [0.3, 0.7])


def test_a_small_error_of_the_solver_is_made_exact() -> None:
    points = [(0, 0), (100, 1), (200, 3)]
    found = search.exact(points, frozenset({1}), [0.0151, -1.0])  # rounded to eighths, it would part otherwise
    assert classified(found, points) == {1}


@pytest.mark.parametrize("reach", [1, 2, 3])
def test_every_dichotomy_of_the_lattice_has_the_margin_that_the_search_relies_on(reach: int) -> None:
    points = [(x, y) for x in range(reach + 1) for y in range(reach + 1)]
    for each in plane.dichotomies(points):
        signs = [1 if index in each.positive else -1 for index in range(len(points))]
        rows = [[*(-sign * v for v in (*point, 1)), 1] for point, sign in zip(points, signs, strict=True)]
        bounds = [(-1, 1), (-1, 1), (None, None), (None, 10)]
        found = linprog([0, 0, 0, -1], A_ub=rows, b_ub=[0] * len(rows), bounds=bounds)
        assert -found.fun >= search.margin(points) - 1e-9
