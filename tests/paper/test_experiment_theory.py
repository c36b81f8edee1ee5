"""The experiment on the one-dimensional theorems: what it finds, and that it would find more if there were more."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from protocol.paper.experiments import theory
from protocol.paper.experiments.outcome import Outcome, Verdict, table, text
from protocol.paper.experiments.theoryfindings import agreement, findings
from protocol.paper.theory import trials
from protocol.rules.label_report import LabelReport
from protocol.workers import pool

pytestmark = pytest.mark.slow  # runs the experiment

SMALL = replace(theory.Settings.quick(), families=("separable", "lemma", "false-tops", "one-error", "none"), plays=10)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    counted: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "cores", lambda: 1)  # right here: a worker a job would take longer than the jobs
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
        ("Lemma one-dim-label, as its proof assumes",),
        ("one-dim-classifier, recall",),
        ("one-dim-classifier, disclosure as printed",),
        ("one-dim-classifier, disclosure as corrected",),
        ("Lemma one-dim-classifier", "t_A above t*"),
        ("Lemma one-dim-classifier", "t_A below t*"),
        ("Best-response theorem, disclosure as printed",),
        ("Best-response theorem, disclosure as corrected", "price (err* + k - 1)"),
        ("k = 1: the best response gives true labels", "by the prose"),
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
        ("k = 1: the best response gives true labels", "by the pseudo-code"),
        ("Alice will not label",),
    ],
)
def test_what_is_printed_and_wrong_differs(outcome: Outcome, words: tuple[str, ...]) -> None:
    assert of(outcome, *words) is Verdict.DIFFERS


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("one-dim-classifier, disclosure as printed", "one epoch runs"),
        ("Best-response theorem, disclosure as printed", "At delta near 1/3"),
        ("one-dim-label, disclosure as printed", "delta = 0.6, k = 1, N = 40"),
        ("Alice will not label", "both sentences hold for"),
        ("t_A below t*", "no step that acts on it"),
    ],
)
def test_findings_say_what_lies_outside_the_assumption_and_why(outcome: Outcome, words: str, said: str) -> None:
    (found,) = [finding for finding in outcome.findings if words in finding.claim]
    assert said in found.seen


def test_a_best_response_without_responsive_documents_is_left_out() -> None:
    assert trials.response("none", 300, 1, 0, "1/4", "1") == []
    assert trials.response("separable", 300, 1, 0, "1/4", "1") != []


def row(part: str, *, inside: bool, over: int, theorem: str) -> dict[str, Any]:
    known = {"theorem": theorem, "part": part, "inside": inside, "family": "made up", "size": 9, "cases": 5}
    values = {"printed": 1.0, "corrected": 1.0, "exact": 1.0 + over, "delta": 0.5, "k": 1, "price": 0.0, "others": 9}
    known |= {"applies corrected": True, "false claims": over, "moved": False, "moved, by the prose": False}
    counts = {"over": {"printed": over, "corrected": over}, "losses": [1.0, 1.0 + over, 1.0], "unproven": 0}
    return known | values | counts | {"proven": True}


CLAIMS = [
    ("label report", "recall", "one-dim-label, recall: whatever", True),
    ("label report", "recall, err* alone", "one-dim-label, recall sharpened", False),
    ("label report", "disclosure", "one-dim-label, disclosure as printed", True),
    ("label report", "disclosure", "one-dim-label, disclosure as corrected", False),
    ("label report", "detection, any report", "Lemma one-dim-label, as printed", True),
    ("label report", "detection, no false claims", "Lemma one-dim-label, as its proof assumes", True),
    ("classifier report", "recall", "one-dim-classifier, recall", True),
    ("classifier report", "disclosure", "one-dim-classifier, disclosure as printed", True),
    ("classifier report", "disclosure", "one-dim-classifier, disclosure as corrected", False),
    ("classifier report", "detection, t_A > t*", "t_A above t*", True),
    ("classifier report", "seen, t_A < t*", "t_A below t*", True),
    ("best response", "recall", "hides at most err* + k", True),
    ("best response", "recall", "hides at most err* + k - 1", False),
    ("best response", "recall", "Alice will not label", True),
    ("best response", "disclosure", "Best-response theorem, disclosure as printed", True),
    ("best response", "disclosure", "Best-response theorem, disclosure as corrected", False),
    ("best response", "truthful", "by the pseudo-code", True),
    ("best response", "truthful, by the prose", "by the prose", True),
    ("best response", "recall of the optimal classifier", "its recall is at least", True),
    ("label report", "search", "best of all 2^N reports", False),
]


@pytest.mark.parametrize(("theorem", "part", "words", "printed"), CLAIMS, ids=[each[2] for each in CLAIMS])
def test_a_printed_claim_is_judged_inside_the_assumption_and_ours_everywhere(
    theorem: str, part: str, words: str, *, printed: bool
) -> None:
    def verdict(inside: int | None, outside: int | None) -> Verdict:
        given = [(True, inside), (False, outside)]
        rows = [row(part, inside=which, over=over, theorem=theorem) for which, over in given if over is not None]
        found = {each.claim: each.verdict for each in findings(rows)}
        return next(found[claim] for claim in reversed(found) if words in claim and _exactly(words, claim))

    assert verdict(0, 0) is Verdict.HOLDS
    assert verdict(2, 0) is Verdict.DIFFERS
    assert verdict(0, 2) is (Verdict.HOLDS if printed else Verdict.DIFFERS)
    assert verdict(None, None) is Verdict.OPEN
    assert verdict(None, 2) is (Verdict.OPEN if printed else Verdict.DIFFERS)


def _exactly(words: str, claim: str) -> bool:
    """Of two claims that begin alike, the one that ends with the words too."""
    return not words.startswith("hides at most") or claim.split(", as its")[0].endswith(words)


def test_a_run_in_workers_says_the_same_and_leaves_open_what_nothing_fulfils(monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(SMALL, families=("gap",), response_sizes=(22,), sizes=(3,), small=(1,), deltas=("1/2",), plays=2)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    found = theory.run(few)
    assert of(found, "k = 1: the best response gives true labels", "by the pseudo-code") is Verdict.OPEN
    monkeypatch.setattr(pool, "cores", lambda: 1)
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
