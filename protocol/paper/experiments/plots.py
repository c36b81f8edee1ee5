"""The files of an outcome, with figures that matplotlib draws the same way everywhere: same outcome, same SVG."""

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from ledger import files
from ledger.errors import Refused
from protocol.figures import COLOURS, MARKERS, STYLE, saved
from protocol.paper.experiments.outcome import Outcome, Panel, table, text

FEW = 9
"""How many values fit side by side below an axis."""
CLOSE = 1.3
"""On a logarithmic axis, values must differ by more than this factor."""


@dataclass(frozen=True, slots=True)
class Figures:
    """One figure in two formats."""

    svg: bytes
    png: bytes


def write(outcome: Outcome, folder: Path) -> list[Path]:
    """Write NAME.csv, NAME.svg, NAME.png and NAME.txt; an earlier run's files of the same names are replaced."""
    if folder.exists() and not folder.is_dir():
        raise Refused(f"{folder} is a file; --out names the folder for the results")
    folder.mkdir(parents=True, exist_ok=True)
    figures = draw(outcome)
    contents = {
        "csv": table(outcome).encode(),
        "svg": figures.svg,
        "png": figures.png,
        "txt": text(outcome).encode(),
    }
    paths = [folder / f"{outcome.name}.{ending}" for ending in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        with files.replaced_file(path, mode=0o644) as stream:
            stream.write(content)
    return paths


def draw(outcome: Outcome) -> Figures:
    """All panels of an outcome in one figure."""
    with mpl.rc_context(STYLE):
        across = min(outcome.across, len(outcome.panels))
        down = -(-len(outcome.panels) // across)
        figure = Figure(figsize=(5.2 * across, 3.6 * down + 0.4), layout="constrained")
        axes = list(figure.subplots(down, across, squeeze=False).flat)
        for panel, place in zip(outcome.panels, axes, strict=False):
            _panel(panel, place)
        for place in axes[len(outcome.panels) :]:
            place.set_axis_off()
        figure.suptitle(outcome.title)
        return Figures(svg=saved(figure, "svg"), png=saved(figure, "png"))


def _panel(panel: Panel, axes: Axes) -> None:
    for number, line in enumerate(panel.lines):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        above = min(2, len(panel.lines) - 1 - number)  # a curve that others lie upon is drawn wider, and shows
        style: Any = {"marker": marker, "markersize": 3 + 2 * above, "linewidth": 1.2 + 0.8 * above}
        if line.dashed:
            style = {"linestyle": "--", "linewidth": 1.2}
        axes.plot(line.x, line.y, color=colour, label=line.label, fillstyle="none", **style)
        if line.low is not None and line.high is not None:
            axes.fill_between(line.x, line.low, line.high, color=colour, alpha=0.18, linewidth=0)
    _scale(panel, axes)
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axes.set_title(panel.title, fontsize="medium")
    if panel.lines:
        axes.legend(fontsize="small")


def _scale(panel: Panel, axes: Axes) -> None:
    """Ticks at whole numbers where only those occur, and on a logarithmic axis at the values themselves if few."""
    values = sorted({float(each) for line in panel.lines for each in line.x})
    if panel.log_x:
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        if len(values) <= FEW:
            apart = [value for value, next_one in pairwise([*values, inf]) if next_one > CLOSE * value]
            axes.set_xticks(apart, [f"{value:g}" for value in apart])
    elif all(value.is_integer() for value in values):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.log_y:
        axes.set_yscale("log")
