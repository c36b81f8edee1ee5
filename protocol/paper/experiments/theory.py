"""The one-dimensional theorems against exact values: bounds as printed and as corrected, for families of instances.

What the coins can do is computed, not sampled: the worst of all reports for a recall, the mean for a disclosure, the
best of all reports for Alice's response. The real rules are played with real coins beside it, to see that the exact
values are theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel
from protocol.paper.experiments.theoryfindings import agreement, findings
from protocol.paper.theory import trials
from protocol.paper.theory.exhaustive import TOLERANCE
from protocol.paper.theory.instances import FAMILIES
from protocol.paper.theory.intervals import bernstein, clopper_pearson, sum_interval
from protocol.workers import pool

COLUMNS = (
    *("theorem", "part", "family", "size", "positives", "error", "err* > 0", "k", "delta", "price", "cases"),
    *("printed", "corrected", "exact", "observed", "low", "high", "plays", "above printed", "above corrected"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to run; the defaults take a few minutes on two cores."""

    sizes: Sequence[int] = (1, 2, 10, 30, 100, 300, 1000)
    response_sizes: Sequence[int] = (22, 100, 400, 2000)  # the first has the fewest others that the premise lets in
    small: Sequence[int] = (1, 2, 3, 6, 9)  # sizes of which all batches are tried
    families: Sequence[str] = field(default_factory=lambda: tuple(FAMILIES))
    deltas: Sequence[str] = ("1/100", "1/4", "1/2", "3/5")
    response_deltas: Sequence[str] = ("1/100", "1/4", "33/100")  # the theorem asks for less than 1/3
    tolerances: Sequence[int] = (1, 3, 1_000_000)  # k; the last makes c as small as it gets, 2 ln(1/delta)
    plays: int = 300  # of each report up to size 300; fewer of larger ones, for the time that they take
    seed: int = 1

    @classmethod
    def quick(cls) -> "Settings":
        """Small enough for a test."""
        return cls(
            sizes=(2, 40),
            response_sizes=(22, 300),
            small=(2, 4),
            families=("separable", "lemma", "false-tops", "gap", "one-error", "none"),
            deltas=("1/100", "1/2", "3/5"),
            response_deltas=("1/4", "33/100"),
            plays=20,
        )


def steps(settings: Settings) -> int:
    """How many steps the progress has."""
    return len(_tasks(settings))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Try every theorem on every family."""
    found = [row for rows in pool.gather(trials.job, _tasks(settings), progress) for row in rows]
    rows = [_measured(row) for row in found]
    return Outcome(
        name="theory",
        title="The one-dimensional theorems, as printed and as corrected",
        setting=(
            f"Families of instances ({', '.join(settings.families)}) of {_list(settings.sizes)} documents "
            f"({_list(settings.response_sizes)} for best responses), delta {_list(settings.deltas)}, "
            f"k {_list(settings.tolerances)}, and all batches of {_list(settings.small)}. 'exact' is computed: the "
            "largest probability over all reports to hide more than allowed, or the mean disclosure. The paper assumes "
            "err* > 0; instances without are counted apart. 'observed' comes "
            f"from up to {settings.plays} plays of the real rule with coins of the ledger, with a 99 % interval "
            "(Clopper-Pearson; for means Hoeffding's comparison where draws are independent, else empirical "
            f"Bernstein). Seed {settings.seed}."
        ),
        columns=COLUMNS,
        rows=[_cells(row) for row in rows],
        panels=list(_panels(settings, rows)),
        findings=[*findings(rows), _agreement(rows)],
    )


def _tasks(settings: Settings) -> list[tuple[str | int, ...]]:
    """The largest first, so that no core is idle at the end."""
    deltas, tolerances = " ".join(settings.deltas), " ".join(map(str, settings.tolerances))
    tasks: list[tuple[str | int, ...]] = []
    for size in sorted(settings.response_sizes, reverse=True):
        given = (size, settings.seed, _plays(settings, size), " ".join(settings.response_deltas), tolerances)
        tasks += [("response", family, *given) for family in settings.families]
    for size in sorted(settings.sizes, reverse=True):
        given = (size, settings.seed, _plays(settings, size), deltas, tolerances)
        for family in settings.families:
            tasks += [("label", family, *given), ("classifier", family, *given[:-1])]
    for size in settings.small:
        for delta in settings.deltas:
            tasks.append(("all thresholds", size, delta))
            tasks += [("all labels", size, delta, k) for k in settings.tolerances]
            tasks += [("all responses", size, delta, k) for k in settings.tolerances if size <= 6]
    return tasks


def _plays(settings: Settings, size: int) -> int:
    return settings.plays * 300 // max(size, 300)


def _measured(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its interval, and with the number of its cases that are above their bound."""
    row = {"theorem": row.get("rule"), "family": f"all of {row['size']}", "cases": 1, "observed": None} | row
    if "over" not in row:
        above = {
            name: row["exact"] > row[name] + TOLERANCE for name in ("printed", "corrected") if row[name] is not None
        }
        row["over"] = {name: int(each) for name, each in above.items()}
    if seen := row["observed"]:
        if row["part"].startswith("recall"):
            row["value"] = seen["failures"] / seen["plays"]
            row["interval"] = clopper_pearson(seen["failures"], seen["plays"])
        else:
            row["value"] = seen["mean"]
            row["interval"] = _mean(row, seen)
    return row


def _mean(row: dict[str, Any], seen: dict[str, Any]) -> tuple[float, float]:
    others = row["size"] - row["positives"]
    if row["independent"]:
        return sum_interval(round(seen["mean"] * seen["plays"]), others, seen["plays"]) if others else (0.0, 0.0)
    return bernstein(seen["plays"], seen["mean"], seen["spread"], least=0, most=others)


def _cells(row: dict[str, Any]) -> list[str | int | float]:
    low, high = row.get("interval", ("", ""))
    shown = row | {
        "observed": row.get("value", ""),
        "low": low,
        "high": high,
        "plays": row["observed"]["plays"] if row["observed"] else "",
        "err* > 0": "yes" if row["inside"] else "no",
        "above printed": row["over"]["printed"],
        "above corrected": row["over"].get("corrected", ""),
    }
    return ["" if (cell := shown.get(column, "")) is None else cell for column in COLUMNS]


def _agreement(rows: Sequence[dict[str, Any]]) -> Finding:
    seen = [row for row in rows if "interval" in row]
    inside = [row["interval"][0] - TOLERANCE <= row["exact"] <= row["interval"][1] + TOLERANCE for row in seen]
    return agreement(sum(inside), len(inside))


def _panels(settings: Settings, rows: Sequence[dict[str, Any]]) -> Iterator[Panel]:
    family = settings.families[0]
    delta = float(_fraction(settings.deltas[0]))
    for theorem, name in (("one-dim-label", "Label"), ("one-dim-classifier", "Classifier")):
        given = {"theorem": theorem, "part": "disclosure", "family": family, "delta": delta}
        chosen = _where(rows, **given, k=settings.tolerances[0] if name == "Label" else None)
        title = f"{name} report, {family}, delta = {settings.deltas[0]}"
        lines = [_line("exact", chosen, "size", "exact"), _observed(chosen, "size")]
        lines += [_line(bound, chosen, "size", bound, dashed=True) for bound in ("printed", "corrected")]
        yield Panel(title=title, x_label="N", y_label="non-responsive disclosure", lines=lines, log_x=True)
    family = "lemma" if "lemma" in settings.families else family
    given = {"theorem": "one-dim-label", "part": "recall", "family": family, "size": max(settings.sizes)}
    worst = sorted(_where(rows, **given, k=settings.tolerances[0]), key=lambda row: row["delta"])
    lines = [_line("worst report, exact", worst, "delta", "exact"), _observed(worst, "delta")]
    lines.append(_line("delta", worst, "delta", "delta", dashed=True))
    title = f"Label report, {family}, N = {max(settings.sizes)}: hiding too much"
    yield Panel(title=title, x_label="delta", y_label="probability", lines=lines)
    family = "false-tops" if "false-tops" in settings.families else family
    delta = float(_fraction(settings.response_deltas[1]))
    given = {"theorem": "best response", "part": "truthful", "family": family, "price": 0.0, "delta": delta}
    chosen = _where(rows, **given)
    lines = [
        Line(label=label, x=[row["size"] for row in chosen], y=[row["losses"][which] for row in chosen])
        for which, label in ((1, "true labels down to t*"), (0, "best of all reports"))
    ]
    title = f"Best response, {family}, k = 1, delta = {settings.response_deltas[1]}, price 0"
    yield Panel(title=title, x_label="N", y_label="Alice's expected loss", lines=lines, log_x=True)


def _where(rows: Sequence[dict[str, Any]], **given: object) -> list[dict[str, Any]]:
    found = [row for row in rows if all(row.get(name) == value for name, value in given.items())]
    return sorted(found, key=lambda row: row["size"])


def _line(label: str, rows: Sequence[dict[str, Any]], x: str, y: str, *, dashed: bool = False) -> Line:
    return Line(label=label, x=[row[x] for row in rows], y=[row[y] for row in rows], dashed=dashed)


def _observed(rows: Sequence[dict[str, Any]], x: str) -> Line:
    seen = [row for row in rows if "interval" in row]
    low, high = ([row["interval"][side] for row in seen] for side in (0, 1))
    return Line(label="observed", x=[row[x] for row in seen], y=[row["value"] for row in seen], low=low, high=high)


def _fraction(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


def _list(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
