"""Line charts as drawings within the page: every line has its own marker and dashes, so no colour is needed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from verifier.report.markup import Markup, element

WIDTH, _LEFT, _RIGHT = 480, 62, 14
_PLOT = 190  # height
_MARKERS = 12  # most items on a line
_LINE = 19  # height of a line of the legend


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line: its values by round, the first being round 0."""

    name: str
    values: Sequence[float]
    look: int  # which marker and dashes


_DASHES = ("none", "7 4", "2 4")
_COLOURS = ("#0b4f8a", "#8a2f0b", "#444")


def chart(name: str, told: str, series: Sequence[Series], written: Callable[[float], str], top: float = 0) -> Markup:
    """Lines by round, from 0 up to `top` or the largest value."""
    rounds = max(len(each.values) for each in series) - 1
    step = _step(max([top, *(value for each in series for value in each.values)]) or 1)
    highest = top or step * -(-max([1e-9, *(value for each in series for value in each.values)]) // step)
    above = 8 + _LINE * len(series)
    height = above + _PLOT + 52

    def x(number: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * number / max(rounds, 1)

    def y(value: float) -> float:
        return above + 8 + _PLOT * (1 - value / highest)

    ticks = [step * each for each in range(round(highest / step) + 1)]
    parts = [element("title", name), element("desc", told)]
    for tick in ticks:
        parts.append(_line(_LEFT, y(tick), WIDTH - _RIGHT, y(tick), "#111" if not tick else "#ccc"))
        parts.append(_label(_LEFT - 8, y(tick) + 4, written(tick), "end"))
    every = _whole_step(rounds)
    parts += [_label(x(each), y(0) + 18, str(each), "middle") for each in range(0, rounds + 1, every)]
    parts.append(_label((_LEFT + WIDTH) / 2, y(0) + 36, "round", "middle"))
    for index, each in enumerate(series):
        parts.append(_sample(each, 8 + _LINE * index))
        points = [(x(number), y(value)) for number, value in enumerate(each.values)]
        parts.append(_lines(points, each.look))
        marked = points[:: max(1, -(-len(points) // _MARKERS))]
        parts += [_marker(*point, each.look) for point in marked]
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_label=f"{name}. {told}",
    )


def _step(highest: float) -> float:
    """A round number that divides the axis into about five parts."""
    size: float = 1
    while size * 10 <= highest / 5:
        size *= 10
    while size > highest / 5 and size > 1e-3 and highest <= 5:
        size /= 10
    return next((size * each for each in (1, 2, 5) if size * each >= highest / 5), size * 10)


def _whole_step(rounds: int) -> int:
    return max(1, round(_step(rounds / 2)))


def _sample(series: Series, above: float) -> Markup:
    return element(
        "g",
        _lines([(_LEFT, above + 5), (_LEFT + 44, above + 5)], series.look),
        _marker(_LEFT + 22, above + 5, series.look),
        _label(_LEFT + 54, above + 9, series.name, "start"),
    )


def _lines(points: Sequence[tuple[float, float]], look: int) -> Markup:
    return element(
        "polyline",
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        fill="none",
        stroke=_COLOURS[look],
        stroke_width=2,
        stroke_dasharray=_DASHES[look],
    )


def _marker(x: float, y: float, look: int) -> Markup:
    """A filled circle, an open square, a triangle."""
    if look == 0:
        return element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=4.5, fill=_COLOURS[0])
    shapes = {1: f"M{x - 4.5:.1f} {y - 4.5:.1f}h9v9h-9z", 2: f"M{x:.1f} {y - 8:.1f}l7 13h-14z"}
    return element("path", d=shapes[look], fill="#fff", stroke=_COLOURS[look], stroke_width=2)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> Markup:
    return element("path", d=f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}", stroke=colour, stroke_width=1)


def _label(x: float, y: float, words: str, anchor: str) -> Markup:
    return element("text", words, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)
