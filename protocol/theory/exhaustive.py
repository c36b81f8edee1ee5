"""All batches of a small size, with everything that Alice can report: where a printed claim has an exception, and how
many. Jobs for the experiments, as in `protocol.theory.trials`.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.theory import bounds
from protocol.theory.bestresponse import best_response
from protocol.theory.exact import Reals, classifier_report, every_report, label_reports
from protocol.theory.instances import Truth, facts

TOLERANCE = 1e-7
"""By how much a value may be above a bound without being an exception: the rules round their chances upward."""

PRICES = (0.0, 0.5, 2.0)


@dataclass(slots=True)
class Tally:
    """How often a value was above its bound, and where by the most."""

    cases: int = 0
    over: dict[str, int] = field(default_factory=lambda: {"printed": 0, "corrected": 0})
    worst: dict[str, Any] = field(default_factory=dict)

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


def labels(size: int, delta: str, k: int) -> list[dict[str, Any]]:
    """The label report. A value of recall or detection is a probability, and the worst of a batch's 2^N reports."""
    rule = LabelReport(delta=Fraction(delta), k=k)
    chance = bounds.Bound(printed=float(rule.delta), corrected=float(rule.delta))
    reports = every_report(size)
    errors = np.arange(size + 1)
    names = ("recall", "recall, err* alone", "disclosure", "detection, any report", "detection, no false claims")
    parts = {part: Tally() for part in names}
    for truth in product((False, True), repeat=size):
        known = facts(truth)
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
    return list(_rows("label report", parts, size, float(rule.delta), k))


def thresholds(size: int, delta: str) -> list[dict[str, Any]]:
    """The classifier report. Its lemma speaks of every threshold with more than three times the least error."""
    rule = ClassifierReport(delta=Fraction(delta))
    chance = bounds.Bound(printed=float(rule.delta), corrected=float(rule.delta))
    names = ("recall", "disclosure, err* = 0", "disclosure, err* > 0", "detection, t_A > t*", "detection, t_A < t*")
    parts = {part: Tally() for part in names}
    for truth in product((False, True), repeat=size):
        known = facts(truth)
        allowed = bounds.classifier_hidden(known)
        for rank in range(size + 1):
            outcome = classifier_report(rule, truth, rank)
            parts["recall"].add(outcome.failure(allowed), chance, truth)
            if rank == known.rank:
                bound = bounds.classifier_disclosure(known, float(rule.delta))
                part = "disclosure, err* > 0" if known.error else "disclosure, err* = 0"
                parts[part].add(outcome.disclosure, bound, truth)
            if rank + known.positives - 2 * sum(truth[:rank]) > allowed:
                part = "detection, t_A > t*" if rank < known.rank else "detection, t_A < t*"
                parts[part].add(1 - outcome.compelled, chance, truth)
    return list(_rows("classifier report", parts, size, float(rule.delta), None))


def responses(size: int, delta: str, k: int) -> list[dict[str, Any]]:
    """The search for a best response, against the best of all 2^N reports, for every batch and a few prices.

    A value is by how much the search's loss is above the least.
    """
    rule = LabelReport(delta=Fraction(delta), k=k)
    reports = every_report(size)
    tally, unproven = Tally(), 0
    for truth in product((False, True), repeat=size):
        outcomes = label_reports(rule, truth, reports)
        for price in PRICES:
            found = best_response(rule, truth, price)
            unproven += not found.proven
            excess = abs(found.loss - float(outcomes.loss(price).min()))
            tally.add(excess, bounds.Bound(printed=0.0, corrected=0.0), truth)
    rows = _rows("label report", {"search": tally}, size, float(rule.delta), k)
    return [row | {"unproven": unproven} for row in rows]


def _number(truth: Truth) -> int:
    """Which row of `every_report` a batch's own labels are."""
    return sum(label << place for place, label in enumerate(truth))


def _rows(rule: str, parts: dict[str, Tally], size: int, delta: float, k: int | None) -> Iterator[dict[str, Any]]:
    for part, tally in parts.items():
        if tally.cases:
            found = {"rule": rule, "part": part, "size": size, "k": k, "delta": delta, "cases": tally.cases}
            yield found | {"over": tally.over} | tally.worst
