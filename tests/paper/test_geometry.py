"""The parts that critical points are made of: classifier, map, linear programs, exact arithmetic, made-up points."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from protocol.paper.geometry import certificate, exact, integral
from protocol.paper.geometry.cone import Cone
from protocol.paper.geometry.critical import decide, spread_out
from protocol.paper.geometry.extremal import extremal_points
from protocol.paper.geometry.gaussians import Cut, Shift, TwoGaussians, two_gaussians
from protocol.paper.geometry.maxmargin import max_margin
from protocol.paper.geometry.points import GRID_BITS, LARGEST, UNIT, BadPoints, Labelled, NotSeparable, on_grid
from protocol.paper.geometry.projective import mapped
from protocol.paper.geometry.screening import Screen
from protocol.paper.geometry.solver import INFINITY, Solver, Unsolved
from tests.support.labelled_points import sets


def made(dimension: int = 4, size: int = 120, shift: Shift = Shift.MIRROR, cut: Cut = Cut.BAYES) -> TwoGaussians:
    return two_gaussians(dimension=dimension, size=size, ratio=0.2, distance=3, cut=cut, shift=shift, seed=5)


# Points


@pytest.mark.parametrize(
    ("positive", "negative", "reason"),
    [
        (np.zeros((1, 2)), np.zeros((1, 2), np.int64), "rows of 64-bit integers"),
        (np.zeros(2, np.int64), np.zeros((1, 2), np.int64), "rows of 64-bit integers"),
        (np.zeros((1, 3), np.int64), np.zeros((1, 2), np.int64), "3 coordinates, negative ones 2"),
        (np.zeros((1, 0), np.int64), np.zeros((1, 0), np.int64), "no coordinates"),
        (np.zeros((1, 2), np.int64), np.zeros((0, 2), np.int64), "no negative point"),
        (np.full((1, 2), LARGEST), np.zeros((1, 2), np.int64), "scale the points"),
        (np.full((1, 2), -LARGEST), np.zeros((1, 2), np.int64), "scale the points"),
    ],
)
def test_what_is_no_set_of_points_is_refused(positive: Any, negative: Any, reason: str) -> None:
    with pytest.raises(BadPoints, match=reason):
        Labelled(positive=positive, negative=negative)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e9])
def test_numbers_that_are_not_on_the_grid_are_refused(value: float) -> None:
    with pytest.raises(BadPoints, match="scale the points"):
        on_grid([[value]], [[0.0]])


def test_the_lift_has_negatives_first_and_turned_round() -> None:
    points = on_grid([[1.0, 2.0]], [[3.0, 0.5]])
    assert (points.lifted() / UNIT).tolist() == [[-1, -3, -0.5], [1, 1, 2]]
    assert UNIT == 2**GRID_BITS


# The max-margin classifier


@pytest.mark.parametrize(("dimension", "size"), [(1, 10), (2, 40), (5, 300), (30, 200), (12, 10)])
def test_the_classifier_fulfils_the_kkt_conditions(dimension: int, size: int) -> None:
    points = made(dimension, size).points
    positive, negative = points.positive / UNIT, points.negative / UNIT
    found = max_margin(positive, negative)
    signs = np.repeat([-1.0, 1.0], [len(negative), len(positive)])
    rows = np.concatenate((negative, positive))
    margins = signs * (rows @ found.weights + found.offset)
    assert margins.min() == pytest.approx(1, abs=1e-8)
    assert found.multipliers.min() >= 0
    total = found.multipliers.sum()
    assert (found.multipliers * signs) @ rows == pytest.approx(found.weights, abs=1e-7 * total)
    assert found.multipliers @ signs == pytest.approx(0, abs=1e-9 * total)
    assert found.multipliers @ (margins - 1) == pytest.approx(0, abs=1e-6 * total)


def test_between_two_points_the_plane_is_in_the_middle() -> None:
    found = max_margin(np.array([[3.0, 1.0]]), np.array([[1.0, 1.0]]))
    assert found.weights == pytest.approx([1, 0])
    assert found.offset == pytest.approx(-2)


@pytest.mark.parametrize(
    ("positive", "negative"),
    [([[0.0], [2.0]], [[1.0]]), ([[1.0]], [[1.0]]), ([[0.0, 0.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]])],
)
def test_points_that_no_plane_splits_have_no_classifier(positive: Any, negative: Any) -> None:
    with pytest.raises(NotSeparable, match="no plane was found"):
        max_margin(np.array(positive), np.array(negative))


# The projective map


def test_the_map_is_orthogonal_and_keeps_the_sides_of_every_plane() -> None:
    points = made().points
    found = mapped(points)
    assert found.rotation.T @ found.rotation == pytest.approx(np.eye(5), abs=1e-12)
    assert found.denominators.min() > 0
    assert found.homogeneous[:, 0] == pytest.approx(1)
    functional = np.random.default_rng(1).standard_normal(5)
    before = points.lifted() @ found.plane(functional)
    assert np.array_equal(before > 0, found.homogeneous @ functional > 0)


def test_the_maps_first_column_is_the_max_margin_classifier() -> None:
    points = made().points
    classifier = max_margin(points.positive / UNIT, points.negative / UNIT)
    first = mapped(points).rotation[:, 0]
    expected = np.concatenate(([classifier.offset], classifier.weights))
    assert first == pytest.approx(expected / np.linalg.norm(expected))


# Corners and cones


def test_the_corners_of_a_square_are_found_among_points_on_its_sides() -> None:
    square = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0], [0, 0.5], [0.5, 1], [1, 0.5], [0.5, 0.5]])
    assert extremal_points(square) == [0, 1, 2, 3]


def test_of_twin_corners_one_is_found() -> None:
    assert extremal_points(np.array([[0.0], [1.0], [1.0], [0.0], [0.5]])) == [0, 1]


def test_screening_finds_only_corners_each_with_a_plane_of_its_own() -> None:
    for points in sets(("gaussian", "lattice", "twins"), 8):
        rows = mapped(points).homogeneous
        screen = Screen(rows)
        screen.search(np.arange(len(rows)), lambda decided, _: decided > 0)
        for row, corner in screen.corners.items():
            values = rows @ corner.functional
            assert values[row] < 0 < np.delete(values, row).min(initial=np.inf)
            assert isinstance(exact.membership(points.lifted(), row), exact.Separation)


def test_a_shot_says_how_deep_a_point_lies() -> None:
    rows = np.array([[1.0, 0, 0], [1, 4, 0], [1, 0, 4], [1, 1, 1], [1, 3, 3]])
    cone = Cone(rows, np.array([1.0, 1, 1]))
    for row in (0, 1, 2):
        cone.add(row)
        cone.add(row)  # twice is once
    inside, _ = cone.shoot(3)
    assert inside is not None
    assert inside.depth == pytest.approx(1)
    outside, plane = cone.shoot(4)
    assert outside is not None
    assert outside.depth == pytest.approx(-1)
    assert rows[4] @ plane == pytest.approx(-1)
    assert (rows[:3] @ plane).min() >= -1e-9
    cone.shoot(3)
    _, early = cone.shoot(4, enough=0.01)
    assert rows[4] @ early < 0
    assert (rows[:3] @ early).min() >= -1e-9


def test_a_generator_is_shot_at_without_its_own_help() -> None:
    rows = np.array([[1.0, 0, 0], [1, 4, 0], [1, 0, 4], [1, 1, 1]])
    cone = Cone(rows, np.array([1.0, 1.2, 1.2]))
    for row in range(4):
        cone.add(row)
    inside, _ = cone.shoot(3)
    assert inside is not None
    assert 3 not in inside.members.tolist()
    assert inside.parts @ rows[inside.members] + inside.depth * np.array([1, 1.2, 1.2]) == pytest.approx(rows[3])


def test_what_one_solution_proves_of_others_is_right() -> None:
    decision = decide(made(3, 300).points)
    rows = decision.mapped.homogeneous
    centre = decision.mapped.denominators[list(decision.basis or [])] @ rows[list(decision.basis or [])]
    assert decision.shots
    for row, shot in decision.shots.items():
        assert shot.depth > 0
        assert shot.parts.min() >= 0
        assert shot.parts @ rows[shot.members] + shot.depth * centre / centre[0] == pytest.approx(rows[row], abs=1e-8)


def test_points_in_one_plane_have_no_basis() -> None:
    assert spread_out(np.array([[1.0, 0, 0], [1, 1, 1], [1, 2, 2], [1, 3, 3]])) is None
    assert spread_out(np.array([[1.0, 0, 0], [1, 1, 1]])) is None


def test_a_linear_program_without_a_solution_is_an_error() -> None:
    solver = Solver()
    solver.column(-1.0, 0.0, INFINITY)
    with pytest.raises(Unsolved, match="the linear program ended as"):
        solver.solve()


# Exact arithmetic

numbers = st.integers(-4, 4)


@given(st.integers(1, 4).flatmap(lambda size: st.lists(st.tuples(*[numbers] * size), min_size=1, max_size=9)))
@settings(deadline=None, max_examples=100)
def test_membership_comes_with_its_exact_proof(rows: Sequence[tuple[int, ...]]) -> None:
    array = np.array(rows, np.int64)
    found = exact.membership(array, 0)
    if isinstance(found, exact.Combination):
        assert found.times > 0
        assert 0 not in found.parts
        assert all(part > 0 for part in found.parts.values())
        total = sum((part * array[row] for row, part in found.parts.items()), np.zeros_like(array[0]))
        assert (total == found.times * array[0]).all()
    else:
        values = array @ np.array(found.plane)
        assert values[0] < 0
        assert (values[1:] >= 0).all()


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=8))
@settings(deadline=None, max_examples=100)
def test_either_a_plane_is_above_zero_on_all_rows_or_none_is(rows: Sequence[tuple[int, ...]]) -> None:
    array = np.array(rows, np.int64)
    try:
        plane = exact.separator(array)
    except NotSeparable:
        # Some rows add up to zero then, so that no plane can be above zero on all.
        combined = [exact.membership(np.concatenate((-array[[row]], array)), 0) for row in range(len(array))]
        assert any(isinstance(each, exact.Combination) for each in combined)
    else:
        assert (array @ np.array(plane) > 0).all()


@given(st.integers(1, 70), st.integers(1, 52), st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_products_are_exact(row_bits: int, plane_bits: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    most = 2 ** min(row_bits, 40)
    rows = random.integers(-most, most + 1, (4, 3))
    planes = random.integers(-(2**plane_bits), 2**plane_bits + 1, (2, 3))
    expected = rows.astype(object) @ planes.T.astype(object)
    assert (integral.products(rows, planes).astype(object) == expected).all()
    if min(row_bits, 40) < 30:
        sums = integral.combinations(csr_array(planes[:, :2]), rows[:2])
        assert (sums == planes[:, :2].astype(object) @ rows[:2].astype(object)).all()


@pytest.mark.parametrize(("size", "most"), [(300, LARGEST - 1), (1000, 1000 * LARGEST), (3, 2**50)])
def test_combinations_are_exact_however_many_and_large(size: int, most: int) -> None:
    rows = np.full((size, 2), most, np.int64)
    rows[:, 1] -= np.arange(size)
    factors = np.full((2, size), 2**53 - 1, np.int64)
    factors[1, ::2] *= -1
    expected = factors.astype(object) @ rows.astype(object)
    assert (integral.combinations(csr_array(factors), rows) == expected).all()


def test_rounding_keeps_ratios_and_signs() -> None:
    assert integral.rounded(np.array([1.0, -0.5, 0.0]), 10) == [1024, -512, 0]
    assert integral.rounded(np.zeros(2), 10) == [0, 0]


def test_a_basis_that_is_none_gives_no_interior() -> None:
    lifted = made(2, 20).points.lifted()
    assert certificate.interior_of(lifted, [0, 0, 1]) is None
    good = spread_out(lifted / UNIT)
    assert good is not None
    found = certificate.interior_of(lifted, good)
    assert found is not None
    inverse = np.linalg.inv(lifted[good].T.astype(float))
    assert float(found.reach) == pytest.approx(float(np.abs(inverse).max()), rel=1e-3)


# Made-up points


@pytest.mark.parametrize("shift", list(Shift))
@pytest.mark.parametrize("cut", list(Cut))
def test_shifted_gaussians_are_separable_and_the_others_stay(shift: Shift, cut: Cut) -> None:
    found = made(3, 400, shift, cut)
    assert len(found.points.positive) == round(400 * 0.2 / 1.2)
    assert found.points.negative[:, 0].max() < found.points.positive[:, 0].min()
    first = np.concatenate((found.points.negative, found.points.positive))[:, 0] / UNIT
    moved = np.abs(first - found.scores) > 0.0011
    assert abs(int(moved.sum()) - sum(found.shifted)) <= 2  # one may lie within the margin already
    assert sum(found.shifted) > 0
    assert found.responsive.sum() == len(found.points.positive)


def test_the_bayes_cut_makes_fewer_errors_than_the_middle() -> None:
    assert sum(made(2, 4000, cut=Cut.BAYES).shifted) < sum(made(2, 4000, cut=Cut.MIDDLE).shifted)


def test_the_same_seed_draws_the_same_points() -> None:
    assert (made().points.rows() == made().points.rows()).all()
