"""What is withheld, in the order of review: labelled as not responsive by Alice, and seen by nobody else.

A matter may withhold very many documents, of which most are never looked at again. So they are kept in columns, by the
round in which Alice labelled them; and all that are left of a round have the same exposure, since every later draw
counts alike for each of them.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, compress
from typing import Any, NamedTuple

from verifier.replay.contents import Place


class Places(Mapping[int, Place]):
    """The places of some positions, in a few bytes each."""

    def __init__(self, places: Mapping[int, Place]) -> None:
        self._positions, names = array("L", sorted(places)), [places[each].name.encode() for each in sorted(places)]
        self._documents = array("Q", [places[each].document for each in self._positions])
        self._ends, self._names = array("Q", accumulate(map(len, names))), b"".join(names)

    def __getitem__(self, position: int) -> Place:
        at = bisect_left(self._positions, position)
        if at == len(self._positions) or self._positions[at] != position:
            raise KeyError(position)
        start = self._ends[at - 1] if at else 0
        return Place(self._documents[at], self._names[start : self._ends[at]].decode())

    def __iter__(self) -> Iterator[int]:
        return iter(self._positions)

    def __len__(self) -> int:
        return len(self._positions)


class Origin(NamedTuple):
    """Where a withheld document was labelled: the round, the position there, and the entries of both."""

    round: int
    position: int
    entry: int  # which seals its place
    report_entry: int  # which seals Alice's claim of it, if she makes one


@dataclass(slots=True, kw_only=True)
class Labelled:
    """What is still withheld of one round."""

    round: int
    entry: int  # which seals the documents' places
    report_entry: int
    positions: Sequence[int]  # ascending
    numbers: Sequence[int] | None  # the documents' numbers in this order, if the copy shows them
    places: Mapping[int, Place]  # by position, as far as the copy shows them
    claims: dict[int, Any] = field(default_factory=dict)  # with the report, by position, as far as the copy shows them
    claims_shown: bool = True  # whether the copy shows for every position if the report claims it
    unclaimed: frozenset[int] = frozenset()  # if not: positions of which it shows that the report does not
    exposure: int = 0  # C of each

    def keep(self, kept: Sequence[bool]) -> None:
        """Only these are still withheld."""
        self.positions = array("L", compress(self.positions, kept))
        if self.numbers is not None:
            self.numbers = array("Q", compress(self.numbers, kept))
        left = set(self.positions)
        self.claims = {position: claim for position, claim in self.claims.items() if position in left}


class Withheld:
    """The list of all that is withheld, in which places count from 1."""

    def __init__(self) -> None:
        self.parts: list[Labelled] = []
        self._ends: list[int] = []  # how many documents the parts have up to each

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def add(self, part: Labelled) -> None:
        """A round has closed, of which this is withheld."""
        if part.positions:
            self.parts.append(part)
            self._ends.append(len(self) + len(part.positions))

    def at(self, place: int) -> tuple[Labelled, int]:
        """The part to which a place of the list belongs, and the index in it."""
        number = bisect_right(self._ends, place - 1)
        return self.parts[number], place - 1 - (self._ends[number - 1] if number else 0)

    def origin(self, place: int) -> Origin:
        """Where the document at a place of the list was labelled."""
        part, index = self.at(place)
        return Origin(part.round, part.positions[index], part.entry, part.report_entry)

    def place(self, place: int) -> Place | None:
        """Which document stands at a place of the list, if the copy shows it."""
        if place > len(self):
            return None
        part, index = self.at(place)
        return part.places.get(part.positions[index])

    def number(self, place: int) -> int | None:
        """The number of the document at a place of the list, if the copy shows it."""
        if place > len(self):
            return None
        part, index = self.at(place)
        return None if part.numbers is None else part.numbers[index]

    def numbered(self) -> Iterator[tuple[int, int]]:
        """Every place of the list with the number of its document, as far as the copy shows them."""
        for first, part in self._numbered():
            yield from enumerate(part.numbers or (), start=first)

    def exposure(self, place: int) -> int:
        """C of the document at a place of the list."""
        return self.at(place)[0].exposure

    def exposures(self) -> Counter[int]:
        """How many documents have each exposure."""
        found: Counter[int] = Counter()
        for part in self.parts:
            found[part.exposure] += len(part.positions)
        return found

    def claims(self) -> dict[int, Any]:
        """What Alice claimed with the reports, by place in the list, as far as the copy shows it."""
        return {
            first + bisect_left(part.positions, position): claim
            for first, part in self._numbered()
            for position, claim in sorted(part.claims.items())
        }

    def unclaimed(self) -> set[int]:
        """Places that Alice did not claim with the reports, as far as the copy shows it."""
        found: set[int] = set()
        for first, part in self._numbered():
            if part.claims_shown:
                found.update(range(first, first + len(part.positions)))
            else:
                numbered = enumerate(part.positions, start=first)
                found.update(place for place, position in numbered if position in part.unclaimed)
        return found - self.claims().keys()

    def _numbered(self) -> Iterator[tuple[int, Labelled]]:
        starts = (0, *self._ends)
        return ((start + 1, part) for start, part in zip(starts, self.parts, strict=False))

    def remove(self, places: Collection[int]) -> None:
        """These places of the list are not withheld any more."""
        gone = set(places)
        if not gone:
            return
        for first, part in list(self._numbered()):
            kept = [place not in gone for place in range(first, first + len(part.positions))]
            if not all(kept):
                part.keep(kept)
        self.parts = [part for part in self.parts if part.positions]
        self._ends = list(accumulate(len(part.positions) for part in self.parts))

    def expose(self, cost: int) -> None:
        """A draw has missed all that is still withheld."""
        for part in self.parts:
            part.exposure += cost


class WithheldPlaces(Mapping[int, Place]):
    """The places of a round's own positions, and after them those of all that was withheld before it."""

    def __init__(self, own: Mapping[int, Place], first: int, withheld: Withheld) -> None:
        self._own, self._first, self._withheld = own, first, withheld

    def __getitem__(self, position: int) -> Place:
        if position < self._first:
            return self._own[position]
        found = self._withheld.place(position - self._first + 1)
        if found is None:
            raise KeyError(position)
        return found

    def __iter__(self) -> Iterator[int]:
        yield from self._own
        for place in range(1, len(self._withheld) + 1):
            if self._withheld.place(place) is not None:
                yield self._first + place - 1

    def __len__(self) -> int:
        return sum(1 for _ in self)
