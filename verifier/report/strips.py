"""A strip for each round: where in the batch documents were shown to Bob, and why."""

from collections.abc import Sequence
from itertools import pairwise

from verifier.phrases import count
from verifier.replay.rounds import RoundDetail
from verifier.report.charts import WIDTH
from verifier.report.markup import Markup, element, joined, table, text
from verifier.report.reasons import SHOWN, Reason, counts, percent, ranges, reasons
from verifier.rules.verification import ALL_COINS

MOST = 60  # strips on a page
_BINS = 60
_HIGH = 44
_LONGEST_RANGES = 1500  # characters
_FILLS = {
    Reason.CERTAIN: "#333",
    Reason.COIN: "url(#by-coin)",
    Reason.COMPELLED: "url(#compelled)",
    Reason.SEALED: "url(#sealed)",
}
_MEANINGS = {
    Reason.CERTAIN: "certain: reported responsive, or at or above the cut-off, or the rule shows all",
    Reason.COIN: "drawn by coin",
    Reason.COMPELLED: "compelled: the whole batch was due after confirmed errors",
    Reason.SEALED: "shown; the reason is sealed in this copy",
    Reason.HIDDEN: "not shown",
}


def drawing(details: Sequence[RoundDetail]) -> Markup:
    """Legend, strips and the same in numbers."""
    explained = [(each, reasons(each)) for each in details]
    seen = {reason for _, found in explained for reason in found.values()}
    shown = explained if len(explained) <= MOST else [explained[len(explained) * i // MOST] for i in range(MOST)]
    parts: list[str] = [
        _patterns(),
        _legend(seen, chances=any(each.examined and each.examined.chances for each in details)),
    ]
    parts.append(element("div", *(_figure(each, found) for each, found in shown), class_="strips"))
    if len(shown) < len(explained):
        parts.append(
            element(
                "p",
                f"{len(shown)} of {len(explained)} rounds are drawn, evenly chosen; the table by round has all.",
                class_="note",
            )
        )
    parts.append(_numbers(explained))
    parts.append(_positions(shown))
    return joined(parts)


def _patterns() -> Markup:
    """Dots, hatches and crosses, which black and white printers keep apart."""
    stripes = element("path", d="M-1 5L5 -1M1 7L7 1", stroke="#0b4f8a", stroke_width=1.6)
    dots = element("circle", cx=3, cy=3, r=1.5, fill="#8a2f0b")
    grey = element("path", d="M0 3h6", stroke="#555", stroke_width=1.2)
    made = []
    for name, inside in (("by-coin", stripes), ("compelled", dots), ("sealed", grey)):
        ground = element("rect", width=6, height=6, fill="#fff")
        made.append(element("pattern", ground, inside, id=name, width=6, height=6, patternUnits="userSpaceOnUse"))
    return element("svg", element("defs", *made), class_="defs", aria_hidden="true")


def _legend(seen: set[Reason], *, chances: bool) -> Markup:
    items = []
    for reason, meaning in _MEANINGS.items():
        if reason in seen:
            box = element("rect", x=1, y=1, width=30, height=15, fill=_FILLS.get(reason, "#fff"), stroke="#111")
            items.append(element("li", element("svg", box, viewBox="0 0 32 17", aria_hidden="true"), meaning))
    if chances:
        line = element("path", d="M0 5L32 13", stroke="#111", stroke_width=2.5, fill="none")
        items.append(element("li", element("svg", line, viewBox="0 0 32 17", aria_hidden="true"),
                             "the chance of being drawn, from 100 % (top) to 0 (bottom)"))  # fmt: skip
    return element("ul", *items, class_="legend")


def _figure(detail: RoundDetail, found: dict[int, Reason]) -> Markup:
    told = counts(found)
    listed = ", ".join(f"{told[reason]} {reason}" for reason in (*SHOWN, Reason.HIDDEN) if told[reason])
    ending = "" if detail.closed_entry is not None else "; not closed"
    name = f"Round {detail.number}: {count(detail.size, 'document')}{ending}"
    return element(
        "figure",
        element("figcaption", element("strong", f"Round {detail.number}"), f" — {listed}{ending}"),
        element(
            "svg",
            element("title", name),
            element("desc", f"{listed}. From the first position on the left to the last on the right."),
            *_bars(detail, found),
            *_chances(detail),
            *_axis(detail),
            viewBox=f"0 0 {WIDTH} {_HIGH + 24}",
            role="img",
            aria_label=f"{name}; {listed}",
        ),
    )


def _edges(size: int) -> list[int]:
    """The last position of each bin, behind 0."""
    bins = min(_BINS, size)
    return [size * each // bins for each in range(bins + 1)]


def _bars(detail: RoundDetail, found: dict[int, Reason]) -> list[Markup]:
    """For each reason one path of all its bars."""
    edges = _edges(detail.size)
    paths: dict[Reason, list[str]] = {}
    for first, last in pairwise(edges):
        told = counts({position: found[position] for position in range(first + 1, last + 1)})
        left, right, bottom = _x(detail, first), _x(detail, last), float(_HIGH)
        for reason in SHOWN:
            high = _HIGH * told[reason] / (last - first)
            if high:
                bottom -= high
                paths.setdefault(reason, []).append(f"M{left:.1f} {bottom:.1f}H{right:.1f}v{high:.1f}H{left:.1f}z")
    return [element("path", d="".join(paths[reason]), fill=_FILLS[reason]) for reason in SHOWN if reason in paths]


def _chances(detail: RoundDetail) -> list[Markup]:
    """The mean chance of what a coin decides about, over the bins."""
    if detail.examined is None or not detail.examined.chances:
        return []
    chances, edges = detail.examined.chances, _edges(detail.size)
    points = []
    for first, last in pairwise(edges):
        inside = [chances[position] for position in range(first + 1, last + 1) if position in chances]
        if inside:
            high = sum(inside) / len(inside) / ALL_COINS
            points.append(f"{_x(detail, (first + last) / 2):.1f},{_HIGH * (1 - high) + 1:.1f}")
    line = " ".join(points)
    return [
        element("polyline", points=line, fill="none", stroke=colour, stroke_width=width)
        for colour, width in (("#fff", 5), ("#111", 2))
    ]


def _axis(detail: RoundDetail) -> list[Markup]:
    frame = element("rect", x=1, y=0.5, width=WIDTH - 2, height=_HIGH, fill="none", stroke="#111")
    ends = [
        element("text", "1", x=1, y=_HIGH + 17),
        element("text", str(detail.size), x=WIDTH - 1, y=_HIGH + 17, text_anchor="end"),
    ]
    if detail.examined is None:
        return [frame, *ends]
    cut = _x(detail, detail.examined.threshold)
    anchor = "start" if cut < WIDTH / 4 else "end" if cut > 3 * WIDTH / 4 else "middle"
    at = min(max(cut, 24), WIDTH - 40)
    mark = element("path", d=f"M{cut:.1f} 0V{_HIGH + 7}", stroke="#111", stroke_width=2.5, stroke_dasharray="4 2")
    label = element("text", f"cut-off {detail.examined.threshold}", x=f"{at:.1f}", y=_HIGH + 19, text_anchor=anchor)
    return [frame, *ends, mark, label]


def _x(detail: RoundDetail, position: float) -> float:
    return 1 + (WIDTH - 2) * position / detail.size


def _numbers(explained: list[tuple[RoundDetail, dict[int, Reason]]]) -> Markup:
    heads = ("Round", "Documents", "Cut-off", "Certain", "Coin decides", "Drawn by coin", "Chance, from", "to",
             "Compelled", "Reason sealed", "Not shown")  # fmt: skip
    rows = []
    for each, found in explained:
        told, chances = counts(found), list(each.examined.chances.values()) if each.examined else []
        known = each.examined is not None
        rows.append(
            (
                str(each.number),
                str(each.size),
                str(each.examined.threshold) if each.examined else "sealed",
                str(told[Reason.CERTAIN]) if known else "sealed",
                str(len(chances)) if known else "sealed",
                str(told[Reason.COIN]) if known else "sealed",
                percent(max(chances)) if chances else "none",
                percent(min(chances)) if chances else "none",
                str(told[Reason.COMPELLED]) if known else "sealed",
                str(told[Reason.SEALED]),
                str(told[Reason.HIDDEN]),
            )
        )
    return table("The same in numbers", heads, rows, class_="numbers")


def _positions(explained: list[tuple[RoundDetail, dict[int, Reason]]]) -> Markup:
    rows = []
    for each, found in explained:
        for reason in SHOWN:
            positions = [position for position, why in found.items() if why is reason]
            if positions:
                rows.append((str(each.number), str(reason), text(ranges(positions), _LONGEST_RANGES)))
    return table("The positions that Bob was shown, by reason", ("Round", "Reason", "Positions"), rows)
