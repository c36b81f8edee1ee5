"""Scores are exact sums however they are computed, and the batch is the head of one sorted list."""

import os
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import coins
from ledger.hashing import Digest
from protocol.corpus.manifest import VALUES
from protocol.errors import BadCorpus
from protocol.learning import model, rowblocks, scoring, shardwork
from protocol.learning.model import TooLarge, near_cut
from protocol.learning.scoring import Candidates, Scorer, top
from protocol.learning.shardwork import Scored
from tests.support import loose_shards
from tests.support.labelled_sets import Row, features, rows, topic
from tests.support.loose_shards import cut

INT64 = np.iinfo(np.int64)

some_rows = st.lists(rows(5), max_size=12)
some_weights = st.lists(st.integers(-(2**36), 2**36), min_size=6, max_size=6)


def literal(found: list[Row], weights: list[int]) -> list[int]:
    return [sum(weights[column] * value for column, value in row.items()) + weights[-1] * 2**15 for row in found]


# Scores


@settings(deadline=None)
@given(some_rows, some_weights, st.sampled_from([1, 2, 3, 7]))
def test_scores_are_the_literal_sums_in_any_number_of_parts(found: list[Row], weights: list[int], parts: int) -> None:
    scores = loose_shards.scores(cut(features(found, 5), parts), np.array(weights))
    assert scores.dtype == np.int64
    assert scores.tolist() == literal(found, weights)


@pytest.mark.parametrize("parts", [1, 2, 7])
@pytest.mark.parametrize("block", [1, 100, 2**18])
def test_a_corpus_has_the_same_scores_in_floats_and_integers_and_in_all_parts(
    parts: int, block: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    corpus, _ = topic(500)
    weights = np.random.default_rng(2).integers(-(2**34), 2**34, corpus.terms + 1)
    found = [loose_shards.scores(cut(corpus), weights)]
    monkeypatch.setattr(rowblocks, "BLOCK", block)
    order = np.random.default_rng(3).permutation(corpus.size)
    shards = [shard.stored(tmp_path / str(place)) for place, shard in enumerate(cut(corpus, parts, order))]
    found.append(loose_shards.scores(shards, weights))
    found.append(loose_shards.scores(shards, weights, budget=0))
    monkeypatch.setattr(scoring, "_EXACT_FLOAT", 0)
    found.append(loose_shards.scores(shards, weights))
    assert {scores.tobytes() for scores in found} == {found[0].tobytes()}
    assert found[0].tolist() == literal(
        [dict(zip(*(each.tolist() for each in corpus.row(n)), strict=True)) for n in range(corpus.size)],
        weights.tolist(),
    )


def test_rows_of_a_large_corpus_are_read_and_those_of_a_small_one_stay_mapped(tmp_path: Path) -> None:
    corpus, _ = topic(50)
    [shard] = [each.stored(tmp_path / "0") for each in cut(corpus)]
    (tmp_path / "0" / VALUES).unlink()
    np.save(tmp_path / "0" / VALUES, np.zeros_like(corpus.values))  # another file: what is mapped stays as it was
    weights = np.arange(corpus.terms + 1)
    size = 6 * shard.entries
    mapped, read = (loose_shards.scores([shard], weights, budget=each) for each in (size, size - 1))
    assert mapped.tobytes() == loose_shards.scores(cut(corpus), weights).tobytes()
    assert set(read.tolist()) == {int(weights[-1]) << 15}


@pytest.mark.parametrize("change", [-2, 2, -100_000])
def test_a_file_of_rows_whose_length_has_changed_gives_no_other_scores(tmp_path: Path, change: int) -> None:
    corpus, _ = topic(50)
    [shard] = [each.stored(tmp_path / "0") for each in cut(corpus)]
    values = tmp_path / "0" / VALUES
    os.truncate(values, max(0, values.stat().st_size + change))
    with pytest.raises(BadCorpus, match=r"was changed while it was in use"):
        loose_shards.scores([shard], np.ones(corpus.terms + 1, np.int64), budget=0)


def test_scores_beyond_what_floats_hold_are_exact_all_the_same() -> None:
    weight = 2**40 + 1
    row = {0: 2**15 - 1, 1: 1}
    exact = weight * (2**15 - 1) + 2
    assert int(float(weight) * float(2**15 - 1) + 2.0) != exact  # a float would have rounded
    assert loose_shards.scores(cut(features([row], 2)), np.array([weight, 2, 0])).tolist() == [exact]


def test_floats_serve_up_to_two_to_the_53_and_no_further() -> None:
    scorer = Scorer(cut(features([{0: 2**15}], 1)))
    assert scorer.scale(np.array([2**38, 0])) == "float"
    assert scorer.scale(np.array([2**38 + 1, 0])) == "integer"


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
        Scorer(cut(features([{0: 2**15}], 1))).scores(np.array(weights))


def test_a_single_product_may_be_small_where_the_sum_is_not() -> None:
    row = dict.fromkeys(range(64), 2**15)
    with pytest.raises(TooLarge):
        Scorer(cut(features([row], 64))).scores(np.array([2**44] * 64 + [0]))


@settings(deadline=None)
@given(some_rows)
def test_the_largest_norm_is_the_smallest_integer_that_no_rows_norm_exceeds(found: list[Row]) -> None:
    largest = max((sum(value**2 for value in row.values()) for row in found), default=0)
    norm = Scorer(cut(features(found, 5), 3)).largest_norm
    assert norm**2 >= largest
    assert norm == 0 or (norm - 1) ** 2 < largest


def test_the_largest_norm_is_found_wherever_its_row_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rowblocks, "BLOCK", 2)
    for place in range(9):
        found: list[Row] = [{0: 3, 1: 4}] * 9
        found[place] = {0: 6, 2: 8}
        assert Scorer(cut(features(found, 3), 2)).largest_norm == 10


def test_a_corpus_without_terms_has_the_bias_as_every_score() -> None:
    assert loose_shards.scores(cut(features([{}, {}], 0)), np.array([-3])).tolist() == [-3 * 2**15] * 2
    assert loose_shards.scores(cut(features([], 0)), np.array([-3])).tolist() == []


# What shards put forward

close_scores = st.integers(-8, 8)


@settings(deadline=None)
@given(
    st.lists(st.tuples(close_scores, st.booleans()), max_size=40),
    st.integers(1, 12),
    st.integers(0, 5) | st.just(2**400),
    st.integers(1, 9),
    st.randoms(use_true_random=False),
)
def test_what_the_shards_put_forward_has_the_batch_and_all_that_is_near_its_end(
    documents: list[tuple[int, bool]], count: int, reach: int, parts: int, random: Random
) -> None:
    scores = np.array([score for score, _ in documents], np.int64)
    reviewed = np.array([flag for _, flag in documents], bool)
    order = list(range(len(documents)))
    random.shuffle(order)
    found = Candidates.of(
        shardwork.best(Scored(own.astype(np.int32), scores[own]), np.flatnonzero(reviewed[own]), count, reach)
        for own in np.array_split(np.array(order, np.int64), parts)
    )
    assert not reviewed[found.numbers].any()
    assert np.array_equal(found.scores, scores[found.numbers])
    nothing = np.zeros(len(found.numbers), bool)
    batch, whole = top(found.scores, nothing, count), top(scores, reviewed, count)
    assert found.numbers[batch].tolist() == whole.tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "radius", lambda *_: reach)
        assert near_cut(found.scores, nothing, batch, 0, 0) == near_cut(scores, reviewed, whole, 0, 0)


def test_a_shard_puts_forward_no_more_than_is_needed() -> None:
    shard = Scored(np.arange(100, dtype=np.int32), np.arange(100))
    numbers, _, _ = shardwork.best(shard, np.array([99]), 10, 3)
    assert numbers.tolist() == list(range(85, 99))


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 12), st.integers(1, 9))
def test_the_smallest_coins_of_all_shards_are_the_draw(results: list[bool], count: int, parts: int) -> None:
    seed = Digest(bytes(32))
    scores = np.array(results, np.int64)
    found = Candidates.of(
        shardwork.drawn(Scored(own.astype(np.int32), scores[own]), np.zeros(0, np.int64), count, seed)
        for own in np.array_split(np.arange(len(results))[::-1], parts)
    )
    pool = np.flatnonzero(scores).tolist()
    drawn = found.numbers[np.lexsort((found.numbers, found.coins))[:count]].tolist()
    assert drawn == coins.draw(seed, min(count, len(pool)), pool)


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
