"""Alice's best and worst reports by the short search, against all that she could report."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.theory import bounds
from protocol.paper.theory.bestresponse import Response, best_response
from protocol.paper.theory.canonical import Candour
from protocol.paper.theory.exact import Bits, classifier_report, every_report, label_reports
from protocol.paper.theory.instances import FAMILIES, Truth, facts
from protocol.paper.theory.worst import worst_labels, worst_threshold
from protocol.rules.base import Report
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.simulation.bestresponse import expected_loss

pytestmark = pytest.mark.slow  # searches all reports

T, F = True, False
ROWS = 2**16  # reports at a time
RULES = [
    LabelReport(delta=Fraction(9, 10), k=1),
    LabelReport(delta=Fraction(1, 2), k=1),
    LabelReport(delta=Fraction(7, 10), k=3),
]


def held(truth: Truth, candour: Candour, reports: Bits) -> Bits:
    """Which of the reports are of this kind."""
    true, top = np.array(truth), facts(truth).rank
    if candour is Candour.NO_FALSE_CLAIMS:
        return np.asarray(~(reports & ~true).any(axis=1))
    if candour is Candour.TRUE_AT_TOP:
        return np.asarray((reports[:, :top] == true[:top]).all(axis=1))
    return np.ones(len(reports), dtype=np.bool_)


def small_batches() -> Iterator[Truth]:
    for size in range(1, 7):
        yield from product((T, F), repeat=size)
    yield from ((T, *rest, F, T, F) for rest in product((T, F), repeat=6))


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("candour", Candour)
def test_the_search_finds_the_best_and_the_worst_of_all_reports(rule: LabelReport, candour: Candour) -> None:
    proven = hiding = 0
    for truth in small_batches():
        reports = every_report(len(truth))
        outcomes, kind = label_reports(rule, truth, reports), held(truth, candour, reports)
        for price in (0.0, 0.5, 2.0):
            found = best_response(rule, truth, price, candour)
            least = float(outcomes.loss(price)[kind].min())
            own = label_reports(rule, truth, np.array([found.labels]))
            assert found.loss == pytest.approx(float(own.loss(price)[0]), abs=1e-9)
            assert found.loss == pytest.approx(least, abs=1e-9)  # also where it is not proven
            assert held(truth, candour, np.array([found.labels]))[0]
            proven += found.proven
            hiding += int(own.hidden[0]) > 0
        for allowed in range(3):
            worst = worst_labels(rule, truth, allowed, candour)
            most = float(outcomes.failure(allowed)[kind].max())
            assert (worst.failure if worst else 0) == pytest.approx(most, abs=1e-12)
    assert proven > 100
    assert hiding > 50, "a search that never hides would prove little"


def best_of_all(rule: LabelReport, truth: Truth, price: float) -> Response:
    """The same for a small batch, from all 2^N reports."""
    found: list[tuple[float, int]] = []
    total = 2 ** len(truth)
    for start in range(0, total, ROWS):
        reports = every_report(len(truth), start, min(total, start + ROWS))
        losses = label_reports(rule, truth, reports).loss(price)
        best = int(np.argmin(losses))
        found.append((float(losses[best]), start + best))
    loss, number = min(found)
    labels = tuple(bool(number >> place & 1) for place in range(len(truth)))
    return Response(labels=labels, loss=loss, proven=True)


@settings(deadline=None, max_examples=12)
@given(truth=st.lists(st.booleans(), min_size=11, max_size=13), price=st.sampled_from([0.0, 0.3, 1.0, 3.0]))
def test_longer_batches_have_no_better_report_either(truth: list[bool], price: float) -> None:
    rule = LabelReport(delta=Fraction(4, 5), k=2)
    found = best_response(rule, tuple(truth), price)
    assert found.loss == pytest.approx(best_of_all(rule, tuple(truth), price).loss, abs=1e-9)


def every_rank_and_subset(truth: Truth) -> Bits:
    """All reports that claim everything above a rank and hide any responsive ones below."""
    rows = []
    for rank in range(len(truth) + 1):
        below = [place for place in range(rank, len(truth)) if truth[place]]
        for count in range(len(below) + 1):
            for hidden in combinations(below, count):
                labels = [True] * rank + list(truth[rank:])
                for place in hidden:
                    labels[place] = False
                rows.append(labels)
    return np.array(rows)


@pytest.mark.parametrize("price", [0.0, 1.0, 9.0])
@pytest.mark.parametrize("k", [1, 3])
def test_where_the_theorem_applies_no_choice_of_hidden_documents_is_better(price: float, k: int) -> None:
    truth = (T, F, T, T, F, T, *[F] * 160, T, *[F] * 60, T, *[F] * 14)
    rule = LabelReport(delta=Fraction(32, 100), k=k)
    known = facts(truth)
    assert bounds.response_applies(known, k, float(rule.delta), price).corrected
    reports = every_rank_and_subset(truth)
    least = float(label_reports(rule, truth, reports).loss(price).min())
    found = best_response(rule, truth, price)
    assert found.proven
    assert found.loss == pytest.approx(least, abs=1e-9)
    exact = expected_loss(rule, Report(labels=found.labels), truth, Fraction(price))
    assert found.loss == pytest.approx(float(exact), abs=1e-9)
    outcome = label_reports(rule, truth, np.array([found.labels]))
    assert outcome.hidden[0] <= bounds.response_hidden(known, k).corrected
    assert outcome.disclosure[0] <= bounds.response_disclosure(known, k, float(rule.delta), price).corrected
    if price == 9:
        assert outcome.hidden[0] == 2, "outliers are worth hiding at this price"


def test_false_claims_above_the_threshold_are_free_and_pay() -> None:
    """The theorem says that with k = 1 the best response is true for all that the optimal classifier calls positive."""
    truth = FAMILIES["false-tops"](400, 0)
    rule = LabelReport(delta=Fraction(1, 4), k=1)
    known = facts(truth)
    assert bounds.response_applies(known, 1, 0.25, 0).corrected
    best, true_at_top = best_response(rule, truth, 0), best_response(rule, truth, 0, Candour.TRUE_AT_TOP)
    assert best.proven
    assert true_at_top.proven
    assert best.loss < true_at_top.loss - 20
    assert best.labels[: known.rank] == (T,) * known.rank != truth[: known.rank]
    exact = [expected_loss(rule, Report(labels=labels), truth, Fraction(0)) for labels in (best.labels, truth)]
    assert exact[0] < exact[1] - 20


def test_the_best_response_may_move_the_threshold_below_the_optimal_one() -> None:
    truth = FAMILIES["gap"](100, 0)
    rule = LabelReport(delta=Fraction(1, 4), k=1)
    known = facts(truth)
    assert bounds.response_applies(known, 1, 0.25, 0).corrected
    found = best_response(rule, truth, 0)
    rank = int(label_reports(rule, truth, np.array([found.labels])).rank[0])
    error = rank + known.positives - 2 * sum(truth[:rank])
    assert found.proven
    assert rank > known.rank
    assert error >= known.error + 1


@pytest.mark.parametrize(("family", "size"), [("false-tops", 160), ("gap", 100), ("one-error", 100)])
def test_if_any_error_found_brings_the_batch_the_best_response_is_true_down_to_the_optimal_threshold(
    family: str, size: int
) -> None:
    """The prose's reading: all labels of the first 12 documents are tried, and what Bob sees and refutes costs N-."""
    truth = np.array(FAMILIES[family](size, 0))
    known = facts(truth.tolist())
    rule = LabelReport(delta=Fraction(1, 4), k=1)
    assert bounds.response_applies(known, 1, 0.25, 0.5).printed
    reports = np.tile(truth, (2**12, 1))
    reports[:, :12] = every_report(12)
    outcomes = label_reports(rule, truth, reports)
    shown = reports | (np.arange(1, size + 1) <= outcomes.rank[:, None])
    refuted = (shown & (reports != truth)).any(axis=1)
    losses = np.where(refuted, known.negatives, outcomes.loss(0.5))
    best = int(np.argmin(losses))
    assert (reports[best, : known.rank] == truth[: known.rank]).all()
    modest = best_response(rule, tuple(truth.tolist()), 0.5, Candour.NO_FALSE_CLAIMS)
    assert losses[best] == pytest.approx(modest.loss, abs=1e-9)
    assert outcomes.loss(0.5).min() < modest.loss - 1, "by the pseudo-code a false claim pays"


def test_the_printed_bound_on_the_best_response_is_exceeded_near_a_third() -> None:
    truth = (T, *[F] * 20)
    rule = LabelReport(delta=Fraction(33, 100), k=1)
    known = facts(truth)
    assert bounds.response_applies(known, 1, 0.33, 0).printed
    found = best_of_all(rule, truth, 0)  # of two million
    assert found.loss == pytest.approx(best_response(rule, truth, 0).loss, abs=1e-9)
    bound = bounds.response_disclosure(known, 1, 0.33, 0)
    assert bound.printed < found.loss < bound.corrected


@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(99, 100)], ids=str)
def test_the_worst_threshold_is_the_worst_of_all(delta: Fraction) -> None:
    rule = ClassifierReport(delta=delta)
    failed = 0
    for number in range(12):
        truth = (*[T] * (number % 3), *[F] * (4 + number), *FAMILIES["falling"](20, number), *[T] * 4, *[F] * 3)
        for allowed in (0, 2, 5):
            every = [classifier_report(rule, truth, rank).failure(allowed) for rank in range(len(truth) + 1)]
            found = worst_threshold(rule, truth, allowed)
            assert (found.failure if found else 0) == pytest.approx(max(every), abs=1e-12)
            failed += max(every) > 0
    assert failed > 10


@pytest.mark.parametrize("truth", [(), (F,), (T,), (T, T), (F, F)], ids=str)
def test_batches_with_next_to_nothing_in_them_have_a_best_response(truth: Truth) -> None:
    rule = LabelReport(delta=Fraction(1, 2), k=1)
    found = best_response(rule, truth, 1.0)
    assert len(found.labels) == len(truth)
    assert found.loss <= len(truth) - sum(truth)
    assert worst_labels(rule, truth, len(truth)) is None
