"""One family of instances against one theorem: bounds, exact values, and what the real rules did with real coins.

These are the experiments' jobs: arguments and results are what JSON can carry. Numbers of a grid come as one text,
such as "1/100 1/4".
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np

from ledger import coins
from ledger.hashing import Digest
from protocol.rules.base import Report, Rule, played
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.theory import bounds, exhaustive
from protocol.theory.bestresponse import best_response
from protocol.theory.canonical import Candour
from protocol.theory.exact import classifier_report, label_reports
from protocol.theory.instances import FAMILIES, Facts, Truth, facts
from protocol.theory.worst import Worst, threshold_report, worst_labels, worst_threshold

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What so many plays came to, enough for an interval."""

    plays: int
    mean: float
    spread: float  # the variance, over plays - 1
    failures: int  # plays in which more stayed hidden than is allowed


def observe(rule: Rule, report: Report, truth: Truth, plays: int, name: str, allowed: int = 0) -> Observed:
    """Play the real rule with coins of the ledger, from seeds that the name gives."""
    shown = []
    failures = 0
    for number in range(plays):
        seed = Digest(sha256(f"{name} {number}".encode()).digest())
        settled = played(rule, report, coins.coins(seed, range(1, len(truth) + 1)), truth)
        seen = sum(settled.values())
        failures += sum(truth) - seen > allowed
        shown.append(float(len(settled) - seen))
    spread = float(np.var(shown, ddof=1)) if plays > 1 else 0.0
    return Observed(plays=plays, mean=float(np.mean(shown)) if plays else 0.0, spread=spread, failures=failures)


def job(kind: str, *arguments: str | int) -> list[Row]:
    """The job of this name."""
    jobs: dict[str, Callable[..., list[Row]]] = {
        "label": label,
        "classifier": classifier,
        "response": response,
        "all labels": exhaustive.labels,
        "all thresholds": exhaustive.thresholds,
        "all responses": exhaustive.responses,
    }
    return jobs[kind](*arguments)


def label(family: str, size: int, seed: int, plays: int, deltas: str, tolerances: str) -> list[Row]:
    """Theorem "one-dim-label": the worst of all reports against the recall, the truth against the disclosure."""
    truth = FAMILIES[family](size, seed)
    known = facts(truth)
    rows = []
    for delta, k in _grid(deltas, tolerances):
        rule = LabelReport(delta=delta, k=k)
        name = f"label {family} {size} {seed} {delta} {k}"
        start = _row("one-dim-label", family, known, delta, k=k)
        allowed = bounds.label_hidden(known, k)
        worst = worst_labels(rule, truth, allowed)
        rows.append(_recall(start, rule, truth, worst, allowed, plays, name))
        sharp = bounds.label_hidden_at_any_k(known)
        sharpest = _recall(start, rule, truth, worst_labels(rule, truth, sharp), sharp, plays, name + " sharp")
        rows.append(sharpest | {"part": "recall, err* alone"})
        outcome = label_reports(rule, truth, np.array([truth]))
        bound = bounds.label_disclosure(known, k, float(delta))
        seen = observe(rule, Report(labels=truth), truth, plays, name + " truth")
        rows.append(start | _disclosure(bound, float(outcome.disclosure[0]), seen, independent=True))
    return rows


def classifier(family: str, size: int, seed: int, plays: int, deltas: str) -> list[Row]:
    """Theorem "one-dim-classifier": the worst of all thresholds, and an optimal one."""
    truth = FAMILIES[family](size, seed)
    known = facts(truth)
    rows = []
    for delta in map(Fraction, deltas.split()):
        rule = ClassifierReport(delta=delta)
        name = f"classifier {family} {size} {seed} {delta}"
        start = _row("one-dim-classifier", family, known, delta)
        allowed = bounds.classifier_hidden(known)
        rows.append(_recall(start, rule, truth, worst_threshold(rule, truth, allowed), allowed, plays, name))
        outcome = classifier_report(rule, truth, known.rank)
        bound = bounds.classifier_disclosure(known, float(delta))
        seen = observe(rule, threshold_report(truth, known.rank), truth, plays, name + " optimal")
        rows.append(start | _disclosure(bound, outcome.disclosure, seen, independent=not known.missed))
    return rows


def response(family: str, size: int, seed: int, plays: int, deltas: str, tolerances: str) -> list[Row]:
    """The theorem on Alice's best response, where its premise is met: for no, little and almost too much interest.

    The part "truthful" compares losses: what the best report that is true on all the optimal threshold calls
    responsive costs more than the best of all. It is 0 as the theorem says, and more where the theorem is wrong.
    """
    truth = FAMILIES[family](size, seed)
    known = facts(truth)
    rows: list[Row] = []
    most = known.negatives / known.positives * 0.99 if known.positives else 0.0
    for delta, k in _grid(deltas, tolerances):
        for price in sorted({0.0, min(1.0, most), most}):
            if bounds.response_applies(known, k, float(delta), price):
                rows += _response(truth, family, LabelReport(delta=delta, k=k), price, plays, seed)
    return rows


def _response(truth: Truth, family: str, rule: LabelReport, price: float, plays: int, seed: int) -> Iterator[Row]:
    known, delta = facts(truth), float(rule.delta)
    found = best_response(rule, truth, price)
    held = best_response(rule, truth, price, Candour.TRUE_AT_TOP)
    outcome = label_reports(rule, truth, np.array([found.labels]))
    rank = int(outcome.rank[0])
    start = _row("best response", family, known, rule.delta, k=rule.k) | {
        "price": price,
        "false claims": sum(said and not true for said, true in zip(found.labels, truth, strict=True)),
        "moved": known.rank < rank and rank + known.positives - 2 * sum(truth[:rank]) >= known.error + rule.k,
        "proven": found.proven and held.proven,
        "losses": [found.loss, held.loss],
    }
    bound = bounds.response_hidden(known, rule.k)
    yield start | {"part": "recall", **asdict(bound), "exact": int(outcome.hidden[0]), "observed": None}
    name = f"response {family} {known.size} {seed} {delta} {rule.k} {price}"
    seen = observe(rule, Report(labels=found.labels), truth, plays, name)
    disclosure = bounds.response_disclosure(known, rule.k, delta, price)
    yield start | _disclosure(disclosure, float(outcome.disclosure[0]), seen, independent=not outcome.hidden[0])
    if rule.k == 1:
        beyond = {"part": "truthful", "printed": 0.0, "corrected": None, "exact": held.loss - found.loss}
        yield start | beyond | {"observed": None}
        yield start | {
            "part": "recall of the optimal classifier",
            "printed": known.missed,
            "corrected": known.missed,
            "exact": int(outcome.hidden[0]),
            "observed": None,
        }


def _recall(start: Row, rule: Rule, truth: Truth, worst: Worst | None, allowed: int, plays: int, name: str) -> Row:
    """The probability to hide more than allowed, which is to be at most delta."""
    found = start | {"part": "recall", "allowed": allowed, "printed": start["delta"], "corrected": start["delta"]}
    if worst is None:
        return found | {"exact": 0.0, "observed": None}
    return found | {"exact": worst.failure} | _seen(observe(rule, worst.report, truth, plays, name, allowed))


def _disclosure(bound: bounds.Bound, exact: float, seen: Observed, *, independent: bool) -> Row:
    """A mean; `independent` if no find changes what else is drawn."""
    return {"part": "disclosure", **asdict(bound), "exact": exact, "independent": bool(independent)} | _seen(seen)


def _seen(seen: Observed) -> Row:
    return {"observed": asdict(seen)} if seen.plays else {"observed": None}


def _grid(deltas: str, tolerances: str) -> list[tuple[Fraction, int]]:
    return [(Fraction(delta), int(k)) for delta in deltas.split() for k in tolerances.split()]


def _row(theorem: str, family: str, known: Facts, delta: Fraction, k: int | None = None) -> Row:
    return {
        "theorem": theorem,
        "family": family,
        "size": known.size,
        "positives": known.positives,
        "error": known.error,
        "k": k,
        "delta": float(delta),
    }
