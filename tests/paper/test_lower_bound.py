"""The lower bound's family: formulas against the general functions, and the experiment."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from protocol.paper.experiments import lowerbound
from protocol.paper.experiments.outcome import Verdict, text
from protocol.paper.theory import buckets
from protocol.paper.theory.exact import classifier_report, every_report, label_reports
from protocol.paper.theory.instances import bucket, facts
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.workers import pool

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


def by_all_sets(exponent: int, said: frozenset[int], family: buckets.Family) -> int:
    """The fewest others that Bob has to see, from all sets of documents."""
    sets = every_report(2**exponent)
    own = np.array(buckets.truth_of(exponent, said))
    fits = ~(own & ~sets).any(axis=1)
    for each in family:
        truth = np.array(buckets.truth_of(exponent, each))
        fits &= (sets & (truth != own)).any(axis=1) | ~(truth & ~sets).any(axis=1)
    return int((sets & ~own).sum(axis=1)[fits].min())


@pytest.mark.parametrize("exponent", [1, 2, 3, 4])
def test_what_has_to_be_seen_of_buckets_is_what_has_to_be_seen_of_documents(exponent: int) -> None:
    alone, zero = buckets.printed(exponent), frozenset[int]()
    for family in (alone, [*alone, zero], [*alone, *buckets.pairs(exponent)], [zero, *buckets.pairs(exponent)]):
        for said in family:
            assert buckets.needed(exponent, said, family) == by_all_sets(exponent, said, family)


@pytest.mark.parametrize("exponent", [2, 4, 6])
def test_the_printed_instances_cost_a_truthful_alice_nothing_and_others_a_document_a_bucket(exponent: int) -> None:
    alone, zero, two = buckets.printed(exponent), frozenset[int](), buckets.pairs(exponent)
    assert {buckets.needed(exponent, said, alone) for said in alone} == {0}
    assert buckets.needed(exponent, zero, [*alone, zero]) == exponent
    assert {buckets.needed(exponent, said, [*alone, *two]) for said in alone} == {exponent - 1}
    assert {facts(buckets.truth_of(exponent, pair)).missed for pair in two} == {0}


def test_a_single_responsive_bucket_is_the_papers_instance() -> None:
    assert all(buckets.truth_of(5, frozenset({j})) == bucket(5, j) for j in range(1, 6))
    assert buckets.truth_of(5, frozenset()) == bucket(5, 0)


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


@pytest.mark.slow
def test_the_experiment_says_where_the_proof_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "cores", lambda: 1)
    counted: list[int] = []
    settings = lowerbound.Settings.quick()
    outcome = lowerbound.run(settings, counted.append)
    assert counted[-1] == len(counted) == lowerbound.steps(settings)
    assert all(len(row) == len(outcome.columns) for row in outcome.rows)
    assert len(outcome.rows) == 2 * sum(m + 1 for m in settings.exponents)
    differing = [finding.claim for finding in outcome.findings if finding.verdict is not Verdict.HOLDS]
    assert len(differing) == 1
    assert "to tell the log2 N instances apart" in differing[0]
    assert len(outcome.findings) == 9
    assert "log2 N - 1" in text(outcome)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    assert outcome == lowerbound.run(settings)


@pytest.mark.parametrize(
    ("name", "value", "words", "verdict"),
    [
        ("needed", lambda *_: 2, "Theorem lower-bound: a recall", Verdict.DIFFERS),
        ("needed", lambda m, *_: m, "to tell the log2 N instances apart", Verdict.HOLDS),
        ("error", lambda j: 2**j // 2, "the best threshold of instance j", Verdict.DIFFERS),
        ("worst", lambda *_: 0.02, "on these instances the label report", Verdict.DIFFERS),
        ("left_out", lambda *_: 0.001, "the classifier report does not have that premise", Verdict.DIFFERS),
        ("skipped", lambda *_, **__: 0.02, "looks into every bucket", Verdict.DIFFERS),
        ("disclosure", lambda _, m, __: 20.0 * m, "the label report discloses O(ln N)", Verdict.DIFFERS),
        ("disclosure", lambda _, m, __: 0.9 * m, "the classifier report discloses O(ln N", Verdict.DIFFERS),
    ],
)
def test_other_numbers_make_another_verdict(
    name: str, value: object, words: str, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "cores", lambda: 1)
    monkeypatch.setattr(buckets, name, value)
    found = lowerbound.run(replace(lowerbound.Settings.quick(), played=()))
    assert [each.verdict for each in found.findings if words in each.claim] == [verdict]
