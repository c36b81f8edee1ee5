"""Bounds as printed and corrected, and the instances that they are about."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from protocol.rules.label_report import LabelReport
from protocol.theory import bounds, exhaustive
from protocol.theory.exact import label_reports
from protocol.theory.instances import FAMILIES, Facts, bucket, facts
from tests.literal_rules import best_threshold, threshold_error


def known(size: int, positives: int, error: int) -> Facts:
    return Facts(size=size, positives=positives, rank=positives, error=error, missed=error)


def test_the_facts_of_a_batch_are_the_papers() -> None:
    for truth in product((True, False), repeat=7):
        found = facts(truth)
        rank = best_threshold(truth, largest_rank=False)
        assert (found.rank, found.error) == (rank, threshold_error(truth, rank))
        assert found.missed == sum(truth[rank:])
        assert found.false_positives == rank - sum(truth[:rank])
        assert (found.size, found.positives, found.negatives) == (7, sum(truth), 7 - sum(truth))


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 100_000])
def test_a_harmonic_number_is_a_sum(count: int) -> None:
    assert bounds.harmonic(count) == pytest.approx(float(np.sum(1 / np.arange(1, count + 1))), abs=1e-9)


def test_the_printed_bounds_are_the_papers() -> None:
    given = known(1000, 50, 4)
    label = bounds.label_disclosure(given, 2, 0.01)
    assert label.printed == pytest.approx((2 + 8 / 2) * log(950) * log(100) + 4)
    assert bounds.classifier_disclosure(given, 0.01).printed == pytest.approx(8 * log(1000) * log(100_000) + 4)
    assert bounds.response_disclosure(given, 2, 0.01, 3).printed == pytest.approx(label.printed + 3 * 4 + 3 * 2)
    assert (bounds.label_hidden(given, 2), bounds.classifier_hidden(given)) == (5, 12)
    assert bounds.response_hidden(given, 2).printed == 6


def test_the_corrected_bounds_are_larger_where_the_printed_ones_are_nothing() -> None:
    given = known(1000, 0, 0)
    assert bounds.classifier_disclosure(given, 0.01).printed == 0
    assert bounds.classifier_disclosure(given, 0.01).corrected > 109  # the true mean
    one = known(2, 1, 0)
    assert bounds.label_disclosure(one, 1, 0.01).printed == 0
    assert bounds.label_disclosure(one, 1, 0.01).corrected > 1
    assert bounds.label_disclosure(known(3, 3, 0), 1, 0.01) == bounds.Bound(printed=0, corrected=0)


@pytest.mark.parametrize(
    ("negatives", "delta", "price", "applies"),
    [
        (20, 0.33, 0, True),
        (19, 0.33, 0, False),
        (20, 0.34, 0, False),
        (2000, 0.33, 200, False),  # c N+ is as large as N-
        (2000, 0.33, 199.9, True),
    ],
)
def test_the_theorem_on_best_responses_has_a_premise(
    negatives: int, delta: float, price: float, *, applies: bool
) -> None:
    assert bounds.response_applies(known(negatives + 10, 10, 0), 1, delta, price) is applies


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("size", [1, 2, 3, 10, 57, 300])
def test_every_family_has_instances_of_every_size(name: str, size: int) -> None:
    truth = FAMILIES[name](size, 3)
    assert len(truth) == size
    assert set(map(type, truth)) == {bool}
    assert truth == FAMILIES[name](size, 3)


def test_families_are_what_they_are_called() -> None:
    assert facts(FAMILIES["separable"](200, 0)).error == 0
    assert facts(FAMILIES["outliers"](200, 0)).missed == 3
    assert facts(FAMILIES["false-tops"](200, 0)).false_positives == 2
    assert facts(FAMILIES["lemma"](200, 0)).rank > 1
    alternating = FAMILIES["ties"](200, 0)
    assert best_threshold(alternating, largest_rank=True) > best_threshold(alternating, largest_rank=False) + 90
    run = facts(FAMILIES["run"](600, 0))
    assert run.positives - 1 > 3 * run.error
    assert FAMILIES["noisy"](200, 1) != FAMILIES["noisy"](200, 2)


def test_buckets_double() -> None:
    assert bucket(3, 0) == (True, *[False] * 7)
    assert bucket(3, 1) == (True, True, *[False] * 6)
    assert bucket(3, 2) == (True, False, True, True, *[False] * 4)
    assert bucket(3, 3) == (True, *[False] * 3, *[True] * 4)


def test_the_printed_disclosure_fails_for_every_n_when_delta_is_a_half() -> None:
    rule = LabelReport(delta=Fraction(1, 2), k=1)
    for size in (2, 10, 1000, 2**16):
        truth = np.arange(size) < 1
        bound = bounds.label_disclosure(facts(truth.tolist()), 1, 0.5)
        exact = float(label_reports(rule, truth, truth[None, :]).disclosure[0])
        assert bound.printed + 0.3 < exact < bound.corrected


def test_all_small_batches_keep_the_recalls_and_the_corrected_disclosures() -> None:
    rows = [row for k in (1, 2) for row in exhaustive.labels(6, "1/2", k)] + exhaustive.thresholds(6, "1/2")
    over = {(row["rule"], row["part"], row["k"]): row["over"]["corrected"] for row in rows}
    excused = {"detection, any report", "detection, t_A < t*"}
    assert all(count == 0 for (_, part, _), count in over.items() if part not in excused)
    assert all(count > 0 for (_, part, _), count in over.items() if part in excused)
    assert sum(row["over"]["printed"] for row in rows if row["part"].startswith("disclosure")) > 5
    assert [row["cases"] for row in rows if row["part"] == "recall"] == [4096, 4096, 7 * 64]


def test_the_exhaustive_search_would_see_a_rule_that_samples_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LabelReport.tickets
    monkeypatch.setattr(LabelReport, "tickets", lambda rule, error: whole(rule, error) // 2)
    recall = next(row for row in exhaustive.labels(6, "1/2", 1) if row["part"] == "recall")
    assert recall["over"]["printed"] > 0
    assert recall["exact"] > 0.5


def test_the_search_for_responses_agrees_with_all_reports() -> None:
    (row,) = exhaustive.responses(5, "3/4", 1)
    assert row["cases"] == 96
    assert row["over"]["printed"] == 0
    assert row["unproven"] < 48
