"""Critical points: every way finds the same, whatever the points; and what is found is what the definition says."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.geometry import certificate, critical, everylp, exact
from protocol.paper.geometry.gaussians import Cut, Shift, two_gaussians
from protocol.paper.geometry.points import LARGEST, UNIT, Labelled, NotSeparable, on_grid
from tests.support.labelled_points import KINDS, drawn, sets
from verifier import critical as checker
from verifier.critical.arithmetic import is_long


def line(positive: Sequence[float], negative: Sequence[float]) -> Labelled:
    return on_grid(np.reshape(positive, (-1, 1)), np.reshape(negative, (-1, 1)))


def checked(points: Labelled, folder: Path) -> list[int]:
    """The critical points, found, proven, written down, and checked by the other side's code."""
    path = folder / "critical.json"
    proven = certificate.certified(points)
    path.write_bytes(certificate.encode(proven))
    found = checker.check(path)
    assert list(found.critical) == proven.critical
    assert (found.positives, found.negatives) == (len(points.positive), len(points.negative))
    return proven.critical


def by_definition(points: Labelled) -> list[int]:
    """Who can be flipped, by exact arithmetic alone."""
    lifted = points.lifted()
    return [
        each for each in range(len(points.negative)) if isinstance(exact.membership(lifted, each), exact.Separation)
    ]


def in_the_plane(points: Labelled) -> list[int]:
    """The same in one or two dimensions, by trying every plane through points, in fractions.

    In the lifted space of at most three dimensions, a vector is in a cone iff it is in the cone of at most three of its
    generators (Carathéodory), which is a small system of equations.
    """
    lifted = [[Fraction(int(each)) for each in row] for row in points.lifted()]
    return [
        place
        for place in range(len(points.negative))
        if not any(
            _in_cone(lifted[place], [lifted[each] for each in chosen])
            for size in range(1, len(lifted[0]) + 1)
            for chosen in combinations([each for each in range(len(lifted)) if each != place], size)
        )
    ]


def _in_cone(vector: list[Fraction], generators: list[list[Fraction]]) -> bool:
    """Whether independent generators give the vector with non-negative parts, by elimination."""
    rows = [[*column, value] for *column, value in zip(*generators, vector, strict=True)]
    rank = 0
    for column in range(len(generators)):
        pivot = next((row for row in range(rank, len(rows)) if rows[row][column]), None)
        if pivot is None:
            return False  # dependent: fewer of them suffice
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        rows[rank] = [each / rows[rank][column] for each in rows[rank]]
        for row in range(len(rows)):
            if row != rank:
                rows[row] = [a - rows[row][column] * b for a, b in zip(rows[row], rows[rank], strict=True)]
        rank += 1
    return all(not row[-1] for row in rows[rank:]) and all(row[-1] >= 0 for row in rows[:rank])


def test_on_a_line_only_the_negative_next_to_the_positives_is_critical(tmp_path: Path) -> None:
    assert checked(line([2, 3], [-1, -2, -3, -4]), tmp_path) == [0]


def test_without_positives_the_critical_points_are_the_corners_of_the_negatives(tmp_path: Path) -> None:
    assert checked(line([], [0, 5, 1, 2]), tmp_path) == [0, 1]
    square = on_grid(np.zeros((0, 2)), [[0, 0], [2, 0], [0, 2], [2, 2], [1, 1], [1, 0]])
    assert checked(square, tmp_path) == [0, 1, 2, 3]


def test_a_single_negative_is_critical(tmp_path: Path) -> None:
    assert checked(line([2, 3], [-1]), tmp_path) == [0]
    assert checked(on_grid([[1.0, 2.0]], [[0.0, 0.0]]), tmp_path) == [0]


def test_a_negative_with_a_twin_is_not_critical(tmp_path: Path) -> None:
    assert checked(line([2], [-1, -1, -2]), tmp_path) == []
    assert checked(line([2], [-1, -1.5, -2, -2]), tmp_path) == [0]


def test_fewer_points_than_dimensions_are_all_critical(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    assert checked(on_grid(random.random((2, 9)), -random.random((4, 9))), tmp_path) == [0, 1, 2, 3]


def test_a_point_in_the_middle_of_a_face_is_not_critical(tmp_path: Path) -> None:
    points = on_grid([[5.0, 1.0]], [[0.0, 0.0], [0.0, 2.0], [0.0, 1.0], [-3.0, 1.0]])
    assert checked(points, tmp_path) == by_definition(points) == in_the_plane(points)
    assert 2 not in checked(points, tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_all_awkward_sets_are_decided_as_exact_arithmetic_does(kind: str, tmp_path: Path) -> None:
    for seed in range(12):
        points = drawn(kind, seed)
        assert checked(points, tmp_path) == by_definition(points), (kind, seed)


@pytest.mark.parametrize("kind", KINDS)
def test_in_two_dimensions_it_is_what_trying_all_cones_says(kind: str, tmp_path: Path) -> None:
    for seed in range(100, 104):
        points = drawn(kind, seed, most=9, dimensions=2)
        assert checked(points, tmp_path) == in_the_plane(points), (kind, seed)


def test_every_method_finds_the_same_on_random_points(tmp_path: Path) -> None:
    for points in sets(("gaussian",), 25):
        proven = checked(points, tmp_path)
        assert everylp.critical_points(points) == proven
        assert critical.as_written(points) == proven


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lattice", "gaussian", "twins", "collinear", "circle"])
def test_the_slow_method_finds_the_same_on_hundreds_of_sets(kind: str, tmp_path: Path) -> None:
    for seed in range(200, 290):
        points = drawn(kind, seed)
        assert everylp.critical_points(points) == checked(points, tmp_path), (kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["lattice", "gaussian", "collinear", "circle"])
def test_the_algorithm_as_written_finds_the_same_on_hundreds_of_sets_without_twins(kind: str, tmp_path: Path) -> None:
    for seed in range(300, 390):
        twins = drawn(kind, seed)
        points = Labelled(positive=np.unique(twins.positive, axis=0), negative=np.unique(twins.negative, axis=0))
        assert critical.as_written(points) == checked(points, tmp_path), (kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("shift", list(Shift))
def test_every_method_finds_the_same_on_gaussians(shift: Shift, tmp_path: Path) -> None:
    for seed, dimension in ((1, 3), (2, 7), (3, 12)):
        made = two_gaussians(
            dimension=dimension, size=200, ratio=0.05, distance=3, cut=Cut.BAYES, shift=shift, seed=seed
        )
        proven = checked(made.points, tmp_path)
        assert proven == everylp.critical_points(made.points) == critical.as_written(made.points)
        assert 0 < len(proven) < len(made.points.negative)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=8), st.data())
@settings(deadline=None, max_examples=40)
def test_flipping_a_critical_point_and_no_other_leaves_the_set_separable(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    labels = data.draw(
        st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)).filter(lambda all_: not all(all_))
    )
    array, responsive = np.array(rows, np.int64) * UNIT, np.array(labels)
    points = Labelled(positive=array[responsive], negative=array[~responsive])
    if not _separable(points):
        with pytest.raises(NotSeparable):
            certificate.certified(points)
        return
    found = certificate.certified(points).critical
    for place in range(len(points.negative)):
        flipped = Labelled(
            positive=np.concatenate((points.positive, points.negative[place : place + 1])),
            negative=np.concatenate((np.delete(points.negative, place, axis=0), [[-9 * UNIT, -9 * UNIT]])),
        )
        without = np.delete(flipped.lifted(), len(flipped.negative) - 1, axis=0)  # Labelled wants a negative
        assert _above(without) == (place in found)


def _separable(points: Labelled) -> bool:
    return _above(points.lifted())


def _above(rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> bool:
    try:
        plane = exact.separator(rows)
    except NotSeparable:
        return False
    return bool(np.all(rows.astype(object) @ np.array(plane, object) > 0))


def test_planes_of_many_dimensions_with_large_coordinates_are_short(tmp_path: Path) -> None:
    corner = np.where(np.arange(150) % 2, 1 - LARGEST, LARGEST - 1)[None, :]
    points = Labelled(positive=corner, negative=-corner)  # so that the separator's numbers are all as large
    proven = certificate.certified(points)
    assert min(abs(each) for each in proven.separator[1:]) == max(abs(each) for each in proven.separator)
    assert not any(is_long(LARGEST - 1, list(plane)) for plane in (proven.separator, *proven.planes.values()))
    assert checked(points, tmp_path) == [0]


def test_a_proof_that_the_checker_would_not_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    proven = certificate.certified(line([2], [-1, -1, -2]))
    certificate.encode(proven)
    place, witness = next(iter(proven.witnesses.items()))
    for long in (
        replace(witness, times=10**4000),
        replace(witness, interior=10**4000),
        replace(witness, parts={1: 10**5000}),
    ):
        forged = replace(proven, witnesses=proven.witnesses | {place: long})
        with pytest.raises(certificate.TooLong, match="more than 4000 digits"):
            certificate.encode(forged)
    certificate.encode(replace(proven, witnesses=proven.witnesses | {place: replace(witness, times=10**4000 - 1)}))
    with pytest.raises(certificate.TooLong, match="more than 4000 digits"):
        certificate.encode(replace(proven, separator=[0, -(10**4000)]))
    with monkeypatch.context() as patch:
        patch.setitem(certificate.MOST, "[", 3)
        with pytest.raises(certificate.TooLong, match="use fewer points"):
            certificate.encode(proven)
    monkeypatch.setattr(certificate, "LARGEST_FILE", 100)
    with pytest.raises(certificate.TooLong, match="use fewer points"):
        certificate.encode(proven)


def test_a_set_too_narrow_for_floats_and_too_large_for_exact_arithmetic_is_not_called_inseparable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = LARGEST - 1
    points = Labelled(
        positive=np.array([[most, 0, most], [most, most, 0]]),
        negative=np.array([[most - 1, most, 0], [most - 1, 0, 0]]),
    )
    assert checked(points, tmp_path) == [0, 1]
    monkeypatch.setattr(certificate, "_SMALL", 8)
    with pytest.raises(NotSeparable, match="there is none, or it is too narrow"):
        certificate.certified(points)


def test_points_that_no_plane_splits_are_refused() -> None:
    with pytest.raises(NotSeparable, match="no plane"):
        certificate.certified(line([0, 2], [1]))
    with pytest.raises(NotSeparable, match="no plane"):
        certificate.certified(line([1], [1]))
    with pytest.raises(NotSeparable, match="no plane"):
        critical.as_written(line([0, 2], [1]))
