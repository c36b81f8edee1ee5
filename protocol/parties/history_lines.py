"""The lines of history that a party is served, in a question and in its memory.

{"entry": ..., "openings": {...}}                   an entry as in this party's copy
{"released": {"entry": n, "openings": {...}}}       openings of an entry that it was served before
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ledger import canonical, copylines, records
from ledger.canonical import NotCanonical
from ledger.copylines import EntryLine
from ledger.entries import Opening, WireEntry, hash_entry
from ledger.errors import Damaged
from ledger.hashing import Digest
from ledger.openings import Openings
from ledger.records import Malformed, Natural, Record


class Released(Record, frozen=True, kw_only=True):
    """Openings that came later than the entry they belong to."""

    entry: Natural
    openings: Openings


class ReleasedLine(Record, frozen=True, kw_only=True):
    """The line that holds them."""

    released: Released


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedEntry:
    """An entry with the openings that the party has of it so far."""

    wire: WireEntry
    openings: tuple[Opening, ...]

    @property
    def hash(self) -> Digest:
        """The entry's hash."""
        return hash_entry(self.wire.body_bytes)

    @property
    def line(self) -> bytes:
        """The entry as a line."""
        return copylines.entry_line(self.wire.body_bytes, self.wire.entry.signature, self.openings)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLines:
    """Entries in order, and openings of earlier ones."""

    entries: tuple[ServedEntry, ...] = ()
    released: tuple[Released, ...] = ()


def released_line(entry: int, openings: Sequence[Opening]) -> bytes:
    """The line with released openings of an entry that the party was served before."""
    return records.encode(ReleasedLine(released=Released(entry=entry, openings=Openings(openings))))


def parse(data: bytes, where: str) -> HistoryLines:
    """The lines in a file's bytes; `where` is for the message."""
    return collected(each(io.BytesIO(data), where))


def collected(lines: Iterable[ServedEntry | Released]) -> HistoryLines:
    """The lines, sorted by what they are."""
    found = list(lines)
    return HistoryLines(
        entries=tuple(line for line in found if isinstance(line, ServedEntry)),
        released=tuple(line for line in found if isinstance(line, Released)),
    )


def each(lines: Iterable[bytes], where: str) -> Iterator[ServedEntry | Released]:
    """The lines one by one, so a file that holds no history is refused at its first line."""
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            raise Damaged(f"{where} is cut short")
        try:
            yield _parse_line(line[:-1])
        except (NotCanonical, Malformed) as error:
            raise Damaged(f"{where}, line {number}: {error}") from None


def _parse_line(line: bytes) -> ServedEntry | Released:
    if line.startswith(b'{"released":'):
        return records.from_value(ReleasedLine, canonical.decode_for_record(line)).released
    match copylines.parse_line(line):
        case EntryLine(wire=wire, openings=openings):
            return ServedEntry(wire=wire, openings=openings)
        case copylines.BadLine(reason=reason):
            raise Malformed(str(reason))
    raise Malformed("the line is neither an entry nor a release")


def merged(entry: ServedEntry, more: Iterable[Opening]) -> ServedEntry:
    """The entry with further openings. An opening may come twice; two different ones for one value are refused."""
    found = {(each.field, each.index): each for each in entry.openings}
    for opening in more:
        if found.setdefault((opening.field, opening.index), opening) != opening:
            where = f"{opening.field!r} {opening.index} of entry {entry.wire.entry.body.sequence}"
            raise Damaged(f"there are two different openings of {where}")
    return replace(entry, openings=tuple(opening for _, opening in sorted(found.items())))
