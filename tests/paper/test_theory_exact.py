"""Exact values against all ways that coins can fall, against real coins, and against the paper's largest sizes."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.theory.exact import classifier_report, every_report, label_reports, samples
from protocol.paper.theory.instances import FAMILIES, bucket
from protocol.paper.theory.intervals import bernstein, clopper_pearson
from protocol.paper.theory.trials import observe
from protocol.paper.theory.worst import threshold_report
from protocol.rules.base import Report, best_rank
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from tests.support.coinfalls import outcomes

DELTAS = st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)])


@settings(deadline=None, max_examples=60)
@given(
    cells=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=7), delta=DELTAS, k=st.integers(1, 3)
)
def test_a_label_reports_values_are_those_of_all_ways_the_coins_can_fall(
    cells: list[tuple[bool, bool]], delta: Fraction, k: int
) -> None:
    truth, labels = zip(*cells, strict=True)
    rule = LabelReport(delta=delta, k=k)
    found = label_reports(rule, truth, np.array([labels]))
    falls = outcomes(rule, Report(labels=labels), truth)
    assert sum(falls.values()) == 1
    assert found.disclosure[0] == pytest.approx(float(sum(others * p for (_, others), p in falls.items())), abs=1e-12)
    for allowed in range(-1, len(truth)):
        expected = float(sum(p for (hidden, _), p in falls.items() if hidden > allowed))
        if allowed >= 0:
            assert found.failure(allowed)[0] == pytest.approx(expected, abs=1e-12)
    loss = float(sum((others - Fraction(1, 2) * hidden) * p for (hidden, others), p in falls.items()))
    assert found.loss(0.5)[0] == pytest.approx(loss, abs=1e-12)
    assert (found.rank[0], found.error[0]) == best_rank(labels)


@settings(deadline=None, max_examples=60)
@given(truth=st.lists(st.booleans(), min_size=1, max_size=8), above=st.integers(0, 8), delta=DELTAS)
def test_a_thresholds_values_are_those_of_all_ways_the_coins_can_fall(
    truth: list[bool], above: int, delta: Fraction
) -> None:
    rank = min(above, len(truth))
    rule = ClassifierReport(delta=delta)
    found = classifier_report(rule, truth, rank)
    falls = outcomes(rule, threshold_report(tuple(truth), rank), truth)
    assert found.disclosure == pytest.approx(float(sum(others * p for (_, others), p in falls.items())), abs=1e-12)
    assert found.missed.sum() == pytest.approx(1, abs=1e-12)
    for hidden in range(len(found.missed)):
        expected = float(sum(p for (missed, _), p in falls.items() if missed == hidden))
        assert found.missed[hidden] == pytest.approx(expected, abs=1e-12)


def test_a_batch_long_enough_for_uncertain_coins_is_compelled_as_often_as_all_ways_say() -> None:
    truth = [False] * 5 + [True, False] + [True] * 6
    rule = ClassifierReport(delta=Fraction(99, 100))
    falls = outcomes(rule, threshold_report(tuple(truth), 0), truth)
    found = classifier_report(rule, truth, 0)
    assert 0.01 < found.compelled < 0.99
    assert len([share for share in found.missed if share > 0.001]) > 2
    assert found.disclosure == pytest.approx(float(sum(others * p for (_, others), p in falls.items())), abs=1e-12)


def test_all_reports_are_all_different() -> None:
    assert len({tuple(row) for row in every_report(5).tolist()}) == 32
    assert (every_report(5, 7, 9) == every_report(5)[7:9]).all()


@pytest.mark.parametrize("tickets", [0.2, 1.0, 9.21, 300.5])
@pytest.mark.parametrize("count", [0, 1, 9, 10, 250, 5000])
def test_the_mean_number_of_samples_is_the_sum_of_the_chances(tickets: float, count: int) -> None:
    assert samples(tickets, count) == pytest.approx(sum(min(1, tickets / j) for j in range(1, count + 1)), abs=1e-9)


def test_a_million_documents_are_one_pass() -> None:
    truth = np.zeros(2**20, dtype=np.bool_)
    truth[0] = truth[-1] = True
    rule = LabelReport(delta=Fraction(1, 100), k=1)
    labels = truth.copy()
    labels[-1] = False
    hiding = label_reports(rule, truth, labels[None, :])
    tickets = rule.tickets(0) / 2**32
    assert hiding.survival[0] == pytest.approx(1 - tickets / (2**20 - 1), rel=1e-12)
    telling = label_reports(rule, truth, truth[None, :])
    assert telling.disclosure[0] == pytest.approx(samples(2 * tickets, 2**20 - 2), rel=1e-9)


def test_many_finds_in_a_long_batch_keep_the_probabilities_whole() -> None:
    truth = FAMILIES["shuffled"](400, 7)
    found = classifier_report(ClassifierReport(delta=Fraction(1, 2)), truth, 0)
    assert found.missed.sum() == pytest.approx(1, abs=1e-9)
    assert 0 < found.disclosure <= 400


def test_who_skips_no_bucket_has_a_survival_that_falls_with_delta() -> None:
    truth = bucket(8, 7)
    survivals = []
    for delta in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)):
        rule = LabelReport(delta=delta, k=1)
        survivals.append(float(label_reports(rule, truth, np.array([bucket(8, 0)])).survival[0]))
    assert survivals == sorted(survivals, reverse=True)
    assert survivals[0] < exp(-0.5)


CASES: list[tuple[str, int, Sequence[int]]] = [
    ("falling", 60, (0, 2)),
    ("outliers", 90, (3, 30)),
    ("lemma", 80, (0, 1)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "size", "ranks"), CASES)
def test_exact_values_are_what_the_rules_do_with_coins_of_the_ledger(
    family: str, size: int, ranks: Sequence[int]
) -> None:
    truth = FAMILIES[family](size, 5)
    others, plays = size - sum(truth), 2500
    label_rule, classifier_rule = LabelReport(delta=Fraction(1, 2), k=2), ClassifierReport(delta=Fraction(1, 2))
    hiding = tuple(label and place < size // 3 for place, label in enumerate(truth))
    for labels in (truth, hiding):
        found = label_reports(label_rule, truth, np.array([labels]))
        seen = observe(label_rule, Report(labels=labels), truth, plays, f"exact {family} {labels}")
        low, high = bernstein(plays, seen.mean, seen.spread, least=0, most=others, confidence=1 - 1e-6)
        assert low <= found.disclosure[0] <= high
        low, high = clopper_pearson(seen.failures, plays, 1 - 1e-6)
        assert low <= found.failure(0)[0] <= high
    for rank in ranks:
        outcome = classifier_report(classifier_rule, truth, rank)
        seen = observe(classifier_rule, threshold_report(truth, rank), truth, plays, f"exact {family} {rank}", 1)
        low, high = bernstein(plays, seen.mean, seen.spread, least=0, most=others, confidence=1 - 1e-6)
        assert low <= outcome.disclosure <= high
        low, high = clopper_pearson(seen.failures, plays, 1 - 1e-6)
        assert low <= outcome.failure(1) <= high
