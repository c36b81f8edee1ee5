"""The history that goes with a question: entries as the party's own copy would show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ledger import copylines, records
from ledger.entries import Body, released_indices
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.parties import history_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The lines of entries for one party, and of the openings of earlier entries that these release to it."""

    entries: tuple[bytes, ...]
    released: tuple[bytes, ...]


def cut(store: Store, role: Role, start: int, size: int) -> Cut:
    """Entries `start` to `size` - 1 of a matter's file."""
    audience = Audience(role)
    bodies = [records.decode(Body, store.body(sequence)) for sequence in range(start, size)]
    released = _released(store, bodies, audience)
    lines: list[bytes] = []
    earlier: list[bytes] = []
    for stored in store.entries(size=size):
        due = released.get(stored.sequence, set())
        if stored.sequence < start:
            if due:
                chosen = [each for each in stored.openings if (each.field, each.index) in due]
                earlier.append(history_lines.released_line(stored.sequence, chosen))
            continue
        sealed = bodies[stored.sequence - start].statement.sealed
        chosen = [
            each
            for each in stored.openings
            if audience in sealed[each.field].audiences or (each.field, each.index) in due
        ]
        lines.append(copylines.entry_line(stored.body, stored.signature, chosen))
    return Cut(entries=tuple(lines), released=tuple(earlier))


def _released(store: Store, bodies: Sequence[Body], audience: Audience) -> dict[int, set[tuple[str, int]]]:
    """By entry, the values that these entries release to the audience."""
    found: dict[int, set[tuple[str, int]]] = {}
    for body in bodies:
        for release in body.releases:
            if release.audience is audience:
                sealed = records.decode(Body, store.body(release.entry)).statement.sealed[release.field]
                places = {(release.field, index) for index in released_indices(release, sealed)}
                found.setdefault(release.entry, set()).update(places)
    return found
