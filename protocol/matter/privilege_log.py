"""What Alice claims in a round, as privileged, for all of a document or for parts of it, or for a sensitive class, and
what the court rules on privilege.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ledger.canonical import Value
from ledger.entries import Release
from ledger.errors import Refused
from ledger.roles import Audience

Numbers = tuple[int, ...]
"""Of parts of a document, ascending."""

BASIS, CLASS, PARTS = "basis", "class", "parts"


@dataclass(slots=True, kw_only=True)
class PrivilegeLog:
    """What Alice claims by position, with the report or late, and what the court has ruled on it."""

    claimed: dict[int, tuple[int, int]] = field(default_factory=dict)  # where the basis stands: the entry, the index
    classes: dict[int, str] = field(default_factory=dict)  # of what is claimed for a class: its name
    parts: dict[int, Numbers] = field(default_factory=dict)  # of what is claimed for parts: their numbers
    late: frozenset[int] = frozenset()  # claimed after the report: they count as drawn
    sealed_in: int | None = None  # the report whose claims this reader cannot see
    sealed_to: int = 0  # the last position that it labels
    from_before: frozenset[int] = frozenset()  # where there can be claims of earlier reports, sealed from this reader
    asked: tuple[int, ...] = ()  # what the court was asked about last
    upheld: dict[int, bool] = field(default_factory=dict)  # what it ruled
    upheld_parts: dict[int, Numbers] = field(default_factory=dict)  # where it upheld a claim for parts: which of them

    @property
    def withheld(self) -> frozenset[int]:
        """The positions that never go to Bob."""
        return frozenset(position for position, upheld in self.upheld.items() if upheld)

    @property
    def unruled(self) -> frozenset[int]:
        """The claims on which the court has not ruled."""
        return frozenset(self.claimed.keys() - self.upheld.keys() - self.upheld_parts.keys())

    @property
    def beforehand(self) -> frozenset[int]:
        """What was claimed as privileged with the report, as a whole, and not for a class."""
        if not self.claimed:
            return frozenset()
        return frozenset(self.claimed.keys() - self.late - self.classes.keys() - self.parts.keys())

    def claim(self, entry: int, bases: Sequence[Any]) -> None:
        """Take note of a report's claims: for each position a basis, or None."""
        claims = {index + 1: basis for index, basis in enumerate(bases) if basis is not None}
        self.claimed |= {position: (entry, position - 1) for position in claims}
        self._sort(claims)

    def claim_late(self, entry: int, positions: Sequence[int], bases: Sequence[Any] | None = None) -> None:
        """Take note of claims that were made after the report. Without the bases: they are sealed from this reader."""
        self.claimed |= {position: (entry, index) for index, position in enumerate(positions)}
        self._sort({} if bases is None else dict(zip(positions, bases, strict=True)))
        self.late |= frozenset(positions)

    def _sort(self, claims: Mapping[int, Any]) -> None:
        """Take note of the claims that are for a class, or for parts."""
        self.classes |= {position: basis[CLASS] for position, basis in claims.items() if _is_class(basis)}
        self.parts |= {position: parts for position, basis in claims.items() if (parts := parts_of(basis))}

    def may_be_claimed(self, positions: Iterable[int]) -> bool:
        """Whether these are claims, as far as this reader can tell."""
        in_report = range(1, self.sealed_to + 1)
        return all(each in self.claimed or each in self.from_before or each in in_report for each in positions)

    def ask(self, positions: tuple[int, ...], claims: Iterable[int]) -> None:
        """Take note of what goes to the court, which tells everybody that these positions are claimed."""
        self.claimed |= {position: self._basis(position) for position in claims}
        self.asked = positions

    def opened_to_bob(self, positions: Iterable[int]) -> tuple[Release, ...] | None:
        """What goes to Bob when these positions go to the court: the bases of the claims. None: unknown here."""
        places = [self._basis(position) for position in positions]
        return None if UNKNOWN in places else releases("privilege", places)

    def _basis(self, position: int) -> tuple[int, int]:
        """Where the basis of a claim stands. A report that seals its claims has a place for each position it labels."""
        if position in self.claimed:
            return self.claimed[position]
        return UNKNOWN if self.sealed_in is None or position > self.sealed_to else (self.sealed_in, position - 1)


def _is_class(basis: Any) -> bool:
    return isinstance(basis, dict) and CLASS in basis


def parts_of(basis: Any) -> Numbers:
    """The parts that a claim is for; none if it is for the whole document, or for a class."""
    return tuple(basis[PARTS]) if isinstance(basis, dict) and PARTS in basis else ()


def claims_of_classes(bases: Iterable[Any]) -> int:
    """How many of the bases name a class."""
    return sum(map(_is_class, bases))


def values(
    claims: Mapping[int, str] | None, classes: Mapping[int, str] | None, parts: Mapping[int, Numbers] | None
) -> dict[int, Value]:
    """By position, what stands in `privilege`: the basis of a claim, with the parts if it is for parts, or a class."""
    claims, classes, parts = claims or {}, classes or {}, parts or {}
    if twice := sorted(claims.keys() & classes.keys()):
        raise Refused(f"position {twice[0]} is claimed as privileged and put into a class; do one of the two")
    if lacking := sorted(parts.keys() - claims.keys()):
        raise Refused(f"parts of position {lacking[0]} are claimed as privileged without a basis; state one")
    found: dict[int, Value] = {position: {CLASS: name} for position, name in classes.items()}
    for position, basis in claims.items():
        found[position] = {BASIS: basis, PARTS: list(parts[position])} if parts.get(position) else basis
    return found


UNKNOWN = (-1, -1)
"""A place in the record that this reader cannot know."""


def releases(name: str, places: Iterable[tuple[int, int]]) -> tuple[Release, ...]:
    """What opens these places of a field to Bob, each an entry and an index."""
    return tuple(
        Release(audience=Audience.BOB, entry=entry, field=name, indices=tuple(index for _, index in group))
        for entry, group in groupby(sorted(places), key=lambda place: place[0])
    )
