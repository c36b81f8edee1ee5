"""The experiment on the one-dimensional theorems: what it finds, and that it would find more if there were more."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from protocol.corpus import crew
from protocol.experiments import theory
from protocol.experiments.outcome import Outcome, Verdict, table, text
from protocol.experiments.theoryfindings import agreement
from protocol.rules.label_report import LabelReport
from protocol.theory import trials

SMALL = replace(theory.Settings.quick(), families=("lemma", "false-tops", "none"), response_sizes=(20, 300), plays=10)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    counted: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crew, "cores", lambda: 1)  # right here: a worker a job would take longer than the jobs
        found = theory.run(SMALL, counted.append)
    assert counted[-1] == len(counted) == theory.steps(SMALL)
    return found


def verdicts(outcome: Outcome) -> Mapping[str, Verdict]:
    return {finding.claim: finding.verdict for finding in outcome.findings}


def of(outcome: Outcome, *words: str) -> Verdict:
    (found,) = [verdict for claim, verdict in verdicts(outcome).items() if all(word in claim for word in words)]
    return found


def test_every_row_has_every_column(outcome: Outcome) -> None:
    assert all(len(row) == len(outcome.columns) for row in outcome.rows)
    assert len(table(outcome).splitlines()) == len(outcome.rows) + 1
    assert len(outcome.panels) == 4


@pytest.mark.parametrize(
    "words",
    [
        ("one-dim-label, recall: whatever",),
        ("one-dim-label, recall sharpened",),
        ("one-dim-label, disclosure as corrected",),
        ("Lemma one-dim-label, for reports",),
        ("one-dim-classifier, recall",),
        ("one-dim-classifier, disclosure as corrected",),
        ("Lemma one-dim-classifier", "t_A above t*"),
        ("disclosure as corrected: H of N-, and c (k - 1)",),
        ("its recall is at least that of the optimal classifier",),
        ("best of all 2^N reports",),
        ("as they run",),
    ],
)
def test_what_is_proven_holds(outcome: Outcome, words: tuple[str, ...]) -> None:
    assert of(outcome, *words) is Verdict.HOLDS


@pytest.mark.parametrize(
    "words",
    [
        ("one-dim-label, disclosure as printed",),
        ("Lemma one-dim-label, as printed",),
        ("Lemma one-dim-label, its proof",),
        ("one-dim-classifier, disclosure as printed", "err* = 0"),
        ("Lemma one-dim-classifier", "t_A below t*"),
        ("Best-response theorem, disclosure as printed",),
        ("k = 1: the best response gives true labels",),
        ("Alice will not label",),
    ],
)
def test_what_is_printed_and_wrong_differs(outcome: Outcome, words: tuple[str, ...]) -> None:
    assert of(outcome, *words) is Verdict.DIFFERS


def test_a_run_in_workers_says_the_same_and_leaves_open_what_nothing_fulfils(monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(SMALL, families=("gap",), response_sizes=(20,), sizes=(3,), small=(1,), deltas=("1/2",), plays=2)
    monkeypatch.setattr(crew, "cores", lambda: 2)
    found = theory.run(few)
    assert of(found, "k = 1: the best response gives true labels") is Verdict.OPEN
    monkeypatch.setattr(crew, "cores", lambda: 1)
    again = theory.run(few)
    assert (table(again), text(again)) == (table(found), text(found))


def test_a_rule_that_samples_half_as_much_breaks_the_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(row["exact"] <= row["delta"] for row in trials.label("lemma", 100, 1, 0, "1/2", "1")[:1])
    whole = LabelReport.tickets
    monkeypatch.setattr(LabelReport, "tickets", lambda rule, error: whole(rule, error) // 2)
    recall, *_ = trials.label("lemma", 100, 1, 0, "1/2", "1")
    assert recall["exact"] > recall["delta"]


def test_the_sharpened_recall_needs_the_whole_of_its_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the smallest constant, whatever k: kept with 2 ln(1/delta), broken with a quarter of it."""
    _, sharp, _ = trials.label("lemma", 100, 1, 0, "1/2", "1000000")
    assert sharp["part"] == "recall, err* alone"
    assert 0 < sharp["exact"] <= sharp["delta"]
    whole = LabelReport.tickets
    monkeypatch.setattr(LabelReport, "tickets", lambda rule, error: whole(rule, error) // 4)
    _, sharp, _ = trials.label("lemma", 100, 1, 0, "1/2", "1000000")
    assert sharp["exact"] > sharp["delta"]


@pytest.mark.parametrize(
    ("inside", "total", "verdict"),
    [(0, 0, Verdict.HOLDS), (99, 100, Verdict.HOLDS), (90, 100, Verdict.DIFFERS), (0, 3, Verdict.DIFFERS)],
)
def test_exact_values_outside_too_many_intervals_are_not_the_rules(inside: int, total: int, verdict: Verdict) -> None:
    assert agreement(inside, total).verdict is verdict
