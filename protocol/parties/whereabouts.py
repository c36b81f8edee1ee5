"""Where the document at each position stands in the record, as far as a party can tell.

A batch, a validation and a call seal the places of their own documents. An escalation seals none: its positions are all
that is withheld, and so are the last ones of a call. So a party that is asked about such a position must know what is
withheld, in which order. Alice and the court know her labels from her reports, and Bob since each round closed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ledger import records
from ledger.canonical import Value
from ledger.entries import Opening
from ledger.errors import Damaged, LedgerError
from protocol.matter import reasons
from protocol.matter.books import Seat
from protocol.matter.values import Place
from protocol.parties.history_lines import ServedEntry

_BEGINS = ("batch", "validation", "call", "escalation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """The proofs of some documents by position, and the one path that they share. Nothing of it is checked yet."""

    proofs: dict[int, Value] = field(default_factory=dict)
    path: Value = None


@dataclass(slots=True)
class Sitting:
    """One round, as far as this party knows it, by position."""

    seats: list[Seat] = field(default_factory=list)  # the round and the position under which each document is sealed
    places: dict[int, Place] = field(default_factory=dict)  # of the documents that this round seals
    numbers: list[int] = field(default_factory=list)  # of the same documents, if they are known
    reported: dict[int, bool] = field(default_factory=dict)  # Alice's labels, of her report
    given_up: set[int] = field(default_factory=set)
    beforehand: dict[int, Value] = field(default_factory=dict)  # what she claims in her report
    claims: dict[int, Value] = field(default_factory=dict)  # what she claims in the round
    bob: dict[int, bool] = field(default_factory=dict)  # his labels
    reasons: dict[int, str] = field(default_factory=dict)  # that he gives for them
    proven: list[Proven] = field(default_factory=list)  # of each wave, and of what the court was asked about
    wave: list[int] = field(default_factory=list)  # the last one
    in_camera: list[int] = field(default_factory=list)  # what the court was asked about last
    upheld: set[int] = field(default_factory=set)  # what it keeps from Bob


class Whereabouts:
    """A fold over the history that a party was served, with all openings that it has by now."""

    def __init__(self, entries: Iterable[ServedEntry]) -> None:
        self.rounds: dict[int, Sitting] = {}
        self._gone: set[Seat] = set()  # shown to Bob, or kept from him by the court
        self._gone_numbers: set[int] = set()
        self._labelled: dict[int, Seat] = {}  # by document, where Alice labelled it
        self.asked_back: dict[Seat, Value] = {}  # the bases, by where Bob was shown it
        for entry in entries:
            self._see(entry)

    @classmethod
    def of(cls, entries: Iterable[ServedEntry]) -> "Whereabouts":
        """The same of a history that nobody has checked yet."""
        try:
            return cls(entries)
        except (LedgerError, LookupError, TypeError) as error:
            raise Damaged(f"an opened value of the history is malformed ({error})") from None

    def place(self, number: int, position: int) -> Place | None:
        """The document at a position of a round, if the party may see it."""
        seat = self.seat(number, position)
        return None if seat is None else self.rounds[seat.round].places.get(seat.position)

    def seat(self, number: int, position: int) -> Seat | None:
        """The round and the position under which the document at a position of a round is sealed."""
        seats = self.rounds[number].seats if number in self.rounds else []
        return seats[position - 1] if 1 <= position <= len(seats) else None

    def basis(self, number: int, position: int) -> Value:
        """What Alice claims for a position: in this round, or in the report that labelled it; None if nothing."""
        sitting, seat = self.rounds[number], self.labelled(number, position)
        if position in sitting.claims or seat is None:
            return sitting.claims.get(position)
        return self.rounds[seat.round].beforehand.get(seat.position)

    def claimed_before(self, number: int, position: int) -> bool:
        """Whether a round comes back to a document that Alice claims already, in the report that labelled it."""
        seat = self.labelled(number, position)
        return seat is not None and seat.round != number and seat.position in self.rounds[seat.round].beforehand

    def claimed_of(self, number: int) -> int:
        """How many documents of a round Alice claims already, in the reports that labelled them; not what is gone."""
        seats = enumerate(self.rounds[number].seats if number in self.rounds else (), start=1)
        return sum(self.claimed_before(number, position) and not self._is_gone(seat) for position, seat in seats)

    def labelled(self, number: int, position: int) -> Seat | None:
        """Where Alice labelled the document at a position. A validation seals again what a batch has sealed before."""
        seat = self.seat(number, position)
        document = None if seat is None else self._number(seat)
        return seat if document is None else self._labelled.get(document, seat)

    def alice(self, number: int, position: int) -> bool:
        """Alice's label in a round: of a second look, whether she gives the document up."""
        sitting = self.rounds[number]
        return sitting.reported.get(position, False) or position in sitting.given_up

    def withheld(self) -> list[Seat]:
        """What Alice has labelled not responsive, and neither Bob nor the court has seen, in the order of review."""
        return [
            Seat(number, position)
            for number, sitting in sorted(self.rounds.items())
            for position, label in sorted(sitting.reported.items())
            if not label and not self._is_gone(Seat(number, position))
        ]

    def _is_gone(self, seat: Seat) -> bool:
        return seat in self._gone or self._number(seat) in self._gone_numbers

    def _number(self, seat: Seat) -> int | None:
        numbers = self.rounds[seat.round].numbers
        return numbers[seat.position - 1] if numbers else None

    def _leave(self, number: int, positions: Iterable[int]) -> None:
        """These positions are not withheld any more."""
        for position in positions:
            seat = self.seat(number, position)
            if seat is not None:
                self._gone.add(seat)
                document = self._number(seat)
                if document is not None:
                    self._gone_numbers.add(document)

    def _see(self, entry: ServedEntry) -> None:
        said = entry.wire.entry.body.statement
        content: Mapping[str, Any] = said.content
        if said.kind in _BEGINS:
            self._begin(said.kind, said.round, content, entry.openings)
        if said.kind == "reclaim":
            bases = {each.index: each.value for each in entry.openings}
            self.asked_back |= {
                Seat(each["round"], each["position"]): bases.get(index)
                for index, each in enumerate(content["documents"])
            }
        if said.round not in self.rounds:
            return
        sitting = self.rounds[said.round]
        match said.kind:
            case "report":
                self._report(said.round, sitting, entry.openings)
            case "look":
                sitting.given_up = set(content["positions"])
            case "claim":
                found = {each.index: each.value for each in entry.openings}
                sitting.claims |= {position: found.get(place) for place, position in enumerate(content["positions"])}
            case "disclosure":
                sitting.wave = content["positions"]
                self._leave(said.round, sitting.wave)
            case "labels":
                sitting.bob |= dict(zip(sitting.wave, content["labels"], strict=False))
                given = reasons.by_place({each.index: each.value for each in entry.openings})
                sitting.reasons |= {sitting.wave[index]: reason for index, reason in given.items()}
            case "camera":
                sitting.in_camera = content["positions"]
            case "privilege":
                ruled = zip(sitting.in_camera, content["upheld"], strict=False)
                kept = [position for position, upheld in ruled if upheld]
                sitting.upheld.update(kept)
                self._leave(said.round, kept)
        if said.kind in ("disclosure", "camera"):
            sitting.proven += _proven(content["positions"], entry.openings)

    def _begin(self, kind: str, number: int, content: Mapping[str, Any], openings: Iterable[Opening]) -> None:
        """A round begins with the documents that it seals, and with what is withheld if it comes back to that."""
        sitting = Sitting(numbers=list(content.get("numbers", ())))
        for opening in openings:
            if opening.field == "documents":
                sitting.places[opening.index + 1] = records.from_value(Place, opening.value)
            elif opening.field == "numbers":
                sitting.numbers = list(opening.value)
        own = content["size"] if kind == "batch" else len(content.get("numbers", ()))
        sitting.seats = [Seat(number, position) for position in range(1, own + 1)]
        if kind in ("call", "escalation"):
            sitting.seats += self.withheld()
        self.rounds[number] = sitting

    def _report(self, number: int, sitting: Sitting, openings: Iterable[Opening]) -> None:
        for opening in openings:
            if opening.field == "labels":
                labels = opening.value if isinstance(opening.value, list) else ()
                sitting.reported = {place: label is True for place, label in enumerate(labels, start=1)}
                for document, place in zip(sitting.numbers, sitting.reported, strict=False):
                    self._labelled.setdefault(document, Seat(number, place))
            elif opening.field == "privilege" and opening.value is not None:
                sitting.beforehand[opening.index + 1] = opening.value


def _proven(positions: Sequence[int], openings: Iterable[Opening]) -> list[Proven]:
    """The proofs of a wave, if this party has them."""
    found = list(openings)
    proofs = {positions[each.index]: each.value for each in found if each.field == "proofs"}
    return [Proven(proofs=proofs, path=each.value) for each in found if each.field == "path"]
