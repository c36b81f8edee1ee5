"""A forecast as a figure: what Bob is shown and what is certified, batch by batch. Needs matplotlib."""

from collections.abc import Callable, Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from protocol.figures import COLOURS, MARKERS, STYLE, saved
from protocol.forecast import words
from protocol.forecast.forecast import Forecast, Range
from protocol.forecast.play import Moment

_SIZE = (10.4, 4.0)
_LIKELY = {"reviewed": "reviewed_reached", "collection": "collection_reached"}


def svg(found: Forecast, title: str) -> bytes:
    """The figure; the same forecast gives the same bytes."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        shown, recall = figure.subplots(1, 2)
        _band(shown, 0, "responsive", _course(found, lambda each: each.found))
        _band(shown, 1, "not responsive", _course(found, lambda each: each.other))
        shown.set(title="Documents that Bob is shown", ylabel="documents")
        _band(recall, 0, "recall of the collection (nobody will know)", _course(found, lambda each: each.recall))
        if found.scheme.spot_check is not None:
            certified = _course(found, lambda each: each.certified or 0.0)
            _band(recall, 2, "certified recall of the reviewed", certified)
        _targets(recall, found)
        recall.set(title="Recall", ylim=(0, 1.02))
        recall.yaxis.set_major_formatter(PercentFormatter(1))
        for axes in (shown, recall):
            axes.set(xlabel="batches")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.legend(fontsize="small")
        figure.suptitle(f"{title}: median and 5 to 95 % of {words.count(len(found.outcomes))} trials")
        return saved(figure, "svg")


def _targets(axes: Axes, found: Forecast) -> None:
    """What the terms ask for, with how often it is reached."""
    rule, validation, likely = found.scheme.spot_check, found.scheme.validation, words.likelihoods(found)
    targets = {
        "reviewed": None if rule is None else rule.target,
        "collection": None if validation is None else validation.plan.target,
    }
    for number, (what, target) in enumerate(targets.items(), start=3):
        if target is not None:
            reached = words.percent(likely[_LIKELY[what]])
            label = f"target {words.decimal(target)} of the {what}, reached in {reached}"
            axes.axhline(float(target), color=COLOURS[number], linestyle="--", linewidth=1.2, label=label)


def _band(axes: Axes, number: int, label: str, course: Sequence[Range]) -> None:
    colour, marker = COLOURS[number], MARKERS[number]
    batches = range(1, len(course) + 1)
    axes.plot(batches, [each.median for each in course], color=colour, marker=marker, markersize=3, label=label)
    low, high = [each.low for each in course], [each.high for each in course]
    axes.fill_between(batches, low, high, color=colour, alpha=0.18, linewidth=0)


def _course(found: Forecast, number: Callable[[Moment], float]) -> list[Range]:
    """A range for each batch; what has ended stays where it ended."""
    longest = max(len(each.moments) for each in found.outcomes)
    return [
        Range.of([number(each.moments[min(place, len(each.moments) - 1)]) for each in found.outcomes])
        for place in range(longest)
    ]
