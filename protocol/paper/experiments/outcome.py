"""What an experiment leaves: a table, panels of curves, and findings in words.

The same run writes the same bytes: no clock, no machine's name, and numbers as text that reads back exactly.
"""

import csv
import io
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeVar

WIDTH = 100

SettingsT = TypeVar("SettingsT", contravariant=True)


class Verdict(Enum):
    """What an experiment makes of a claim."""

    HOLDS = "holds"
    DIFFERS = "differs"
    OPEN = "open"  # the numbers do not decide it, or it was not tried; the finding says why


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One claim, and what was seen of it."""

    claim: str  # with its place in the paper
    seen: str  # with numbers
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve; `low` and `high` are the range around it."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    dashed: bool = False  # for what is not measured: a bound, a floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One set of axes with its curves."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """An experiment's result; `name` becomes the name of its files."""

    name: str
    title: str
    setting: str  # what was run, on what, with which parameters
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    panels: Sequence[Panel]
    findings: Sequence[Finding]
    across: int = 2  # panels side by side


class Experiment(Protocol[SettingsT]):
    """What the module of an experiment offers."""

    def steps(self, settings: SettingsT, /) -> int:
        """How many steps the progress has."""
        ...

    def run(self, settings: SettingsT, progress: Callable[[int], None], /) -> Outcome:
        """Run the whole experiment; `progress` is told how many steps are done."""
        ...


def text(outcome: Outcome) -> str:
    """The findings, for a reader."""
    counts = {verdict: sum(each.verdict is verdict for each in outcome.findings) for verdict in Verdict}
    said = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    lines = [outcome.title, "=" * len(outcome.title), "", *_wrapped("", outcome.setting), "", f"Claims: {said}.", ""]
    for number, each in enumerate(outcome.findings, start=1):
        lines += _wrapped(f"{number}. ", f"Expected: {each.claim}")
        lines += _wrapped("   ", f"Seen: {each.seen}")
        lines += [f"   Verdict: {each.verdict.value}", ""]
    return "\n".join(lines)


def value(outcome: Outcome) -> dict[str, Any]:
    """The findings, for a script."""
    return {
        "experiment": outcome.name,
        "setting": outcome.setting,
        "findings": [
            {"claim": each.claim, "seen": each.seen, "verdict": each.verdict.value} for each in outcome.findings
        ],
    }


def table(outcome: Outcome) -> str:
    """The numbers behind the figure, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(outcome.columns)
    writer.writerows(outcome.rows)
    return out.getvalue()


def _wrapped(first: str, words: str) -> Iterator[str]:
    yield from textwrap.wrap(words, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))
