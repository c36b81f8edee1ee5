"""Bounds as printed and corrected, and the instances that they are about."""

from fractions import Fraction
from itertools import product
from math import log

import numpy as np
import pytest

from protocol.paper.experiments.theoryfindings import LIMIT
from protocol.paper.theory import bounds, exhaustive
from protocol.paper.theory.exact import label_reports, samples
from protocol.paper.theory.instances import FAMILIES, Facts, bucket, facts
from protocol.rules.label_report import LabelReport
from tests.support.literal_rules import best_threshold, threshold_error


def known(size: int, positives: int, error: int) -> Facts:
    return Facts(size=size, positives=positives, rank=positives, error=error, missed=error)


def test_the_facts_of_a_batch_are_the_papers() -> None:
    for truth in product((True, False), repeat=7):
        found = facts(truth)
        rank = best_threshold(truth, largest_rank=False)
        assert (found.rank, found.error) == (rank, threshold_error(truth, rank))
        assert found.missed == sum(truth[rank:])
        assert found.error - found.missed == rank - sum(truth[:rank])
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
    ("negatives", "delta", "price", "printed", "corrected"),
    [
        (20, 0.33, 0, True, False),
        (19, 0.33, 0, False, False),
        (25, 0.33, 0, True, False),
        (26, 0.33, 0, True, True),
        (2000, 0.34, 0, False, False),
        (2000, 0.33, 200, False, False),  # price N+ is as large as N-
        (2000, 0.33, 199.9, True, True),
    ],
)
def test_the_theorem_on_best_responses_has_a_premise(
    negatives: int, delta: float, price: float, *, printed: bool, corrected: bool
) -> None:
    found = bounds.response_applies(known(negatives + 10, 10, 0), 1, delta, price)
    assert found == bounds.Premise(printed=printed, corrected=corrected)


def test_with_the_printed_premise_the_truth_may_cost_more_than_the_proof_can_bear() -> None:
    given = known(21, 1, 0)
    assert bounds.response_applies(given, 1, 0.3287, 0) == bounds.Premise(printed=True, corrected=False)
    rule = LabelReport(delta=Fraction(3287, 10_000), k=1)
    truth = np.arange(21) < 1
    assert float(label_reports(rule, truth, truth[None, :]).disclosure[0]) > 20 / 3


def test_inside_the_assumption_the_printed_bound_on_the_best_response_is_kept_by_the_truth() -> None:
    """So by the best response: it loses no more, and hides no more than err* + k - 1. Only err* = 0 has exceptions."""
    over = {True: 0, False: 0}
    for delta in np.linspace(0.01, 0.333, 40):
        for k, error in product((1, 3, 100, 10**6), (0, 1, 2, 5, 20)):
            constant = (2 + 2 * error / k) * log(1 / delta)
            least = next(n for n in range(2, 10**5) if n > 3 * (constant * log(n) + error))
            for negatives, above in product((least, least + 1, 2 * least), {0, error}):
                exact = above + samples(constant, negatives - above)
                over[error > 0] += exact > constant * log(negatives) + error
    assert over[True] == 0
    assert over[False] > 0


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
    known = facts(FAMILIES["false-tops"](200, 0))
    assert known.error - known.missed == 2
    assert facts(FAMILIES["lemma"](200, 0)).rank > 1
    one = facts(FAMILIES["one-error"](200, 0))
    assert (one.error, one.missed) == (1, 0)
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


@pytest.mark.parametrize(("delta", "fails"), [(0.335, False), (0.342, True)])
def test_where_the_printed_disclosure_fails_however_large_n_is(delta: float, *, fails: bool) -> None:
    constant = 2 * log(1 / delta)
    assert (constant < LIMIT) is fails
    assert [samples(constant, n) > constant * log(n) for n in (10, 10**4, 10**9)] == [True, fails, fails]


@pytest.mark.parametrize(("k", "delta", "exact", "printed"), [(1, "3/5", 11.95, 11.84), (3, "1/2", 11.02, 10.80)])
def test_the_printed_disclosure_fails_inside_the_assumption_too(
    k: int, delta: str, exact: float, printed: float
) -> None:
    truth = FAMILIES["one-error"](204, 0)
    assert facts(truth).error == 1
    found = label_reports(LabelReport(delta=Fraction(delta), k=k), truth, np.array([truth])).disclosure[0]
    assert found == pytest.approx(exact, abs=0.005)
    assert bounds.label_disclosure(facts(truth), k, float(Fraction(delta))).printed == pytest.approx(printed, abs=0.005)


def test_the_printed_disclosure_fails_for_every_n_when_delta_is_a_half() -> None:
    rule = LabelReport(delta=Fraction(1, 2), k=1)
    for size in (2, 10, 1000, 2**16):
        truth = np.arange(size) < 1
        bound = bounds.label_disclosure(facts(truth.tolist()), 1, 0.5)
        exact = float(label_reports(rule, truth, truth[None, :]).disclosure[0])
        assert bound.printed + 0.3 < exact < bound.corrected


def test_all_small_batches_keep_the_recalls_and_the_corrected_disclosures() -> None:
    rows = [row for k in (1, 2) for row in exhaustive.labels(6, "1/2", k)] + exhaustive.thresholds(6, "1/2")
    over = {(row["rule"], row["part"], row["k"], row["inside"]): row["over"]["corrected"] for row in rows}
    excused = {"detection, any report", "compelled, t_A < t*"}
    assert all(count == 0 for (_, part, _, _), count in over.items() if part not in excused)
    assert all(count > 0 for (_, part, _, _), count in over.items() if part in excused)
    assert sum(row["over"]["printed"] for row in rows if row["part"] == "disclosure") > 5
    separable = 7  # batches of 6 with err* = 0
    cases = {(row["rule"], row["k"], row["inside"]): row["cases"] for row in rows if row["part"] == "recall"}
    assert {key[1:]: cases[key] for key in cases if key[0] == "label report"} == {
        (1, True): 64 * (64 - separable),
        (1, False): 64 * separable,
        (2, True): 64 * (64 - separable),
        (2, False): 64 * separable,
    }
    assert [count for key, count in cases.items() if key[0] != "label report"] == [7 * 57, 7 * 7]


def test_the_classifiers_printed_disclosure_fails_only_outside_the_assumption_at_every_optimal_threshold() -> None:
    for delta in ("1/2", "99/100"):
        rows = {row["inside"]: row for row in exhaustive.thresholds(6, delta) if row["part"] == "disclosure"}
        assert rows[True]["over"]["printed"] == 0
        assert rows[True]["cases"] > 64 - 7  # more than one threshold a batch
        assert rows[False]["over"]["printed"] == 6  # all but the batch without others


def test_the_exhaustive_search_would_see_a_disclosure_above_the_printed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bounds.classifier_disclosure
    monkeypatch.setattr(
        bounds,
        "classifier_disclosure",
        lambda known, delta: bounds.Bound(printed=whole(known, delta).printed / 4, corrected=0),
    )
    rows = {row["inside"]: row for row in exhaustive.thresholds(6, "1/2") if row["part"] == "disclosure"}
    assert rows[True]["over"]["printed"] > 0


def test_the_exhaustive_search_would_see_a_rule_that_samples_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = LabelReport.tickets
    monkeypatch.setattr(LabelReport, "tickets", lambda rule, error: whole(rule, error) // 2)
    recall = next(row for row in exhaustive.labels(6, "1/2", 1) if row["part"] == "recall" and row["inside"])
    assert recall["over"]["printed"] > 0
    assert recall["exact"] > 0.5


def test_the_search_for_responses_agrees_with_all_reports() -> None:
    rows = exhaustive.responses(5, "3/4", 1)
    assert {row["inside"]: row["cases"] for row in rows} == {True: 3 * (32 - 6), False: 3 * 6}
    assert sum(row["over"]["printed"] for row in rows) == 0
    assert 0 < sum(row["unproven"] for row in rows) < 48
