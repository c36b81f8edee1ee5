"""A model is its dual values: weights and certificate against literal transcriptions in integers and fractions."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from protocol.errors import NotOptimal
from protocol.learning.model import (
    Certificate,
    Integers,
    Mask,
    Model,
    TooLarge,
    TrainingSet,
    ceil_sqrt,
    derive,
    near_cut,
    row_sums,
    sum_of_squares,
)
from protocol.learning.scoring import Scorer, top
from tests.support import loose_shards
from tests.support.labelled_sets import Row, features, labelled, rows, topic, train
from tests.support.loose_shards import cut

TERMS = 6
Vector = list[Fraction]
Labelled = tuple[list[Row], list[bool]]


@st.composite
def duals(draw: st.DrawFn) -> tuple[list[Row], list[bool], list[int]]:
    """Labelled rows with dual values of all sizes, far from the optimum."""
    found, labels = draw(labelled(terms=TERMS))
    sizes = st.integers(0, 3) | st.integers(0, 2**31) | st.integers(0, 2**40)
    return found, labels, draw(st.lists(sizes, min_size=len(found), max_size=len(found)))


def training_set(found: list[Row], labels: list[bool], terms: int = TERMS) -> TrainingSet:
    return TrainingSet.of(features(found, terms), np.arange(len(found)), np.array(labels, dtype=bool))


def model(found: list[Row], labels: list[bool], alphas: list[int], terms: int = TERMS) -> Model:
    return derive(training_set(found, labels, terms), np.array(alphas, dtype=np.int64))


def signs(labels: list[bool]) -> list[int]:
    return [1 if label else -1 for label in labels]


def literal_sums(found: list[Row], labels: list[bool], alphas: list[int], terms: int = TERMS) -> list[int]:
    """Of units of 2^-45; the bias is a last column of ones."""
    sums = [0] * (terms + 1)
    for row, sign, alpha in zip(found, signs(labels), alphas, strict=True):
        for column, value in {**row, terms: 2**15}.items():
            sums[column] += alpha * sign * value
    return sums


def dot(left: Vector, right: Vector) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def vector(row: Row, terms: int = TERMS) -> Vector:
    return [Fraction(row.get(column, 0), 2**15) for column in range(terms)] + [Fraction(1)]


# Weights and certificate


@settings(deadline=None)
@given(duals())
def test_weights_are_the_exact_sums_rounded_once(case: tuple[list[Row], list[bool], list[int]]) -> None:
    expected = [(each + 2**16) // 2**17 for each in literal_sums(*case)]
    assert model(*case).weights.tolist() == expected


@pytest.mark.parametrize(
    ("label", "value", "weight"),
    [(True, 2, 1), (False, 2, 0), (True, 1, 0), (False, 1, 0), (False, 3, -1), (True, 6, 2)],
)
def test_half_a_unit_is_rounded_up_on_either_side_of_zero(*, label: bool, value: int, weight: int) -> None:
    assert model([{0: value}], [label], [2**15], terms=1).weights[0] == weight


@settings(deadline=None)
@given(duals())
def test_the_certificate_is_the_definition_in_fractions(case: tuple[list[Row], list[bool], list[int]]) -> None:
    found, labels, alphas = case
    derived = model(*case)
    weights = [Fraction(each, 2**28) for each in derived.weights.tolist()]
    sums = [Fraction(each, 2**45) for each in literal_sums(*case)]
    slacks = [
        max(Fraction(0), 1 - sign * dot(weights, vector(row))) for row, sign in zip(found, signs(labels), strict=True)
    ]
    primal = dot(weights, weights) / 2 + dot(slacks, slacks)
    values = [Fraction(alpha, 2**30) for alpha in alphas]
    dual = sum(values) - dot(sums, sums) / 2 - dot(values, values) / 4
    assert Fraction(derived.certificate.primal, 2**91) == primal
    assert Fraction(derived.certificate.dual, 2**91) == dual


@settings(deadline=None)
@given(duals())
def test_no_dual_values_make_the_gap_negative(case: tuple[list[Row], list[bool], list[int]]) -> None:
    assert model(*case).certificate.gap >= 0


@pytest.mark.parametrize(
    ("primal", "gap", "accepted"),
    [(10**12, 0, True), (10**12, 1, True), (10**12 - 1, 1, False), (2 * 10**12 - 1, 2, False), (0, 1, False)],
)
def test_a_gap_of_one_in_ten_to_the_twelfth_is_accepted_and_no_more(*, primal: int, gap: int, accepted: bool) -> None:
    assert Certificate(primal=primal, dual=primal - gap).accepted is accepted


def test_documents_may_come_in_any_order_and_from_anywhere_in_the_corpus() -> None:
    found: list[Row] = [{0: 5}, {}, {1: 7, 2: 9}, {0: 11, 2: 13}]
    corpus = features(found, 3)
    chosen = TrainingSet.of(corpus, np.array([3, 1, 2]), np.array([True, False, False]))
    direct = training_set([found[3], found[1], found[2]], [True, False, False], terms=3)
    for name in ("signs", "starts", "columns", "values"):
        assert getattr(chosen, name).tolist() == getattr(direct, name).tolist()


def test_the_module_that_defines_the_model_needs_no_solver() -> None:
    script = "import sys, protocol.learning.model; sys.exit(any(name in sys.modules for name in ('scipy', 'sklearn')))"
    subprocess.run([sys.executable, "-c", script], check=True)


# What is refused


@pytest.fixture(scope="module")
def optimum() -> tuple[TrainingSet, Model]:
    corpus, labels = topic(600)
    everything = np.arange(corpus.size)
    return TrainingSet.of(corpus, everything, labels), train(corpus, everything, labels)


@pytest.mark.parametrize("change", [2**14, -(2**14), 2**20])
@pytest.mark.parametrize("place", [0, -1])
def test_a_model_with_one_dual_value_changed_by_a_little_is_refused(
    optimum: tuple[TrainingSet, Model], change: int, place: int
) -> None:
    training, found = optimum
    alphas = found.alphas.copy()
    alphas[np.argsort(alphas)[place] if place else np.flatnonzero(alphas > 2**14)[0]] += change
    assert derive(training, found.alphas).certificate.accepted
    assert not derive(training, alphas).certificate.accepted


def test_a_model_of_other_labels_is_refused(optimum: tuple[TrainingSet, Model]) -> None:
    training, found = optimum
    other = training.signs.copy()
    other[np.argmax(found.alphas)] *= -1
    assert not derive(replace(training, signs=other), found.alphas).certificate.accepted


def test_the_model_that_knows_nothing_is_refused() -> None:
    assert not model([{0: 2**15}, {1: 2**15}], [True, False], [0, 0]).certificate.accepted


@pytest.mark.parametrize("alphas", [[1, -1], [1], [1, 1, 1], []])
def test_negative_missing_and_additional_dual_values_are_refused(alphas: list[int]) -> None:
    with pytest.raises(NotOptimal, match="2 labelled documents need as many dual values, none below 0"):
        model([{0: 5}, {1: 5}], [True, False], alphas)


def test_dual_values_whose_sums_may_not_be_exact_are_refused() -> None:
    model([{0: 5}, {1: 5}], [True, False], [2**46 - 1, 2**46])
    with pytest.raises(TooLarge, match=r"a sum of dual values may reach 2\^63"):
        model([{0: 5}, {1: 5}], [True, False], [2**46, 2**46])


def test_dual_values_whose_scores_may_not_be_exact_are_refused() -> None:
    row = dict.fromkeys(range(9), 2**15)
    with pytest.raises(TooLarge, match=r"a score may reach 2\^64"):
        model([row], [True], [2**47 - 1], terms=9)


# Documents near the cut


def counted(scores: Integers, reviewed: Mask, batch: Integers, gap: int, norm: int) -> set[int]:
    """The documents near the cut by the definition, with R^2 = 2 gap * 2 norm^2 compared in fractions."""
    limit = Fraction(4 * gap, 2**91) * Fraction(norm**2, 2**30)
    outside = set(np.flatnonzero(~reviewed).tolist()) - set(batch.tolist())
    if not outside:
        return set()
    highest, lowest = max(int(scores[each]) for each in outside), min(int(scores[each]) for each in batch)
    distances = {each: int(scores[each]) - highest for each in batch.tolist()}
    distances |= {each: lowest - int(scores[each]) for each in outside}
    return {each for each, away in distances.items() if away <= 0 or Fraction(away, 2**43) ** 2 <= limit}


@settings(deadline=None, max_examples=100)
@given(labelled(), st.lists(rows(TERMS), min_size=2, max_size=10), st.integers(1, 9), st.integers(0, 28), st.data())
def test_only_documents_near_the_cut_change_sides_under_the_optimal_model_or_any_other_within_the_gap(
    case: Labelled, others: list[Row], count: int, error: int, data: st.DataObject
) -> None:
    found, labels = case
    corpus = features(found + others, TERMS)
    reviewed = np.arange(corpus.size) < len(found)
    optimum = train(corpus, np.arange(len(found)), np.array(labels))
    off = [data.draw(st.integers(-(2**error), 2**error)) for _ in found]
    near = derive(training_set(found, labels), np.maximum(optimum.alphas + off, 0))
    gap, shards = near.certificate.gap, cut(corpus)
    scores, norm = loose_shards.scores(shards, near.weights), Scorer(shards).largest_norm
    batch = top(scores, reviewed, count)
    expected = counted(scores, reviewed, batch, gap, norm)
    assert near_cut(scores, reviewed, batch, gap, norm) == len(expected)

    within = set(batch.tolist())
    dense = np.array([[float(each) for each in vector(row)] for row in found + others])
    for inside in within:  # the optimum, and for each pair the weights within the gap that favour the outer one most
        for outer in set(np.flatnonzero(~reviewed).tolist()) - within:
            direction = dense[outer] - dense[inside]
            shift = direction / max(float(np.sqrt((direction**2).sum())), 1e-300) * np.sqrt(2 * gap / 2**91)
            moved(scores / 2**43 + dense @ shift, reviewed, within, expected)
    moved(loose_shards.scores(shards, optimum.weights) / 2**43, reviewed, within, expected)


def moved(scores: NDArray[np.float64], reviewed: Mask, within: set[int], expected: set[int]) -> None:
    """Assert that these scores make a batch that differs in expected documents only, floats' errors aside."""
    left = sorted(np.flatnonzero(~reviewed).tolist(), key=lambda each: -scores[each])
    cut = scores[left[len(within) - 1]]
    sure = {each for each in left if abs(scores[each] - cut) > 1e-6}
    after = set(left[: len(within)])
    assert ((within ^ after) & sure) <= expected


def test_a_wide_gap_counts_everything_and_no_gap_only_ties() -> None:
    scores = np.array([9, 7, 5, 5, 5, 1])
    reviewed = np.array([False, True, False, False, False, False])
    batch = top(scores, reviewed, 2)
    assert batch.tolist() == [0, 2]
    assert near_cut(scores, reviewed, batch, 0, 2**15) == 3
    assert near_cut(scores, reviewed, batch, 2**91, 2**15) == 5
    assert near_cut(scores, reviewed, batch, 2**400, 2**15) == 5


def test_the_radius_is_the_square_root_rounded_up() -> None:
    norm, gap = 2**15, 2**91 // 10**12
    radius = isqrt(4 * 2**86 // 10**12)  # sqrt(2 gap) * sqrt(2), in units of 2^-43
    scores = np.array([radius + 1, 0])
    nothing = np.zeros(2, dtype=bool)
    assert near_cut(scores, nothing, np.array([0]), gap, norm) == 2
    assert near_cut(scores + np.array([1, 0]), nothing, np.array([0]), gap, norm) == 0


def test_a_batch_with_nothing_beside_it_has_no_documents_near_its_end() -> None:
    scores = np.array([3, 2, 1])
    assert near_cut(scores, np.array([False, True, True]), np.array([0]), 2**91, 2**15) == 0
    assert near_cut(scores, np.ones(3, dtype=bool), np.zeros(0, dtype=np.int64), 2**91, 2**15) == 0


# Arithmetic


@given(st.lists(st.integers(-(2**62), 2**62), max_size=50))
def test_sums_of_squares_are_exact(numbers: list[int]) -> None:
    assert sum_of_squares(np.array(numbers, dtype=np.int64)) == sum(number**2 for number in numbers)


@given(st.lists(st.lists(st.integers(-(2**50), 2**50), max_size=4), max_size=12))
def test_row_sums_are_exact_also_of_empty_rows(entries: list[list[int]]) -> None:
    starts = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    flat = np.array([each for row in entries for each in row], dtype=np.int64)
    assert row_sums(flat, starts).tolist() == [sum(row) for row in entries]


@given(st.integers(0, 2**200))
def test_the_square_root_is_rounded_up(number: int) -> None:
    root = ceil_sqrt(number)
    assert root**2 >= number
    assert root == 0 or (root - 1) ** 2 < number
