"""What the paper proves of the rules, against what the rules do: exactly where chances give a probability, otherwise by
frequencies. Seeds are fixed, so a test fails by a change, never by chance.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import log, prod, sqrt

import pytest

from ledger import coins
from protocol.rules.base import COINS, Report, best_rank, chance
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from tests.support.literal_rules import best_threshold, threshold_error
from tests.support.waves import choices, play, seed

pytestmark = pytest.mark.slow  # statistics

T, F = True, False
HUNDREDTH = Fraction(1, 100)


def harmonic(count: int) -> Fraction:
    return sum((Fraction(1, j) for j in range(1, count + 1)), Fraction(0))


# Sampling frequencies

Draws = tuple[dict[int, int], set[int]]  # chances, and the positions that were drawn


def excess(rounds: Sequence[Draws], scale: Callable[[Fraction], Fraction] = lambda p: p) -> float:
    """How far the frequencies by position are from the chances: chi-square, as a normal variable (Wilson, Hilferty).

    Given what came before, each draw has its chance's mean, so this holds where chances depend on earlier draws too.
    """
    surplus: defaultdict[int, float] = defaultdict(float)
    variance: defaultdict[int, float] = defaultdict(float)
    for chances, drawn in rounds:
        for place, count in chances.items():
            p = float(scale(Fraction(count, COINS)))
            surplus[place] += (place in drawn) - p
            variance[place] += p * (1 - p)
    used = [place for place in variance if variance[place] > 5]
    statistic = sum(surplus[place] ** 2 / variance[place] for place in used)
    spread = 2 / (9 * len(used))
    return float(((statistic / len(used)) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def label_draws(count: int) -> list[Draws]:
    rule = LabelReport(delta=Fraction(1, 10), k=2)
    report = Report(labels=(T, T, F, T, F, F, F, T, *[F] * 40))
    found = []
    for number in range(count):
        examination = rule.examine(report, coins.coins(seed("label", number), range(1, 49)), {})
        found.append((dict(examination.chances), set(examination.drawn)))
    return found


def classifier_draws(count: int) -> list[Draws]:
    rule = ClassifierReport(delta=Fraction(1, 2))
    found = []
    for number in range(count):
        truth = [F] * 12 + choices(48, 0.1, "truth", number)
        flips = coins.coins(seed("classifier", number), range(1, 61))
        examination = play(rule, Report(labels=(None,) * 60, threshold=0), flips, truth, truth).examination
        found.append((dict(examination.chances), set(examination.drawn)))
    return found


@pytest.mark.parametrize("draws", [label_draws, classifier_draws])
def test_positions_are_drawn_as_often_as_their_chances_say(draws: Callable[[int], list[Draws]]) -> None:
    rounds = draws(1500)
    assert -4.8 < excess(rounds) < 4.8  # once in a million, on both sides
    assert excess(rounds, lambda p: p * Fraction(9, 10)) > 4.8, "a slightly smaller probability must be rejected"
    assert excess(rounds, lambda p: min(Fraction(1), p * Fraction(11, 10))) > 4.8, "and a slightly larger one"


# Lemma "label": who hides enough to move the threshold is found with probability 1 - delta


def survival(truth: Sequence[bool], reported: Sequence[bool], rank: int, tickets: int) -> Fraction:
    """The exact probability that no coin draws a hidden document below this rank."""
    below = [place for place in range(rank, len(truth)) if not reported[place]]
    chances = [chance(tickets, j) for j, place in enumerate(below, start=1) if truth[place]]
    return Fraction(prod(COINS - each for each in chances), COINS ** len(chances))


def hiding_reports(size: int) -> Iterator[tuple[tuple[bool, ...], tuple[bool, ...]]]:
    """All true labels of a batch with all reports that name nothing responsive which is not."""
    for cells in product("-+h", repeat=size):
        yield tuple(cell != "-" for cell in cells), tuple(cell == "+" for cell in cells)


def lemma(size: int, delta: Fraction, k: int, *, largest_rank: bool) -> Iterator[tuple[Fraction, Fraction]]:
    """Where the lemma applies: the probability that nothing hidden is found, and the same with half of the tickets."""
    rule = LabelReport(delta=delta, k=k)
    for truth, reported in hiding_reports(size):
        rank = best_threshold(reported, largest_rank=largest_rank)
        least = threshold_error(truth, best_threshold(truth))
        lost = sum(label and not said for label, said in zip(truth[rank:], reported[rank:], strict=True))
        moved = threshold_error(truth, rank) >= least + k
        assert moved or lost <= least + k - 1, "the theorem's recall would be missed where the lemma says nothing"
        if moved:
            tickets = rule.tickets(threshold_error(reported, rank))
            yield survival(truth, reported, rank, tickets), survival(truth, reported, rank, tickets // 2)


@pytest.mark.parametrize("largest_rank", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("delta", [Fraction(1, 4), Fraction(9, 10)], ids=str)
def test_both_ways_to_break_ties_keep_the_theorem(delta: Fraction, k: int, *, largest_rank: bool) -> None:
    """The argument. Let r be Alice's rank, r* the best one, err(r) >= err* + k. Alice names nothing wrongly: if r > r*
    then err_A(r) - err_A(r*) >= err(r) - err* > 0, and r would not be best for her labels. So r < r*. Between them lie
    a' responsive documents, a of them hidden, and b others; a' - b >= k; r is no worse than r* by her labels, so
    a' - a <= b + a, and 2a >= k: a tie changes nothing. The j-th hidden one is at most the (b + j)-th reported
    negative, so -ln of the product is at least c a / (a + b), and (a + b) / a <= 1 + a'/a <= 2 + 2 err_A(r) / k.
    """
    found = list(lemma(8, delta, k, largest_rank=largest_rank))
    assert len(found) > 100
    assert max(missed for missed, _ in found) <= delta
    if k == 1:
        assert max(half for _, half in found) > delta, "with half of the tickets the lemma fails"


def test_the_rule_itself_breaks_ties_toward_the_largest_rank() -> None:
    rule = LabelReport(delta=HUNDREDTH, k=1)
    for _, reported in hiding_reports(6):
        examination = rule.examine(Report(labels=reported), [0] * 6, {})
        assert examination.threshold == best_threshold(reported, largest_rank=True)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_hiding_that_moves_the_threshold_is_found_in_long_batches_too(k: int) -> None:
    missed, with_a_quarter = [Fraction(0)], [Fraction(0)]  # in parts of delta
    for delta, before, others, responsive in product((HUNDREDTH, Fraction(1, 5)), (0, 3), (1, 7, 60), (12, 90, 200)):
        truth = [T] * before + [F] * others + [T] * responsive + [F] * 30
        least = threshold_error(truth, best_threshold(truth))
        rule = LabelReport(delta=delta, k=k)
        for count in {k, k + 1, responsive // 2, responsive // 2 + 1, 3 * responsive // 4, responsive}:
            for reported in (far(truth, count), spread(truth, count, before + others)):
                rank, error = best_rank(reported)
                if threshold_error(truth, rank) >= least + k:
                    missed.append(survival(truth, reported, rank, rule.tickets(error)) / delta)
                    with_a_quarter.append(survival(truth, reported, rank, rule.tickets(error) // 4) / delta)
    assert 0 < max(missed) <= 1
    assert max(with_a_quarter) > 1, "with a quarter of the tickets the lemma fails"


def far(truth: Sequence[bool], count: int) -> list[bool]:
    """Reports all but the last responsive ones."""
    left = sum(truth) - count
    return [label and sum(truth[: place + 1]) <= left for place, label in enumerate(truth)]


def spread(truth: Sequence[bool], count: int, start: int) -> list[bool]:
    """Hides every other responsive one from `start` on."""
    reported = list(truth)
    for place in [place for place in range(start, len(truth), 2) if truth[place]][:count]:
        reported[place] = False
    return reported


# Lemma "classifier": a threshold with more than three times the least error is found with probability 1 - delta


def not_compelled(rule: ClassifierReport, below: Sequence[bool], size: int) -> Fraction:
    """The exact probability that no prefix has more finds than others: W and M- - M+ are all that matters."""
    tickets = rule.tickets(size)
    states: Counter[tuple[int, int]] = Counter({(1, 0): 1})  # numerators over 2^64 to the number of positions
    for responsive in below:
        after: Counter[tuple[int, int]] = Counter()
        for (weight, lead), mass in states.items():
            drawn = chance(tickets, weight) if responsive else 0
            after[weight + 1, lead + 1] += mass * (COINS - drawn)
            if drawn and lead > 0:
                after[1, lead - 1] += mass * drawn
        states = after
    return Fraction(sum(states.values()), COINS ** len(below))


def test_the_exact_probability_of_no_stop_is_that_of_all_ways_the_coins_can_fall() -> None:
    rule = ClassifierReport(delta=Fraction(99, 100))
    truth = [F, F, F, F, F, T, F, T, T, T, T, T, T, T]
    report = Report(labels=(None,) * 14, threshold=0)
    total = Fraction(0)
    for falls in product((0, COINS - 1), repeat=9):  # the first five are certain
        played = play(rule, report, [0] * 5 + list(falls), truth, truth).examination
        if played.compelled_at is None:
            drawn = [Fraction(found, COINS) for found in played.chances.values()]
            total += prod(
                (p if place in played.drawn else 1 - p for place, p in enumerate(drawn, start=1)), start=Fraction(1)
            ) / 2 ** sum(p == 1 for p in drawn[5:])
    assert 0 < total == not_compelled(rule, truth, 14) < 1


@pytest.mark.parametrize("delta", [HUNDREDTH, Fraction(1, 2), Fraction(99, 100)], ids=str)
def test_a_classifier_with_three_times_the_least_error_is_found(delta: Fraction) -> None:
    rule = ClassifierReport(delta=delta)
    applied = 0
    shapes = [[F] * b + [T] * a + [F] * 4 for b in range(7) for a in range(0, 36, 3)]
    shapes += [choices(24, 0.7, "shape", number) + [F] * 6 for number in range(60)]
    for truth in shapes:
        least = threshold_error(truth, best_threshold(truth))
        for rank in range(0, best_threshold(truth) + 1, 2):
            if threshold_error(truth, rank) > 3 * least:
                applied += 1
                assert not_compelled(rule, truth[rank:], len(truth)) <= delta, (truth, rank)
    assert applied > 200


@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(99, 100)], ids=str)
def test_the_classifiers_recall_holds_for_all_small_batches_and_thresholds(delta: Fraction) -> None:
    rule = ClassifierReport(delta=delta)
    for truth in product((T, F), repeat=9):
        least = threshold_error(truth, best_threshold(truth))
        for rank in range(10):
            if sum(truth[rank:]) > 3 * least:  # else no outcome can lose more than the theorem allows
                assert not_compelled(rule, truth[rank:], 9) <= delta, (truth, rank)


# Non-responsive disclosure, with the harmonic sum and err* + 1 epochs


def falling(size: int, number: int) -> list[bool]:
    """True labels whose density falls with the rank, as in a batch of continuous active learning."""
    return [choices(1, 0.9 / (1 + place / 8), number, place)[0] for place in range(size)]


@pytest.mark.parametrize("k", [1, 3])
def test_truthful_labels_disclose_no_more_than_the_theorem_with_its_harmonic_sum(k: int) -> None:
    rule = LabelReport(delta=HUNDREDTH, k=k)
    for number in range(40):
        truth = falling(10 + 10 * number, number)
        examination = rule.examine(Report(labels=tuple(truth)), [0] * len(truth), {})
        mean = Fraction(sum(examination.chances.values()), COINS)
        above = truth[: examination.threshold].count(F)
        constant = Fraction(rule.tickets(examination.error), 2**32)
        assert examination.error == threshold_error(truth, best_threshold(truth))
        assert above <= examination.error
        assert mean <= constant * harmonic(len(examination.chances)) + Fraction(len(truth), COINS)
        assert float(constant) == pytest.approx((2 + 2 * examination.error / k) * log(100), rel=1e-8)


def test_the_printed_logarithm_is_too_small_for_one_negative() -> None:
    examination = LabelReport(delta=HUNDREDTH, k=1).examine(Report(labels=(T, F)), [0, 0], {})
    assert examination.chances == {2: COINS}  # its mean is 1, where ln(1) ln(1 / delta) would be 0


def mean_disclosure(rule: ClassifierReport, below: Sequence[bool], size: int) -> Fraction:
    """The exact mean number of not responsive ones that are drawn below an optimal threshold, where nothing compels."""
    tickets = rule.tickets(size)
    weights: Counter[int] = Counter({1: 1})
    mean = Fraction(0)
    for step, responsive in enumerate(below):
        after: Counter[int] = Counter()
        for weight, mass in weights.items():
            drawn = chance(tickets, weight)
            if responsive:
                after[1] += mass * drawn
                after[weight + 1] += mass * (COINS - drawn)
            else:
                after[weight + 1] += mass * COINS
                mean += Fraction(mass * drawn, COINS ** (step + 1))
        weights = after
    return mean


def test_an_optimal_classifier_discloses_no_more_than_the_theorem_with_one_epoch_more() -> None:
    rule = ClassifierReport(delta=HUNDREDTH)
    for number in range(12):
        truth = falling(20 + 8 * number, number)
        rank = best_threshold(truth)
        least = threshold_error(truth, rank)
        constant = Fraction(rule.tickets(len(truth)), 2**32)
        mean = mean_disclosure(rule, truth[rank:], len(truth))
        assert not_compelled(rule, truth[rank:], len(truth)) == 1
        assert mean <= (least + 1) * constant * harmonic(len(truth)) + Fraction(len(truth), COINS)


def test_the_printed_bound_is_0_where_the_mean_is_109() -> None:
    mean = mean_disclosure(ClassifierReport(delta=HUNDREDTH), [F] * 1000, 1000)
    assert 109 < mean < 110


def test_the_exact_mean_is_what_coins_of_the_ledger_give() -> None:
    rule = ClassifierReport(delta=Fraction(1, 2))
    truth = [T] * 5 + falling(60, 3)
    rank = best_threshold(truth)
    report = Report(labels=(*truth[:rank], *[None] * (len(truth) - rank)), threshold=rank)
    seen = []
    for number in range(1500):
        played = play(rule, report, coins.coins(seed("mean", number), range(1, 66)), truth, truth)
        seen.append(sum(not truth[place - 1] for place in played.examination.drawn))
    mean = float(mean_disclosure(rule, truth[rank:], len(truth)))
    observed = sum(seen) / len(seen)
    deviation = sqrt(sum((count - observed) ** 2 for count in seen)) / len(seen)
    assert abs(observed - mean) < 4.9 * deviation
    assert deviation < 0.01 * mean, "a mean that is wrong by a twentieth would be rejected"
