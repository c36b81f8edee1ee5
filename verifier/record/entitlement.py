"""V06: does the copy open just what its audience may see, each as it was sealed?

What an audience must hold (specification, section "Sealed fields and releases"): no more, no less.
Openings that a later entry releases stand in a copy before their release. They wait for it, and at the end none may
be left over.
"""

from verifier.checks import Audience
from verifier.findings import VerifierError
from verifier.record.entries import Body, Release
from verifier.record.openings import Openings


class NotDue(VerifierError):
    """The openings are not those that the chain gives the audience; the message says which."""


class Entitlement:
    """One audience's openings along a chain."""

    def __init__(self, audience: Audience) -> None:
        self.audience = audience
        self._waiting: dict[tuple[int, str], set[int]] = {}  # opened, and not yet released
        self._lengths: dict[tuple[int, str], int] = {}

    def pass_entry(self, body: Body, openings: Openings) -> None:
        """Check an entry's openings, then the releases that it makes."""
        opened = _matching(body, openings)
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
            raise NotDue(
                f"entry {entry}: {field!r} {min(indices)} is opened, but {self.audience.called} may not see it"
            )

    def _pass_release(self, sequence: int, release: Release) -> None:
        place = (release.entry, release.field)
        waiting = self._waiting.get(place, set())
        released = set(range(self._lengths.get(place, 0)) if release.indices is None else release.indices)
        if not waiting or not released <= waiting:
            raise NotDue(
                f"entry {sequence} releases {release.field!r} of entry {release.entry} to {self.audience.called}, "
                "but some of it is missing, or was released before"
            )
        waiting -= released
        if not waiting:
            del self._waiting[place], self._lengths[place]


def _matching(body: Body, openings: Openings) -> dict[str, set[int]]:
    """The opened indices of each field, after a check of each opening."""
    where, opened = f"entry {body.sequence}", {}
    for each in openings.fields:
        sealed = body.statement.sealed.get(each.field)
        commitments = sealed.commitments if sealed else ()
        found = set(each.indices)
        if len(found) < len(each.indices) or sorted(found) != each.indices:
            raise NotDue(f"{where}: openings are repeated or out of order")
        if each.indices[-1] >= len(commitments):
            raise NotDue(f"{where}: the opening of {each.field!r} {each.indices[-1]} opens nothing")
        for index, commitment in zip(each.indices, each.commitments, strict=True):
            if commitment != commitments[index]:
                raise NotDue(f"{where}: the opening of {each.field!r} {index} does not match its commitment")
        opened[each.field] = found
    return opened
