"""What a copy says about productions: what Bob was shown, what became of it, and where the entries are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.record.parts import Part
from verifier.replay.condition import Candidate
from verifier.replay.documents import proven
from verifier.replay.forms import Kind


@dataclass(frozen=True, slots=True)
class Shown:
    """A document that Bob was shown, with its parts as the proof opens them."""

    round: int
    position: int
    document: int
    name: str
    parts: tuple[Part, ...]

    @property
    def words(self) -> str:
        """Which document it is."""
        return f"document {self.document} ({self.name!r}, round {self.round}, position {self.position})"


@dataclass(frozen=True, slots=True)
class _Closed:
    entry: int
    responsive: frozenset[int]


class Witness:
    """Takes note of the entries of a copy while it is replayed."""

    def __init__(self) -> None:
        self.hashes: list[bytes] = []
        self.hidden = False  # whether the copy does not show which documents Bob was shown
        self._shown: dict[int, dict[int, Shown]] = {}  # by round and position
        self._closed: dict[int, _Closed] = {}
        self._asked: tuple[tuple[int, int], ...] = ()  # back, in the last `reclaim`
        self._back: list[tuple[int, tuple[int, int], bool | None]] = []  # entry, round and position, whether upheld

    def see(self, entry: Candidate[Any]) -> None:
        """The next entry that the replay has taken."""
        self.hashes.append(entry.told.hash)
        if entry.kind is Kind.DISCLOSURE:
            self._see_disclosure(entry)
        elif entry.kind is Kind.CLOSED:
            self._closed[entry.said.round] = _Closed(entry.sequence, frozenset(entry.content.responsive))
        else:
            self._see_clawback(entry.sequence, entry.said.kind, entry.said.content)

    def shown(self, size: int) -> list[Shown]:
        """What Bob was shown in rounds that are closed at this size, in the order of rounds and positions."""
        found = []
        for number in sorted(self._closed):
            if self._closed[number].entry < size:
                places = self._shown.get(number, {})
                found += [places[position] for position in sorted(places)]
        return found

    def due(self, size: int) -> list[Shown]:
        """What is to be produced at this size: settled as responsive, and not asked back."""
        back = self.asked_back(size)
        return [each for each in self.shown(size) if not self.fate(each, back)]

    def asked_back(self, size: int) -> dict[tuple[int, int], bool | None]:
        """What Alice asked back by this size, by round and position: whether the court has upheld it, or None."""
        found = dict[tuple[int, int], bool | None]()
        for entry, seat, upheld in self._back:
            if entry < size:
                found[seat] = upheld
        return found

    def fate(self, shown: Shown, back: Mapping[tuple[int, int], bool | None]) -> str:
        """Why Bob may not keep a document, in the words of the list for return; empty if it is to be produced."""
        upheld = back.get((shown.round, shown.position), False)
        if upheld:
            return "clawed back"
        if shown.position not in self._closed[shown.round].responsive:
            return "not responsive"
        return "asked back" if upheld is None else ""

    def due_in(self, size: int, earlier: Iterable[int]) -> list[Shown]:
        """What a volume made at this size holds, given the sizes of the volumes before it."""
        before = {each.document for other in earlier for each in self.due(other)}
        return [each for each in self.due(size) if each.document not in before]

    def _see_clawback(self, entry: int, kind: str, content: Mapping[str, Any]) -> None:
        """What Alice asks back, and what the court rules on it."""
        if kind == "reclaim":
            self._asked = tuple((each["round"], each["position"]) for each in content["documents"])
            self._back += [(entry, seat, None) for seat in self._asked]
        elif kind == "returned":
            self._back += [(entry, seat, upheld) for seat, upheld in zip(self._asked, content["upheld"], strict=True)]

    def _see_disclosure(self, entry: Candidate[Any]) -> None:
        proofs, places = proven(entry), entry.current.places
        if proofs is None:
            self.hidden = True
            return
        self._shown.setdefault(entry.said.round, {}).update(
            {
                position: Shown(
                    entry.said.round, position, places[position].document, places[position].name, proof.parts
                )
                for position, proof in proofs.items()
            }
        )


def some(documents: Sequence[Shown], most: int = 5) -> str:
    """Documents in words."""
    rest = len(documents) - most
    return ", ".join(each.words for each in documents[:most]) + (f" and {rest} more" if rest > 0 else "")
