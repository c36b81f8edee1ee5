"""What each party sees of each entry as it is added: the same as its copy will show."""

from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from ledger.entries import Opening, Statement
from ledger.hashing import Digest
from ledger.roles import Audience, Role
from protocol.matter.kind import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """An entry as one audience sees it, with the openings of earlier entries that it releases."""

    hash: Digest
    statement: Statement
    asks: tuple[Role, ...]
    openings: tuple[Opening, ...]
    released: tuple[Opening, ...]

    def values(self, name: str) -> list[Any]:
        """The values of a field of this entry, or released by it, in order."""
        return [opening.value for opening in (*self.openings, *self.released) if opening.field == name]


def repeating(notice: Notice, asked: Notice) -> Notice:
    """A question that is asked again: it says what the first one says, and its answer names the second."""
    return replace(asked, hash=notice.hash)


_LATER = ("documents", "numbers", "privilege")
"""What entries of later rounds may release, because an escalation or a validation comes back to it."""


class Deliveries:
    """Makes notices. Remembers the openings that later entries may release."""

    def __init__(self) -> None:
        self._openings: dict[tuple[int, str], list[Opening]] = {}

    def notices(self, entry: Entry) -> dict[Audience, Notice]:
        """The entry as each of Alice, Bob and the court sees it."""
        for field, some in groupby(entry.openings or (), key=attrgetter("field")):
            self._openings.setdefault((entry.sequence, field), []).extend(some)
        found = {audience: self._notice(audience, entry) for audience in (Audience.ALICE, Audience.BOB, Audience.COURT)}
        if entry.statement.kind == "closed":
            self._openings = {place: kept for place, kept in self._openings.items() if place[1] in _LATER}
        return found

    def _notice(self, audience: Audience, entry: Entry) -> Notice:
        visible = {name for name, sealed in entry.statement.sealed.items() if audience in sealed.audiences}
        released: list[Opening] = []
        for release in entry.releases:
            if release.audience == audience:
                values = self._openings[release.entry, release.field]
                released += values if release.indices is None else [values[index] for index in release.indices]
        return Notice(
            hash=entry.hash,
            statement=entry.statement,
            asks=entry.asks,
            openings=tuple([each for each in entry.openings or () if each.field in visible]),
            released=tuple(released),
        )
