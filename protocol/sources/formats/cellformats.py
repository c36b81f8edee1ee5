"""How a spreadsheet's numbers are to be read: which of them are dates and times, and which moments these are."""

import re
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation

from protocol.sources.formats.ooxml import Package

_BUILT_IN_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_MAX_FORMAT = 1000
_SINCE_1900 = datetime(1899, 12, 30)  # spreadsheets know no time zones
_SINCE_1904 = datetime(1904, 1, 1)
_FIRST_OF_MARCH_1900 = 61
"""Before it, Excel counts a day too many: it believes in a 29th of February 1900."""
_MAX_DAYS = 2_958_466
_DAY = 86_400
_FRACTION = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:[Ee][+-]?\d{1,3})?")
_SMALLEST, _LARGEST = -10, 21
"""Beyond these powers of ten a number is left as it is stored."""


def is_date_format(code: str) -> bool:
    """Whether a format shows a number as a date or a time: it names days, months, years, hours or seconds."""
    bare = _LITERAL.sub("", code[:_MAX_FORMAT].partition(";")[0]).lower()
    return "general" not in bare and any(letter in bare for letter in "dmyhs")


def date_styles(package: Package, part: str) -> frozenset[int]:
    """The numbers of the cell styles that show dates."""
    dates = set(_BUILT_IN_DATES)
    found: set[int] = set()
    is_cell_style, number = False, 0
    for event in package.optional_events(part):
        if event.tag == "x:cellXfs":
            is_cell_style = event.opens
        elif event.attributes is None:
            continue
        elif event.tag == "x:numFmt":
            if is_date_format(event.attributes.get("formatCode", "")):
                dates.add(whole(event.attributes.get("numFmtId", "")))
            else:
                dates.discard(whole(event.attributes.get("numFmtId", "")))
        elif event.tag == "x:xf" and is_cell_style:
            if whole(event.attributes.get("numFmtId", "")) in dates:
                found.add(number)
            number += 1
    return frozenset(found)


def moment(stored: str, *, since_1904: bool) -> str:
    """A stored number as a date, a date with a time, or a time; as it is stored if it is none."""
    try:
        days = Decimal(stored[:40])
    except InvalidOperation:
        return stored
    if not days.is_finite() or not 0 <= days < _MAX_DAYS:
        return stored
    seconds = int((days * _DAY).to_integral_value())
    if seconds < _DAY and not since_1904:
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if not since_1904 and days < _FIRST_OF_MARCH_1900:
        seconds += _DAY
    at = (_SINCE_1904 if since_1904 else _SINCE_1900) + timedelta(seconds=seconds)
    return at.date().isoformat() if seconds % _DAY == 0 else at.isoformat(sep=" ")


def plain_number(stored: str) -> str:
    """A stored number in the fewest digits that say the same: 19.989999999999998 was 19.99 when it was typed.

    Spreadsheets compute with floats and store 17 digits of them. The shortest text for a float is the same on every
    machine, and loses nothing.
    """
    if not _FRACTION.fullmatch(stored):
        return stored
    shortest = Decimal(repr(float(stored)))
    if not shortest.is_finite() or not shortest or not _SMALLEST < shortest.adjusted() < _LARGEST:
        return stored
    text = f"{shortest:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole(text: str) -> int:
    """A number in an attribute; -1 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1
