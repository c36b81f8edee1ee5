"""A strip for each batch: where in it documents were shown to Bob, and why."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from verifier.plural import count
from verifier.replay.detail import RoundDetail
from verifier.replay.reason import Reason, percent, reason
from verifier.report.charts import WIDTH
from verifier.report.markup import Markup, element, joined, table, text
from verifier.rules.base import ALL_COINS


class Mark(StrEnum):
    """How a position is drawn: why it was shown, or that it was not."""

    CERTAIN = "certain"
    COIN = "by coin"
    COMPELLED = "compelled"
    ORDERED = "by order"
    SEALED = "shown, reason sealed"
    UNREAD = "shown, unread"  # Bob did not label it, whatever the reason for showing it
    PRIVILEGED = "withheld as privileged"  # by the court
    IN_CAMERA = "in camera, not responsive"  # of a sensitive class: read by the court alone
    KEPT = "kept by the court, reason sealed"  # as one of the two above
    NOT_SHOWN = "not shown"


_BY_REASON = {
    Reason.CERTAIN: Mark.CERTAIN,
    Reason.COIN: Mark.COIN,
    Reason.LATE: Mark.COIN,
    Reason.GIVEN_UP: Mark.CERTAIN,
    Reason.COMPELLED: Mark.COMPELLED,
    Reason.ORDERED: Mark.ORDERED,
    Reason.UNKNOWN: Mark.SEALED,
    Reason.NOT_DRAWN: Mark.SEALED,  # shown without a reason, which V13 rejects
}
_SHOWN = (Mark.CERTAIN, Mark.COIN, Mark.COMPELLED, Mark.ORDERED, Mark.SEALED, Mark.UNREAD)

MOST = 60  # most strips on a page
_BINS = 60
_HIGH = 44
_LONGEST_RANGES = 1500  # characters
_FILLS = {
    Mark.CERTAIN: "#333",
    Mark.COIN: "url(#by-coin)",
    Mark.COMPELLED: "url(#compelled)",
    Mark.ORDERED: "url(#ordered)",
    Mark.SEALED: "url(#sealed)",
    Mark.UNREAD: "url(#unread)",
    Mark.PRIVILEGED: "url(#privileged)",
    Mark.IN_CAMERA: "url(#in-camera)",
    Mark.KEPT: "url(#kept)",
}
_MEANINGS = {
    Mark.CERTAIN: "certain: due by the rule, whatever the coins say",
    Mark.COIN: "drawn by coin",
    Mark.COMPELLED: "compelled: the whole batch was due after confirmed errors",
    Mark.ORDERED: "by order: Alice did not report, so the whole batch was due",
    Mark.SEALED: "shown; the reason is sealed in this copy",
    Mark.UNREAD: "shown, but Bob did not label it, so only Alice's label stands",
    Mark.PRIVILEGED: "withheld as privileged: due to Bob, but the court upheld Alice's claim",
    Mark.IN_CAMERA: "of a sensitive class: read by the court alone, who found it not responsive",
    Mark.KEPT: "kept from Bob by the court, as privileged or as not responsive; this copy does not show which",
    Mark.NOT_SHOWN: "not shown",
}
_DRAWN = (*_SHOWN, Mark.PRIVILEGED, Mark.IN_CAMERA, Mark.KEPT)  # from the bottom of a bar to its top


def marks(detail: RoundDetail) -> dict[int, Mark]:
    """How each position of a round is drawn."""
    shown = {position for wave in detail.waves for position in wave}
    return {position: _mark(detail, position, shown) for position in range(1, detail.size + 1)}


def _mark(detail: RoundDetail, position: int, shown: set[int]) -> Mark:
    if position not in shown:
        if position in detail.unclear and position in detail.privileged:
            return Mark.KEPT
        kept = Mark.IN_CAMERA if position in detail.court else Mark.NOT_SHOWN
        return Mark.PRIVILEGED if position in detail.privileged else kept
    return Mark.UNREAD if position in detail.unread else _BY_REASON[reason(detail, position)]


def counts(found: dict[int, Mark]) -> Counter[Mark]:
    """How many positions have each mark."""
    return Counter(found.values())


def ranges(positions: list[int]) -> str:
    """Ascending positions as ranges, with a dash for 1 to 4."""
    parts: list[list[int]] = []
    for position in positions:
        if parts and parts[-1][1] == position - 1:
            parts[-1][1] = position
        else:
            parts.append([position, position])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in parts)  # noqa: RUF001


def drawing(details: Sequence[RoundDetail]) -> Markup:
    """Legend, strips and the same in numbers."""
    explained = [(each, marks(each)) for each in details]
    seen = {mark for _, found in explained for mark in found.values()}
    ranked = any(each.examined and each.examined.threshold for each in details)  # not every rule has a threshold
    shown = explained if len(explained) <= MOST else [explained[len(explained) * i // MOST] for i in range(MOST)]
    parts: list[str] = [
        _patterns(),
        _legend(seen, chances=any(each.examined and each.examined.chances for each in details)),
    ]
    parts.append(element("div", *(_figure(each, found, ranked=ranked) for each, found in shown), class_="strips"))
    if len(shown) < len(explained):
        parts.append(
            element(
                "p",
                f"The strips show {len(shown)} of {len(explained)} rounds, evenly chosen; the table has all rounds.",
                class_="note",
            )
        )
    parts.append(_numbers(explained, ranked=ranked))
    if Mark.UNREAD in seen:
        parts.append(
            element(
                "p",
                "“Not shown” counts only what Bob never got. What he got and left unread can be hidden as well: nobody "
                "but Alice says what it is. So more can be hidden than the column “Not shown” has.",
                class_="note",
            )
        )
    parts.append(_positions(shown))
    return joined(parts)


_PATTERNS = {  # patterns that differ in black and white too
    "by-coin": ("M-1 1L1 -1M0 6L6 0M5 7L7 5", "#0b4f8a", 1.6),
    "compelled": ("M1.5 3h3", "#8a2f0b", 3),
    "ordered": ("M1.5 0v6M4.5 0v6", "#111", 1.2),
    "sealed": ("M0 3h6", "#555", 1.2),
    "unread": ("M0 0L6 6M6 0L0 6", "#111", 0.9),
    "privileged": ("M0 1.5h3M3 4.5h3", "#111", 3),
    "in-camera": ("M3 0v6M0 3h6", "#555", 1),
    "kept": ("M0 1.5h6M0 4.5h3", "#555", 1.6),
}


def _patterns() -> Markup:
    """Dots, hatches and crosses."""
    made = []
    for name, (path, colour, width) in _PATTERNS.items():
        ground = element("rect", width=6, height=6, fill="#fff")
        inside = element("path", d=path, stroke=colour, stroke_width=width)
        made.append(element("pattern", ground, inside, id=name, width=6, height=6, patternUnits="userSpaceOnUse"))
    return element("svg", element("defs", *made), class_="defs", aria_hidden="true")


def _legend(seen: set[Mark], *, chances: bool) -> Markup:
    items = []
    for mark, meaning in _MEANINGS.items():
        if mark in seen:
            box = element("rect", x=1, y=1, width=30, height=15, fill=_FILLS.get(mark, "#fff"), stroke="#111")
            items.append(element("li", element("svg", box, viewBox="0 0 32 17", aria_hidden="true"), meaning))
    if chances:
        line = element("path", d="M0 5L32 13", stroke="#111", stroke_width=2.5, fill="none")
        items.append(
            element(
                "li",
                element("svg", line, viewBox="0 0 32 17", aria_hidden="true"),
                "the chance of being drawn, from 100 % (top) to 0 (bottom)",
            )
        )
    return element("ul", *items, class_="legend")


def _figure(detail: RoundDetail, found: dict[int, Mark], *, ranked: bool) -> Markup:
    told = counts(found)
    listed = ", ".join(f"{told[mark]} {mark}" for mark in (*_DRAWN, Mark.NOT_SHOWN) if told[mark])
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
            *_axis(detail, ranked=ranked),
            viewBox=f"0 0 {WIDTH} {_HIGH + 24}",
            role="img",
            aria_label=f"{name}; {listed}",
        ),
    )


def _edges(size: int) -> list[int]:
    """The last position of each bin, behind 0."""
    bins = min(_BINS, size)
    return [size * each // bins for each in range(bins + 1)]


def _bars(detail: RoundDetail, found: dict[int, Mark]) -> list[Markup]:
    """For each mark one path of all its bars."""
    edges = _edges(detail.size)
    paths: dict[Mark, list[str]] = {}
    for first, last in pairwise(edges):
        told = counts({position: found[position] for position in range(first + 1, last + 1)})
        left, right, bottom = _x(detail, first), _x(detail, last), float(_HIGH)
        for mark in _DRAWN:
            high = _HIGH * told[mark] / (last - first)
            if high:
                bottom -= high
                paths.setdefault(mark, []).append(f"M{left:.1f} {bottom:.1f}H{right:.1f}v{high:.1f}H{left:.1f}z")
    return [element("path", d="".join(paths[mark]), fill=_FILLS[mark]) for mark in _DRAWN if mark in paths]


def _chances(detail: RoundDetail) -> list[Markup]:
    """The mean chance of the positions that a coin decides about, over the bins."""
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


def _axis(detail: RoundDetail, *, ranked: bool) -> list[Markup]:
    frame = element("rect", x=1, y=0.5, width=WIDTH - 2, height=_HIGH, fill="none", stroke="#111")
    ends = [
        element("text", "1", x=1, y=_HIGH + 17),
        element("text", str(detail.size), x=WIDTH - 1, y=_HIGH + 17, text_anchor="end"),
    ]
    if detail.examined is None or not detail.reported or not ranked:
        return [frame, *ends]
    cut = _x(detail, detail.examined.threshold)
    anchor = "start" if cut < WIDTH / 4 else "end" if cut > 3 * WIDTH / 4 else "middle"
    at = min(max(cut, 24), WIDTH - 40)
    mark = element("path", d=f"M{cut:.1f} 0V{_HIGH + 7}", stroke="#111", stroke_width=2.5, stroke_dasharray="4 2")
    label = element("text", f"threshold {detail.examined.threshold}", x=f"{at:.1f}", y=_HIGH + 19, text_anchor=anchor)
    return [frame, *ends, mark, label]


def _x(detail: RoundDetail, position: float) -> float:
    return 1 + (WIDTH - 2) * position / detail.size


def _numbers(explained: list[tuple[RoundDetail, dict[int, Mark]]], *, ranked: bool) -> Markup:
    """A row for each round; columns that a matter does not need are left out."""
    rare = {
        Mark.ORDERED: "By order",
        Mark.UNREAD: "Unread",
        Mark.PRIVILEGED: "Privileged",
        Mark.IN_CAMERA: "In camera",
        Mark.KEPT: "Kept by the court",
    }
    told = [counts(found) for _, found in explained]
    there = {mark: head for mark, head in rare.items() if any(each[mark] for each in told)}
    heads = (
        "Round",
        "Documents",
        *(("Threshold",) if ranked else ()),
        "Certain",
        "Coin decides",
        "Drawn by coin",
        "Chance, from",
        "to",
        "Compelled",
        "Reason sealed",
        *there.values(),
        "Not shown",
    )
    rows = []
    for (each, _), counted in zip(explained, told, strict=True):
        chances = list(each.examined.chances.values()) if each.examined else []
        unknown = "none" if not each.reported else "" if each.examined else "sealed"
        rows.append(
            (
                str(each.number),
                str(each.size),
                *((unknown or str(each.examined.threshold if each.examined else 0),) if ranked else ()),
                unknown or str(counted[Mark.CERTAIN]),
                unknown or str(len(chances)),
                unknown or str(counted[Mark.COIN]),
                percent(max(chances)) if chances else "none",
                percent(min(chances)) if chances else "none",
                unknown or str(counted[Mark.COMPELLED]),
                str(counted[Mark.SEALED]),
                *(str(counted[mark]) for mark in there),
                str(counted[Mark.NOT_SHOWN]),
            )
        )
    return table("The same in numbers", heads, rows, look="numbers")


def _positions(explained: list[tuple[RoundDetail, dict[int, Mark]]]) -> Markup:
    rows = []
    for each, found in explained:
        for mark in _DRAWN:
            positions = [position for position, why in found.items() if why is mark]
            if positions:
                rows.append((str(each.number), str(mark), text(ranges(positions), _LONGEST_RANGES)))
    caption = "The positions that Bob was shown, or that the court kept from him, by reason"
    return table(caption, ("Round", "Reason", "Positions"), rows)
