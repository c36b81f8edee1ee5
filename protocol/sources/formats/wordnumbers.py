"""The numbers that Word puts before paragraphs: "Section 2.1", "(b)". The text of a file does not hold them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from protocol.sources.formats.cellformats import whole
from protocol.sources.formats.ooxml import Package

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ORDINAL = ("th", "st", "nd", "rd", "th", "th", "th", "th", "th", "th")  # codespell:ignore nd
_MAX_TEXT = 200
"""Characters around the numbers of one level."""


@dataclass(slots=True)
class _Level:
    """How the paragraphs of one depth of a list are numbered."""

    start: int = 1
    written: str = "decimal"
    text: str = ""
    style: str = ""
    restart: int = _LEVELS
    """It starts anew after paragraphs above this depth."""
    is_legal: bool = False
    """All numbers are written as decimals."""


@dataclass(slots=True)
class _List:
    """A list: its kind, and where it starts anew or counts in another way."""

    kind: str = ""
    levels: dict[int, _Level] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Style:
    """What a style of paragraphs says of their numbers."""

    number: str = ""
    level: int = -1
    parent: str = ""


class Numbers:
    """Counts the numbered paragraphs of one document, from its numbering and its styles."""

    def __init__(self, package: Package, main: str) -> None:
        self.kinds: dict[str, dict[int, _Level]] = {}
        self.lists: dict[str, _List] = {}
        self.styles: dict[str, _Style] = {}
        self.counts: dict[str, dict[int, int]] = {}
        self.begun: set[tuple[str, int]] = set()
        for part in package.targets(main, "numbering"):
            self._read_lists(package, part)
        for part in package.targets(main, "styles") if self.lists else ():
            self._read_styles(package, part)

    def label(self, number: str, level: int, style: str) -> str:
        """What stands before the next paragraph of a list; nothing if it is in none, or has a bullet."""
        if not number:
            number, level = self._of_style(style, level)
        found = self.lists.get(number)
        if found is None:
            return ""
        level = min(max(level, 0), _LEVELS - 1)
        levels = {**self.kinds.get(found.kind, {}), **found.levels}
        counts = self.counts.setdefault(found.kind, {})
        for above in range(level):
            counts.setdefault(above, levels.get(above, _Level()).start)
        if level in found.starts and (number, level) not in self.begun:
            counts[level] = found.starts[level]
            self.begun.add((number, level))
        else:
            counts[level] = counts.get(level, levels.get(level, _Level()).start - 1) + 1
        for below in range(level + 1, _LEVELS):
            if level < levels.get(below, _Level()).restart:
                counts.pop(below, None)
        return _written(levels, counts, level)

    def _of_style(self, name: str, level: int) -> tuple[str, int]:
        """The list that a style or one of those that it is based on belongs to, and its depth there."""
        style = name
        for _ in range(20):
            found = self.styles.get(style)
            if found is None:
                return "", level
            if found.number:
                kind = self.kinds.get(self.lists[found.number].kind, {}) if found.number in self.lists else {}
                linked = next((depth for depth, each in kind.items() if each.style == name), 0)
                return found.number, max(found.level, linked)
            style = found.parent
        return "", level

    def _read_lists(self, package: Package, part: str) -> None:
        kind: dict[int, _Level] = {}
        current, depth = _List(), 0
        for event in package.optional_events(part):
            if event.attributes is None:
                continue
            value = event.attributes.get("w:val", "")
            if event.tag == "w:abstractNum":
                kind = self.kinds.setdefault(event.attributes.get("w:abstractNumId", ""), {})
                current = _List(levels=kind)
            elif event.tag == "w:num":
                current = self.lists.setdefault(event.attributes.get("w:numId", ""), _List())
            elif event.tag == "w:abstractNumId":
                current.kind = value
            elif event.tag in ("w:lvl", "w:lvlOverride"):
                depth = whole(event.attributes.get("w:ilvl", ""))
                if event.tag == "w:lvl" and 0 <= depth < _LEVELS:
                    current.levels[depth] = _Level(start=0)  # what the standard says of levels without a start
            elif event.tag == "w:startOverride":
                if 0 <= depth < _LEVELS:
                    current.starts[depth] = max(whole(value), 0)
            elif depth in current.levels:
                _describe(current.levels[depth], event.tag, value)

    def _read_styles(self, package: Package, part: str) -> None:
        style = _Style()
        for event in package.optional_events(part):
            if event.attributes is None:
                continue
            value = event.attributes.get("w:val", "")
            if event.tag == "w:style":
                style = self.styles.setdefault(event.attributes.get("w:styleId", ""), _Style())
            elif event.tag == "w:basedOn":
                style.parent = value
            elif event.tag == "w:numId":
                style.number = value
            elif event.tag == "w:ilvl":
                style.level = whole(value)


def _describe(level: _Level, tag: str, value: str) -> None:
    """A property of a level."""
    if tag == "w:start":
        level.start = max(whole(value), 0)
    elif tag == "w:numFmt":
        level.written = value
    elif tag == "w:lvlText":
        level.text = value[:_MAX_TEXT]
    elif tag == "w:pStyle":
        level.style = value
    elif tag == "w:lvlRestart":
        level.restart = max(whole(value), 0)
    elif tag == "w:isLgl":
        level.is_legal = value not in ("0", "false", "off")


def _written(levels: Mapping[int, _Level], counts: Mapping[int, int], level: int) -> str:
    """The text of a level, with the numbers of all levels that it names."""
    wanted = levels.get(level, _Level())
    if wanted.written in ("bullet", "none"):
        return ""

    def number(place: re.Match[str]) -> str:
        depth = int(place[1]) - 1
        above = levels.get(depth, _Level())
        return in_figures(counts.get(depth, above.start), "decimal" if wanted.is_legal else above.written)

    return _PLACE.sub(number, wanted.text)


def in_figures(count: int, written: str) -> str:
    """A number in the figures of a list."""
    if written in ("none", "bullet"):
        return ""
    if written in ("lowerLetter", "upperLetter") and 0 < count <= 780:
        text = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
    elif written in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        text = ""
        rest = count
        for value, letters in _ROMAN:
            text += letters * (rest // value)
            rest %= value
        text += _ROMAN_ONES[rest]
    elif written == "ordinal":
        last = "th" if count % 100 in (11, 12, 13) else _ORDINAL[count % 10]
        text = f"{count}{last}"
    else:
        text = f"{count:02}" if written == "decimalZero" else str(count)
    return text.upper() if written.startswith("upper") else text
