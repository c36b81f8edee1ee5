"""What an audience must hold (specification, section "Sealed fields and releases"): no more, no less.

Openings that a later entry releases stand in a copy before their release. They wait for it, and at the end none may
be left over.
"""

from collections.abc import Sequence

from verifier.checks import Audience
from verifier.record.entries import Body, Opening, Release


class NotDue(Exception):
    """The openings are not those that the chain gives the audience; the message says which."""


class Entitlement:
    """One audience's openings along a chain."""

    def __init__(self, audience: Audience) -> None:
        self.audience = audience
        self._waiting: dict[tuple[int, str], set[int]] = {}  # opened, and not yet released
        self._lengths: dict[tuple[int, str], int] = {}

    def pass_entry(self, body: Body, openings: Sequence[Opening]) -> None:
        """Check an entry's openings, then the releases that it makes."""
        opened: dict[str, set[int]] = {}
        before: tuple[str, int] = ("", -1)
        for each in openings:
            here = (each.field, each.index)
            if here <= before:
                raise NotDue(f"entry {body.sequence}: openings are repeated or out of order")
            before = here
            self._check_one(body, each)
            opened.setdefault(each.field, set()).add(each.index)
        for field, sealed in body.statement.sealed.items():
            found, length = opened.get(field, set()), len(sealed.commitments)
            if self.audience not in sealed.audiences:
                if found:
                    self._waiting[body.sequence, field] = found
                    self._lengths[body.sequence, field] = length
            elif len(found) < length:
                lacking = next(index for index in range(length) if index not in found)
                raise NotDue(f"entry {body.sequence}: the opening of {field!r} {lacking} is missing")
        for release in body.releases:
            if release.audience is self.audience:
                self._pass_release(body.sequence, release)

    def finish(self) -> None:
        """At the end nothing may be open that was never released."""
        for (entry, field), indices in self._waiting.items():
            raise NotDue(f"entry {entry}: {field!r} {min(indices)} is opened, but {self.audience} may not see it")

    def _check_one(self, body: Body, opening: Opening) -> None:
        where = f"entry {body.sequence}: the opening of {opening.field!r} {opening.index}"
        sealed = body.statement.sealed.get(opening.field)
        if sealed is None or opening.index >= len(sealed.commitments):
            raise NotDue(f"{where} opens nothing")
        if opening.commitment != sealed.commitments[opening.index]:
            raise NotDue(f"{where} does not match its commitment")

    def _pass_release(self, sequence: int, release: Release) -> None:
        place = (release.entry, release.field)
        waiting = self._waiting.get(place, set())
        released = set(range(self._lengths.get(place, 0)) if release.indices is None else release.indices)
        if not waiting or not released <= waiting:
            raise NotDue(
                f"entry {sequence} releases {release.field!r} of entry {release.entry} to {self.audience}, "
                "and not all of it is there, or it had been released before"
            )
        waiting -= released
        if not waiting:
            del self._waiting[place], self._lengths[place]
