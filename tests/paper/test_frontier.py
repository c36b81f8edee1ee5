"""`frontier` and `incentives`: reviews by CAL itself under all rules, and what they cost."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.paper.experiments import frontier, incentives, reviewing
from protocol.paper.experiments.outcome import Outcome, Verdict
from protocol.paper.experiments.reviewing import PAPERS, Ended, Labeller, Training
from protocol.paper.experiments.spotchecks import NONE, SpotCheck
from protocol.paper.experiments.topics import Topic
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll
from protocol.workers import pool
from tests.support.corpora import QUERY

TOPIC = Topic(label="responsive", query=QUERY)


def inline(work: Any, tasks: Sequence[Sequence[Any]], progress: Any) -> list[Any]:
    return [work(*task) for task in tasks]


def training(corpus: Corpus) -> Training:
    return Training(corpus, "responsive", QUERY, 40, "7")


def test_a_truthful_review_finds_the_same_under_all_rules_for_labels(small_corpus: Corpus) -> None:
    ends = [reviewing.by_paper(training(small_corpus), PAPERS[name], Labeller(), 5) for name in ("reveal-all", "label")]
    ends.append(reviewing.by_spot_check(training(small_corpus), SpotCheck(every=2), Labeller(), 5))
    batches = list(reviewing.truthful_batches(small_corpus.path, "responsive", QUERY, 5, 40, "7"))
    ends.append(reviewing.truthful_paper(batches, 60, PAPERS["label"], "7"))
    ends.append(reviewing.truthful_spot_check(batches, 60, SpotCheck(every=2), "7"))
    assert len({(each.found, each.hidden, each.reviewed, each.responsive) for each in ends}) == 1
    assert ends[0].nrd >= ends[1].nrd > 0
    assert ends[0].at_most == 0
    assert all(each.at_most >= each.hidden for each in ends)


def test_what_a_hider_hides_is_counted_as_hidden_or_found(small_corpus: Corpus) -> None:
    for terms in (SpotCheck(every=2), SpotCheck(every=2, penalty="batch")):
        ended = reviewing.by_spot_check(training(small_corpus), terms, Labeller(hiding=0.5), 5)
        seen = training(small_corpus)
        assert ended.found + ended.hidden <= len(seen.truth)
        assert ended.hidden <= ended.at_most
        assert ended.reached


def test_a_review_by_label_counts_what_it_has_missed(small_corpus: Corpus) -> None:
    taught = training(small_corpus)
    seldom = LabelReport(delta=Fraction(9, 10), k=reviewing.LOOSE)
    ended = reviewing.by_paper(taught, seldom, Labeller(hiding=0.4), 3)
    seen = sum(document in taught.truth for document in taught.labels)
    assert ended.found + ended.hidden == seen
    assert ended.hidden > 0


def test_what_comes_to_light_trains_the_model(small_corpus: Corpus) -> None:
    for penalty in (NONE, "batch"):
        taught = training(small_corpus)
        terms = SpotCheck(rate=Fraction(1, 5), every=1, penalty=penalty)
        ended = reviewing.by_spot_check(taught, terms, Labeller(hiding=0.5), 3)
        assert sum(taught.labels.values()) == ended.found


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 1.0])
def test_a_labeller_hides_her_share_of_all_batches_and_the_lowest_ranks_of_each(share: float) -> None:
    labeller = Labeller(hiding=share)
    hidden = 0
    for _ in range(20):
        truth = [True, False, True, True, False, True, True]
        places = labeller.hides(truth)
        hidden += len(places)
        assert places == [1, 3, 4, 6, 7][5 - len(places) :]
    assert hidden == round(share * 100)


def test_a_careless_labeller_errs_at_her_rate_and_the_same_each_time() -> None:
    labeller = Labeller(careless=0.05, seed="a")
    mistakes = [labeller.mistaken([True] * 1000, number) for number in range(10)]
    assert 350 < sum(map(sum, mistakes)) < 650
    assert labeller.mistaken([True] * 1000, 3) == mistakes[3]
    assert Labeller(careless=0.05, seed="b").mistaken([True] * 1000, 3) != mistakes[3]


def test_a_careless_report_is_her_own(small_corpus: Corpus) -> None:
    truth = [True, False] * 20
    report = Labeller(careless=0.3, seed="a").report(RevealAll(), truth, 1)
    assert report.labels != tuple(truth)
    assert Labeller(hiding=0.5).report(RevealAll(), truth, 1).labels == (*truth[:20], *[False] * 20)


@pytest.mark.parametrize(("label", "query", "reason"), [("no such", "", "no such"), ("responsive", "zzzzzz", "zzzzzz")])
def test_what_cannot_be_reviewed_is_refused(small_corpus: Corpus, label: str, query: str, reason: str) -> None:
    with pytest.raises(BadTerms, match=reason):
        reviewing.check(small_corpus.path, label, query)


@pytest.mark.parametrize(("withheld", "allowed", "least"), [(1000, 0, 950), (1000, 100, 26.4), (50, 60, 0)])
def test_no_rule_can_show_less_than_theorem_2_says(withheld: int, allowed: int, least: float) -> None:
    assert frontier.floor(withheld, allowed) == pytest.approx(least, rel=0.01)


def ended(found: int, nrd: int, hidden: int = 0, at_most: int = 0) -> Ended:
    return Ended(responsive=200, found=found, nrd=nrd, hidden=hidden, at_most=at_most, reached=True, reviewed=1000)


def test_a_review_falls_short_if_what_is_hidden_makes_the_recall_less_than_the_target() -> None:
    assert not frontier._falls_short(ended(90, 0, hidden=10), "0.9")
    assert frontier._falls_short(ended(90, 0, hidden=11), "0.9")
    assert ended(90, 0, at_most=10).certified == 0.9
    assert ended(90, 0).recall == 0.45


@pytest.fixture(scope="module")
def outcome(small_corpus: Corpus) -> Outcome:
    settings = frontier.Settings(
        corpus=str(small_corpus.path), topics=[TOPIC], rounds=4, batch=40, repeats=1, targets=("0.8", "0.9")
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pool, "gather", inline)
        found = frontier.run(settings)
        assert found == frontier.run(settings)
        assert found != frontier.run(replace(settings, seed="2"))
    return found


def test_every_rule_and_alice_has_its_point(outcome: Outcome) -> None:
    points = {(str(row[1]), str(row[2])) for row in outcome.rows}
    every = {(alice, rule) for alice in frontier.ALICES for rule in (*PAPERS, frontier.SPOT)}
    assert points == every - {(frontier.LOOKING, rule) for rule in PAPERS}  # these rules have no second look
    assert len(outcome.panels) == len(frontier.PANELS)
    assert any("second look" in line.label for line in outcome.panels[1].lines)
    assert outcome.findings[0].verdict is Verdict.HOLDS  # less disclosure than label, with a truthful Alice


def test_no_certificate_says_more_than_is_true(outcome: Outcome) -> None:
    for row in outcome.rows:
        hidden, at_most = int(row[10]), int(row[11])
        assert hidden <= at_most or row[2] == frontier.SPOT


def test_incentives_divide_the_further_disclosure_by_what_stays_hidden() -> None:
    truth, lie = (incentives.Point("t", NONE, "0.9", share) for share in ("0", "0.2"))
    found = {truth: [ended(90, 100), ended(90, 120)], lie: [ended(80, 300, hidden=4), ended(80, 340, hidden=6)]}
    assert incentives.price(found, lie) == (320 - 110) / 5
    found[lie] = [ended(90, 300)]
    assert incentives.price(found, lie) is None


def test_incentives_on_documents(small_corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "gather", inline)
    settings = incentives.Settings(
        corpus=str(small_corpus.path), topics=[TOPIC], rounds=4, batch=40, shares=("0.2", "0.5"), repeats=1
    )
    found = incentives.run(settings)
    assert len(found.rows) == incentives.steps(settings) == 2 * 3
    assert found == incentives.run(settings)
    assert [finding.verdict for finding in found.findings][-1] is Verdict.HOLDS


def test_one_round_has_the_prices_of_a_small_example() -> None:
    """p = 0.2, m = 100: truth costs 20, one hidden document costs 0.8 (20 - c) + 0.2 * 100."""
    assert incentives.loss(Fraction(1, 5), 100, Fraction(22), 0) == 20
    assert incentives.loss(Fraction(1, 5), 100, Fraction(22), 1) == Fraction(184, 10)
    assert incentives.one_round().verdict is Verdict.HOLDS


def test_another_condition_for_truth_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = incentives.loss
    monkeypatch.setattr(incentives, "loss", lambda rate, others, price, hidden: real(rate, others, price / 2, hidden))
    assert incentives.one_round().verdict is Verdict.DIFFERS
