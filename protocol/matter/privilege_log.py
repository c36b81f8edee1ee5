"""What Alice claims in a round, as privileged or for a sensitive class, and what the court rules on privilege."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ledger.canonical import Value
from ledger.entries import Release
from ledger.errors import Refused
from ledger.roles import Audience


@dataclass(slots=True, kw_only=True)
class PrivilegeLog:
    """What Alice claims by position, with the report or late, and what the court has ruled on it."""

    claimed: dict[int, tuple[int, int]] = field(default_factory=dict)  # where the basis stands: the entry, the index
    classes: dict[int, str] = field(default_factory=dict)  # of what is claimed for a class: its name
    late: frozenset[int] = frozenset()  # claimed after the report: they count as drawn
    sealed_in: int | None = None  # the report whose claims this reader cannot see
    sealed_to: int = 0  # the last position that it labels
    from_before: frozenset[int] = frozenset()  # where there can be claims of earlier reports, sealed from this reader
    asked: tuple[int, ...] = ()  # what the court was asked about last
    upheld: dict[int, bool] = field(default_factory=dict)  # what it ruled

    @property
    def withheld(self) -> frozenset[int]:
        """The positions that never go to Bob."""
        return frozenset(position for position, upheld in self.upheld.items() if upheld)

    @property
    def unruled(self) -> frozenset[int]:
        """The claims on which the court has not ruled."""
        return frozenset(self.claimed.keys() - self.upheld.keys())

    @property
    def beforehand(self) -> frozenset[int]:
        """What was claimed as privileged with the report, and not for a class."""
        return frozenset(self.claimed.keys() - self.late - self.classes.keys()) if self.claimed else frozenset()

    def claim(self, entry: int, bases: Sequence[Any]) -> None:
        """Take note of a report's claims: for each position a basis, or None."""
        claims = {index + 1: basis for index, basis in enumerate(bases) if basis is not None}
        self.claimed |= {position: (entry, position - 1) for position in claims}
        self.classes |= _classes(claims)

    def claim_late(self, entry: int, positions: Sequence[int], bases: Sequence[Any] | None = None) -> None:
        """Take note of claims that were made after the report. Without the bases: they are sealed from this reader."""
        self.claimed |= {position: (entry, index) for index, position in enumerate(positions)}
        self.classes |= {} if bases is None else _classes(dict(zip(positions, bases, strict=True)))
        self.late |= frozenset(positions)

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


def _classes(claims: Mapping[int, Any]) -> dict[int, str]:
    """Those of the claims that are for a class."""
    return {position: basis["class"] for position, basis in claims.items() if isinstance(basis, dict)}


def claims_of_classes(bases: Iterable[Any]) -> int:
    """How many of the bases name a class."""
    return sum(isinstance(basis, dict) for basis in bases)


def both(claims: Mapping[int, str] | None, classes: Mapping[int, str] | None) -> dict[int, Value]:
    """By position, what stands in `privilege`: the basis of a claim, or a class."""
    claims, classes = claims or {}, classes or {}
    if twice := sorted(claims.keys() & classes.keys()):
        raise Refused(f"position {twice[0]} is claimed as privileged and put into a class; do one of the two")
    return {**claims, **{position: {"class": name} for position, name in classes.items()}}


UNKNOWN = (-1, -1)
"""A place in the record that this reader cannot know."""


def releases(name: str, places: Iterable[tuple[int, int]]) -> tuple[Release, ...]:
    """What opens these places of a field to Bob, each an entry and an index."""
    return tuple(
        Release(audience=Audience.BOB, entry=entry, field=name, indices=tuple(index for _, index in group))
        for entry, group in groupby(sorted(places), key=lambda place: place[0])
    )
