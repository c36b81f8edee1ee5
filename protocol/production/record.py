"""What a matter says about productions: what Bob was shown, what became of it, and which parts are withheld.

Only closed rounds count. While a round is open, its labels can still change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from protocol.corpus.leaves import WithheldPart, read_proof
from protocol.matter import fold
from protocol.matter.books import Seat
from protocol.matter.clawbacks import Clawbacks
from protocol.matter.kind import Entry
from protocol.matter.state import Matter

_DISCLOSURE = "disclosure"


class Fate(StrEnum):
    """What becomes of a document that Bob was shown; the words are those of the list for return."""

    PRODUCED = ""
    NOT_RESPONSIVE = "not responsive"
    CLAWED_BACK = "clawed back"
    ASKED_BACK = "asked back"  # and the court has not ruled on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A document that Bob was shown in a round that is closed."""

    round: int
    position: int
    document: int
    name: str
    fate: Fate
    withheld: frozenset[int]
    """The parts that the proof of its disclosure does not open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A matter up to one of its entries."""

    state: Matter
    head: Digest
    """The hash of the last entry that was read."""
    hashes: tuple[Digest, ...]
    """Of all entries of the matter, those after the head too."""
    shown: tuple[Shown, ...]
    """In the order of rounds and positions."""

    @property
    def size(self) -> int:
        """How many entries were read."""
        return self.state.size


def read(path: Path, size: int | None = None) -> Reading:
    """Check the whole matter, and tell what its first `size` entries say; without a size, all of them."""
    state, hashes = Matter(), list[Digest]()
    withheld: dict[Seat, frozenset[int]] = {}
    for opened in MatterReader(path):
        if size is None or len(hashes) < size:
            entry = Entry.stored(opened)
            fold.follow(state, entry)
            if entry.statement.kind == _DISCLOSURE:
                withheld |= _withheld_parts(entry)
        hashes.append(opened.hash)
    if not state.size:
        raise Refused(f"{path} has no entries yet, so there is nothing to produce")
    return Reading(
        state=state,
        head=hashes[state.size - 1],
        hashes=tuple(hashes),
        shown=tuple(_shown(state, withheld)),
    )


def produced(reading: Reading) -> list[Shown]:
    """What a production holds, in its order: shown, settled as responsive, and not asked back."""
    return [each for each in reading.shown if each.fate is Fate.PRODUCED]


def _withheld_parts(entry: Entry) -> dict[Seat, frozenset[int]]:
    """The parts that a disclosure does not open. Only its sealed proofs say so."""
    said = entry.statement
    found = {}
    for position, value in zip(said.content["positions"], entry.values("proofs"), strict=True):
        parts = read_proof(value).parts
        found[Seat(said.round, position)] = frozenset(
            number for number, part in enumerate(parts) if isinstance(part, WithheldPart)
        )
    return found


def _shown(state: Matter, withheld: Mapping[Seat, frozenset[int]]) -> Iterable[Shown]:
    for review, outcome in state.closed:
        responsive = set(outcome.responsive)
        for position in sorted(review.disclosed):
            place, seat = review.places[position - 1], Seat(review.number, position)
            yield Shown(
                round=review.number,
                position=position,
                document=place.document,
                name=place.name,
                fate=_fate(seat, state.clawbacks, responsive=position in responsive),
                withheld=withheld[seat],
            )


def _fate(seat: Seat, back: Clawbacks, *, responsive: bool) -> Fate:
    if seat in back.returned:
        return Fate.CLAWED_BACK
    if not responsive:
        return Fate.NOT_RESPONSIVE
    waits = seat in back.bases and seat not in back.upheld
    return Fate.ASKED_BACK if waits else Fate.PRODUCED
