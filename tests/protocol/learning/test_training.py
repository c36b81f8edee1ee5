"""Training finds the optimal model of every labelled set, or says that it did not."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from protocol.corpus.features import Features
from protocol.errors import NotOptimal
from protocol.learning import model, training
from protocol.learning.labelled import LabelledRows
from protocol.learning.model import Model, TrainingSet, ceil_sqrt, derive, sum_of_squares
from protocol.learning.scoring import top
from protocol.learning.training import Trainer
from tests.support import loose_shards
from tests.support.labelled_sets import Row, features, labelled, topic, train
from tests.support.loose_shards import cut

ONE: Row = {0: 2**15}
OTHER: Row = {1: 2**15}
MIXED: Row = {0: 23170, 1: 23170}


def trained(found: list[Row], labels: list[bool], terms: int = 6, start: list[int] | None = None) -> Model:
    alphas = None if start is None else np.array(start, dtype=np.int64)
    return train(features(found, terms), np.arange(len(found)), np.array(labels, dtype=bool), alphas)


def everything(corpus: Features) -> model.Integers:
    return np.arange(corpus.size)


@pytest.mark.parametrize(
    ("found", "labels"),
    [
        pytest.param([ONE, OTHER], [True, False], id="two documents"),
        pytest.param([ONE], [True], id="one document"),
        pytest.param([], [], id="no document"),
        pytest.param([ONE, MIXED, OTHER], [True, True, True], id="one class"),
        pytest.param([ONE] * 20 + [OTHER] * 20, [True] * 20 + [False] * 20, id="separable"),
        pytest.param([ONE, ONE], [True, False], id="a contradiction"),
        pytest.param([ONE] * 30 + [OTHER] * 30, [True, False] * 30, id="nothing but contradictions"),
        pytest.param([{}, {}], [True, False], id="empty rows"),
        pytest.param([{}, ONE, {}, OTHER], [True, True, False, False], id="some empty rows"),
        pytest.param([MIXED] * 50, [True] + [False] * 49, id="equal rows"),
        pytest.param([MIXED] * 3000, [True] + [False] * 2999, id="many equal rows"),
    ],
)
def test_a_peculiar_set_has_its_optimal_model(found: list[Row], labels: list[bool]) -> None:
    assert trained(found, labels).certificate.accepted


@settings(deadline=None)
@given(labelled(documents=30, terms=8))
def test_every_small_set_has_its_optimal_model(case: tuple[list[Row], list[bool]]) -> None:
    assert trained(*case, terms=8).certificate.accepted


def dense_rows(corpus: Features) -> NDArray[np.float64]:
    found = csr_array((corpus.values, corpus.columns, corpus.starts), shape=(corpus.size, corpus.terms))
    return np.asarray(found.toarray() / 2**15)


def test_the_optimum_is_that_of_scikit_learn() -> None:
    corpus, labels = topic(400)
    found = train(corpus, everything(corpus), labels)
    theirs = LinearSVC(C=1, dual=True, tol=1e-10, max_iter=1_000_000, random_state=0)
    theirs.fit(dense_rows(corpus), labels)
    weights = np.append(theirs.coef_, theirs.intercept_)
    assert np.abs(found.weights / 2**28 - weights).max() < 1e-5


def test_a_plain_fit_of_scikit_learn_is_refused() -> None:
    corpus, labels = topic(1000)
    dense = dense_rows(corpus)
    theirs = LinearSVC(C=1, dual=True, tol=1e-4, random_state=0).fit(dense, labels)
    margins = np.where(labels, 1, -1) * theirs.decision_function(dense)
    alphas = np.rint(2 * np.maximum(0, 1 - margins) * 2**30).astype(np.int64)
    rows = TrainingSet.of(corpus, everything(corpus), labels)
    assert not derive(rows, alphas).certificate.accepted


def test_every_round_of_cal_has_its_optimal_model_far_within_what_is_accepted() -> None:
    corpus, labels = topic(3000)
    documents = np.concatenate((np.flatnonzero(labels)[:3], np.flatnonzero(~labels)[:200]))
    shards = cut(corpus)
    start = None
    for _ in range(6):
        found = train(corpus, documents, labels[documents], start)
        assert found.certificate.gap * 10**13 <= found.certificate.primal
        reviewed = np.zeros(corpus.size, dtype=bool)
        reviewed[documents] = True
        documents = np.concatenate((documents, top(loose_shards.scores(shards, found.weights), reviewed, 200)))
        start = found.alphas
    assert labels[documents].mean() > labels.mean()


@pytest.mark.parametrize(
    ("documents", "length"), [(20, 6000), (300, 600), (2, 10_000)], ids=["long", "some hundred", "two very long"]
)
def test_rounding_many_weights_does_not_cost_the_certificate(documents: int, length: int) -> None:
    corpus, _ = topic(documents, length=length, terms=60_000)
    labels = everything(corpus) == 0
    found = train(corpus, everything(corpus), labels)
    assert found.certificate.gap * 10**13 <= found.certificate.primal


def test_rounding_many_dual_values_does_not_cost_the_certificate() -> None:
    documents = 20_000
    found = trained([MIXED, ONE] * (documents // 2), [True] + [False] * (documents - 1))
    assert np.count_nonzero(found.alphas) == documents
    assert found.certificate.gap * 10**13 <= found.certificate.primal


def test_rounding_the_dual_values_of_many_equal_rows_does_not_cost_the_certificate() -> None:
    documents = 20_000
    kinds = np.random.default_rng(1).integers(0, 10, documents)
    found = trained([{int(kind): 2**15} for kind in kinds], [True] + [False] * (documents - 1), terms=10)
    assert found.certificate.gap * 10**13 <= found.certificate.primal


def test_dual_values_that_fall_below_zero_are_rounded_to_zero() -> None:
    assert training.rounded(np.array([-1e-6, 0.5, -1e-6]), np.array([1, -1, -1])).tolist() == [0, 2**29, 0]


@given(st.lists(st.tuples(st.floats(-1e-9, 1e3), st.booleans()), max_size=60))
def test_rounded_dual_values_are_near_and_their_signed_sum_is_too(pairs: list[tuple[float, bool]]) -> None:
    duals = np.array([dual for dual, _ in pairs], dtype=np.float64)
    signs = np.array([1 if label else -1 for _, label in pairs], dtype=np.int64)
    alphas = training.rounded(duals, signs)
    exact = np.maximum(duals, 0) * 2**30
    assert (alphas >= 0).all()
    assert (np.abs(alphas - exact) <= 1.01).all()
    assert (alphas[exact == 0] == 0).all()
    assert abs(float((signs * alphas).sum() - (signs * exact).sum())) <= 0.51


# Where the search starts


@settings(deadline=None)
@given(labelled(documents=12), st.data())
def test_no_start_keeps_the_search_from_the_optimum(case: tuple[list[Row], list[bool]], data: st.DataObject) -> None:
    sizes = st.integers(0, 2**31) | st.integers(0, 2**45)
    start = data.draw(st.lists(sizes, max_size=len(case[0])))
    assert trained(*case, start=start).certificate.accepted


def test_a_search_that_starts_at_the_optimum_is_soon_over(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, labels = topic(300)
    found = train(corpus, everything(corpus), labels)
    monkeypatch.setattr(training, "_STEPS", 2)
    assert train(corpus, everything(corpus), labels, found.alphas).certificate.accepted


def test_two_starts_lead_to_models_as_near_as_their_certificates_say() -> None:
    corpus, labels = topic(800)
    half = train(corpus, everything(corpus)[:400], labels[:400])
    cold = train(corpus, everything(corpus), labels)
    warm = train(corpus, everything(corpus), labels, half.alphas)
    # |w - w'| <= sqrt(2 gap) + sqrt(2 gap'); gaps are in units of 2^-91, squared weights of 2^-56
    reach = sum(ceil_sqrt(-(-2 * found.certificate.gap >> 91 - 56)) for found in (cold, warm))
    assert sum_of_squares(cold.weights - warm.weights) <= reach**2


def test_the_same_documents_give_the_same_bytes_again(tmp_path: Path) -> None:
    corpus, labels = topic(500)
    for name in ("starts", "columns", "values"):
        np.save(tmp_path / f"{name}.npy", getattr(corpus, name))
    mapped = Features.open(tmp_path, corpus.terms)
    first, again, third = (train(each, everything(corpus), labels) for each in (corpus, corpus, mapped))
    assert first.alphas.tobytes() == again.alphas.tobytes() == third.alphas.tobytes()


# Two threads


def test_two_threads_take_as_many_steps_as_one_and_find_the_same_model_again(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, labels = topic(400)
    steps: list[float] = []
    step = training._step

    def counted(rows: Any, point: Any, goal: float) -> Any:
        steps.append(goal)
        return step(rows, point, goal)

    monkeypatch.setattr(training, "_step", counted)
    alone = train(corpus, everything(corpus), labels)
    taken = len(steps)
    monkeypatch.setattr(training, "_SHARED", 0)
    together, again = (train(corpus, everything(corpus), labels) for _ in range(2))
    assert together.alphas.tobytes() == again.alphas.tobytes()
    assert alone.certificate.accepted
    assert together.certificate.accepted
    assert len(steps) == 3 * taken


@pytest.mark.parametrize("documents", [1, 2, 3, 101])
def test_two_threads_multiply_as_one_does(documents: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, labels = topic(documents)
    held = LabelledRows(corpus)
    held.hold(everything(corpus), labels)
    rows, duals = held.floats, np.linspace(0.5, 1.5, documents)
    monkeypatch.setattr(training, "_SHARED", 0)
    assert np.allclose(training._multiplied(rows)(duals), duals / 2 + rows @ (rows.T @ duals), rtol=1e-14)


# What a trainer keeps


@settings(deadline=None)
@given(labelled(documents=20), st.lists(st.integers(0, 20), max_size=4), st.randoms())
def test_a_trainer_that_has_trained_before_finds_the_same_bytes_as_a_new_one(
    case: tuple[list[Row], list[bool]], sizes: list[int], random: Random
) -> None:
    found, labels = case
    corpus, truth = features(found, 6), np.array(labels, dtype=bool)
    documents = np.array(random.sample(range(len(found)), len(found)))
    trainer = Trainer(corpus)
    for size in (*sizes, len(found)):  # growing, shrinking, or the same again
        assert same(trainer, corpus, documents[:size], truth[documents[:size]])


@given(labelled(documents=20), st.lists(st.integers(0, 20), max_size=4))
def test_rows_that_came_in_steps_are_held_as_if_they_had_come_at_once(
    case: tuple[list[Row], list[bool]], steps: list[int]
) -> None:
    corpus, labels = features(case[0], 6), np.array(case[1], dtype=bool)
    stepwise, at_once = LabelledRows(corpus), LabelledRows(corpus)
    for size in (*sorted(steps), len(labels)):
        stepwise.hold(everything(corpus)[:size], labels[:size])
    at_once.hold(everything(corpus), labels)
    for name in ("indptr", "indices", "data", "shape"):
        assert np.array_equal(getattr(stepwise.floats, name), getattr(at_once.floats, name))
    expected = TrainingSet.of(corpus, everything(corpus), labels)
    for name in ("signs", "starts", "columns", "values", "terms"):
        assert np.array_equal(getattr(stepwise.integers, name), getattr(expected, name))


def test_rounds_of_one_trainer_give_the_bytes_of_new_ones() -> None:
    corpus, labels = topic(900)
    trainer, start = Trainer(corpus), None
    for size in (300, 500, 900):
        part = everything(corpus)[::-1][:size]
        found = trainer.train(part, labels[part], start)
        again = train(corpus, part, labels[part], start)
        assert found.alphas.tobytes() == again.alphas.tobytes()
        assert found.weights.tobytes() == again.weights.tobytes()
        assert found.certificate == again.certificate
        start = found.alphas


@pytest.mark.parametrize("place", [0, 150, 299])
def test_another_label_or_document_among_those_that_were_held_is_noticed(place: int) -> None:
    corpus, labels = topic(400)
    documents, changed = everything(corpus)[:300], labels.copy()
    changed[place] = not changed[place]
    other = documents.copy()
    other[place] = 399
    for trained_on, truth in ((documents, changed[:300]), (other, labels[other])):
        trainer = Trainer(corpus)
        trainer.train(documents, labels[:300])
        assert same(trainer, corpus, trained_on, truth)


def test_a_model_is_not_changed_by_the_training_of_the_next() -> None:
    corpus, labels = topic(400)
    trainer = Trainer(corpus)
    found = trainer.train(everything(corpus)[:200], labels[:200])
    before = found.alphas.tobytes(), found.weights.tobytes()
    trainer.train(everything(corpus), labels)
    assert (found.alphas.tobytes(), found.weights.tobytes()) == before


def same(trainer: Trainer, corpus: Features, documents: model.Integers, labels: model.Mask) -> bool:
    found, new = trainer.train(documents, labels), train(corpus, documents, labels)
    return found.alphas.tobytes() == new.alphas.tobytes() and found.weights.tobytes() == new.weights.tobytes()


# Where it is not found


def test_a_search_that_ends_too_early_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, labels = topic(300)
    monkeypatch.setattr(training, "_STEPS", 1)
    with pytest.raises(NotOptimal, match=r"after 1 steps the model of 300 documents is still .* away from the optimum"):
        train(corpus, everything(corpus), labels)


def test_a_model_that_its_certificate_does_not_accept_is_never_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, labels = topic(100)
    monkeypatch.setattr(model, "ACCEPTED", 10**25)
    with pytest.raises(NotOptimal):
        train(corpus, everything(corpus), labels)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("_ITERATIONS", 5, id="solved in part"),
        pytest.param("_FORCING", 1e3, id="solved badly"),
        pytest.param("_TARGET", 1e-6, id="ended too early"),
    ],
)
def test_a_careless_search_only_takes_more_steps(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, labels = topic(300)
    monkeypatch.setattr(training, name, value)
    assert train(corpus, everything(corpus), labels).certificate.accepted


@pytest.mark.slow
def test_ten_thousand_documents_have_their_optimal_model() -> None:
    corpus, labels = topic(10_000, terms=60_000)
    assert train(corpus, everything(corpus), labels).certificate.accepted
