"""One family of instances against one theorem: bounds, exact values, and what the real rules did with real coins.

These are the experiments' jobs: arguments and results are what JSON can carry. Numbers of a grid come as one text,
such as "1/100 1/4".
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np

from ledger import coins
from ledger.hashing import Digest
from protocol.paper.theory import bounds, exhaustive
from protocol.paper.theory.bestresponse import Response, best_responses
from protocol.paper.theory.canonical import Candour
from protocol.paper.theory.exact import classifier_report, label_reports
from protocol.paper.theory.instances import FAMILIES, Facts, Truth, facts
from protocol.paper.theory.worst import Worst, threshold_report, worst_labels, worst_threshold
from protocol.rules.base import Examiner, Report, played
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What a number of plays came to, enough for an interval."""

    plays: int
    mean: float
    spread: float  # the variance, over plays - 1
    failures: int  # plays in which more stayed hidden than is allowed


def observe(rule: Examiner, report: Report, truth: Truth, plays: int, name: str, allowed: int = 0) -> Observed:
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

    That is for the pseudo-code, where only a sampled true positive brings the batch. The prose before it says that any
    error of Alice's does. Then a false claim, which Bob always sees, costs the whole of N-, and her best response is
    the best without one; "truthful, by the prose" counts the false labels in it down to t*.

    A batch without responsive documents has no recall, and is left out.
    """
    truth = FAMILIES[family](size, seed)
    known = facts(truth)
    rows: list[Row] = []
    if not known.positives:
        return rows
    most = known.negatives / known.positives * 0.99
    for delta, k in _grid(deltas, tolerances):
        rule = LabelReport(delta=delta, k=k)
        wanted = sorted({0.0, min(1.0, most), most})
        prices = [price for price in wanted if bounds.response_applies(known, k, float(delta), price).printed]
        if not prices:
            continue
        kinds = (Candour.NONE, Candour.TRUE_AT_TOP, Candour.NO_FALSE_CLAIMS)
        found = [best_responses(rule, truth, prices, candour) for candour in kinds]
        for price, best in zip(prices, zip(*found, strict=True), strict=True):
            rows += _response(truth, family, rule, price, best, plays, seed)
    return rows


def _response(
    truth: Truth, family: str, rule: LabelReport, price: float, best: Sequence[Response], plays: int, seed: int
) -> Iterator[Row]:
    """The rows of one price, from the best response: of all, true down to t*, and without false claims."""
    known, delta = facts(truth), float(rule.delta)
    found, held, modest = best
    outcome = label_reports(rule, truth, np.array([found.labels, modest.labels]))
    errors = [int(rank) + known.positives - 2 * sum(truth[:rank]) for rank in outcome.rank]  # err(t_A)
    strays = [error >= known.error + rule.k for error in errors]
    start = _row("best response", family, known, rule.delta, k=rule.k) | {
        "price": price,
        "applies corrected": bounds.response_applies(known, rule.k, delta, price).corrected,
        "false claims": sum(said and not true for said, true in zip(found.labels, truth, strict=True)),
        "moved": strays[0] and known.rank < int(outcome.rank[0]),
        "moved, by the prose": strays[1],
        "proven": found.proven and held.proven and modest.proven,
        "losses": [found.loss, held.loss, modest.loss],
        "others": known.negatives,
    }
    bound = bounds.response_hidden(known, rule.k)
    yield start | {"part": "recall", **asdict(bound), "exact": int(outcome.hidden[0]), "observed": None}
    name = f"response {family} {known.size} {seed} {delta} {rule.k} {price}"
    seen = observe(rule, Report(labels=found.labels), truth, plays, name)
    disclosure = bounds.response_disclosure(known, rule.k, delta, price)
    yield start | _disclosure(disclosure, float(outcome.disclosure[0]), seen, independent=not outcome.hidden[0])
    if rule.k == 1:
        false = sum(said != true for said, true in zip(modest.labels[: known.rank], truth, strict=False))
        values = (
            ("truthful", 0.0, held.loss - found.loss),
            ("truthful, by the prose", 0, false if modest.loss < known.negatives else known.rank),
            ("recall of the optimal classifier", known.missed, int(outcome.hidden[0])),
        )
        for part, most, exact in values:
            yield start | {"part": part, "printed": most, "corrected": None, "exact": exact, "observed": None}


def _recall(start: Row, rule: Examiner, truth: Truth, worst: Worst | None, allowed: int, plays: int, name: str) -> Row:
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
        "inside": known.error > 0,
        "k": k,
        "delta": float(delta),
    }
