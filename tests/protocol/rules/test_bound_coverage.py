"""The bound on hidden documents holds as often as it says, whoever Alice is; and it is no larger than that needs.

Bob recognises what he sees and the court rules rightly: these are the bound's assumptions. Seeds are fixed, so each
count is one number: a test fails by a change, never by chance.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import comb, log

import pytest

from ledger import coins
from protocol import fixedpoint
from protocol.certificates.exact import cost
from protocol.rules import classifier_report, label_report
from protocol.rules.base import COINS, Evidence, Examiner, Report, chance
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.simulation import strategies
from protocol.simulation.strategies import hiding_report
from tests.support import paper_rules
from tests.support.waves import Played, choices, numbers, play, seed

T, F = True, False
DOUBTS = (Fraction(1, 20), Fraction(3, 10))
NAMES = ("label", "classifier")
RARE = 0.001  # a count of misses that is rarer than this under the stated doubt is a failure


@pytest.fixture(autouse=True)
def _logarithms_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule takes the same logarithm in every round: half of the time of these tests."""
    monkeypatch.setattr(fixedpoint, "ceil_ln", cache(fixedpoint.ceil_ln))


@dataclass(slots=True, kw_only=True)
class Matter:
    """A simulated matter so far, as an Alice knows it who knows everything but the coins to come."""

    rule: Examiner
    name: tuple[object, ...]
    evidence: list[Evidence] = field(default_factory=list)
    hidden: int = 0  # responsive, and never shown to Bob

    def is_ahead(self, doubt: Fraction) -> bool:
        return self.hidden > self.rule.hidden_at_most(self.evidence, doubt)

    def go_on(
        self, truth: Sequence[bool], report: Report, alike: dict[frozenset[int], Played] | None = None
    ) -> frozenset[int]:
        """One more round; what Bob was shown. Where only the coins differ, rounds that draw the same are `alike`."""
        number = len(self.evidence)
        flips = coins.coins(seed(*self.name, number, "coins"), range(1, len(truth) + 1))
        if alike is None:
            played = play(self.rule, report, flips, truth, truth)
        elif (drawn := self.rule.examine(report, flips, {}).drawn) in alike:
            played = alike[drawn]
        else:
            played = alike[drawn] = play(self.rule, report, flips, truth, truth)
        self.evidence.append(played.evidence)
        shown = played.outcome.disclosed
        self.hidden += sum(label for place, label in enumerate(truth, start=1) if place not in shown)
        return shown


Batches = Callable[[tuple[object, ...]], Iterator[list[bool]]]
Alice = Callable[[Matter, Iterator[list[bool]]], None]
Plan = Callable[[Sequence[bool], Matter], Sequence[int]]


# Batches


def falling(name: tuple[object, ...]) -> Iterator[list[bool]]:
    """Five to eight batches of 20 to 60, in which responsive documents get rarer down the list."""
    count, rate = numbers(2, *name, "matter")
    for number in range(5 + count % 4):
        size, slope = numbers(2, *name, number, "batch")
        odds = (0.3, 0.6, 0.95)[rate % 3], 2 + slope % 12
        flips = numbers(20 + size % 41, *name, number, "truth")
        yield [flip < odds[0] / (1 + place / odds[1]) * COINS for place, flip in enumerate(flips)]


def outliers(name: tuple[object, ...]) -> Iterator[list[bool]]:
    """Eight batches of 60 with some responsive documents on top and a few where chances are smallest."""
    for number in range(8):
        yield [*choices(8, 0.8, *name, number), *[F] * 48, *choices(4, 0.6, *name, number, "far")]


# Alices


def strategy(spec: str) -> Alice:
    """One of those that simulated matters offer."""

    def run(matter: Matter, batches: Iterator[list[bool]]) -> None:
        alice = strategies.alice(spec, repr(matter.name).encode())
        for number, truth in enumerate(batches):
            report = alice.report(matter.rule, truth, number)
            shown = matter.go_on(truth, report)
            hers = [place for place, label in enumerate(truth, start=1) if label and not report.labels[place - 1]]
            alice.learn(number, len(hers), caught=any(place in shown for place in hers))

    return run


def until_ahead(doubt: Fraction, plan: Plan) -> Alice:
    """Hides what the plan says until the bound is beaten, then nothing more."""

    def run(matter: Matter, batches: Iterator[list[bool]]) -> None:
        for truth in batches:
            hidden = () if matter.is_ahead(doubt) else plan(truth, matter)
            matter.go_on(truth, hiding_report(matter.rule, truth, hidden))

    return run


def responsive(truth: Sequence[bool]) -> list[int]:
    return [place for place, label in enumerate(truth, start=1) if label]


def everything(truth: Sequence[bool], matter: Matter) -> Sequence[int]:
    return responsive(truth)


def the_last(truth: Sequence[bool], matter: Matter) -> Sequence[int]:
    return responsive(truth)[-1:]


def more_after_a_find(truth: Sequence[bool], matter: Matter) -> Sequence[int]:
    """Bets on the bound's memory: the more was found, the more she hides, since the budget has grown."""
    finds = sum(len(closed.found) for closed in matter.evidence)
    return responsive(truth)[-(1 + finds) :]


def all_below_the_certain(truth: Sequence[bool], matter: Matter) -> Sequence[int]:
    """Hides whatever no coin is certain to draw."""
    report = hiding_report(matter.rule, truth, responsive(truth))
    chances = matter.rule.examine(report, [COINS - 1] * len(truth), {}).chances
    return [place for place in responsive(truth) if chances.get(place, COINS) < COINS]


SPECS = [
    "truthful",
    "careless:0.1",
    "careless:0.3",
    "hiding:0.3:random",
    "hiding:0.3:near",
    "hiding:0.3:far",
    "hiding:1:far",
    "adaptive:0.3",
    "adaptive:1",
    "best:5",
]


# Counting misses


def at_least(misses: int, matters: int, doubt: Fraction) -> float:
    """The exact probability of so many misses or more, if each matter is missed with probability `doubt`."""
    terms = (comb(matters, n) * doubt**n * (1 - doubt) ** (matters - n) for n in range(misses))
    return float(1 - sum(terms, Fraction(0)))


def played(rule_name: str, kind: str, run: Alice, batches: Batches, matters: int) -> list[Matter]:
    found = []
    for number in range(matters):
        name = (rule_name, kind, batches.__name__, number)
        pick_delta, pick_k = numbers(2, *name, "terms")
        delta = (Fraction(1, 100), Fraction(1, 5), Fraction(7, 10))[pick_delta % 3]
        matter = Matter(rule=paper_rules.rule(rule_name, delta=delta, k=1 + pick_k % 5), name=name)
        run(matter, batches(name))
        found.append(matter)
    return found


def test_the_binomial_test_is_exact() -> None:
    assert at_least(0, 10, Fraction(1, 20)) == 1
    assert at_least(1, 2, Fraction(1, 2)) == 0.75
    assert at_least(70, 1000, Fraction(1, 20)) == pytest.approx(0.003, abs=0.001)


def check(matters: Sequence[Matter], doubt: Fraction) -> int:
    """The number of misses, which must not be rarer than chance would have it."""
    missed = sum(matter.is_ahead(doubt) for matter in matters)
    assert at_least(missed, len(matters), doubt) >= RARE
    return missed


@pytest.mark.slow
@pytest.mark.parametrize("rule_name", NAMES)
def test_the_bound_holds_for_every_kind_of_alice(rule_name: str) -> None:
    missed, total = dict.fromkeys(DOUBTS, 0), 0
    for spec in SPECS:
        count = 10 if (rule_name, spec) == ("classifier", "best:5") else 30
        matters = played(rule_name, spec, strategy(spec), falling, count)
        matters += played(rule_name, spec, strategy(spec), outliers, count)
        total += len(matters)
        for doubt in DOUBTS:
            missed[doubt] += check(matters, doubt)
    assert total > 500
    for doubt in DOUBTS:
        assert at_least(missed[doubt], total, doubt) >= RARE


@pytest.mark.slow
@pytest.mark.parametrize("plan", [everything, the_last, more_after_a_find, all_below_the_certain])
@pytest.mark.parametrize("rule_name", NAMES)
def test_the_bound_holds_against_who_stops_once_ahead_of_it(rule_name: str, plan: Plan) -> None:
    for doubt in DOUBTS:
        run = until_ahead(doubt, plan)
        matters = played(rule_name, plan.__name__, run, falling, 60)
        check(matters + played(rule_name, plan.__name__, run, outliers, 60), doubt)


# The worst that can be done: one document a round where chances are smallest, until the bound is beaten. What is hidden
# is then all that the bound counts first, so it is missed almost as often as it may be, and a smaller one too often.

FAR = [*[F] * 9, T]
PATIENT = 400
MORE = 1000  # to tell a bound that is missed too often


def patient(rule: Examiner, truth: list[bool], enough: Callable[[int, int], bool], name: object, rounds: int) -> Matter:
    """Hides all in each batch until what is hidden is enough, given the finds."""
    matter = Matter(rule=rule, name=("patient", rule.name, name))
    report = hiding_report(rule, truth, responsive(truth))
    alike: dict[frozenset[int], Played] = {}  # all rounds are the same but for what the coins draw
    while len(matter.evidence) < rounds and not enough(matter.hidden, len(matter.evidence) - matter.hidden):
        matter.go_on(truth, report, alike)
    return matter


def label_misses(matters: int, doubt: Fraction, claimed: Fraction, *, finds_count: bool = True) -> int:
    """How often who hides far documents beats the bound for `claimed`, out of so many matters."""
    rule = LabelReport(delta=Fraction(71, 100), k=1)
    price = cost(chance(rule.tickets(0), len(FAR))) / COINS

    def enough(hidden: int, finds: int) -> bool:
        counted = finds if finds_count else 0
        return hidden * price > (2 if counted else 1) * (log(2 / claimed) + counted * log(2))

    missed = 0
    for number in range(matters):
        matter = patient(rule, FAR, enough, (str(doubt), number), 125)
        rounds = [closed for closed in matter.evidence if finds_count or not closed.compelled]
        missed += matter.hidden > label_report.at_most(rounds, claimed)
    return missed


@pytest.mark.slow
def test_the_label_reports_bound_is_nearly_reached_and_holds() -> None:
    for doubt in DOUBTS:
        missed = label_misses(PATIENT, doubt, doubt)
        assert at_least(missed, PATIENT, doubt) >= RARE
        assert missed > PATIENT * doubt / 3


@pytest.mark.slow
def test_the_label_reports_bound_fails_with_the_whole_doubt_for_each_bet() -> None:
    doubt = DOUBTS[1]
    missed = label_misses(MORE, doubt, 2 * doubt)
    assert at_least(missed, MORE, doubt) < RARE


@pytest.mark.slow
def test_the_label_reports_bound_fails_if_finds_do_not_count() -> None:
    for doubt in DOUBTS:
        missed = label_misses(100, doubt, doubt, finds_count=False)
        assert at_least(missed, 100, doubt) < RARE


def classifier_misses(
    matters: int, truth: list[bool], doubt: Fraction, *, rounds: int, finds_count: bool = True
) -> int:
    """How often who hides far documents beats the bound, as the bets that are in force give it."""
    rule = ClassifierReport(delta=Fraction(966, 1000))
    drawn = chance(rule.tickets(len(truth)), len(truth))
    budgets = [log(1 / (bet.weight * doubt)) * COINS for bet in classifier_report.BETS]
    losses = [classifier_report.loss(bet, drawn) if bet.survives_finds else COINS**2 for bet in classifier_report.BETS]
    stakes = [bet.stake(drawn) for bet in classifier_report.BETS]

    def enough(hidden: int, finds: int) -> bool:
        counted = finds if finds_count else 0
        return any(
            hidden * stake > budget + counted * loss
            for stake, budget, loss in zip(stakes, budgets, losses, strict=True)
        )

    missed = 0
    for number in range(matters):
        matter = patient(rule, truth, enough, (str(doubt), len(truth), number), rounds)
        found = [closed if finds_count else replace(closed, found=()) for closed in matter.evidence]
        missed += matter.hidden > classifier_report.at_most(found, doubt)
    return missed


@pytest.mark.slow
@pytest.mark.parametrize("truth", [FAR, [T]], ids=["far", "alone"])
def test_the_classifier_reports_bound_is_nearly_reached_and_holds(truth: list[bool]) -> None:
    for doubt in DOUBTS:
        missed = classifier_misses(PATIENT, truth, doubt, rounds=60 if len(truth) > 1 else 125)
        assert at_least(missed, PATIENT, doubt) >= RARE
        assert missed > PATIENT * doubt / 3


@pytest.mark.slow
def test_the_classifier_reports_bound_fails_with_the_whole_doubt_for_each_bet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier_report, "BETS", [replace(bet, weight=Fraction(1)) for bet in classifier_report.BETS])
    missed = classifier_misses(MORE, [T], DOUBTS[1], rounds=125)
    assert at_least(missed, MORE, DOUBTS[1]) < RARE


@pytest.mark.slow
def test_the_classifier_reports_bound_fails_if_finds_do_not_count() -> None:
    for doubt in DOUBTS:
        missed = classifier_misses(100, FAR, doubt, rounds=60, finds_count=False)
        assert at_least(missed, 100, doubt) < RARE
