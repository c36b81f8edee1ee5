"""The lower bound's family: formulas against the general functions, and the experiment."""

from fractions import Fraction

import numpy as np
import pytest

from protocol.corpus import crew
from protocol.experiments import lowerbound
from protocol.experiments.outcome import Verdict, text
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.theory import buckets
from protocol.theory.exact import classifier_report, label_reports
from protocol.theory.instances import bucket, facts

HUNDREDTH = Fraction(1, 100)
INSTANCES = [(m, j) for m in (1, 2, 5, 8) for j in range(m + 1)]


@pytest.mark.parametrize(("exponent", "number"), INSTANCES)
def test_the_formulas_are_what_the_general_functions_say(exponent: int, number: int) -> None:
    truth = bucket(exponent, number)
    known = facts(truth)
    assert (known.rank, known.error) == (2**number, buckets.error(number))
    rule = LabelReport(delta=HUNDREDTH, k=1)
    exact = label_reports(rule, truth, np.array([truth])).disclosure[0]
    assert buckets.disclosure(rule, exponent, number) == pytest.approx(exact)
    threshold = ClassifierReport(delta=HUNDREDTH)
    exact = classifier_report(threshold, truth, known.rank).disclosure
    assert buckets.disclosure(threshold, exponent, number) == pytest.approx(exact)


@pytest.mark.parametrize(("exponent", "number"), [each for each in INSTANCES if each[1]])
def test_a_skipped_bucket_is_hidden_as_often_as_the_formulas_say(exponent: int, number: int) -> None:
    rule = LabelReport(delta=Fraction(1, 2), k=1)
    hiding = label_reports(rule, bucket(exponent, number), np.array([bucket(exponent, 0)]))
    assert buckets.skipped(rule, number) == pytest.approx(hiding.survival[0], abs=1e-12)
    threshold = ClassifierReport(delta=Fraction(1, 2))
    exact = classifier_report(threshold, bucket(exponent, number), 1).failure(0)
    assert buckets.left_out(threshold, exponent, number) == pytest.approx(exact, abs=1e-12)


def test_a_set_that_meets_every_bucket_shows_log_n_others_only_with_the_instance_that_the_paper_lacks() -> None:
    assert [buckets.cheapest(m, with_zero=False) for m in (1, 2, 3, 4)] == [0, 1, 2, 3]
    assert [buckets.cheapest(m, with_zero=True) for m in (1, 2, 3, 4)] == [1, 2, 3, 4]


@pytest.mark.parametrize("number", range(1, 7))
def test_label_reports_with_k_1_reach_the_optimal_recall_on_the_family(number: int) -> None:
    assert buckets.worst(LabelReport(delta=Fraction(1, 2), k=1), 6, number) <= 0.5


def test_chances_that_are_too_small_miss_a_bucket() -> None:
    rule = LabelReport(delta=HUNDREDTH, k=1)
    assert all(buckets.skipped(rule, j) <= 0.01 for j in range(1, 17))
    assert buckets.skipped(rule, 12, share=0.25) > 0.01


def test_a_million_documents_disclose_in_proportion_to_their_logarithm() -> None:
    rule = LabelReport(delta=HUNDREDTH, k=1)
    steps = [buckets.disclosure(rule, m + 1, 1) - buckets.disclosure(rule, m, 1) for m in (10, 15, 19)]
    assert steps == pytest.approx([2 * np.log(100) * np.log(2)] * 3, rel=1e-2)
    assert buckets.disclosure(rule, 20, 20) == 2**19 - 1  # where half of all lie above the best threshold


def test_the_experiment_says_where_the_proof_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "cores", lambda: 1)
    counted: list[int] = []
    settings = lowerbound.Settings.quick()
    outcome = lowerbound.run(settings, counted.append)
    assert counted[-1] == len(counted) == lowerbound.steps(settings)
    assert all(len(row) == len(outcome.columns) for row in outcome.rows)
    assert len(outcome.rows) == 2 * sum(m + 1 for m in settings.exponents)
    verdicts = [finding.verdict for finding in outcome.findings]
    holds, differs = Verdict.HOLDS, Verdict.DIFFERS
    assert verdicts == [holds, differs, differs, holds, differs, holds, holds, holds, holds]
    assert "log2 N - 1" in text(outcome)
    monkeypatch.setattr(crew, "cores", lambda: 2)
    assert outcome == lowerbound.run(settings)
