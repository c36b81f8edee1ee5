"""The rules in waves against the paper's own loops, one document at a time, with mistakes of all three parties."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.rules.base import COINS, Examiner, Report, best_rank, chance, malformed
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll
from tests.support import literal_rules, paper_rules
from tests.support.literal_rules import Outcome
from tests.support.waves import choices, numbers, play

T, F = True, False
HUNDREDTH = Fraction(1, 100)
DELTAS = [Fraction(1, 1000), HUNDREDTH, Fraction(1, 2), Fraction(99, 100)]
RATES = (0.0, 0.1, 0.5, 1.0)


def literal(
    rule: Examiner, report: Report, flips: Sequence[int], bob: Sequence[bool], court: Sequence[bool]
) -> Outcome:
    labels = [label for label in report.labels if label is not None]
    match rule:
        case LabelReport(delta=delta, k=k):
            return literal_rules.label_report(labels, flips, bob, court, delta=delta, k=k)
        case ClassifierReport(delta=delta):
            return literal_rules.classifier_report(labels, flips, bob, court, delta=delta)
    return literal_rules.reveal_all(labels, bob, court)


def report_for(rule: Examiner, labels: Sequence[bool], threshold: int) -> Report:
    if not rule.reports_threshold:
        return Report(labels=tuple(labels))
    return Report(labels=(*labels[:threshold], *[None] * (len(labels) - threshold)), threshold=threshold)


def flipped(labels: Sequence[bool], rate: float, *name: object) -> list[bool]:
    return [label != wrong for label, wrong in zip(labels, choices(len(labels), rate, *name), strict=True)]


# Waves and the paper's loop


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Examiner, Report, list[int], list[bool], list[bool]]:
    """A rule, a report, coins, Bob's and the court's answers; all of them free, and coins often at the edges."""
    name = draw(st.sampled_from(paper_rules.NAMES))
    rule = paper_rules.rule(name, delta=draw(st.sampled_from(DELTAS)), k=draw(st.integers(1, 5)))
    size = draw(st.integers(1 if rule.reports_threshold else 0, 24))
    labels = st.lists(st.booleans(), min_size=size, max_size=size)
    edges = st.sampled_from([0, 1, COINS // 2, COINS - 1])
    coins = draw(st.lists(edges | st.integers(0, COINS - 1), min_size=size, max_size=size))
    return rule, report_for(rule, draw(labels), draw(st.integers(0, size))), coins, draw(labels), draw(labels)


@settings(deadline=None, max_examples=100)
@given(rounds())
def test_waves_end_where_the_papers_loop_does(
    drawn: tuple[Examiner, Report, list[int], list[bool], list[bool]],
) -> None:
    assert play(*drawn).outcome == literal(*drawn)


@settings(deadline=None, max_examples=100)
@given(rounds())
def test_a_rule_that_ends_at_a_find_shows_all_after_it_and_changes_no_chance(
    drawn: tuple[Examiner, Report, list[int], list[bool], list[bool]],
) -> None:
    rule, report, coins, *_ = drawn
    start = rule.examine(report, coins, {})
    for place in start.drawn if rule.ends_at_a_find else ():
        found = rule.examine(report, coins, {place: True})
        assert found.due == set(range(1, len(report.labels) + 1))
        assert found.chances == start.chances


def test_the_classifier_report_does_not_end_at_a_find() -> None:
    rule = paper_rules.rule("classifier", delta=HUNDREDTH, k=1)
    found = rule.examine(report_for(rule, [F] * 60, 0), [COINS - 1] * 59 + [0], {2: True})
    assert not rule.ends_at_a_find
    assert found.compelled_at is None


@pytest.mark.parametrize("delta", DELTAS, ids=str)
@pytest.mark.parametrize("name", paper_rules.NAMES)
def test_waves_end_where_the_papers_loop_does_in_batches_up_to_60(name: str, delta: Fraction) -> None:
    compelled = waves = 0
    for number in range(150):
        key = (name, str(delta), number)
        size, k, near, top, alice_errs, bob_errs, court_errs = numbers(7, key, "shape")
        rule = paper_rules.rule(name, delta=delta, k=1 + k % 4)
        truth = choices(1 + size % 60, (0.05, 0.3, 0.7, 0.95)[near % 4], key, "truth")
        report = report_for(rule, flipped(truth, RATES[alice_errs % 4], key, "alice"), top % (len(truth) + 1))
        bob = flipped(truth, RATES[bob_errs % 3], key, "bob")
        court = flipped(truth, RATES[court_errs % 3], key, "court")
        played = play(rule, report, numbers(len(truth), key, "coins"), bob, court)
        assert played.outcome == literal(rule, report, numbers(len(truth), key, "coins"), bob, court), key
        compelled += played.outcome.compelled_at is not None
        waves = max(waves, len(played.waves))
    assert (compelled == 0) == (name == "reveal-all"), "the cases must show both endings"
    assert waves >= {"reveal-all": 1, "label": 2, "classifier": 3}[name]


@pytest.mark.parametrize("coin", [0, COINS - 1])
@pytest.mark.parametrize("name", paper_rules.NAMES)
def test_the_smallest_coin_draws_everything_and_the_largest_only_what_is_certain(name: str, coin: int) -> None:
    rule = paper_rules.rule(name, delta=HUNDREDTH, k=1)
    truth = [F] * 60
    played = play(rule, report_for(rule, truth, 0), [coin] * 60, truth, truth)
    chances = played.examination.chances
    expected = {place for place, found in chances.items() if found == COINS or coin == 0}
    assert played.outcome.disclosed == (expected if chances else set(range(1, 61)))


@pytest.mark.parametrize("name", ["label", "classifier"])
def test_a_coin_draws_below_its_chance_and_not_at_it(name: str) -> None:
    rule = paper_rules.rule(name, delta=HUNDREDTH, k=1)
    report = report_for(rule, [F] * 60, 0)
    chances = rule.examine(report, [0] * 60, {}).chances
    at = [min(COINS - 1, chances[place]) for place in range(1, 61)]
    assert rule.examine(report, [chances[place] - 1 for place in range(1, 61)], {}).drawn == chances.keys()
    assert rule.examine(report, at, {}).drawn == {place for place in chances if chances[place] == COINS}


# The classifier's stop


def test_finds_that_outnumber_the_rest_at_a_prefix_compel_the_batch_although_totals_do_not() -> None:
    truth = [T, F, F, F, F, F]
    rule = ClassifierReport(delta=HUNDREDTH)
    played = play(rule, report_for(rule, truth, 0), [0] * 6, truth, truth)
    assert played.outcome.compelled_at == 1  # M+ = 1 > 0 = M- there; at the end M+ = 1 < 5 = M-
    assert played.outcome.disclosed == frozenset(range(1, 7))


def test_as_many_finds_as_others_do_not_compel() -> None:
    truth = [F, T, F, T]
    rule = ClassifierReport(delta=HUNDREDTH)
    played = play(rule, report_for(rule, truth, 0), [0] * 4, truth, truth)
    assert played.outcome.compelled_at is None
    one_more = play(rule, report_for(rule, [*truth, T], 0), [0] * 5, [*truth, T], [*truth, T])
    assert one_more.outcome.compelled_at == 5


def test_a_find_starts_the_weight_again_so_a_later_wave_adds() -> None:
    rule = ClassifierReport(delta=Fraction(99, 100))
    truth = [F] * 12 + [T] + [F] * 3
    certain = sum(found == COINS for found in rule.examine(report_for(rule, truth, 0), [0] * 16, {}).chances.values())
    assert 1 < certain < 12
    coins = [COINS - 1] * 16
    coins[12] = 0
    played = play(rule, report_for(rule, truth, 0), coins, truth, truth)
    assert played.waves == (frozenset({*range(1, certain + 1), 13}), frozenset({14, 15, 16}))
    refused = play(rule, report_for(rule, truth, 0), coins, truth, [F] * 16)  # the court says: not responsive
    assert refused.waves == (frozenset({*range(1, certain + 1), 13}),)
    assert refused.outcome.to_court == {13}


def test_what_only_the_whole_batch_brought_to_light_does_not_move_the_stop() -> None:
    rule = ClassifierReport(delta=Fraction(99, 100))
    truth = [F] * 6 + [T] * 12
    coins = [0] * 6 + [COINS - 1] + [0] * 11  # the first responsive one is missed
    played = play(rule, report_for(rule, truth, 0), coins, truth, truth)
    assert played.outcome.compelled_at == 15  # 8 finds there, against 6 others and the one that was missed
    assert len(played.evidence.found) == 8
    assert played.outcome == literal(rule, report_for(rule, truth, 0), coins, truth, truth)


# The label report's stop


def test_an_error_above_the_threshold_does_not_compel_but_a_sampled_one_below_does() -> None:
    rule = LabelReport(delta=HUNDREDTH, k=1)
    reported = Report(labels=(T, F, T, T, F, F, F, F))
    truth = [T, T, T, T, F, F, F, F]
    above = play(rule, reported, [0] * 8, truth, truth)
    assert (above.examination.threshold, above.examination.error) == (4, 1)
    assert above.outcome.compelled_at is None
    assert above.outcome.to_court == {2}
    below = play(rule, reported, [0] * 8, [*truth[:4], F, T, T, F], [T] * 8)
    assert below.outcome.compelled_at == 6
    assert below.outcome.disclosed == frozenset(range(1, 9))


def test_a_sampled_error_that_only_bob_sees_goes_to_the_court_and_compels_nothing() -> None:
    rule = LabelReport(delta=Fraction(1, 2), k=1)
    played = play(rule, Report(labels=(F,) * 9), [0] + [COINS - 1] * 8, [T] * 9, [F] * 9)
    assert played.outcome == Outcome(
        disclosed=frozenset({1}), labels=(F,) * 9, to_court=frozenset({1}), compelled_at=None
    )


# Thresholds


@pytest.mark.parametrize(
    ("labels", "rank", "error"),
    [
        ([], 0, 0),
        ([F], 0, 0),
        ([T], 1, 0),
        ([T, F], 1, 0),
        ([F, T], 2, 1),  # ranks 0 and 2 tie
        ([T, F, T], 3, 1),  # ranks 1 and 3 tie
        ([F, T, F, F, T], 2, 2),  # ranks 0 and 2 tie
        ([F, F, T], 0, 1),
        ([T, F, T, F, T, F], 5, 2),  # ranks 1, 3 and 5 tie
    ],
)
def test_of_several_best_thresholds_the_largest_rank_is_taken(labels: list[bool], rank: int, error: int) -> None:
    assert best_rank(labels) == (rank, error)


@given(st.lists(st.booleans(), max_size=40))
def test_the_best_threshold_is_that_of_trying_them_all(labels: list[bool]) -> None:
    rank, error = best_rank(labels)
    assert rank == literal_rules.best_threshold(labels)
    assert error == literal_rules.threshold_error(labels, rank)


def test_the_classifiers_error_is_what_alice_reports_as_not_responsive_above_her_threshold() -> None:
    rule = ClassifierReport(delta=HUNDREDTH)
    found = rule.examine(report_for(rule, [T, F, F, T, T, F], 4), [0] * 6, {})
    assert (found.threshold, found.error) == (4, 2)


# Malformed reports

LABEL, CLASSIFIER = LabelReport(delta=HUNDREDTH, k=1), ClassifierReport(delta=HUNDREDTH)


@pytest.mark.parametrize(
    ("rule", "report", "message"),
    [
        (LABEL, Report(labels=(T,)), "the batch has 2 documents, but the report has 1 labels"),
        (LABEL, Report(labels=(T, F, F)), "the batch has 2 documents, but the report has 3 labels"),
        (CLASSIFIER, Report(labels=(), threshold=0), "the batch has 2 documents, but the report has 0 labels"),
        (LABEL, Report(labels=(T, F), threshold=1), "the report names a threshold, but only labels are asked for"),
        (RevealAll(), Report(labels=(T, F), threshold=0), "the report names a threshold, but only labels are asked"),
        (LABEL, Report(labels=(T, None)), "the report has no label for position 2"),
        (RevealAll(), Report(labels=(None, None)), "the report has no label for position 1"),
        (CLASSIFIER, Report(labels=(T, F)), "threshold must be a rank from 0 to 2, None found"),
        (CLASSIFIER, Report(labels=(None, None), threshold=-1), "threshold must be a rank from 0 to 2, -1 found"),
        (CLASSIFIER, Report(labels=(T, F), threshold=3), "threshold must be a rank from 0 to 2, 3 found"),
        (CLASSIFIER, Report(labels=(T, F), threshold=1), "for the top 1 positions only; position 2 is wrong"),
        (CLASSIFIER, Report(labels=(None, None), threshold=1), "for the top 1 positions only; position 1 is wrong"),
        (CLASSIFIER, Report(labels=(T, None), threshold=0), "for the top 0 positions only; position 1 is wrong"),
    ],
)
def test_a_malformed_report_is_told_what_is_wrong(rule: Examiner, report: Report, message: str) -> None:
    found = malformed(rule, 2, report)
    assert found is not None
    assert message in found


@pytest.mark.parametrize(
    ("rule", "report"),
    [
        (RevealAll(), Report(labels=(T, F))),
        (LABEL, Report(labels=(F, F))),
        (CLASSIFIER, Report(labels=(None, None), threshold=0)),
        (CLASSIFIER, Report(labels=(F, None), threshold=1)),
        (CLASSIFIER, Report(labels=(T, T), threshold=2)),
    ],
)
def test_a_whole_report_is_taken(rule: Examiner, report: Report) -> None:
    assert malformed(rule, 2, report) is None


# Tickets and chances


@pytest.mark.parametrize(
    ("k", "error", "tickets"),
    [
        (1, 0, 39558110684),
        (1, 1, 79116221368),
        (1, 7, 316464885472),
        (2, 0, 39558110684),
        (2, 1, 59337166026),
        (2, 7, 178011498078),
        (5, 0, 39558110684),
        (5, 1, 47469732821),
        (5, 7, 94939465642),
    ],
)
def test_the_label_reports_tickets_are_pinned_at_delta_one_hundredth(k: int, error: int, tickets: int) -> None:
    assert LabelReport(delta=HUNDREDTH, k=k).tickets(error) == tickets


@pytest.mark.parametrize(("size", "tickets"), [(1, 39558110684), (2, 45512199628), (1000, 98895276708)])
def test_the_classifiers_tickets_are_pinned_at_delta_one_hundredth(size: int, tickets: int) -> None:
    assert ClassifierReport(delta=HUNDREDTH).tickets(size) == tickets


def logarithm_bounds(number: Fraction) -> tuple[Fraction, Fraction]:
    """Two fractions between which ln(number) lies, 10^-60 apart."""
    with localcontext() as context:
        context.prec = 80
        near = Fraction((Decimal(number.numerator) / Decimal(number.denominator)).ln())
    return near - Fraction(1, 10**60), near + Fraction(1, 10**60)


@pytest.mark.parametrize("delta", [*DELTAS, Fraction(123456789, 10**9), Fraction(1, 10**20)], ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_no_chance_is_below_the_papers_probability_nor_much_above_it(k: int, delta: Fraction) -> None:
    for error in (0, 1, 2, 13):
        paper = [(2 + Fraction(2 * error, k)) * log for log in logarithm_bounds(1 / delta)]
        check_chances(LabelReport(delta=delta, k=k).tickets(error), paper, Fraction(4 * (k + error), k))
    for size in (1, 2, 59, 1000):
        paper = [2 * log for log in logarithm_bounds(size / delta)]
        check_chances(ClassifierReport(delta=delta).tickets(size), paper, Fraction(2))


def check_chances(tickets: int, paper: list[Fraction], rounded: Fraction) -> None:
    """`rounded`: by how many units of 2^-32 rounding may have raised c."""
    low, high = paper
    for divisor in (1, 2, 3, 10, 97, 1000, 10**6):
        found = Fraction(chance(tickets, divisor), COINS)
        assert min(Fraction(1), high / divisor) <= found
        assert found <= min(Fraction(1), (low + rounded / 2**32) / divisor + Fraction(1, COINS))


@given(st.integers(1, 2**40), st.integers(1, 10**6), st.integers(0, COINS - 1))
def test_a_chance_counts_the_coins_below_it_in_exact_integers(tickets: int, divisor: int, coin: int) -> None:
    found = chance(tickets, divisor)
    assert 0 < found <= COINS
    for each in {coin, max(0, found - 1), min(COINS - 1, found)}:
        assert (each < found) == (each * divisor < tickets * 2**32)


def test_a_matters_terms_name_the_rule() -> None:
    assert paper_rules.rule("reveal-all", delta=HUNDREDTH, k=3) == RevealAll()
    assert paper_rules.rule("label", delta=HUNDREDTH, k=3) == LabelReport(delta=HUNDREDTH, k=3)
    assert paper_rules.rule("classifier", delta=HUNDREDTH, k=3) == ClassifierReport(delta=HUNDREDTH)
