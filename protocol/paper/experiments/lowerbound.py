"""The lower bound's family of instances: what our rules disclose there, up to N = 2^20, against log2 N and ln N."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from statistics import fmean
from typing import Any

import numpy as np

from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.theoryfindings import agreement
from protocol.paper.theory import buckets
from protocol.paper.theory.exhaustive import TOLERANCE
from protocol.paper.theory.instances import bucket, facts
from protocol.paper.theory.intervals import sum_interval
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.workers import pool

COLUMNS = (
    "rule",
    "delta",
    "N",
    "instance",
    "error",
    "disclosure",
    "log2 N",
    "ln N",
    "observed",
    "low",
    "high",
    "plays",
)
LABEL, CLASSIFIER = LabelReport.name, ClassifierReport.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to run; the defaults take about a minute on two cores."""

    exponents: Sequence[int] = tuple(range(1, 21))  # log2 N
    deltas: Sequence[str] = ("1/100", "1/10")
    played: Sequence[int] = (4, 7, 10)  # exponents of instances that are played with coins
    searched: Sequence[int] = (2, 4, 6, 8)  # exponents of instances whose worst report is looked for
    plays: int = 200
    seed: int = 1

    @classmethod
    def quick(cls) -> "Settings":
        """Small enough for a test."""
        return cls(exponents=(1, 2, 4, 8, 12), deltas=("1/100",), played=(4,), searched=(3,), plays=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A rule's disclosure in one instance."""

    rule: str
    delta: Fraction
    exponent: int
    number: int
    disclosure: float


def steps(settings: Settings) -> int:
    """How many steps the progress has."""
    return len(_tasks(settings))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Compute every instance, and play some."""
    tasks = _tasks(settings)
    seen = dict(zip([task[:4] for task in tasks], pool.gather(buckets.observed, tasks, progress), strict=True))
    values = [
        _Value(
            rule=rule, delta=delta, exponent=m, number=j, disclosure=buckets.disclosure(buckets.rule(rule, delta), m, j)
        )
        for delta in map(Fraction, settings.deltas)
        for rule in (LABEL, CLASSIFIER)
        for m in settings.exponents
        for j in range(m + 1)
    ]
    rows = [_row(value, seen.get((value.rule, str(value.delta), value.exponent, value.number))) for value in values]
    return Outcome(
        name="lower-bound",
        title="The lower bound's instances, and what our rules disclose there",
        setting=(
            f"N = 2^m for m from {min(settings.exponents)} to {max(settings.exponents)}, all instances j = 1 to m of "
            f"the proof, and j = 0 (only the first document is responsive), delta {', '.join(settings.deltas)}, k = 1, "
            f"truthful Alice. Disclosures are exact means; up to {settings.plays} plays with coins of the ledger stand "
            f"beside them for m of {', '.join(map(str, settings.played))}, with 99 % intervals. Seed {settings.seed}."
        ),
        columns=COLUMNS,
        rows=rows,
        panels=list(_panels(settings, values)),
        findings=[*_proof(settings), *_rules(settings, values), _agreement(rows)],
    )


def _tasks(settings: Settings) -> list[tuple[str | int, ...]]:
    return [
        (rule, delta, m, j, settings.plays, settings.seed)
        for m in sorted(settings.played, reverse=True)
        for delta in settings.deltas
        for rule in (LABEL, CLASSIFIER)
        for j in sorted({0, 1, m // 2, m})
    ]


def _row(value: _Value, seen: dict[str, Any] | None) -> list[str | int | float]:
    size = 2**value.exponent
    shown: list[str | int | float] = ["", "", "", ""]
    if seen and seen["plays"]:
        others = size - sum(bucket(value.exponent, value.number))
        total = round(seen["mean"] * seen["plays"])
        interval = sum_interval(total, others, seen["plays"]) if others else (0.0, 0.0)
        shown = [seen["mean"], *interval, seen["plays"]]
    known = [value.rule, float(value.delta), size, value.number, buckets.error(value.number), value.disclosure]
    return [*known, value.exponent, log(size), *shown]


def _proof(settings: Settings) -> Iterator[Finding]:
    """The steps of the paper's proof."""
    small = range(1, 11)
    wrong = [(m, j) for m in small for j in range(1, m + 1) if not _best_is_last(m, j)]
    yield Finding(
        claim="Proof of Theorem lower-bound: the best threshold of instance j is at rank 2^j",
        seen=f"Wrong for {len(wrong)} of {sum(small)} instances up to N = 2^10. It is the only best one, by one error "
        "only: the threshold right below x_1 has 2^(j - 1) errors, this one 2^(j - 1) - 1. So FN* = 0 and REC* = 1.",
        verdict=Verdict.DIFFERS if wrong else Verdict.HOLDS,
    )
    yield from _apart()
    yield from _premise(settings)


def _best_is_last(exponent: int, number: int) -> bool:
    known = facts(bucket(exponent, number))
    return (known.rank, known.error, known.missed) == (2**number, buckets.error(number), 0)


def _apart() -> Iterator[Finding]:
    """What must be shown to tell instances apart, in the printed family and in larger ones."""
    sizes = (3, 4, 5, 6)
    within, with_zero, with_pairs, missed = [], [], [], 0
    for m in sizes:
        alone, zero = buckets.printed(m), frozenset[int]()
        known = {pair: facts(buckets.truth_of(m, pair)) for pair in buckets.pairs(m)}
        family = [*alone, *(pair for pair, each in known.items() if each.error)]
        missed += sum(each.missed for each in known.values())
        within.append(max(buckets.needed(m, said, alone) for said in alone))
        with_zero.append(buckets.needed(m, zero, [*alone, zero]))
        with_pairs.append(max(buckets.needed(m, said, family) for said in family))
    where = f"for N = {_list(2**m for m in sizes)}"
    yield Finding(
        claim="Theorem lower-bound: a recall of at least REC* on all instances costs Omega(ln N) in the worst one",
        seen=f"If B_0 u B_i u B_j may be the truth too (FN* = {missed}; only those with err* > 0), Bob has to see "
        f"{_list(with_pairs)} others {where} where Alice truthfully reports some f_j: log2 N - 1. If B_0 alone may be "
        f"the truth (err* = 0), {_list(with_zero)}: log2 N.",
        verdict=Verdict.HOLDS
        if missed == 0 and all(most >= m - 1 for m, most in zip(sizes, with_pairs, strict=True))
        else Verdict.DIFFERS,
    )
    yield Finding(
        claim="Proof of Theorem lower-bound: to tell the log2 N instances apart a document of each bucket is needed, "
        "hence a disclosure of log2 N",
        seen=f"Inside this family Bob has to see {_list(within)} others {where}: one document of the bucket that Alice "
        "reports tells f_j from all other f_i, and if she is truthful it is responsive. The theorem stands, by the "
        "instances above. Two slips: there are log2 N + 1 buckets; and for j = 1 who skips the bucket reaches a recall "
        "of 1/2, not less than the printed 1 - (FN* + 1)/N+ = 1/2 (less than REC* = 1, which is enough).",
        verdict=Verdict.DIFFERS if any(most < m for m, most in zip(sizes, within, strict=True)) else Verdict.HOLDS,
    )


def _premise(settings: Settings) -> Iterator[Finding]:
    """Whether our rules are protocols that the lower bound covers, up to delta; the paper does not say."""
    for text in settings.deltas:
        delta = Fraction(text)
        rule = LabelReport(delta=delta, k=1)
        found = [(buckets.worst(rule, m, j), m, j) for m in settings.searched for j in range(1, m + 1)]
        failure, m, j = max(found)
        yield Finding(
            claim="Our check: on these instances the label report with k = 1 has the premise of Theorem lower-bound, a "
            f"recall of at least REC*, with probability 1 - delta, delta = {text}",
            seen=f"Over all reports the recall is less with probability at most {failure:.4g} "
            f"(N = {2**m}, j = {j}; all j for N = {_list(2**each for each in settings.searched)}).",
            verdict=Verdict.HOLDS if failure <= delta else Verdict.DIFFERS,
        )
        top = max(settings.exponents)
        numbers = range(1, top + 1)
        missed = [buckets.left_out(ClassifierReport(delta=delta), top, j) for j in numbers]
        bad = [j for j, chance in zip(numbers, missed, strict=True) if chance > delta]
        yield Finding(
            claim="Our check: the classifier report does not have that premise, so the lower bound does not speak of "
            f"it, delta = {text}",
            seen=f"With the threshold right below x_1 and N = 2^{top} a recall of REC* is missed with probability up "
            f"to {max(missed):.4g}, and more often than delta in {len(bad)} of {top} instances. The paper does not "
            "claim it either: its theorem promises 1 - 3 err*/N+, which from j = 2 on is nothing here.",
            verdict=Verdict.HOLDS if bad else Verdict.DIFFERS,
        )


def _rules(settings: Settings, values: Sequence[_Value]) -> Iterator[Finding]:
    for text in settings.deltas:
        delta = Fraction(text)
        rule = LabelReport(delta=delta, k=1)
        numbers = range(1, max(settings.exponents) + 1)
        skipping = [buckets.skipped(rule, j) for j in numbers]
        weaker = [buckets.skipped(rule, j, share=0.25) for j in numbers]
        yield Finding(
            claim="Our check: a label report that looks into every bucket fails seldom, one that looks less fails, "
            f"delta = {text}",
            seen="If Alice reports instance 0, no coin meets bucket j with probability at most "
            f"{max(skipping):.4g}, for all j up to {len(skipping)}; with a quarter of the chances, up to "
            f"{max(weaker):.4g}.",
            verdict=Verdict.HOLDS if max(skipping) <= delta < max(weaker) else Verdict.DIFFERS,
        )
        yield _growth(values, LABEL, delta, text)
        yield _growth(values, CLASSIFIER, delta, text)


def _growth(values: Sequence[_Value], name: str, delta: Fraction, text: str) -> Finding:
    """How the disclosure grows where err* is 1 or 0, and what it is elsewhere in the family."""
    of_rule = [value for value in values if (value.rule, value.delta) == (name, delta)]
    zero = [value for value in of_rule if value.number == 0]
    one = [value for value in of_rule if value.number == 2]
    within = all(value.disclosure <= _ceiling(value) for value in (*zero, *one))
    floor = all(value.disclosure >= (1 - delta) * value.exponent for value in zero)
    half = one[len(one) // 2 :]
    natural = np.array([value.exponent * log(2) for value in half])
    scale = natural if name == LABEL else natural * (natural + log(1 / delta))
    slope = np.polyfit(scale, [value.disclosure for value in half], 1)[0]
    last, first = one[-1], zero[-1]
    top = [value for value in of_rule if value.exponent == last.exponent]
    peak = max(top, key=lambda value: value.disclosure)
    order = "ln N" if name == LABEL else "ln N ln(N/delta)"
    return Finding(
        claim=f"After Theorem lower-bound: with constant err* the {name} report discloses O({order}), delta = {text}",
        seen=f"Where err* = 1 (j = 2) and where it is 0 (j = 0) it is {'at most' if within else 'somewhere above'} "
        f"c (ln N + 1) + err*, and for j = 0 {'at least' if floor else 'somewhere below'} (1 - delta) log2 N. For "
        f"j = 2 it grows like {slope:.4g} {order} (larger half of m), to {last.disclosure:.4g} at N = "
        f"2^{last.exponent}; for j = 0 {first.disclosure:.4g} there. Elsewhere in the family err* is not constant: "
        f"the most is {peak.disclosure:.4g} (j = {peak.number}, err* = {buckets.error(peak.number)}).",
        verdict=Verdict.HOLDS if floor and within else Verdict.DIFFERS,
    )


def _ceiling(value: _Value) -> float:
    """The bound c (ln N + 1) + err* with each rule's c: nothing responsive lies below, so sampling has one epoch."""
    natural, error = value.exponent * log(2), buckets.error(value.number)
    doubt = log(1 / value.delta)
    constant = (2 + 2 * error) * doubt if value.rule == LABEL else 2 * (natural + doubt)
    return constant * (natural + 1) + error


def _list(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


def _agreement(rows: Sequence[Sequence[str | int | float]]) -> Finding:
    played = [dict(zip(COLUMNS, row, strict=True)) for row in rows if row[-1] != ""]
    inside = [
        float(row["low"]) - TOLERANCE <= float(row["disclosure"]) <= float(row["high"]) + TOLERANCE for row in played
    ]
    return agreement(sum(inside), len(inside))


def _panels(settings: Settings, values: Sequence[_Value]) -> Iterator[Panel]:
    delta = Fraction(settings.deltas[0])
    sizes = [float(2**m) for m in settings.exponents]
    floor = Line(label="log2 N", x=sizes, y=[float(m) for m in settings.exponents], dashed=True)
    natural = Line(label="ln N", x=sizes, y=[log(size) for size in sizes], dashed=True)
    zero = [_line(values, name, delta, "j = 0", _first) for name in (LABEL, CLASSIFIER)]
    one = [_line(values, name, delta, "j = 1", _second) for name in (LABEL, CLASSIFIER)]
    title, x_label, y_label = f"Without error, delta = {settings.deltas[0]}", "N", "non-responsive disclosure"
    yield Panel(title=title, x_label=x_label, y_label=y_label, lines=[*zero, *one, floor, natural], log_x=True)
    lines = [_line(values, name, delta, "mean over j", fmean) for name in (LABEL, CLASSIFIER)]
    lines += [_line(values, name, delta, "worst j", max) for name in (LABEL, CLASSIFIER)]
    title = "All instances of the family"
    yield Panel(title=title, x_label=x_label, y_label=y_label, lines=[*lines, floor], log_x=True, log_y=True)
    top = max(settings.exponents)
    numbers = [float(j) for j in range(1, top + 1)]
    skipped, left_out = [], []
    for text in settings.deltas:
        label, classifier = LabelReport(delta=Fraction(text), k=1), ClassifierReport(delta=Fraction(text))
        chances = [buckets.skipped(label, j) for j in range(1, top + 1)]
        skipped.append(Line(label=f"delta = {text}", x=numbers, y=chances))
        chances = [buckets.left_out(classifier, top, j) for j in range(1, top + 1)]
        left_out.append(Line(label=f"delta = {text}", x=numbers, y=chances))
    yield Panel(title="Label report: no coin meets bucket j", x_label="j", y_label="probability", lines=skipped)
    title = f"Classifier report at rank 1, N = 2^{top}: bucket j not seen whole"
    yield Panel(title=title, x_label="j", y_label="probability", lines=left_out)


def _first(found: Sequence[float]) -> float:
    return found[0]


def _second(found: Sequence[float]) -> float:
    return found[1]


def _line(
    values: Sequence[_Value], name: str, delta: Fraction, label: str, pick: Callable[[Sequence[float]], float]
) -> Line:
    by_size: dict[int, list[float]] = {}
    for value in values:
        if (value.rule, value.delta) == (name, delta):
            by_size.setdefault(value.exponent, []).append(value.disclosure)
    return Line(
        label=f"{name} report, {label}", x=[float(2**m) for m in by_size], y=[pick(found) for found in by_size.values()]
    )
