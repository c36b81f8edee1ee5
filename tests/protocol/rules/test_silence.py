"""What late claims, withheld documents and a silent Bob leave of a rule and of the bound."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.rules import label_report
from protocol.rules.base import COINS, Evidence, Examiner, Report, chance, evidence
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from tests.support import paper_rules

T, F = True, False
NEVER, ALWAYS = COINS - 1, 0
HALF = COINS // 2
TWENTIETH = Fraction(1, 20)
LABEL = LabelReport(delta=Fraction(1, 2), k=1)
CLASSIFIER = ClassifierReport(delta=Fraction(99, 100))
BELOW = Report(labels=(F,) * 6)
UNLABELLED = Report(labels=(None,) * 14, threshold=0)


# Late claims


def test_a_position_that_is_claimed_late_counts_as_drawn_with_the_chance_that_it_had() -> None:
    before = LABEL.examine(BELOW, [NEVER] * 6, {})
    after = LABEL.examine(BELOW, [NEVER] * 6, {}, frozenset({4}))
    assert before.drawn == {1}  # whose coin no coin can miss
    assert after == replace(before, drawn=frozenset({1, 4}), due=frozenset({1, 4}))
    found = LABEL.examine(BELOW, [NEVER] * 6, {1: F, 4: T}, frozenset({4}))
    assert (found.compelled_at, found.due) == (4, frozenset(range(1, 7)))
    assert LABEL.examine(BELOW, [NEVER] * 6, {1: F, 4: F}, frozenset({4})).compelled_at is None


def test_where_no_coin_decides_a_late_claim_changes_nothing() -> None:
    report = Report(labels=(T, T, F, F))
    assert LABEL.examine(report, [NEVER] * 4, {}, frozenset({1, 2})) == LABEL.examine(report, [NEVER] * 4, {})
    everything = paper_rules.rule("reveal-all", delta=TWENTIETH, k=1)
    assert everything.examine(report, [NEVER] * 4, {}, frozenset({3})) == everything.examine(report, [NEVER] * 4, {})


def test_in_a_classifier_round_a_late_claim_that_is_responsive_starts_w_again() -> None:
    flips = [ALWAYS] * 11 + [NEVER] * 3
    tickets = CLASSIFIER.tickets(14)
    quiet = CLASSIFIER.examine(UNLABELLED, flips, {})
    assert 13 not in quiet.drawn
    claimed = CLASSIFIER.examine(UNLABELLED, flips, {}, frozenset({13}))
    assert claimed.drawn == quiet.drawn | {13}
    assert claimed.chances == quiet.chances
    found = CLASSIFIER.examine(UNLABELLED, flips, {13: T}, frozenset({13}))
    assert (found.chances[13], found.chances[14]) == (chance(tickets, 13), chance(tickets, 1))
    assert 14 in found.due


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from(["label", "classifier"]))
def test_a_late_claim_only_ever_adds(data: st.DataObject, name: str) -> None:
    rule = paper_rules.rule(name, delta=Fraction(1, 2), k=1)
    size = data.draw(st.integers(1, 16))
    labels = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    top = data.draw(st.integers(0, size))
    report = Report(labels=tuple(labels))
    if rule.reports_threshold:
        report = Report(labels=(*labels[:top], *[None] * (size - top)), threshold=top)
    flips = data.draw(st.lists(st.sampled_from([0, HALF, NEVER]), min_size=size, max_size=size))
    truth = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    late = frozenset(data.draw(st.sets(st.integers(1, size))))
    settled: dict[int, bool] = {}
    while due := rule.examine(report, flips, settled).due - settled.keys():
        settled |= {place: truth[place - 1] for place in due}
    before, after = rule.examine(report, flips, settled), rule.examine(report, flips, settled, late)
    assert before.due <= after.due
    assert before.drawn <= after.drawn
    if before.compelled_at is None:
        assert late & after.chances.keys() <= after.drawn


# What is withheld


def test_what_is_withheld_is_neither_missed_nor_found() -> None:
    flips = [NEVER, NEVER, NEVER, ALWAYS, NEVER, NEVER]
    settled = {1: F}
    examined = LABEL.examine(BELOW, flips, settled)
    odds = examined.chances
    assert evidence(examined, settled, withheld=frozenset({4})) == Evidence(
        compelled=False, undisclosed=(odds[2], odds[3], odds[5], odds[6]), found=()
    )
    assert evidence(examined, settled).undisclosed == (odds[2], odds[3], odds[4], odds[5], odds[6])


def test_a_withheld_document_counts_as_negative_in_a_classifier_round() -> None:
    flips = [ALWAYS] * 14
    seen = dict.fromkeys(range(1, 15), F)
    withheld = {place: label for place, label in seen.items() if place != 3}
    assert CLASSIFIER.examine(UNLABELLED, flips, withheld) == CLASSIFIER.examine(UNLABELLED, flips, seen)


# What nobody read


def test_a_round_with_unread_positions_has_no_misses_and_costs_a_find() -> None:
    flips = [ALWAYS, ALWAYS, NEVER, NEVER, NEVER, NEVER]
    settled = {1: F, 2: F}
    examined = LABEL.examine(BELOW, flips, settled)
    odds = examined.chances
    told = evidence(examined, settled, unread=frozenset({2}), unproven=5)
    assert told == Evidence(compelled=True, undisclosed=(), found=(odds[2],), unproven=5)


def test_unread_positions_that_no_coin_drew_are_not_found() -> None:
    report = Report(labels=(T, F, F, F))
    settled = {1: T, 2: F}
    examined = LABEL.examine(report, [NEVER, ALWAYS, NEVER, NEVER], settled)
    told = evidence(examined, settled, unread=frozenset({1, 2}), unproven=3)
    assert told.found == (examined.chances[2],)


def test_each_unread_find_is_told_once_whatever_alice_says_of_it() -> None:
    flips = [ALWAYS] * 14
    settled = dict.fromkeys(range(1, 15), F) | {14: T}
    examined = CLASSIFIER.examine(UNLABELLED, flips, settled)
    told = evidence(examined, settled, unread=frozenset({13, 14}), unproven=1)
    assert told.found == (examined.chances[13], examined.chances[14])


@pytest.mark.parametrize("name", paper_rules.NAMES)
def test_the_unproven_are_added_to_the_bound(name: str) -> None:
    rule = paper_rules.rule(name, delta=Fraction(1, 2), k=1)
    open_round = Evidence(compelled=False, undisclosed=(HALF,) * 3, found=())
    silent = Evidence(compelled=True, undisclosed=(), found=(HALF,), unproven=7)
    costly = replace(silent, unproven=0)
    for rounds in ([silent], [open_round, silent], [open_round, silent, silent]):
        without = [costly if each is silent else each for each in rounds]
        added = 7 * rounds.count(silent)
        assert rule.hidden_at_most(rounds, TWENTIETH) == rule.hidden_at_most(without, TWENTIETH) + added


def test_by_hand_one_silence_costs_what_one_find_costs() -> None:
    sixteenth = Fraction(1, 16)
    missed = Evidence(compelled=False, undisclosed=(HALF,) * 30, found=())
    silent = Evidence(compelled=True, undisclosed=(), found=(HALF,), unproven=4)
    assert label_report.at_most([missed], sixteenth) == 5  # 5 ln 2 = ln(2 / doubt)
    assert label_report.at_most([missed, silent], sixteenth) == 12 + 4  # 2 (5 ln 2 + ln 2), and the unproven


# Against every outcome of the coins


def one_position(*, hit: bool) -> Evidence:
    """Drawn with probability 1/2; where it is, Bob keeps silent and it stays hidden behind Alice's word."""
    if hit:
        return Evidence(compelled=True, undisclosed=(), found=(HALF,), unproven=1)
    return Evidence(compelled=False, undisclosed=(HALF,), found=())


def forgetful(*, hit: bool) -> Evidence:
    """The same, if the silent round simply did not count."""
    return one_position(hit=False) if not hit else Evidence(compelled=False, undisclosed=(), found=(), unproven=1)


def failure(rule: Examiner, tell: Callable[..., Evidence], rounds: int) -> Fraction:
    """The exact probability that more is hidden than the bound says, if Alice hides one in every round."""
    failed = sum(
        rule.hidden_at_most([tell(hit=hit) for hit in hits], TWENTIETH) < rounds
        for hits in product((T, F), repeat=rounds)
    )
    return Fraction(failed, 2**rounds)


@pytest.mark.parametrize("rule", [LABEL, CLASSIFIER], ids=["label", "classifier"])
def test_a_bob_who_is_silent_whenever_a_coin_hits_does_not_break_the_bound(rule: Examiner) -> None:
    assert failure(rule, one_position, 11) <= TWENTIETH


@pytest.mark.parametrize("rule", [LABEL, CLASSIFIER], ids=["label", "classifier"])
def test_it_would_break_if_his_silence_cost_nothing(rule: Examiner) -> None:
    assert failure(rule, forgetful, 11) > TWENTIETH


@pytest.mark.parametrize("size", [4, 5])
def test_whatever_alice_hides_in_a_label_round_a_silent_bob_leaves_it_within_the_bound(size: int) -> None:
    """Every set that she may hide, every fall of the coins; Bob labels the wave, or is silent just when it is hit."""
    rule = LabelReport(delta=Fraction(1, 2), k=1)
    report = Report(labels=(F,) * size)
    chances = rule.examine(report, [NEVER] * size, {}).chances
    for hidden in product((T, F), repeat=size):
        wrong = Fraction(0)
        for falls in product((T, F), repeat=size):
            flips = [ALWAYS if hit else NEVER for hit in falls]
            odds = prod(
                Fraction(chances[place] if hit else COINS - chances[place], COINS)
                for place, hit in enumerate(falls, start=1)
            )
            drawn = rule.examine(report, flips, {}).drawn
            is_hit = any(hidden[place - 1] for place in drawn)
            settled = dict.fromkeys(drawn, F)
            examined = rule.examine(report, flips, settled)
            told = evidence(examined, settled)
            if is_hit:
                told = evidence(examined, settled, unread=frozenset(drawn), unproven=size)
            wrong += odds * (rule.hidden_at_most([told], TWENTIETH) < sum(hidden))
        assert wrong <= TWENTIETH, hidden
