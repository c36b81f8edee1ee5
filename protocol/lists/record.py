"""A matter as one audience may see it: its course, the values that this audience can open, and the court's rulings.

Trent's state knows everything. So a list takes every sealed value from `Recorded.opened`, which holds just what the
audience's copy opens, and from the state only what stands in every copy, or follows from what the copy opens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger.entries import Body, OpenedEntry, Opening, Release
from ledger.errors import Damaged
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Audience
from protocol.matter import fold
from protocol.matter.books import Seat
from protocol.matter.kind import Entry
from protocol.matter.rounds import Round
from protocol.matter.state import Matter

FIELDS = frozenset({"documents", "labels", "privilege", "reasons"})
"""The sealed fields that lists show."""

RULED = {"rulings": "labels", "privilege": "upheld", "returned": "upheld"}
"""The court's rulings: the kind of entry, and the field of its content with a boolean for each position asked about."""

Basis = tuple[int, int]
"""Where the basis of a claim is sealed: the entry, and the index in its field `privilege`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the court said of one position."""

    kind: str  # of the entry
    entry: int
    index: int  # in that entry
    time: int  # Trent's clock
    round: int
    position: int
    answer: bool  # for a dispute: responsive; in camera: upheld
    parts: tuple[int, ...] = ()  # of a claim for some parts: those that are upheld

    @property
    def place(self) -> Seat:
        """The round and the position."""
        return Seat(self.round, self.position)


@dataclass(slots=True, kw_only=True)
class Recorded:
    """A matter, read for one audience."""

    audience: Audience
    state: Matter = field(default_factory=Matter)
    opened: dict[tuple[int, str, int], Any] = field(default_factory=dict)  # by entry, field and index
    rulings: list[Ruling] = field(default_factory=list)  # in the order of the record
    numbers: dict[int, Opening] = field(default_factory=dict)  # of the documents of each batch: for proofs of a log
    _sealed: dict[tuple[int, str], dict[int, Any]] = field(default_factory=dict)  # what may be released later
    _asked: dict[Digest, tuple[Seat, ...]] = field(default_factory=dict)  # places by the entry that asks about them

    def see(self, entry: OpenedEntry) -> None:
        """Take note of the next entry."""
        body = entry.entry.body
        said, sequence = body.statement, body.sequence
        fold.follow(self.state, Entry.stored(entry))
        for each in entry.openings:
            if each.field == "numbers":
                self.numbers[said.round] = each
            if each.field not in FIELDS:
                continue
            if self.audience in said.sealed[each.field].audiences:
                self.opened[sequence, each.field, each.index] = each.value
            else:
                self._sealed.setdefault((sequence, each.field), {})[each.index] = each.value
        for release in body.releases:
            if release.audience is self.audience and release.field in FIELDS:
                self._release(release)
        if "positions" in said.content and body.asks:
            self._asked[entry.hash] = tuple(Seat(said.round, position) for position in said.content["positions"])
        if said.kind == "reclaim":
            self._asked[entry.hash] = self.state.clawbacks.asked
        if said.kind in RULED and said.answers is not None:
            self._rule(body, self._asked[said.answers])

    def _rule(self, body: Body, places: tuple[Seat, ...]) -> None:
        """Take note of the court's rulings on these places."""
        said = body.statement
        answers: list[bool] = said.content[RULED[said.kind]]
        parts: list[list[int]] = said.content.get("parts") or [[]] * len(answers)
        self.rulings += [
            Ruling(
                kind=said.kind,
                entry=body.sequence,
                index=index,
                time=body.time,
                round=place.round,
                position=place.position,
                answer=answer,
                parts=tuple(upheld),
            )
            for index, (place, answer, upheld) in enumerate(zip(places, answers, parts, strict=True))
        ]

    def _release(self, release: Release) -> None:
        sealed = self._sealed.get((release.entry, release.field), {})
        for index in sealed if release.indices is None else release.indices:
            self.opened[release.entry, release.field, index] = sealed[index]

    def name(self, review: Round, position: int) -> str:
        """What the document at a position is called, if the audience may know that."""
        if review.sources is None:
            return ""
        entry, index = review.sources[position - 1]
        place: Mapping[str, Any] = self.opened.get((entry, "documents", index), {})
        return str(place.get("name", ""))

    def label(self, review: Round, position: int) -> bool | None:
        """Alice's label in her report of the round, if she gave one and the audience may know it.

        Below a reported threshold she gives none, and that counts as not responsive.
        """
        place = (review.report_entry, "labels", 0)  # all of them are one value
        labels: Sequence[bool | None] = self.opened.get(place, ())
        return bool(labels[position - 1]) if position <= len(labels) else None

    def basis(self, place: Basis | None) -> Any:
        """What Alice claims, if the audience may know it: a text, or an object that names a class, or parts."""
        return None if place is None else self.opened.get((place[0], "privilege", place[1]))

    def reason(self, ruling: Ruling) -> str:
        """Why the court ruled so, if it said so and the audience may know it. Reasons are filled up with blanks."""
        return str(self.opened.get((ruling.entry, "reasons", ruling.index)) or "").rstrip()


def read(path: Path, audience: Audience) -> Recorded:
    """A stored matter, checked and read for one audience."""
    found = Recorded(audience=audience)
    for entry in MatterReader(path):
        found.see(entry)
    if not found.state.size:
        raise Damaged(f"{path} has no entries: the matter was never opened, or was copied without its -wal file")
    return found


def seat(review: Round, position: int) -> Seat:
    """Where the document at a position was first put up: the round and the position."""
    before = None if review.seats is None else review.seats[position - 1]
    return Seat(review.number, position) if before is None else before


def control_number(place: Seat) -> str:
    """How lists name a document: by the place where it was first put up, which every copy of the record has.

    It begins with a letter, so that no spreadsheet takes it for a date.
    """
    return f"R{place.round}-P{place.position}"
