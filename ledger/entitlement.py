"""What an audience must hold: exactly the openings that the chain gives it.

A field's own audiences get its openings at once. A release gives values later, when a copy has already passed their
entry. So openings that are not due yet wait for their release, and at the end none may be left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ledger.entries import Body, Opening, Release, Sealed, ascending
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.roles import Audience


class NotDue(LedgerError):
    """The openings are not those that the chain gives this audience; the message says which."""


@dataclass(slots=True)
class _Early:
    """Openings of one field that come before the chain has released them."""

    length: int  # of the whole field
    indices: set[int]


@dataclass(slots=True)
class Entitlement:
    """The openings of one audience along a chain; None is Trent's own view, which has all openings."""

    audience: Audience | None
    _early: dict[tuple[int, str], _Early] = field(default_factory=dict)

    def pass_entry(self, body: Body, openings: Sequence[Opening]) -> None:
        """Check one entry's openings, and the releases that it makes."""
        commitments = [opening.commitment for opening in openings]
        if not self._is_just_what_is_due(body, openings, commitments):
            self._pass_openings(body, openings, commitments)
        for release in body.releases:
            if release.audience is self.audience:
                self._pass_release(body.sequence, release)

    def _is_just_what_is_due(self, body: Body, openings: Sequence[Opening], commitments: Sequence[Digest]) -> bool:
        """The common case, at little cost: everything is there, and nothing is early."""
        fields: list[str] = []
        indices: list[int] = []
        due: list[Digest] = []
        for name, sealed in sorted(body.statement.sealed.items()):
            if self._is_due(sealed):
                count = len(sealed.commitments)
                fields += [name] * count
                indices += range(count)
                due += sealed.commitments
        return (
            due == commitments
            and fields == [opening.field for opening in openings]
            and indices == [opening.index for opening in openings]
        )

    def _pass_openings(self, body: Body, openings: Sequence[Opening], commitments: Sequence[Digest]) -> None:
        where = f"entry {body.sequence}"
        if not ascending(tuple((opening.field, opening.index) for opening in openings)):
            raise NotDue(f"{where}: openings are repeated or out of order")
        opened: dict[str, set[int]] = {}
        for opening, commitment in zip(openings, commitments, strict=True):
            _check_opening(body, opening, commitment)
            opened.setdefault(opening.field, set()).add(opening.index)
        for name, sealed in body.statement.sealed.items():
            indices, length = opened.get(name, set()), len(sealed.commitments)
            if not self._is_due(sealed):
                if indices and self.audience is not None:
                    self._early[body.sequence, name] = _Early(length, indices)
            elif len(indices) != length:
                missing = min(set(range(length)) - indices)
                raise NotDue(f"{where}: the opening of {name!r} {missing} is missing")

    def finish(self) -> None:
        """Whatever was opened early must have been released by now."""
        for (entry, name), early in self._early.items():
            index = min(early.indices)
            raise NotDue(f"entry {entry}: {name!r} {index} is opened, but {self._whom} may not see it")

    def _is_due(self, sealed: Sealed) -> bool:
        return self.audience is None or self.audience in sealed.audiences

    @property
    def _whom(self) -> str:
        return "Trent" if self.audience is None else self.audience.called

    def _pass_release(self, sequence: int, release: Release) -> None:
        place = release.entry, release.field
        early = self._early.get(place)
        if early is not None:
            released = set(range(early.length) if release.indices is None else release.indices)
            if released <= early.indices:
                early.indices -= released
                if not early.indices:
                    del self._early[place]
                return
        raise NotDue(
            f"entry {sequence} releases {release.field!r} of entry {release.entry} to {self._whom}, "
            "but some of it is missing, or was released before"
        )


def _check_opening(body: Body, opening: Opening, commitment: Digest) -> None:
    where = f"entry {body.sequence}: the opening of {opening.field!r} {opening.index}"
    sealed = body.statement.sealed.get(opening.field)
    if sealed is None or opening.index >= len(sealed.commitments):
        raise NotDue(f"{where} opens nothing")
    if commitment != sealed.commitments[opening.index]:
        raise NotDue(f"{where} does not match its commitment")
