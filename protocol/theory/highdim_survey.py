"""Theorem "high-dim-label" on every report of many small instances: the worst exact probability, and where it is.

A report hides some of the true positives; hiding no more than err* cannot break the theorem, so only larger sets are
tried. Alice could call negatives positive besides; the paper's proofs set that aside, and so does this search. The
corrected theorem does not.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from ledger import coins
from ledger.hashing import integer, tagged_hash
from protocol.geometry.dichotomies import plane, search
from protocol.geometry.dichotomies.base import Dichotomy, Optimum, Point, dimension, optimum
from protocol.rules.label_report import LabelReport
from protocol.theory import highdim
from protocol.theory.highdim import Reading
from protocol.theory.highdim_instances import FAMILIES, Counterexample, Instance
from protocol.theory.highdim_tally import ALICES, KINDEST, LEAN, PREMISE, PROVED, RANDOM, Tally, View, printed

FAN = 12
"""How many directions stand for all, where one is chosen for its effect."""

_MOST = {1: 500, 2: 500, 3: 20}  # reports of an instance, by dimension; the search takes longer than the enumeration

Oracle = Callable[[Sequence[bool]], Optimum]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
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


def reported(instance: Instance, hide: Sequence[int], ask: Oracle) -> Report:
    """What comes of hiding these."""
    labels = tuple(label and index not in hide for index, label in enumerate(instance.truth))
    best = ask(labels)
    rest = tuple(highdim.undecided(best, labels))
    hidden = tuple(index for index in rest if instance.truth[index])
    return Report(instance=instance, labels=labels, optimum=best, rest=rest, hidden=hidden)


def main_reading(instance: Instance) -> Reading:
    """The one that depends on the points alone, where it is at hand."""
    return Reading.ORACLE if dimension(instance.points) > 2 else Reading.WIDEST


def readings(instance: Instance) -> tuple[Reading, ...]:
    """Those that there is code for: all of them up to the plane."""
    return (Reading.ORACLE,) if dimension(instance.points) > 2 else tuple(Reading)


def direction(instance: Instance, best: Dichotomy, reading: Reading) -> Point:
    """The normal of h*; a constant h* has none, and any will do."""
    taken = Reading.WIDEST if reading is Reading.EVERY else reading
    normal = highdim.representative(instance.points, best, taken).normal
    return normal if any(normal) else (1,) + (0,) * (len(normal) - 1)


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
    """A report that could break the theorem, and where to count what it does."""

    tally: Tally
    rules: Sequence[LabelReport]
    report: Report
    error: int  # err* of the true labels
    spot: tuple[int, ...]

    def count(self, view: View, order: Sequence[int], sides: Callable[[], bool]) -> None:
        """As the theorem has it: more than err* + k hidden, and c with the report's error."""
        for rule in self.rules:
            if len(self.report.hidden) > self.error + rule.k:
                chance = self.undetected(order, rule.tickets(self.report.optimum.error))
                self.tally.at(view, rule.k, rule.delta).add(chance, rule.delta, self.spot, sides)

    def count_lean(self, view: View, order: Sequence[int]) -> None:
        """As corrected: more than err* hidden, and c = 2 ln(1/delta)."""
        for rule in {rule.delta: rule for rule in self.rules}.values():
            chance = self.undetected(order, rule.tickets(0))
            self.tally.at(view, 0, rule.delta).add(chance, rule.delta, self.spot, lambda: False)

    def undetected(self, order: Sequence[int], tickets: int) -> Fraction:
        """The chance of an order."""
        return highdim.undetected(order, self.report.instance.truth, tickets)


def _as_printed(trial: Trial, best: Dichotomy) -> None:
    """The printed order with v in the direction of h*, as in the proof, for one h* that is consistent."""
    report = trial.report
    main = main_reading(report.instance)

    @cache
    def sides() -> bool:
        return any(_sides(report, best, reading) for reading in {main, Reading.ORACLE})

    for reading in readings(report.instance):
        trial.count(printed(reading), printed_along(report, best, reading), sides)


def _as_corrected(trial: Trial, best: Dichotomy) -> None:
    """What holds for every report, whether h* is consistent or not."""
    report, instance = trial.report, trial.report.instance
    straight = highdim.projected_order(instance.points, report.rest, direction(instance, best, main_reading(instance)))
    trial.count(PROVED, straight, lambda: False)
    trial.count_lean(LEAN, straight)
    for reading in readings(instance):
        order = printed_along(report, best, reading)
        a, b = highdim.negatives_ahead(order, instance.truth, best)
        if b <= a:
            trial.count_lean(PREMISE, order)


def _along_fan(trial: Trial, fan: Sequence[Point]) -> None:
    """The views with other directions: at random, as Alice would choose, and as Bob would."""
    report, points = trial.report, trial.report.instance.points
    reading = main_reading(report.instance)
    orders = [highdim.printed_order(points, report.optimum, report.rest, v, reading) for v in fan]
    for rule in trial.rules:
        if len(report.hidden) > trial.error + rule.k:
            found = [trial.undetected(order, rule.tickets(report.optimum.error)) for order in orders]
            for name, chance in ((RANDOM, found[0]), (ALICES, max(found)), (KINDEST, min(found))):
                place = trial.tally.at(printed(reading, name), rule.k, rule.delta)
                place.add(chance, rule.delta, trial.spot, lambda: False)


def printed_along(report: Report, best: Dichotomy, reading: Reading) -> list[int]:
    """The printed order with v the direction of h*."""
    instance = report.instance
    along = direction(instance, best, reading)
    return highdim.printed_order(instance.points, report.optimum, report.rest, along, reading)


def _sides(report: Report, best: Dichotomy, reading: Reading) -> bool:
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


def counterexample(example: Counterexample, reading: Reading, rule: LabelReport) -> tuple[Report, list[int], Fraction]:
    """The report, its printed order along h*, and the exact probability of missing all."""
    report = reported(example.instance, sorted(example.hidden), oracle(example.instance.points))
    order = highdim.printed_order(example.instance.points, report.optimum, report.rest, example.direction, reading)
    return report, order, highdim.undetected(order, example.instance.truth, rule.tickets(report.optimum.error))


def half_planes(example: Counterexample, report: Report) -> bool:
    """Whether h* is consistent for half-planes too, all of them of widest margin."""
    true = oracle(example.instance.points)(example.instance.truth)
    return any(_sides(report, best, Reading.WIDEST) for best in true.dichotomies)


def again(family: str, seed: int, spot: Sequence[int], rule: LabelReport) -> tuple[Report, list[int], Fraction]:
    """The worst of the printed view along h*, made anew from where it was found."""
    number, *hide = spot
    instance = FAMILIES[family](number, seed)
    ask = oracle(instance.points)
    report = reported(instance, hide, ask)
    best = [each for each in ask(instance.truth).dichotomies if highdim.consistent(report.optimum, each)]
    orders = [printed_along(report, each, main_reading(instance)) for each in best]
    tickets = rule.tickets(report.optimum.error)
    chance, order = max((highdim.undetected(order, instance.truth, tickets), order) for order in orders)
    return report, order, chance


def misses(order: Sequence[int], truth: Sequence[bool], tickets: int, name: str, trials: int) -> int:
    """In how many of `trials` runs with real coins no hidden positive was drawn."""
    places = range(1, len(order) + 1)
    seeds = (tagged_hash("draw", name.encode(), integer(trial)) for trial in range(trials))
    return sum(not highdim.drawn(order, truth, tickets, coins.coins(seed, places)) for seed in seeds)
