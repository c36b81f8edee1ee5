"""How the openings of one entry are written, hashed, and bound by a manifest.

    {"documents": {"indices": [0, 3], "salts": "...", "values": [..., ...]}, ...}

By field, the indices, the salts in one text, and the values stand side by side: there are thousands of them, and their
names would take more room than most values. A salt that several values have in common is written once.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Self

from ledger import canonical, records
from ledger.canonical import NotCanonical, Value
from ledger.commitments import Salt
from ledger.entries import Opening
from ledger.hashing import Digest, integer, tagged_hash
from ledger.plain import shown
from ledger.records import Malformed, Name, Natural, Record

_field = attrgetter("field")


class Group(Record, frozen=True, kw_only=True):
    """The openings of one field, in the order in which its parts are written."""

    indices: tuple[Natural, ...]
    salts: str
    values: tuple[Any, ...]

    def opened(self, field: str) -> Iterator[Opening]:
        """The openings one by one, or `Malformed`."""
        salts = _read_salts(self.salts, len(self.values))
        if not len(self.indices) == len(self.values) == len(salts) > 0 or _written_salts(salts) != self.salts:
            raise Malformed(
                f"{field!r} must have an index, a salt of {2 * Salt.size} lowercase hex digits and a value for each "
                "opening, and at least one opening; a salt that all of them have stands there once"
            )
        try:
            for index, salt, value in zip(self.indices, salts, self.values, strict=True):
                yield Opening(field=field, index=index, salt=salt, value=value)
        except NotCanonical as error:
            raise Malformed(shown(str(error))) from None


Groups = dict[Name, Group]
"""The openings of one entry, by field."""


class _Groups(Record, frozen=True, kw_only=True):
    openings: Groups


def opened(groups: Groups) -> tuple[Opening, ...]:
    """All openings, sorted by field."""
    return tuple(opening for field in sorted(groups) for opening in groups[field].opened(field))


class Openings:
    """The openings of one entry within a record."""

    __slots__ = ("_all",)

    def __init__(self, openings: Iterable[Opening] = ()) -> None:
        self._all = tuple(openings)

    @classmethod
    def parse(cls, value: Any) -> Self:
        """Openings from their JSON value."""
        return cls(opened(records.from_value(_Groups, {"openings": value}).openings))

    def to_value(self) -> dict[str, Value]:
        """Openings as they are written. Those of one field stand one after the other."""
        return {field: _written(list(some)) for field, some in groupby(self._all, _field)}

    def __iter__(self) -> Iterator[Opening]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, place: int) -> Opening:
        return self._all[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Openings) and self._all == other._all

    def __hash__(self) -> int:
        return hash(tuple((each.field, each.index, each.salt) for each in self._all))


def _read_salts(text: str, count: int) -> list[Salt]:
    """The salts of hex digits; none if it is anything else."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return []
    if len(raw) % Salt.size:
        return []
    found = [bytes.__new__(Salt, raw[start : start + Salt.size]) for start in range(0, len(raw), Salt.size)]
    return found * count if len(found) == 1 else found


def _written_salts(salts: Sequence[Salt]) -> str:
    return b"".join(salts[:1] if len(set(salts)) == 1 else salts).hex()


def _written(some: Sequence[Opening]) -> Value:
    return {
        "indices": [each.index for each in some],
        "salts": _written_salts([each.salt for each in some]),
        "values": [each.value for each in some],
    }


def encode(openings: Iterable[Opening]) -> bytes:
    """The canonical bytes of openings, whose values were checked when they were made."""
    return canonical.encode_checked(Openings(openings).to_value())


def hash_openings(openings: Iterable[Opening]) -> Digest:
    """What an author signs of its openings: an author whose openings do not fit its commitments has signed both."""
    return tagged_hash("openings", encode(openings))


def leaf(entry: int, openings: Iterable[Opening]) -> Digest:
    """The leaf of an entry's openings in the tree whose root a copy's manifest signs."""
    return leaf_of(entry, encode(openings))


def leaf_of(entry: int, encoded: bytes) -> Digest:
    """The same, given the bytes of the openings."""
    return tagged_hash("opened", integer(entry), tagged_hash("openings", encoded))
