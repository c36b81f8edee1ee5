"""A round's privilege log: what Alice claims, and what the court has ruled on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ledger.entries import Release
from ledger.records import Malformed
from ledger.roles import Audience

LONGEST_BASIS = 2000
"""So many characters at most: a line of a log, not a brief."""


@dataclass(slots=True, kw_only=True)
class PrivilegeLog:
    """Claims are made by position, with the report or late; the court rules on those that would go to Bob."""

    claimed: dict[int, tuple[int, int]] = field(default_factory=dict)  # where the basis stands: the entry, the index
    late: frozenset[int] = frozenset()  # claimed after the report: they count as drawn
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

    def claim(self, entry: int, bases: Sequence[Any]) -> None:
        """Take note of a report's claims: for each position a basis, or None."""
        self.claimed |= {index + 1: (entry, index) for index, basis in enumerate(bases) if basis is not None}

    def claim_late(self, entry: int, positions: Sequence[int]) -> None:
        """Take note of claims that were made after the report."""
        self.claimed |= {position: (entry, index) for index, position in enumerate(positions)}
        self.late |= frozenset(positions)

    def rule(self, upheld: Sequence[bool]) -> None:
        """Take note of the court's ruling on what it was asked about."""
        self.upheld |= dict(zip(self.asked, upheld, strict=True))

    def opened_to_bob(self, positions: Iterable[int]) -> tuple[Release, ...]:
        """What goes to Bob when these positions go to the court: the bases of the claims."""
        places = sorted(self.claimed[position] for position in positions)
        return tuple(
            Release(audience=Audience.BOB, entry=entry, field="privilege", indices=tuple(index for _, index in group))
            for entry, group in groupby(places, key=lambda place: place[0])
        )


def check_basis(value: Any) -> None:
    """Raise unless this is the basis of a claim."""
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_BASIS:
        raise Malformed(f"the basis of a claim of privilege is a text of 1 to {LONGEST_BASIS} characters")
