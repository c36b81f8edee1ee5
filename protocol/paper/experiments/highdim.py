"""Lemma "high-dim-label" on small instances: every report, exact probabilities, real coins, and counterexamples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from protocol.paper.experiments.highdimfindings import DIMENSIONS, Fixed, Tossed, findings, main_reading, main_view
from protocol.paper.experiments.outcome import Line, Outcome, Panel
from protocol.paper.theory import highdim
from protocol.paper.theory.highdim import Reading
from protocol.paper.theory.highdim_instances import ELEVEN, FAMILIES, SIX, Counterexample, corner
from protocol.paper.theory.highdim_survey import (
    SurveyedReport,
    again,
    counterexample,
    half_planes,
    misses,
    oracle,
    proofs_count,
    survey,
)
from protocol.paper.theory.highdim_tally import FAN, PROVED, Key, Tally, View, Worst, printed, proofs
from protocol.paper.theory.intervals import clopper_pearson
from protocol.rules.label_report import LabelReport
from protocol.workers import pool

COLUMNS = (
    *("family", "dimensions", "points", "err*", "optimal classifiers", "reports", "consistent", "order", "direction"),
    *("k", "delta", "at risk", "above delta", "above delta, half-spaces too", "worst probability"),
    *("missed", "runs", "low", "high", "verdict"),
)

INSTANCES = {"space": 60, "line": 200, "noisy": 400, "outliers": 200, "ties": 150, "tilted": 300, "corners": 150}
"""How many of each family; the slowest first, so that no core is left alone with it at the end."""

_CHUNK = 15  # instances a piece of work: some seconds, to a worker's start of one


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How many instances of each family, which tolerances and doubts, and how many runs with coins."""

    seed: int = 1
    instances: Mapping[str, int] = field(default_factory=lambda: dict(INSTANCES))
    tolerances: Sequence[int] = (1, 2)  # k in the paper
    doubts: Sequence[str] = ("0.9", "0.5", "0.1", "0.01")  # delta in the paper
    depths: Sequence[int] = (2, 4, 5, 6, 8, 10, 11, 12, 14, 16, 18)  # of the corner
    trials: int = 4000

    @classmethod
    def quick(cls) -> "Settings":
        """Small enough for a test."""
        few = dict.fromkeys(FAMILIES, 1) | {"corners": 2}
        return cls(instances=few, tolerances=(1,), doubts=("0.9", "0.5"), depths=(2, 6), trials=200)


def steps(settings: Settings) -> int:
    """How many pieces of work there are."""
    return len(_tasks(settings))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """All families, and the fixed counterexamples."""
    tasks = _tasks(settings)
    seen = {family: Tally() for family in settings.instances}
    for task, sent in zip(tasks, pool.gather(survey, tasks, progress), strict=True):
        seen[str(task[0])].absorb(sent)
    fixed = list(_fixed(settings))
    tossed = {
        (family, key): _tossed(settings, family, *again(family, settings.seed, worst.spot, _rule(key)), _rule(key))
        for family, tally in seen.items()
        for key, worst in tally.worst.items()
        if key[0] == main_view(family)
    }
    return Outcome(
        name="high-dimensional",
        title="Label verification in higher dimensions",
        setting=_setting(settings, seen),
        columns=COLUMNS,
        rows=[*_rows(seen, tossed), *(row for each in fixed for row in _fixed_rows(each))],
        panels=_panels(settings, seen, fixed),
        findings=findings(seen, fixed, [*tossed.values(), *(each.tossed for each in fixed)]),
    )


def _tasks(settings: Settings) -> list[pool.Task]:
    k, doubts = " ".join(map(str, settings.tolerances)), " ".join(settings.doubts)
    return [
        (family, settings.seed, first, min(_CHUNK, count - first), k, doubts)
        for family, count in settings.instances.items()
        for first in range(0, count, _CHUNK)
    ]


def _fixed(settings: Settings) -> Iterator[Fixed]:
    """The counterexamples at each delta, with k = 1; the depth of the corner says how bad it gets."""
    examples: list[tuple[str, Counterexample]] = [(f"corner {depth}", corner(depth)) for depth in settings.depths]
    examples += [("eleven", ELEVEN), ("six", SIX)]
    for name, example in examples:
        for delta in map(Fraction, settings.doubts):
            rule = LabelReport(delta=delta, k=1)
            found = {reading: counterexample(example, reading, rule) for reading in Reading}
            report, order, _ = found[Reading.WIDEST]
            counted = proofs_count(example, report)
            straight = highdim.projected_order(example.instance.points, report.rest, example.direction)
            yield Fixed(
                name=name,
                size=len(report.labels),
                delta=delta,
                chances={reading: chance for reading, (_, _, chance) in found.items()},
                counted=highdim.undetected(counted, rule.tickets(report.optimum.error)),
                error=oracle(example.instance.points)(example.instance.truth).error,
                optimal=len(report.optimum.dichotomies),
                sides=half_planes(example, report),
                place=1 + min(order.index(each) for each in report.hidden),
                counts=(min(counted), max(counted)),
                projected=1 + max(straight.index(each) for each in report.hidden),
                tossed=_tossed(settings, name, *found[Reading.WIDEST], rule),
            )


def _tossed(
    settings: Settings, name: str, report: SurveyedReport, order: Sequence[int], chance: Fraction, rule: LabelReport
) -> Tossed:
    tickets = rule.tickets(report.optimum.error)
    missed = misses(order, report.instance.truth, tickets, f"{name} {rule.k} {rule.delta}", settings.trials)
    low, high = clopper_pearson(missed, settings.trials, Tossed.CONFIDENCE)
    return Tossed(chance=chance, missed=missed, trials=settings.trials, low=low, high=high)


def _rule(key: Key) -> LabelReport:
    _, k, delta = key
    return LabelReport(delta=delta, k=k)


def _setting(settings: Settings, seen: Mapping[str, Tally]) -> str:
    counts = ", ".join(f"{family} {count}" for family, count in settings.instances.items())
    reports, consistent = (sum(getattr(each, name) for each in seen.values()) for name in ("reports", "consistent"))
    return (
        f"Instances: {counts}; k {', '.join(map(str, settings.tolerances))}; delta {', '.join(settings.doubts)}; seed "
        f"{settings.seed}. Every set of more than err* hidden positives is a report (at most 20 of an instance in "
        f"space, 500 elsewhere): {reports} reports, {consistent} with a consistent h*. All optimal dichotomies by "
        "exact enumeration, in space by integer programming. 'worst probability' is exact: no hidden positive is "
        "drawn, though more than err* + k (err* where k is 0) stay hidden; 'at risk' counts reports that hide so many, "
        f"once for each consistent h* (each h* where the claim is corrected). A fan is {FAN} random directions, on "
        "a line both. The proof's n(x) is 1 for x and 1 for each other undecided point that is strictly nearer to the "
        "intersection of the report's classifiers than x to their union. Theorem high-dim-label is trivially true: it "
        "bounds no disclosure, so revealing everything proves it; what is tried here is its lemma. 'missed' comes from "
        f"{settings.trials} runs with coins of the ledger on the worst report, with a {Tossed.CONFIDENCE:.2%} interval "
        "(Clopper-Pearson)."
    )


def _rows(seen: Mapping[str, Tally], tossed: Mapping[tuple[str, Key], Tossed]) -> Iterator[Sequence[str | int | float]]:
    for family, tally in seen.items():
        looked = (DIMENSIONS.get(family, 2), tally.size, tally.error, tally.optimal, tally.reports, tally.consistent)
        for (view, k, delta), worst in sorted(tally.worst.items(), key=lambda item: _place(*item[0])):
            numbers = (k, float(delta), worst.tried, worst.above, worst.sides, float(worst.chance))
            coins = _coins(tossed.get((family, (view, k, delta))))
            yield family, *looked, view.order, view.direction, *numbers, *coins, _verdict(worst.chance, delta)


def _place(view: View, k: int, delta: Fraction) -> tuple[str, str, int, Fraction]:
    return view.order, view.direction, k, -delta


def _fixed_rows(fixed: Fixed) -> Iterator[Sequence[str | int | float]]:
    """With Step 6's order, and with the proof's n(x)."""
    ways = [
        (printed(Reading.WIDEST), fixed.chances[Reading.WIDEST], fixed.tossed),
        (proofs(Reading.WIDEST, sides=fixed.sides), fixed.counted, None),
    ]
    for view, chance, tossed in ways:
        above = int(chance > fixed.delta)
        looked = (fixed.name, 2, fixed.size, fixed.error, fixed.optimal, 1, 1, view.order, view.direction)
        numbers = (1, float(fixed.delta), 1, above, above if fixed.sides else 0, float(chance))
        yield *looked, *numbers, *_coins(tossed), _verdict(chance, fixed.delta)


def _coins(tossed: Tossed | None) -> tuple[str | int | float, ...]:
    return ("", "", "", "") if tossed is None else (tossed.missed, tossed.trials, tossed.low, tossed.high)


def _verdict(chance: Fraction, delta: Fraction) -> str:
    return "at most delta" if chance <= delta else "above delta"


def _panels(settings: Settings, seen: Mapping[str, Tally], fixed: Sequence[Fixed]) -> list[Panel]:
    deltas = sorted(map(Fraction, settings.doubts))
    views: list[tuple[str, Callable[[str], View]]] = [
        ("Printed order, v of h*", main_view),
        ("Proof's n(x), half-spaces, v of h*", lambda family: proofs(main_reading(family), sides=True)),
        ("Order by projection, v of h*", lambda _: PROVED),
    ]
    k = min(settings.tolerances)
    return [*(_by_delta(title, view, seen, k, deltas) for title, view in views), _by_depth(deltas, fixed)]


def _by_delta(
    title: str, view: Callable[[str], View], seen: Mapping[str, Tally], k: int, deltas: Sequence[Fraction]
) -> Panel:
    bound = Line(label="delta", x=list(map(float, deltas)), y=list(map(float, deltas)), dashed=True)
    lines = [bound]
    for family, tally in seen.items():
        found = [tally.worst.get((view(family), k, delta), Worst()).chance for delta in deltas]
        lines.append(Line(label=family, x=list(map(float, deltas)), y=list(map(float, found))))
    return Panel(title=title, x_label="delta", y_label="worst probability of failure", lines=lines)


def _by_depth(deltas: Sequence[Fraction], fixed: Sequence[Fixed]) -> Panel:
    """How many times delta the corner comes to, where it comes to anything."""
    corners = [each for each in fixed if each.name.startswith("corner")]
    sizes = sorted({float(each.size) for each in corners})
    lines = [Line(label="delta", x=sizes, y=[1.0] * len(sizes), dashed=True)]
    for delta in deltas:
        found = [(each.size, each.chances[Reading.WIDEST]) for each in corners if each.delta == delta]
        seen = [(float(size), float(chance / delta)) for size, chance in found if chance]
        lines.append(Line(label=f"delta = {float(delta)}", x=[x for x, _ in seen], y=[y for _, y in seen]))
    return Panel(
        title="The corner", x_label="points", y_label="probability of failure / delta", lines=lines, log_y=True
    )
