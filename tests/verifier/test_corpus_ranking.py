"""Rankings: exact scores, the highest first, ties by number; batches that coins draw; documents near the cut."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import product
from math import isqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import coins
from ledger.hashing import Digest
from protocol.corpus.corpus import Corpus
from protocol.learning import model as protocol_model
from protocol.learning import scoring as protocol_scoring
from protocol.learning.cal import Cal
from protocol.sources.source import SourceDocument
from tests.support import corpora, loose_shards, small_corpus
from tests.support.labelled_sets import Row, features, rows, topic
from tests.support.loose_shards import cut
from tests.support.verifier_corpora import SHARD, edit, of_rows
from verifier.corpus import ranking
from verifier.corpus import rows as verifier_rows
from verifier.corpus.crew import Crew
from verifier.corpus.errors import BadModel, CorpusDamaged, TooLarge
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import LabelledSet, Model
from verifier.corpus.ranking import Named, Ranker, near_cut, reach_of
from verifier.corpus.rows import Integers, spans

INT64 = np.iinfo(np.int64)
BATCH = 20

some_rows = st.lists(rows(5), min_size=1, max_size=12)
some_weights = st.lists(st.integers(-(2**36), 2**36), min_size=6, max_size=6)
some_scores = st.lists(st.integers(-3, 3) | st.integers(-(2**61), 2**61), min_size=1, max_size=25)


def literal(found: Sequence[Row], weights: list[int]) -> list[int]:
    return [sum(weights[column] * value for column, value in row.items()) + weights[-1] * 2**15 for row in found]


# Scores


def scored(found: Sequence[Row], terms: int, weights: Sequence[int], crew: Crew | None = None) -> list[int]:
    """The scores of all rows."""
    ranker, nothing = Ranker(of_rows(found, terms), crew), np.zeros(len(found), bool)
    named = ranker.named(np.array(weights), nothing, len(found), 0)
    assert named.scores.dtype == np.int64
    assert named.numbers.tolist() == list(range(len(found)))
    scores: list[int] = named.scores.tolist()
    return scores


@settings(deadline=None)
@given(some_rows, some_weights)
def test_scores_are_the_literal_sums(found: list[Row], weights: list[int]) -> None:
    assert scored(found, 5, weights) == literal(found, weights)


@settings(deadline=None, max_examples=40)
@given(some_rows, some_weights, st.integers(1, 7), st.integers(1, 4))
def test_scores_are_the_same_in_blocks_of_every_size_and_by_any_number_of_threads(
    found: list[Row], weights: list[int], entries: int, threads: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verifier_rows.spans, "__kwdefaults__", {"entries": entries})
        patch.setattr(ranking, "SCORED", entries)
        crew = Crew(workers=threads)
        assert scored(found, 5, weights, crew) == literal(found, weights)
        norm = Ranker(of_rows(found, 5), crew).largest_norm
        assert norm == protocol_scoring.Scorer(cut(features(found, 5))).largest_norm


def test_a_larger_corpus_has_the_protocols_scores_and_norm() -> None:
    corpus, _ = topic(6000, terms=500)
    made = [dict(zip(*(each.tolist() for each in corpus.row(n)), strict=True)) for n in range(corpus.size)]
    assert int(corpus.starts[-1]) > 2 * verifier_rows.BLOCK
    weights = np.random.default_rng(2).integers(-(2**34), 2**34, corpus.terms + 1)
    assert scored(made, corpus.terms, weights.tolist()) == loose_shards.scores(cut(corpus, 3), weights).tolist()
    assert Ranker(of_rows(made, corpus.terms)).largest_norm == protocol_scoring.Scorer(cut(corpus, 3)).largest_norm


def test_a_row_longer_than_a_block_and_empty_rows_at_both_ends_are_scored() -> None:
    found: list[Row] = [{}, {}, {column: 1 + column % 5 for column in range(200_000)}, {3: 7}, {}, {}]
    weights = [column % 7 - 3 for column in range(200_000)] + [11]
    assert scored(found, 200_000, weights) == literal(found, weights)


def test_scores_beyond_what_floats_hold_are_exact() -> None:
    weight, row = 2**40 + 1, {0: 2**15 - 1, 1: 1}
    assert scored([row], 2, [weight, 2, 0]) == [weight * (2**15 - 1) + 2]


def test_sums_that_overflow_on_the_way_are_exact_at_their_end() -> None:
    entries = np.array([2**62, 2**62, -(2**62), -(2**62) + 5, 0])
    assert verifier_rows.sums(entries, np.array([0, 4])).tolist() == [5]


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
    with pytest.raises(TooLarge, match=r"exact arithmetic ends at 2\^62"):
        scored([{0: 2**15}], 1, weights)


def test_weights_just_below_the_limit_are_not_refused() -> None:
    assert scored([{0: 2**15}], 1, [2**46 - 1, 0]) == [(2**46 - 1) << 15]


def test_who_refuses_a_bad_model_refuses_one_that_is_too_large() -> None:
    assert issubclass(TooLarge, BadModel)


@pytest.mark.parametrize("length", [0, 1, 3])
def test_weights_for_other_terms_are_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"{length} weights for 1 terms and a bias"):
        scored([{0: 5}], 1, [0] * length)


def test_a_corpus_with_unsound_rows_is_not_ranked() -> None:
    corpus = of_rows([{0: 5, 1: 5}], 2)
    edit(corpus.path, f"{SHARD}/columns.npy", {0: 0, 1: 2})
    with pytest.raises(CorpusDamaged, match="do not ascend, or are not terms"):
        Ranker(corpus)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 9))
def test_spans_cover_every_row_once_and_hold_no_more_than_they_may(lengths: list[int], entries: int) -> None:
    starts = np.cumsum([0, *lengths])
    found = list(spans(starts, entries=entries))
    assert [row for first, last in found for row in range(first, last)] == list(range(len(lengths)))
    for first, last in found:
        assert last - first <= entries
        assert last - first == 1 or starts[last] - starts[first] <= entries


# The highest


def named(scores: Sequence[int], reviewed: Sequence[bool]) -> Named:
    left = np.flatnonzero(~np.array(reviewed, bool))
    return Named(numbers=left, scores=np.array(scores)[left])


@given(some_scores, st.integers(0, 30), st.data())
def test_the_highest_are_the_head_of_one_sorted_list(scores: list[int], count: int, data: st.DataObject) -> None:
    reviewed = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    left = named(scores, reviewed.tolist())
    found = left.numbers[left.ranked(count)].tolist()
    expected = [document for document in range(len(scores)) if not reviewed[document]]
    assert found == sorted(expected, key=lambda document: (-scores[document], document))[:count]
    assert found == protocol_scoring.top(np.array(scores), reviewed, count).tolist()


some_values = st.lists(st.integers(0, 5), min_size=1, max_size=40)


@settings(deadline=None)
@given(some_values, st.integers(0, 4) | st.integers(0, 45), st.integers(0, 6 * 2**15), st.integers(1, 9), st.data())
def test_what_pieces_name_gives_the_batch_and_the_documents_near_its_cut_as_all_documents_do(
    values: list[int], count: int, reach: int, most: int, data: st.DataObject
) -> None:
    reviewed = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
    corpus = of_rows([{0: value} if value else {} for value in values], 1)
    ranker, weights = Ranker(corpus), np.array([2**15, 0])
    everything = ranker.named(weights, reviewed, len(values), 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "SCORED", most)
        some = ranker.named(weights, reviewed, count, reach)
    whole, batch = everything.ranked(count), some.ranked(count)
    assert some.numbers[batch].tolist() == everything.numbers[whole].tolist()
    assert near_cut(some.scores, batch, reach) == near_cut(everything.scores, whole, reach)


# Documents near the cut


@given(
    some_scores, st.integers(0, 30), st.integers(0, 2**60) | st.integers(0, 2**100), st.integers(0, 2**16), st.data()
)
def test_documents_near_the_cut_are_those_of_the_definition_and_of_the_protocol(
    found: list[int], count: int, gap: int, norm: int, data: st.DataObject
) -> None:
    reviewed = np.array(data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found))))
    left = named(found, reviewed.tolist())
    places = left.ranked(count)
    batch = left.numbers[places]
    near = near_cut(left.scores, places, reach_of(gap, norm))
    assert near == protocol_model.near_cut(np.array(found), reviewed, batch, gap, norm)
    assert near == literal_near_cut(found, reviewed.tolist(), batch.tolist(), gap, norm)


def literal_near_cut(scores: list[int], reviewed: list[bool], batch: list[int], gap: int, norm: int) -> int:
    """R is rounded up to whole units, so that a distance is within it iff one unit less is below sqrt(4 gap) norm."""
    square = Fraction(4 * gap, 2**91) * Fraction(norm**2, 2**30)
    outside = [each for each in range(len(scores)) if not reviewed[each] and each not in batch]
    if not outside or not batch:
        return 0
    above, below = max(scores[each] for each in outside), min(scores[each] for each in batch)
    distances = [scores[each] - above for each in batch] + [below - scores[each] for each in outside]
    return sum(away <= 0 or Fraction(away - 1, 2**43) ** 2 < square for away in distances)


@given(st.integers(1, 2**110), st.integers(1, 2**17), st.data())
def test_the_radius_is_the_square_root_rounded_up_to_whole_units(gap: int, norm: int, data: st.DataObject) -> None:
    square = Fraction(4 * gap * norm**2, 2**35)
    radius = isqrt(int(square))
    radius += radius**2 < square
    batch = np.array([0, 1])
    lowest = data.draw(st.integers(-(2**40), 2**40))
    for inner, outer in product((-1, 0, 1), repeat=2):
        scores = np.array([lowest + 1 + radius + inner, lowest + 1, lowest + 1, lowest + 1 - radius + outer])
        scores[3] = min(scores[3], lowest + 1)
        expected = 2 + (radius + inner <= radius) + (int(scores[3]) >= lowest + 1 - radius)
        assert near_cut(scores, batch, reach_of(gap, norm)) == expected


@pytest.mark.parametrize("gap", [2**91, 2**400])
def test_a_wide_gap_counts_everything_and_no_gap_only_ties(gap: int) -> None:
    left = named([9, 7, 5, 5, 5, 1], [False, True, False, False, False, False])
    batch = left.ranked(2)
    assert left.numbers[batch].tolist() == [0, 2]
    assert near_cut(left.scores, batch, reach_of(0, 2**15)) == 3
    assert near_cut(left.scores, batch, reach_of(gap, 2**15)) == 5


@pytest.mark.parametrize("gap", [2**91, 2**400])
@pytest.mark.parametrize("count", [1, 2])
def test_a_gap_that_is_wider_than_all_scores_names_all_documents(gap: int, count: int) -> None:
    model = Model(weights=np.array([1, 0, 0]), primal=gap, dual=0)
    assert Ranker(LETTERS).by_model(model, np.zeros(6, bool), count) == ([0, 3][:count], 6)


def test_a_batch_with_nothing_beside_it_has_no_documents_near_its_end() -> None:
    assert near_cut(np.array([3]), np.array([0]), 2**60) == 0
    assert near_cut(np.zeros(0, np.int64), np.zeros(0, np.int64), 2**60) == 0


# Batches of whole corpora


def digest(word: str) -> Digest:
    return Digest(sha256(word.encode()).digest())


def mask(corpus: Corpus, documents: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    found = np.zeros(corpus.size, dtype=bool)
    found[list(documents)] = True
    return found


def by_coin(corpus: Corpus, query: str, reviewed: Sequence[int], count: int, seed: Digest) -> list[int]:
    ranker = Ranker(SealedCorpus.open(corpus.path))
    return ranker.by_coin(query, mask(corpus, reviewed), count, partial(coins.coins, seed))


@pytest.fixture(scope="module", params=["mail", "doubled", "repeated"])
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("ranking") / "corpus"
    if request.param == "mail":
        return corpora.make(folder)
    texts = [
        " ".join([f"word{(place * step) % 37}" for step in range(1, 12)] + ["gas"] * (place % 5 == 0))
        for place in range(60)
    ]
    if request.param == "doubled":  # every score is there three times
        texts = [text for text in texts for _ in range(3)]
    else:  # hardly any two scores differ, and many rows are empty
        texts = [("gas", "gas oil", "", "oil", f"only{place}")[place % 5] for place in range(150)]
    documents = [SourceDocument.of_one(name=f"d{n}", content=b"", text=text) for n, text in enumerate(texts)]
    return small_corpus.make(folder, documents)


def test_the_rounds_of_a_matter_are_the_protocols(corpus: Corpus) -> None:
    cal, sealed = Cal(corpus), SealedCorpus.open(corpus.path)
    ranker, labelled = Ranker(sealed), LabelledSet(sealed)
    reviewed: list[int] = []
    labels: list[bool] = []
    previous: bytes | None = None
    models = 0
    for number in range(12):
        if len(set(labels)) < 2:
            seed = digest(f"seed {number}")
            chosen = cal.by_coin("gas", reviewed, BATCH, seed)
            assert by_coin(corpus, "gas", reviewed, BATCH, seed) == chosen.documents
        else:
            chosen = cal.by_model(reviewed, labels, BATCH, previous)
            assert chosen.model is not None
            model = labelled.certify(chosen.model)
            assert model.accepted
            assert ranker.by_model(model, mask(corpus, reviewed), BATCH) == (chosen.documents, chosen.near_cut)
            previous, models = chosen.model, models + 1
        fresh = ["gas" in corpus.text(document) for document in chosen.documents]
        reviewed, labels = reviewed + chosen.documents, labels + fresh
        labelled.add(chosen.documents, fresh)
    assert models >= 5


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(["gas", "word1 word2", "gas oil", "word3", "", "nobody wrote this", "swap collateral"]),
    st.integers(0, 200),
    st.sets(st.integers(0, 149)),
    st.text(max_size=2),
)
def test_a_batch_drawn_by_coin_is_the_protocols(
    corpus: Corpus, query: str, count: int, reviewed: set[int], word: str
) -> None:
    done = sorted(reviewed)
    assert by_coin(corpus, query, done, count, digest(word)) == (
        Cal(corpus).by_coin(query, done, count, digest(word)).documents
    )


LETTERS = of_rows([{0: 5}, {0: 3}, {1: 5}, {0: 5}, {}, {0: 4, 1: 4}], 2)


def of(values: dict[int, int]) -> Callable[[list[int]], list[int]]:
    """Coins that a test chooses."""
    return lambda items: [values[item] for item in items]


EQUAL = dict.fromkeys(range(6), 2**64 - 1)


def test_results_that_are_no_more_than_the_batch_are_taken_by_score_and_number() -> None:
    falling = dict(enumerate((6, 5, 4, 3, 2, 1)))
    assert Ranker(LETTERS).by_coin("t0", np.zeros(6, bool), 4, of(falling)) == [0, 3, 5, 1]


def test_more_results_are_drawn_by_the_smallest_coins_and_ordered_by_score() -> None:
    chosen = of({0: 9, 1: 1, 3: 8, 5: 2**64 - 1})
    assert Ranker(LETTERS).by_coin("t0", np.zeros(6, bool), 3, chosen) == [0, 3, 1]


def test_equal_coins_go_by_the_smaller_number() -> None:
    assert Ranker(LETTERS).by_coin("t0", np.zeros(6, bool), 2, of(EQUAL)) == [0, 1]
    assert Ranker(LETTERS).by_coin("", np.zeros(6, bool), 2, of(EQUAL)) == [0, 1]


@pytest.mark.parametrize("query", ["", "t9", "..."])
def test_without_results_a_batch_is_drawn_from_all_and_ordered_by_the_draw(query: str) -> None:
    chosen = of({0: 5, 1: 4, 2: 3, 3: 2, 4: 1, 5: 0})
    assert Ranker(LETTERS).by_coin(query, np.zeros(6, bool), 4, chosen) == [5, 4, 3, 2]


def test_once_the_results_are_used_up_a_batch_is_drawn_from_what_is_left() -> None:
    reviewed = np.array([True, True, False, True, False, True])
    assert Ranker(LETTERS).by_coin("t0", reviewed, 9, of({2: 7, 4: 6})) == [4, 2]


def test_nothing_is_drawn_where_nothing_is_left() -> None:
    assert Ranker(LETTERS).by_coin("t0", np.ones(6, bool), 3, of({})) == []


def test_a_last_batch_is_smaller() -> None:
    weights: Integers = np.array([1, 0, 0])
    model = Model(weights=weights, primal=0, dual=0)
    reviewed = np.array([True, True, False, False, False, True])
    assert Ranker(LETTERS).by_model(model, reviewed, 10) == ([3, 2, 4], 0)


def test_the_mask_of_reviewed_documents_is_not_changed() -> None:
    reviewed = np.array([True, False, False, False, False, True])
    model = Model(weights=np.array([1, 0, 0]), primal=5, dual=0)
    Ranker(LETTERS).by_model(model, reviewed, 2)
    Ranker(LETTERS).by_coin("t0", reviewed, 1, of(EQUAL))
    assert reviewed.tolist() == [True, False, False, False, False, True]
