"""How often a certificate is wrong, whatever Alice does: Theorems 1, 4 and 5 as simulations.

Alices who adapt to everything that they can know are let loose on the books, with and without validations, and with
privilege, late claims and Bob's silence. Beside them are books with a mistake, which must fail: a simulation that
misses those would be worth nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import fmean
from typing import Any

from protocol.paper.experiments import hiders, validations
from protocol.paper.experiments.courses import ONE_STAGE, TWO_STAGES, Case, Course, ended
from protocol.paper.experiments.mistakes import MISTAKES
from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.spotchecks import BATCH, Alice, Review, SpotCheck, generator
from protocol.paper.theory.intervals import clopper_pearson
from protocol.workers import pool

COLUMNS = ("part", "case", "who", "matters", "below_target", "bound_broken", "total_wrong", "nrd", "hits", "level")
CONFIDENCE = 0.9999
"""Hundreds of shares are looked at, so one of them counts as too high only if that is very unlikely by chance."""

PADDING = "reports what is not responsive where Bob is silent"
ALICES: dict[str, Callable[[], Alice]] = hiders.HIDERS | hiders.USERS | {PADDING: hiders.Padding}


class UnreadIsNotFound(Review):
    """What Bob does not read counts as found in no certificate."""

    unread_is_found = False


GROUPS = {
    "hiders": list(hiders.HIDERS)[::2],
    "more hiders": list(hiders.HIDERS)[1::2],
    "users": [*hiders.USERS, PADDING],
    "half": ["hides half of each batch"],
    "padding": [PADDING],
}
"""Which Alices one worker plays after another."""

BOOKS: dict[str, type[Review]] = {"": UnreadIsNotFound, "unread reports count as found": Review, **MISTAKES}


def _case(rate: str, target: str, every: int, penalty: str = "none", validation: str = "", limit: str = "1") -> Case:
    terms = SpotCheck(rate=Fraction(rate), target=Fraction(target), every=every, penalty=penalty, limit=Fraction(limit))
    return Case(terms=terms, validation=validation)


CASES = (
    _case("0.01", "0.9", 5),
    _case("0.01", "0.8", 10),
    _case("0.05", "0.8", 2),
    _case("0.25", "0.8", 10),
    _case("0.005", "0.95", 10),
    _case("0.01", "0.9", 10, BATCH),
    _case("0.1", "0.75", 3, BATCH),
    _case("0.02", "0.9", 5, limit="0.25"),
)
SPLICED = (
    _case("0.01", "0.9", 5, validation=ONE_STAGE),
    _case("0.01", "0.8", 10, BATCH, ONE_STAGE),
    _case("0.01", "0.9", 5, validation=TWO_STAGES),
)
ALL = (*CASES, *SPLICED)
CLOSE_ONLY = 1  # the case in which nothing but the last escalation protects the target

Task = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How much is played."""

    matters: int = 1000  # of each Alice in each case
    validations: int = 20_000  # of each single validation
    cases: Sequence[int] = tuple(range(len(CASES)))
    spliced: Sequence[int] = tuple(range(len(CASES), len(ALL)))
    levels: Sequence[str] = ("0.04", "0.008")
    hits: Sequence[int] = (0, 1, 2, 5, 10)
    seed: int = 1

    @classmethod
    def quick(cls) -> "Settings":
        """Small enough for a test."""
        return cls(matters=12, validations=500, cases=(1, 6), spliced=(8,), levels=("0.04",), hits=(0, 2))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, and how often each thing failed."""

    part: str
    case: str
    who: str
    matters: int
    level: float
    failed: dict[str, int] = field(default_factory=dict)

    def share(self, name: str) -> float:
        """How often this failed."""
        return self.failed.get(name, 0) / self.matters

    def exceeds(self, name: str) -> bool:
        """Whether this failed more often than its level allows, beyond chance."""
        low, _ = clopper_pearson(self.failed.get(name, 0), self.matters, CONFIDENCE)
        return low > self.level


def steps(settings: Settings) -> int:
    """How many sets of matters and validations there are."""
    return len(_matters(settings)) + 1 + len(validations.POLICIES)


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Play everything, and say what failed how often."""
    tasks = _matters(settings)
    shared = (",".join(settings.levels), settings.validations, settings.seed)
    one, two = len(tasks), len(tasks) + 1
    tasks += [("one stage", ",".join(map(str, settings.hits)), *shared)]
    tasks += [("two stages", policy, *shared) for policy in validations.POLICIES]
    results = pool.gather(work, tasks, progress)
    rows = [_of_matters(task, result) for task, each in zip(tasks[:one], results, strict=False) for result in each]
    rows += [_of_validations("one stage", result) for result in results[one]]
    rows += [_of_validations("two stages", result) for each in results[two:] for result in each]
    return Outcome(
        name="coverage",
        title="How often a certificate is wrong, whatever Alice does",
        setting=(
            f"{settings.matters} matters for each Alice and case, {settings.validations:,} single validations for each "
            "case; doubt 0.05. A matter has ten batches of 300 documents, 360 of them responsive and 40 more never put "
            f"up. Alice knows the coins as soon as her words before them are fixed. Seed {settings.seed}."
        ),
        columns=COLUMNS,
        rows=[_cells(row) for row in rows],
        panels=_panels(rows),
        findings=_findings(rows),
    )


def work(part: str, *rest: Any) -> list[dict[str, Any]]:
    """A worker's share; for `pool.gather`, which carries plain values only."""
    if part == "one stage":
        hits, levels, number, seed = rest
        return list(validations.one_stages(map(int, hits.split(",")), levels.split(","), number, seed))
    if part == "two stages":
        policy, levels, number, seed = rest
        return list(validations.all_two_stages(policy, levels.split(","), number, seed))
    books, group, case, matters, seed = rest
    return [played(books, who, case, matters, seed) for who in GROUPS[group]]


def played(books: str, who: str, case: int, matters: int, seed: int) -> dict[str, Any]:
    """So many matters of one Alice in one case."""
    chosen = ALL[case]
    coins = generator(seed, books, who, chosen.title)
    made = [Course(chosen, BOOKS[books](chosen.terms, ALICES[who](), coins)).play() for _ in range(matters)]
    return {"who": who, **ended(made)}


def _matters(settings: Settings) -> list[Task]:
    jobs = [("", group, case) for case in settings.cases for group in ("hiders", "more hiders")]
    jobs += [("", "users", case) for case in settings.cases[:4]]
    jobs += [("", group, case) for case in settings.spliced for group in ("hiders", "more hiders", "users")]
    jobs += [(books, "half", CLOSE_ONLY) for books in MISTAKES]
    jobs += [("unread reports count as found", "padding", CLOSE_ONLY)]
    return [("matters", *job, settings.matters, settings.seed) for job in jobs]


def _of_matters(task: Task, result: dict[str, Any]) -> Row:
    _, books, group, case, matters, _ = task
    part = "mistake" if books else "spliced" if int(case) >= len(CASES) else "reviewed"
    if group == "users":
        part = f"{part}, settled"
    title = f"{books}; {ALL[int(case)].title}" if books else ALL[int(case)].title
    failed = {name: count for name, count in result.items() if name != "who"}
    return Row(part, title, result["who"], int(matters), 0.05, failed)


def _of_validations(part: str, result: dict[str, Any]) -> Row:
    level, number = float(result["level"]), int(result["validations"])
    return Row(part, result["case"], result["who"], number, level, {"wrong": result["wrong"]})


def _cells(row: Row) -> list[str | int | float]:
    shares = [round(row.share(name), 6) for name in ("below", "broken", "wrong")]
    means = [round(row.failed.get(name, 0) / row.matters, 1) for name in ("nrd", "hits")]
    return [row.part, row.case, row.who, row.matters, *shares, *means, row.level]


def _panels(rows: Sequence[Row]) -> list[Panel]:
    return [
        _panel(rows, ("reviewed", "spliced"), "below", "below the target at the claims"),
        _panel(rows, ("reviewed", "spliced"), "broken", "bound ever broken"),
        _panel(rows, ("reviewed, settled", "spliced, settled"), "broken", "the same with privilege and silence"),
        _panel(rows, ("spliced", "spliced, settled"), "wrong", "a validation's total was too small"),
    ]


def _panel(rows: Sequence[Row], parts: Sequence[str], name: str, title: str) -> Panel:
    """For each Alice, in the order of `ALICES`, the largest and the mean share of all cases."""
    shares = {who: [row.share(name) for row in rows if row.part in parts and row.who == who] for who in ALICES}
    values = [each for each in shares.values() if each]
    numbers = range(1, len(values) + 1)
    return Panel(
        title=title,
        x_label="Alice, in the order of the page",
        y_label="share of matters",
        lines=[
            Line(label="largest of all cases", x=numbers, y=[max(each) for each in values]),
            Line(label="mean", x=numbers, y=[fmean(each) for each in values]),
            Line(label="doubt", x=[1, max(1, len(values))], y=[0.05, 0.05], dashed=True),
        ],
    )


def _findings(rows: Sequence[Row]) -> list[Finding]:
    def part(*names: str) -> list[Row]:
        return [row for row in rows if row.part in names]

    reviewed, settled = part("reviewed", "spliced"), part("reviewed, settled", "spliced, settled")
    return [
        _kept(
            "Risk limit: at the claims Bob has the target, or the certificate says that he has not", reviewed, "below"
        ),
        _kept("Theorem 1: the exposure of what is hidden never exceeds its bound", reviewed, "broken"),
        _kept("The same with privilege, late claims, silence and unread waves, target", settled, "below"),
        _kept("The same with privilege, late claims, silence and unread waves, bound", settled, "broken"),
        _kept("All validations of a matter together are right", part("spliced", "spliced, settled"), "wrong"),
        _kept("Theorem 4: a validation in one stage", part("one stage"), "wrong"),
        _kept("Theorem 5: a validation in two stages, whatever Alice reports", part("two stages"), "wrong"),
        *(_fails(row) for row in part("mistake")),
    ]


def _kept(claim: str, rows: Sequence[Row], name: str) -> Finding:
    """A finding on what must stay within its level; the worst stands nearest to it."""
    if not rows:
        return Finding(claim=claim, seen="Nothing was played.", verdict=Verdict.OPEN)
    worst = max(rows, key=lambda row: row.share(name) / row.level)
    over = [row for row in rows if row.exceeds(name)]
    seen = (
        f"{len(rows)} cases; the largest share is {worst.share(name):.4f}, of {worst.level:g} allowed "
        f"({worst.who}; {worst.case}). Beyond chance it exceeds its level in {len(over)}."
    )
    return Finding(claim=f"{claim}, with probability 1 - doubt", seen=seen, verdict=_verdict(not over))


def _fails(row: Row) -> Finding:
    seen = f"below the target in {row.share('below'):.3f}, bound ever broken in {row.share('broken'):.3f} of matters."
    return Finding(
        claim=f"Books with a mistake must fail: {row.case} ({row.who})",
        seen=seen,
        verdict=_verdict(row.exceeds("below") or row.exceeds("broken")),
    )


def _verdict(holds: bool) -> Verdict:  # noqa: FBT001 - a condition, handed on
    return Verdict.HOLDS if holds else Verdict.DIFFERS
