"""A small grammar: a sentence with choices in it becomes a sentence without.

    Speech(draws).spoken("[Please|Could you] call {first} about the {paper} by {day}.")

Square brackets hold alternatives, which may hold brackets themselves. Braces name a word list, or a kind of number.
"""

import re
from collections.abc import Callable, Sequence

from protocol.sources.madeup import people
from protocol.sources.madeup.draws import Draws

_INNERMOST = re.compile(r"\[([^\[\]]*)\]|\{([a-z]+)\}")

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

_WORDS = {
    "bank": "Northgate Bank, Harcourt Trust, First Ferry Bank, Alder Capital",
    "city": "Tulsa, Denver, Portland, Calgary, Omaha, Houston, London, Chicago",
    "commodity": "natural gas, crude oil, power, heating oil, propane",
    "customer": "Brightwater Utilities, Lakeside Gas, Orchard Mills, Tri-County Power, Bellman Steel, Verity Foods",
    "deal": "Heron, Kestrel, Osprey, Bittern, Teal",
    "hub": "the Sabine hub, the Fenwick hub, the border, the city gate, Station 12, the Quarry Lake meter",
    "paper": "memo, draft, note, summary, schedule, spreadsheet, list, letter, report, table, chart, outline",
    "pipeline": "the Northern line, the Red Fork pipeline, the Coastal line, the Ridge lateral",
    "plant": "the Easton plant, Unit 3, the Mill Creek plant, the Dover station, Unit 7",
    "project": "Lantern, Compass, Granite, Meadow, Harbor, Juniper",
    "quarter": "the first quarter, the second quarter, the third quarter, the fourth quarter, the last quarter",
    "room": "room 14B, the large conference room, room 2207, the boardroom, my office, the cafeteria annex",
    "state": "Oregon, Ohio, Texas, Georgia, Colorado, Maine, Nevada",
    "system": "the time sheet system, the old risk engine, the mail server, the scheduling program, the intranet",
    "vehicle": "Cayuse Trading, Sorrel Holdings, Palomino Ltd, Cayuse Two",
    "vendor": "Brill Office Supply, Mason Catering, Dataline, Kepler Travel, Summit Printing",
}


def _date(draws: Draws) -> str:
    return f"{1 + draws.below(28)} {draws.among(MONTHS)}"


_NUMBERS: dict[str, Callable[[Draws], str]] = {
    "count": lambda draws: str(2 + draws.below(38)),
    "date": _date,
    "day": lambda draws: WEEKDAYS[draws.below(5)],
    "first": lambda draws: draws.among(people.department(draws.among(people.departments()))).first,
    "money": lambda draws: f"${(2 + draws.below(90)) * 5} million",
    "month": lambda draws: draws.among(MONTHS),
    "percent": lambda draws: f"{1 + draws.below(30)} percent",
    "phone": lambda draws: f"555-{draws.below(10000):04}",
    "price": lambda draws: f"${2 + draws.below(4)}.{draws.below(100):02}",
    "smallmoney": lambda draws: f"${40 + draws.below(960)}",
    "time": lambda draws: f"{8 + draws.below(10)}:{15 * draws.below(4):02}",
    "volume": lambda draws: f"{(1 + draws.below(80)) * 5},000 {('MMBtu', 'barrels', 'MWh')[draws.below(3)]}",
}
_KEPT = frozenset({"bank", "customer", "deal", "plant", "project", "quarter", "state", "system", "vehicle", "vendor"})
_LISTS = {name: tuple(words.split(", ")) for name, words in _WORDS.items()}


class Speech:
    """Speaks for one thread, which is about one deal, one customer, one plant: what is named once keeps its name."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._named: dict[str, str] = {}

    def spoken(self, grammar: str) -> str:
        """The sentence, with every choice made."""
        count = 1
        while count:
            grammar, count = _INNERMOST.subn(self._chosen, grammar)
        return grammar[:1].upper() + grammar[1:]

    def among(self, grammars: Sequence[str]) -> str:
        """One of the sentences, with every choice made."""
        return self.spoken(self._draws.among(grammars))

    def _chosen(self, found: re.Match[str]) -> str:
        alternatives: str | None = found[1]
        if alternatives is not None:
            return self._draws.among(alternatives.split("|"))
        name: str = found[2]
        if name in self._named:
            return self._named[name]
        word = _NUMBERS[name](self._draws) if name in _NUMBERS else self._draws.among(_LISTS[name])
        if name in _KEPT:
            self._named[name] = word
        return word


def names() -> frozenset[str]:
    """What may stand in braces."""
    return frozenset({*_NUMBERS, *_LISTS})
