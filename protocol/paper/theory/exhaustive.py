"""All batches of a small size, with everything that Alice can report: where a printed claim has an exception, and how
many. Jobs for the experiments, as in `protocol.paper.theory.trials`.

The paper assumes err* > 0, so batches with err* = 0 are counted apart.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from protocol.paper.theory import bounds
from protocol.paper.theory.bestresponse import best_response
from protocol.paper.theory.exact import Reals, classifier_report, every_report, label_reports
from protocol.paper.theory.instances import Truth, facts
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport

TOLERANCE = 1e-7
"""By how much a value may be above a bound without being an exception: the rules round their chances upward."""

PRICES = (0.0, 0.5, 2.0)


@dataclass(slots=True)
class Tally:
    """How often a value was above its bound, and where by the most."""

    cases: int = 0
    over: dict[str, int] = field(default_factory=lambda: {"printed": 0, "corrected": 0})
    worst: dict[str, Any] = field(default_factory=dict)
    unproven: int = 0  # of the cases, where the search for a best response cannot tell that it found it

    def add(self, values: float | Reals, bound: bounds.Bound, truth: Truth) -> None:
        """Count one batch's value, or the values of several reports on it."""
        exact = np.atleast_1d(values)
        self.cases += len(exact)
        self.over["printed"] += int((exact > bound.printed + TOLERANCE).sum())
        self.over["corrected"] += int((exact > bound.corrected + TOLERANCE).sum())
        most = float(exact.max(initial=0))
        if len(exact) and (not self.worst or most - bound.printed > self.worst["exact"] - self.worst["printed"]):
            batch = "".join("+" if label else "-" for label in truth)
            self.worst = {**asdict(bound), "exact": most, "batch": batch}


Tallies = dict[bool, defaultdict[str, Tally]]
"""By whether err* > 0, as the paper assumes, and by part."""


def _tallies() -> Tallies:
    return {inside: defaultdict(Tally) for inside in (True, False)}


def labels(size: int, delta: str, k: int) -> list[dict[str, Any]]:
    """The label report. A value of recall or detection is a probability, and the worst of a batch's 2^N reports."""
    rule = LabelReport(delta=Fraction(delta), k=k)
    chance = bounds.Bound(printed=float(rule.delta), corrected=float(rule.delta))
    reports = every_report(size)
    errors = np.arange(size + 1)
    tallies = _tallies()
    for truth in product((False, True), repeat=size):
        known = facts(truth)
        parts = tallies[known.error > 0]
        outcomes = label_reports(rule, truth, reports)
        parts["recall"].add(outcomes.failure(bounds.label_hidden(known, k)), chance, truth)
        parts["recall, err* alone"].add(outcomes.failure(bounds.label_hidden_at_any_k(known)), chance, truth)
        own = _number(truth)
        bound = bounds.label_disclosure(known, k, float(rule.delta))
        parts["disclosure"].add(float(outcomes.disclosure[own]), bound, truth)
        by_rank = errors + known.positives - 2 * np.concatenate([[0], np.cumsum(truth)])  # err(t)
        moved = by_rank[outcomes.rank] >= known.error + k
        missed = np.where(outcomes.hidden > 0, outcomes.survival, 1.0)
        parts["detection, any report"].add(missed[moved], chance, truth)
        honest = ~(reports & ~np.array(truth)).any(axis=1)
        parts["detection, no false claims"].add(missed[moved & honest], chance, truth)
    return list(_rows("label report", tallies, size, float(rule.delta), k))


def thresholds(size: int, delta: str) -> list[dict[str, Any]]:
    """The classifier report, its disclosure at every optimal threshold.

    Its lemma covers every threshold with more than three times the least error. Above t* that is to be detected by
    sampling. Below, Trent holds the labels that tell: that a larger threshold has fewer errors ("seen, t_A < t*", which
    counts where none has). Whether the algorithm goes on to compel the rest is another matter.
    """
    rule = ClassifierReport(delta=Fraction(delta))
    chance = bounds.Bound(printed=float(rule.delta), corrected=float(rule.delta))
    never = bounds.Bound(printed=0.0, corrected=0.0)
    tallies = _tallies()
    for truth in product((False, True), repeat=size):
        known = facts(truth)
        parts = tallies[known.error > 0]
        allowed = bounds.classifier_hidden(known)
        bound = bounds.classifier_disclosure(known, float(rule.delta))
        errors = [rank + known.positives - 2 * sum(truth[:rank]) for rank in range(size + 1)]  # err(t)
        for rank, error in enumerate(errors):
            outcome = classifier_report(rule, truth, rank)
            parts["recall"].add(outcome.failure(allowed), chance, truth)
            if error == known.error:
                parts["disclosure"].add(outcome.disclosure, bound, truth)
            if error > allowed and rank < known.rank:
                parts["detection, t_A > t*"].add(1 - outcome.compelled, chance, truth)
            elif error > allowed:
                parts["seen, t_A < t*"].add(float(min(errors[:rank], default=error) >= error), never, truth)
                parts["compelled, t_A < t*"].add(1 - outcome.compelled, chance, truth)
    return list(_rows("classifier report", tallies, size, float(rule.delta), None))


def responses(size: int, delta: str, k: int) -> list[dict[str, Any]]:
    """The search for a best response, against the best of all 2^N reports, for every batch and a few prices.

    A value is by how much the search's loss is above the least.
    """
    rule = LabelReport(delta=Fraction(delta), k=k)
    reports = every_report(size)
    tallies = _tallies()
    for truth in product((False, True), repeat=size):
        tally = tallies[facts(truth).error > 0]["search"]
        outcomes = label_reports(rule, truth, reports)
        for price in PRICES:
            found = best_response(rule, truth, price)
            tally.unproven += not found.proven
            excess = abs(found.loss - float(outcomes.loss(price).min()))
            tally.add(excess, bounds.Bound(printed=0.0, corrected=0.0), truth)
    return list(_rows("label report", tallies, size, float(rule.delta), k))


def _number(truth: Truth) -> int:
    """Which row of `every_report` a batch's own labels are."""
    return sum(label << place for place, label in enumerate(truth))


def _rows(rule: str, tallies: Tallies, size: int, delta: float, k: int | None) -> Iterator[dict[str, Any]]:
    for inside, parts in tallies.items():
        for part, tally in parts.items():
            if tally.cases:
                found = {"rule": rule, "part": part, "inside": inside, "size": size, "k": k, "delta": delta}
                yield found | {"cases": tally.cases, "over": tally.over, "unproven": tally.unproven} | tally.worst
