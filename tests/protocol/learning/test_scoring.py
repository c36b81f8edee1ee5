"""Scores are exact sums however they are computed, and the batch is the head of one sorted list."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.corpus.features import Features
from protocol.learning import scoring
from protocol.learning.model import TooLarge
from protocol.learning.scoring import Scorer, top
from tests.support.labelled_sets import Row, features, rows, topic

INT64 = np.iinfo(np.int64)

some_rows = st.lists(rows(5), max_size=12)
some_weights = st.lists(st.integers(-(2**36), 2**36), min_size=6, max_size=6)


def literal(found: list[Row], weights: list[int]) -> list[int]:
    return [sum(weights[column] * value for column, value in row.items()) + weights[-1] * 2**15 for row in found]


# Scores


@settings(deadline=None)
@given(some_rows, some_weights, st.sampled_from([1, 2, 3, 7]))
def test_scores_are_the_literal_sums_in_any_number_of_parts(found: list[Row], weights: list[int], parts: int) -> None:
    scores = Scorer(features(found, 5), parts).scores(np.array(weights))
    assert scores.dtype == np.int64
    assert scores.tolist() == literal(found, weights)


@pytest.mark.parametrize("parts", [1, 2, 7, None])
def test_a_corpus_has_the_same_scores_in_floats_and_integers_and_in_all_parts(
    parts: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, _ = topic(500)
    weights = np.random.default_rng(2).integers(-(2**34), 2**34, corpus.terms + 1)
    found = [Scorer(corpus, 1).scores(weights)]
    found.append(Scorer(corpus, parts).scores(weights))
    monkeypatch.setattr(scoring, "_EXACT_FLOAT", 0)
    found.append(Scorer(corpus, parts).scores(weights))
    assert {scores.tobytes() for scores in found} == {found[0].tobytes()}
    assert found[0].tolist() == literal(
        [dict(zip(*(each.tolist() for each in corpus.row(n)), strict=True)) for n in range(corpus.size)],
        weights.tolist(),
    )


def test_scores_beyond_what_floats_hold_are_exact_all_the_same() -> None:
    weight = 2**40 + 1
    row = {0: 2**15 - 1, 1: 1}
    exact = weight * (2**15 - 1) + 2
    assert int(float(weight) * float(2**15 - 1) + 2.0) != exact  # a float would have rounded
    assert Scorer(features([row], 2)).scores(np.array([weight, 2, 0])).tolist() == [exact]


def test_floats_serve_up_to_two_to_the_53_and_no_further() -> None:
    scorer = Scorer(features([{0: 2**15}], 1))
    assert scorer._reach(np.array([2**38, 0])) == 2**53
    assert scorer._reach(np.array([2**38 + 1, 0])) > 2**53


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ([2**47, 0], "a product may reach 2^62"),
        ([-(2**47), 0], "as far below zero"),
        ([0, 2**47], "the bias alone"),
        ([2**46, 2**46], "a product and the bias together"),
        ([INT64.min, 0], "the number without a positive twin"),
        ([0, INT64.max], "the largest number"),
    ],
)
def test_weights_whose_scores_may_not_be_exact_are_refused(weights: list[int], why: str) -> None:
    with pytest.raises(TooLarge, match=r"scores are exact below 2\^62 only"):
        Scorer(features([{0: 2**15}], 1)).scores(np.array(weights))


def test_a_single_product_may_be_small_where_the_sum_is_not() -> None:
    row = dict.fromkeys(range(64), 2**15)
    with pytest.raises(TooLarge):
        Scorer(features([row], 64)).scores(np.array([2**44] * 64 + [0]))


@settings(deadline=None)
@given(some_rows)
def test_the_largest_norm_is_the_smallest_integer_that_no_rows_norm_exceeds(found: list[Row]) -> None:
    largest = max((sum(value**2 for value in row.values()) for row in found), default=0)
    norm = Scorer(features(found, 5)).largest_norm
    assert norm**2 >= largest
    assert norm == 0 or (norm - 1) ** 2 < largest


def test_the_largest_norm_is_found_wherever_its_row_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "SMALL_BLOCK", 2)
    for place in range(9):
        found: list[Row] = [{0: 3, 1: 4}] * 9
        found[place] = {0: 6, 2: 8}
        assert Scorer(features(found, 3)).largest_norm == 10


def test_rows_are_divided_further_where_a_part_would_have_too_many_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, _ = topic(40)
    weights = np.arange(corpus.terms + 1)
    whole = Scorer(corpus, 1).scores(weights)
    monkeypatch.setattr(scoring, "_LARGEST_PART", 100)
    divided = Scorer(corpus, 1)
    assert len(divided._blocks) > 20
    assert divided.scores(weights).tobytes() == whole.tobytes()


def test_memory_mapped_rows_have_the_same_scores(tmp_path: Path) -> None:
    corpus, _ = topic(60)
    for name in ("starts", "columns", "values"):
        np.save(tmp_path / f"{name}.npy", getattr(corpus, name))
    weights = np.arange(corpus.terms + 1) - 100
    mapped = Scorer(Features.open(tmp_path, corpus.terms))
    assert mapped.scores(weights).tobytes() == Scorer(corpus).scores(weights).tobytes()


def test_a_corpus_without_terms_has_the_bias_as_every_score() -> None:
    assert Scorer(features([{}, {}], 0)).scores(np.array([-3])).tolist() == [-3 * 2**15] * 2
    assert Scorer(features([], 0)).scores(np.array([-3])).tolist() == []


# The batch

few_scores = st.integers(-3, 3) | st.sampled_from([INT64.min, INT64.max, INT64.min + 1, 0])


@given(st.lists(st.tuples(few_scores, st.booleans()), max_size=40), st.integers(0, 45))
def test_the_batch_is_the_head_of_the_unreviewed_sorted_by_score_and_number(
    documents: list[tuple[int, bool]], count: int
) -> None:
    scores = np.array([score for score, _ in documents], dtype=np.int64)
    reviewed = np.array([flag for _, flag in documents], dtype=bool)
    left = [number for number, flag in enumerate(reviewed) if not flag]
    expected = sorted(left, key=lambda number: (-int(scores[number]), number))[:count]
    assert top(scores, reviewed, count).tolist() == expected


def test_of_equal_scores_at_the_cut_the_smaller_numbers_are_in_the_batch() -> None:
    scores = np.array([5, 7, 5, 5, 9, 5])
    nothing = np.zeros(6, dtype=bool)
    assert top(scores, nothing, 4).tolist() == [4, 1, 0, 2]
    reviewed = np.array([True, False, False, False, True, False])
    assert top(scores, reviewed, 2).tolist() == [1, 2]


def test_a_last_batch_is_smaller_and_then_there_is_none() -> None:
    scores = np.array([1, 2, 3])
    assert top(scores, np.array([False, True, False]), 1000).tolist() == [2, 0]
    assert top(scores, np.ones(3, dtype=bool), 1000).tolist() == []


def test_scores_and_mask_are_left_as_they_were() -> None:
    scores, reviewed = np.array([3, 1, 2]), np.array([False, False, True])
    top(scores, reviewed, 1)
    assert scores.tolist() == [3, 1, 2]
    assert reviewed.tolist() == [False, False, True]
