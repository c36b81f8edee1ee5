"""Lemma "high-dim-label" on every report of many small instances: the worst exact probability, and where it is.

A report hides some of the true positives. More than err* + k that stay hidden fulfil the lemma's premise for every
optimal classifier of the report, and cost the recall; so only sets of more than err* are tried. Alice could call
negatives positive besides; the paper's proofs set that aside, and so does this search. The corrected claims do not.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from ledger import coins
from ledger.hashing import integer, tagged_hash
from protocol.paper.geometry.dichotomies import plane, search
from protocol.paper.geometry.dichotomies.base import Dichotomy, Optimum, Point, dimension, optimum
from protocol.paper.theory import highdim, highdim_count
from protocol.paper.theory.highdim import Reading
from protocol.paper.theory.highdim_instances import FAMILIES, Counterexample, Instance
from protocol.paper.theory.highdim_tally import (
    ALICES,
    FAN,
    KINDEST,
    LEAN,
    PREMISE,
    PROOFS_LEAN,
    PROVED,
    RANDOM,
    Tally,
    View,
    printed,
    proofs,
    without_itself,
)
from protocol.rules.label_report import LabelReport

_MOST = {1: 500, 2: 500, 3: 20}  # reports of an instance, by dimension; the search takes longer than the enumeration

Oracle = Callable[[Sequence[bool]], Optimum]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyedReport:
    """A report, what the oracle makes of it, and who stays hidden."""

    instance: Instance
    labels: tuple[bool, ...]  # f_A
    optimum: Optimum
    rest: tuple[int, ...]
    hidden: tuple[int, ...]  # of the rest


def oracle(points: tuple[Point, ...]) -> Oracle:
    """The enumeration where it goes, the search elsewhere."""
    if dimension(points) > 2:
        return lambda labels: search.optimal(points, labels)
    known = _known(points)
    return lambda labels: optimum(known, labels)


_known = lru_cache(4)(plane.dichotomies)


def reported(instance: Instance, hide: Sequence[int], ask: Oracle) -> SurveyedReport:
    """What comes of hiding these."""
    labels = tuple(label and index not in hide for index, label in enumerate(instance.truth))
    best = ask(labels)
    rest = tuple(highdim.undecided(best, labels))
    hidden = tuple(index for index in rest if instance.truth[index])
    return SurveyedReport(instance=instance, labels=labels, optimum=best, rest=rest, hidden=hidden)


def main_reading(instance: Instance) -> Reading:
    """The one that depends on the points alone, where it is at hand."""
    return Reading.ORACLE if dimension(instance.points) > 2 else Reading.WIDEST


def readings(instance: Instance) -> tuple[Reading, ...]:
    """Those that there is code for: all of them up to the plane."""
    return (Reading.ORACLE,) if dimension(instance.points) > 2 else tuple(Reading)


def direction(instance: Instance, best: Dichotomy, reading: Reading) -> Point:
    """The normal of h*; a constant h* has none, and any will do."""
    normal = highdim.representative(instance.points, best, _single(reading)).normal
    return normal if any(normal) else (1,) + (0,) * (len(normal) - 1)


def _single(reading: Reading) -> Reading:
    """The reading that gives one h*, and one classifier for each dichotomy."""
    return Reading.WIDEST if reading is Reading.EVERY else reading


def survey(family: str, seed: int, first: int, count: int, tolerances: str, doubts: str) -> Any:
    """All reports of `count` instances, as a tally's JSON."""
    rules = [LabelReport(delta=Fraction(d), k=int(k)) for k in tolerances.split() for d in doubts.split()]
    tally = Tally()
    for number in range(first, first + count):
        _instance(tally, rules, FAMILIES[family](number, seed), number, seed)
    return tally.sent()


def _instance(tally: Tally, rules: Sequence[LabelReport], instance: Instance, number: int, seed: int) -> None:
    ask = oracle(instance.points)
    true = ask(instance.truth)
    wide = dimension(instance.points)
    rng = np.random.default_rng([seed, number])
    fan = _fan(wide, rng)
    tally.look(size=len(instance.points), error=true.error)
    for hide in _hidings(instance, true.error, _MOST[wide], rng):
        report = reported(instance, hide, ask)
        best = [each for each in true.dichotomies if highdim.consistent(report.optimum, each)]
        tally.look(optimal=len(report.optimum.dichotomies), reports=1, consistent=int(bool(best)))
        if len(report.hidden) > true.error:
            trial = Trial(tally=tally, rules=rules, report=report, error=true.error, spot=(number, *hide))
            for each in true.dichotomies:
                _as_corrected(trial, each)
            for each in best:
                _as_printed(trial, each)
            if best:
                _along_fan(trial, fan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A report that could break the lemma, and where to count what it does."""

    tally: Tally
    rules: Sequence[LabelReport]
    report: SurveyedReport
    error: int  # err* of the true labels
    spot: tuple[int, ...]

    def count(self, view: View, divisors: Sequence[int], *, sides: bool = False) -> None:
        """As the lemma has it, with more than err* + k hidden, and c with the report's error."""
        for rule in self.rules:
            if len(self.report.hidden) > self.error + rule.k:
                chance = highdim.undetected(divisors, rule.tickets(self.report.optimum.error))
                self.tally.at(view, rule.k, rule.delta).add(chance, rule.delta, self.spot, sides=sides)

    def count_lean(self, view: View, divisors: Sequence[int]) -> None:
        """As corrected: more than err* hidden, and c = 2 ln(1/delta)."""
        for rule in {rule.delta: rule for rule in self.rules}.values():
            chance = highdim.undetected(divisors, rule.tickets(0))
            self.tally.at(view, 0, rule.delta).add(chance, rule.delta, self.spot, sides=False)

    def places(self, order: Sequence[int]) -> list[int]:
        """The hidden positives' in an order."""
        return highdim.hidden_places(order, self.report.instance.truth)


def _as_printed(trial: Trial, best: Dichotomy) -> None:
    """Step 6's order and the proof's n(x), with v in the direction of h*, for one h* that is consistent."""
    report = trial.report
    for reading in readings(report.instance):
        sides = _sides(report, best, _single(reading))
        trial.count(printed(reading), trial.places(printed_along(report, best, reading)), sides=sides)
        if reading is not Reading.EVERY:
            _as_proved(trial, best, reading, sides=sides)


def _as_proved(trial: Trial, best: Dichotomy, reading: Reading, *, sides: bool) -> None:
    report, points = trial.report, trial.report.instance.points
    along = direction(report.instance, best, reading)
    counted = highdim_count.counts(points, report.optimum, report.rest, along, reading)
    divisors = [counted[index] for index in report.hidden]
    trial.count(proofs(reading, sides=sides), divisors, sides=sides)
    if not sides:
        trial.count(without_itself(reading), [each - 1 for each in divisors])
        return
    trial.count_lean(PROOFS_LEAN, divisors)
    if any(best.classifier.normal):
        trial.tally.look(counted=len(counted), exceptions=highdim_count.exceptions(points, counted, along))


def _as_corrected(trial: Trial, best: Dichotomy) -> None:
    """What holds for every report, whether h* is consistent or not."""
    report, instance = trial.report, trial.report.instance
    straight = highdim.projected_order(instance.points, report.rest, direction(instance, best, main_reading(instance)))
    trial.count(PROVED, trial.places(straight))
    trial.count_lean(LEAN, trial.places(straight))
    for reading in readings(instance):
        order = printed_along(report, best, reading)
        a, b = highdim.negatives_ahead(order, instance.truth, best)
        if b <= a:
            trial.count_lean(PREMISE, trial.places(order))


def _along_fan(trial: Trial, fan: Sequence[Point]) -> None:
    """The views with other directions: a random one, and the worst and the best for Bob of some random ones."""
    report, points = trial.report, trial.report.instance.points
    reading = main_reading(report.instance)
    orders = [highdim.printed_order(points, report.optimum, report.rest, v, reading) for v in fan]
    divisors = [trial.places(order) for order in orders]
    for rule in trial.rules:
        if len(report.hidden) > trial.error + rule.k:
            found = [highdim.undetected(each, rule.tickets(report.optimum.error)) for each in divisors]
            for name, chance in ((RANDOM, found[0]), (ALICES, max(found)), (KINDEST, min(found))):
                place = trial.tally.at(printed(reading, name), rule.k, rule.delta)
                place.add(chance, rule.delta, trial.spot, sides=False)


def printed_along(report: SurveyedReport, best: Dichotomy, reading: Reading) -> list[int]:
    """The printed order with v the direction of h*."""
    instance = report.instance
    along = direction(instance, best, reading)
    return highdim.printed_order(instance.points, report.optimum, report.rest, along, reading)


def _sides(report: SurveyedReport, best: Dichotomy, reading: Reading) -> bool:
    points = report.instance.points
    sides = [highdim.representative(points, each, reading) for each in report.optimum.dichotomies]
    return highdim.consistent_sides(sides, highdim.representative(points, best, reading))


def _fan(wide: int, rng: np.random.Generator) -> list[Point]:
    """Directions at random, the first of which is the random one; on a line there are two."""
    if wide == 1:
        return [(1,), (-1,)] if rng.integers(2) else [(-1,), (1,)]
    return [tuple(int(each) for each in 1000 * row / np.linalg.norm(row)) for row in rng.normal(size=(FAN, wide))]


def _hidings(instance: Instance, error: int, most: int, rng: np.random.Generator) -> Iterator[tuple[int, ...]]:
    """All sets of more than err* positives, or, where there are too many, some at random."""
    positive = [index for index, label in enumerate(instance.truth) if label]
    every = [hide for size in range(error + 1, len(positive) + 1) for hide in combinations(positive, size)]
    chosen = sorted(rng.permutation(len(every))[:most]) if len(every) > most else range(len(every))
    return (every[index] for index in chosen)


def counterexample(
    example: Counterexample, reading: Reading, rule: LabelReport
) -> tuple[SurveyedReport, list[int], Fraction]:
    """The report, its printed order along h*, and the exact probability of missing all."""
    report = reported(example.instance, sorted(example.hidden), oracle(example.instance.points))
    order = highdim.printed_order(example.instance.points, report.optimum, report.rest, example.direction, reading)
    places = highdim.hidden_places(order, example.instance.truth)
    return report, order, highdim.undetected(places, rule.tickets(report.optimum.error))


def proofs_count(example: Counterexample, report: SurveyedReport) -> list[int]:
    """The proof's n(x) of the hidden positives along h*, with classifiers of widest margin."""
    points = example.instance.points
    counted = highdim_count.counts(points, report.optimum, report.rest, example.direction, Reading.WIDEST)
    return [counted[index] for index in report.hidden]


def half_planes(example: Counterexample, report: SurveyedReport) -> bool:
    """Whether h* is consistent for half-planes too, all of them of widest margin."""
    true = oracle(example.instance.points)(example.instance.truth)
    return any(_sides(report, best, Reading.WIDEST) for best in true.dichotomies)


def again(family: str, seed: int, spot: Sequence[int], rule: LabelReport) -> tuple[SurveyedReport, list[int], Fraction]:
    """The worst of the printed view along h*, made anew from where it was found."""
    number, *hide = spot
    instance = FAMILIES[family](number, seed)
    ask = oracle(instance.points)
    report = reported(instance, hide, ask)
    best = [each for each in ask(instance.truth).dichotomies if highdim.consistent(report.optimum, each)]
    orders = [printed_along(report, each, main_reading(instance)) for each in best]
    tickets = rule.tickets(report.optimum.error)
    chance, order = max(
        (highdim.undetected(highdim.hidden_places(order, instance.truth), tickets), order) for order in orders
    )
    return report, order, chance


def misses(order: Sequence[int], truth: Sequence[bool], tickets: int, name: str, trials: int) -> int:
    """In how many of `trials` runs with real coins no hidden positive was drawn."""
    places = range(1, len(order) + 1)
    seeds = (tagged_hash("draw", name.encode(), integer(trial)) for trial in range(trials))
    return sum(not highdim.drawn(order, truth, tickets, coins.coins(seed, places)) for seed in seeds)
