"""`curves` and `tolerance`: real matters for the numbers, made-up ones for the verdicts."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.matter import summary, terms
from protocol.paper.experiments import curves, tolerance
from protocol.paper.experiments.outcome import Outcome, Verdict
from protocol.paper.experiments.playing import Played, play
from protocol.paper.experiments.topics import Topic
from protocol.simulation import run as simulation
from protocol.workers import pool
from tests.support.corpora import QUERY

pytestmark = pytest.mark.slow  # runs the experiments

TOPIC = Topic(label="responsive", query=QUERY)
BASELINE, LABEL, CLASSIFIER = curves.BASELINE, curves.LABEL, curves.CLASSIFIER


def real(corpus: Corpus, rounds: int = 3, repeats: int = 2) -> curves.Settings:
    return curves.Settings(corpus=str(corpus.path), topics=[TOPIC], rounds=rounds, batch=40, repeats=repeats)


def test_a_played_matter_counts_what_its_summary_counts(small_corpus: Corpus, tmp_path: Path) -> None:
    played = Played(**play(str(small_corpus.path), "responsive", "label", 3, 40, "0.01", 1, QUERY, "7"))
    agreed = terms.terms(protocol="label", rounds=3, batch=40, delta="0.01", k=1, query=QUERY)
    plan = simulation.plan(
        small_corpus, agreed, label="responsive", seed="7", alice="truthful", bob="truthful", court="right"
    )
    with simulation.Run(small_corpus, plan, tmp_path / "one") as run:
        expected = summary.summary(run.run())
    assert (played.reviewed[-1], played.found[-1], played.nrd[-1]) == tuple(
        expected[name] for name in ("reviewed", "found", "nrd")
    )
    assert played.recall(2) == expected["recall"]


def test_a_matter_without_documents_left_stays_where_it_was(small_corpus: Corpus) -> None:
    played = Played(**play(str(small_corpus.path), "responsive", BASELINE, 9, 50, "0.01", 1, QUERY, "7"))
    assert played.reviewed == [50, 100, 150, 200, 250, 300, 300, 300, 300]
    assert played.found[-1] == played.responsive
    assert len(played.nrd) == 9


def test_errors_are_counted_by_the_true_labels(small_corpus: Corpus) -> None:
    """Whatever Alice and Bob agree on, and the court rules: the output labels are often wrong here."""
    parties = ("careless:0.3", "careless:0.3", "wrong:0.3")
    wrong = play(str(small_corpus.path), "responsive", BASELINE, 6, 50, "0.01", 1, QUERY, "7", *parties)
    played = Played(**wrong)
    assert played.found[-1] == played.responsive  # all was shown, whatever anybody called it
    assert played.nrd[-1] == small_corpus.size - played.responsive
    assert played.disputes[-1] > 0


@pytest.fixture(scope="module")
def outcome_of_curves(small_corpus: Corpus) -> Outcome:
    return curves.run(real(small_corpus))


def test_every_protocol_and_round_has_a_row_and_every_topic_two_panels(outcome_of_curves: Outcome) -> None:
    assert [tuple(row[2:5]) for row in outcome_of_curves.rows] == [
        (name, number, 40 * number) for name in (BASELINE, LABEL, CLASSIFIER) for number in (1, 2, 3)
    ]
    assert [panel.y_label for panel in outcome_of_curves.panels] == ["recall", "non-responsive disclosure"]
    for row in outcome_of_curves.rows:
        numbers = [float(each) for each in row[5:]]
        assert numbers[1] <= numbers[0] <= numbers[2]
        assert numbers[4] <= numbers[3] <= numbers[5]


def test_label_finds_what_the_baseline_finds(outcome_of_curves: Outcome) -> None:
    assert outcome_of_curves.findings[0].verdict is Verdict.HOLDS


def test_the_same_settings_give_the_same_outcome(small_corpus: Corpus, outcome_of_curves: Outcome) -> None:
    assert curves.run(real(small_corpus)) == outcome_of_curves


def test_a_label_that_no_document_has_is_refused(small_corpus: Corpus) -> None:
    settings = curves.Settings(corpus=str(small_corpus.path), topics=[Topic(label="no such")], repeats=1)
    with pytest.raises((BadTerms, pool.WorkerDied), match="no such"):
        curves.run(settings)


def played(found: Sequence[int], nrd: Sequence[int], disputes: int = 0) -> dict[str, Any]:
    rounds = len(found)
    made = Played(
        responsive=100,
        reviewed=[50 * (number + 1) for number in range(rounds)],
        found=list(found),
        nrd=list(nrd),
        disputes=[disputes] * rounds,
        compelled=[0] * rounds,
    )
    return asdict(made)


Gather = Callable[..., list[Any]]


def staged(by_protocol: dict[str, dict[str, Any]]) -> Gather:
    """Instead of playing, hand out what each protocol is to have brought."""
    return lambda _, tasks, progress: [by_protocol[task[2]] for task in tasks]


def test_a_curve_is_the_mean_of_the_repeats_and_its_range_their_least_and_greatest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repeats = {
        "1.0": played([10, 40], [50, 100]),
        "1.1": played([20, 40], [60, 130]),
        "1.2": played([60, 70], [70, 70]),
    }
    monkeypatch.setattr(pool, "gather", lambda _, tasks, progress: [repeats[task[8]] for task in tasks])
    found = curves.run(curves.Settings(corpus="", topics=[TOPIC], rounds=2, repeats=3))
    assert [list(row[3:]) for row in found.rows if row[2] == LABEL] == [
        [1, 50, 0.3, 0.1, 0.6, 60, 50, 70],
        [2, 100, 0.5, 0.4, 0.7, 100, 70, 130],
    ]


@pytest.mark.parametrize(
    ("label", "classifier", "differing"),
    [
        (played([40, 80], [50, 100]), played([40, 76], [40, 60]), set()),
        (played([40, 79], [50, 100]), played([40, 76], [40, 60]), {0}),
        (played([40, 80], [60, 101]), played([40, 76], [40, 60]), {1}),
        (played([40, 80], [50, 100]), played([35, 76], [40, 60]), {2}),
        (played([40, 80], [50, 100]), played([40, 76], [30, 67]), {3}),
        (played([40, 80], [50, 72]), played([40, 76], [42, 60]), {4}),
        (played([40, 80], [50, 60]), played([40, 76], [40, 61]), {4}),
    ],
)
def test_each_claim_of_the_paper_can_fail_by_itself(
    monkeypatch: pytest.MonkeyPatch, label: dict[str, Any], classifier: dict[str, Any], differing: set[int]
) -> None:
    baseline = played([40, 80], [100, 200])
    monkeypatch.setattr(pool, "gather", staged({BASELINE: baseline, LABEL: label, CLASSIFIER: classifier}))
    findings = curves.run(curves.Settings(corpus="", topics=[TOPIC], rounds=2, repeats=2)).findings
    assert {number for number, each in enumerate(findings) if each.verdict is not Verdict.HOLDS} == differing


def test_tolerance_plays_what_nobody_errs_in_only_once(small_corpus: Corpus) -> None:
    settings = tolerance.Settings(
        corpus=str(small_corpus.path), topic=TOPIC, rounds=2, batch=40, rates=("0", "0.2"), repeats=1
    )
    assert tolerance.steps(settings) == 3 * (1 + 1 + 5)  # nobody; nobody but the background; five casts who do
    told: list[int] = []
    found = tolerance.run(settings, told.append)
    assert told[-1] == tolerance.steps(settings)
    assert len(found.rows) == 5 * 2 * 3
    assert len(found.panels) == 5 * 3
    without = [row[2:] for row in found.rows if row[1] == "0" and row[0] in ("Alice", "Bob", "court", "all three")]
    assert len({tuple(row) for row in without}) == 3
    erring = {tuple(row[:3]): row for row in found.rows}
    assert erring["court", "0.2", BASELINE][4:] == erring["court", "0", BASELINE][4:]  # nothing to rule on
    assert int(erring["Bob", "0.2", BASELINE][6]) > 0


def at_rates(calm: dict[str, dict[str, Any]], rough: dict[str, dict[str, Any]]) -> Gather:
    def gather(_: object, tasks: Sequence[Sequence[Any]], progress: object) -> list[Any]:
        return [(rough if any("0.2" in str(word) for word in task[9:]) else calm)[task[2]] for task in tasks]

    return gather


CALM = {
    BASELINE: played([80], [200]),
    LABEL: played([80], [100]),
    CLASSIFIER: played([76], [60]),
}


@pytest.mark.parametrize(
    ("rough", "differing"),
    [
        ({LABEL: played([80], [150]), CLASSIFIER: played([76], [66])}, set()),
        ({LABEL: played([71], [150]), CLASSIFIER: played([76], [66])}, {0}),
        ({LABEL: played([80], [150]), CLASSIFIER: played([76], [91])}, {1}),
        ({LABEL: played([80], [200]), CLASSIFIER: played([76], [66])}, {2}),
    ],
)
def test_each_promise_about_errors_can_fail_by_itself(
    monkeypatch: pytest.MonkeyPatch, rough: dict[str, dict[str, Any]], differing: set[int]
) -> None:
    monkeypatch.setattr(pool, "gather", at_rates(CALM, CALM | rough))
    settings = tolerance.Settings(corpus="", topic=TOPIC, rates=("0", "0.2"), repeats=1)
    findings = tolerance.run(settings).findings
    assert {number for number, each in enumerate(findings) if each.verdict is Verdict.DIFFERS} == differing
    assert findings[3].verdict is Verdict.OPEN
