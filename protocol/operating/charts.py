"""Rounds as a small picture: for each, how many documents it has, how many are responsive, and how many Bob was shown.

Only lengths and places are computed here; the template draws them, without script, and a table says the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.matter.state import Matter

WIDTH, HEIGHT = 720, 200
_LEFT, _BOTTOM, _TOP = 46, 26, 10
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A closed round in numbers."""

    round: int
    sort: str
    size: int
    responsive: int  # as settled
    shown: int  # to Bob
    found: int  # the responsive ones among them
    disputes: int
    withheld: int  # as privileged


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rectangle."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line across the picture, with its number."""

    y: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All that is drawn."""

    bars: tuple[Bar, ...]
    lines: tuple[Line, ...]
    labels: tuple[tuple[float, str], ...]  # under the bars
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT


def counts(state: Matter) -> list[Counts]:
    """The closed rounds."""
    return [
        Counts(
            round=each.number,
            sort=str(each.sort),
            size=each.size,
            responsive=len(outcome.responsive),
            shown=len(each.disclosed),
            found=each.found,
            disputes=len(each.rulings),
            withheld=len(each.privilege.withheld),
        )
        for each, outcome in state.closed
    ]


def chart(rows: Sequence[Counts]) -> Chart | None:
    """The picture of the rounds; none if no round is closed."""
    if not rows:
        return None
    most = max(max(each.size, each.shown, each.responsive) for each in rows) or 1
    step = _step(most)
    top = -(-most // step) * step
    room = HEIGHT - _TOP - _BOTTOM
    slot = (WIDTH - _LEFT) / len(rows)
    wide = min(slot * 0.8 / 3, 26.0)
    bars, labels = [], []
    every = -(-len(rows) // 24)  # not every number has room below
    for place, each in enumerate(rows):
        middle = _LEFT + slot * (place + 0.5)
        for number, (kind, value) in enumerate(
            (("size", each.size), ("responsive", each.responsive), ("shown", each.shown))
        ):
            high = room * value / top
            x = middle + (number - 1.5) * wide
            bars.append(Bar(kind=kind, x=_r(x), y=_r(_TOP + room - high), width=_r(wide * 0.9), height=_r(high)))
        if place % every == 0:
            labels.append((_r(middle), str(each.round)))
    lines = [Line(y=_r(_TOP + room * (1 - value / top)), label=f"{value:,}") for value in range(0, top + 1, step)]
    return Chart(bars=tuple(bars), lines=tuple(lines), labels=tuple(labels))


def _step(most: int) -> int:
    """A round number that goes two to five times into the largest one."""
    power = 1
    while True:
        for each in _STEPS:
            if most <= 5 * each * power:
                return each * power
        power *= 10


def _r(value: float) -> float:
    return round(value, 1)
