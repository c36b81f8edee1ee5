"""The pieces of an exhibit: the right entries of one chain, each at its place in the checkpoint's tree.

Nobody can be blamed for what an exhibit leaves out, since nobody signs an exhibit as a whole. So a party's signature
that no known key made is damage here, because the court may have granted a new key in an entry that is missing. It is
also damage if the question of an answer is missing, or if an entry or an opening is missing or does not belong.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from verifier.checks import Check, Role
from verifier.exhibit.form import Exhibit, Piece
from verifier.findings import Damaged, Fault, Finding
from verifier.record import notes
from verifier.record.chain import Chain
from verifier.record.copy import Told
from verifier.record.entries import Entry
from verifier.record.notes import BadNote, Checkpoint
from verifier.record.shapes import Malformed, read
from verifier.record.trees import GrowingTree, root_from_path
from verifier.replay.contents import Place
from verifier.replay.forms import Kind


class _Counted(GrowingTree):
    """Counts entries without hashing them, since the exhibit does not hold those in between."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def extend(self, leaves: Iterable[bytes]) -> None:
        self.size += sum(1 for _ in leaves)


class _BrokenChain(Chain):
    """A chain of which parts are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.tree = _Counted(0)
        self._whole = True

    def admit(self, entry: Entry) -> bytes:
        body = entry.body
        if body.sequence > self.size > 0:
            self.tree, self.head, self._whole = _Counted(body.sequence), body.previous, False
        try:
            return super().admit(entry)
        except Fault as fault:
            if self._whole or not _rests_on_what_is_missing(entry, fault.finding):
                raise
            found = fault.finding
            raise Damaged(
                found.check,
                f"entry {body.sequence}: {found.rule}; the exhibit may lack an entry that explains it",
            ) from None


def _rests_on_what_is_missing(entry: Entry, finding: Finding) -> bool:
    if finding.check is Check.SIGNATURES:
        return True  # another key may have been in force
    return finding.check is Check.ORDER and entry.said.author is not Role.TRENT


class Pieces:
    """An exhibit's entries, admitted one by one and placed under its checkpoint."""

    def __init__(self, exhibit: Exhibit) -> None:
        self.exhibit = exhibit
        self.chain: Chain = _BrokenChain()
        self.told: list[Told] = []
        self.signers: tuple[Role, ...] = ()

    def read(self) -> Checkpoint:
        """Check signatures, order, openings, paths and the checkpoint, which is returned."""
        pieces = self.exhibit.entries
        if not pieces or pieces[0].sequence:
            raise Damaged(Check.CHAIN, "the exhibit lacks the matter's first entry")
        for piece in pieces:
            digest = self.chain.admit(piece.entry)
            _check_openings(piece)
            self.told.append(_told(piece, digest))
        checkpoint = self._checkpoint()
        for piece, told in zip(pieces, self.told, strict=True):
            state = checkpoint.state
            if root_from_path(told.hash, piece.sequence, state.size, piece.path) != state.root:
                raise Damaged(Check.CHAIN, f"the path of entry {piece.sequence} does not lead to the checkpoint's root")
        self._check_head(checkpoint)
        return checkpoint

    def _checkpoint(self) -> Checkpoint:
        keys = self.chain.keys
        try:
            checkpoint = notes.parse(self.exhibit.checkpoint)
            if checkpoint.state.matter != self.chain.matter:
                raise BadNote("it is of another matter")
            if not checkpoint.is_signed_by(Role.TRENT, keys[Role.TRENT]):
                raise BadNote("it does not carry Trent's signature")
            self.signers = tuple(notes.signers(checkpoint, keys))
        except BadNote as error:
            raise Damaged(Check.COSIGNATURES, f"the exhibit's checkpoint: {error}") from None
        self.chain.signatures += len(self.signers)
        return checkpoint

    def _check_head(self, checkpoint: Checkpoint) -> None:
        """The last entry of the tree is the head; Trent signs both in one note."""
        last, state = self.told[-1], checkpoint.state
        if last.entry.body.sequence == state.size - 1 and last.hash != state.head:
            raise Fault(
                Finding(
                    check=Check.COSIGNATURES,
                    rule="A checkpoint states the head and the root of the same entries",
                    expected=last.hash.hex(),
                    found=state.head.hex(),
                    party=Role.TRENT,
                )
            )


def _check_openings(piece: Piece) -> None:
    """Each opening belongs to a commitment of its entry, in order. Nobody signs openings, so a false one is damage."""
    sealed = piece.entry.said.sealed
    places = [(each.field, each.index) for each in piece.openings]
    fits = all(
        each.field in sealed
        and each.index < len(sealed[each.field].commitments)
        and sealed[each.field].commitments[each.index] == each.commitment
        for each in piece.openings
    )
    if not fits or places != sorted(set(places)):
        raise Damaged(Check.OPENINGS, f"an opening of entry {piece.sequence} is not the one that was sealed")


def _told(piece: Piece, digest: bytes) -> Told:
    values: dict[str, dict[int, Any]] = {
        field: {each.index: each.value for each in some}
        for field, some in groupby(piece.openings, key=attrgetter("field"))
    }
    return Told(entry=piece.entry, hash=digest, values=values, openings=piece.openings, sound=True, attachments={})


def is_evidence(told: Told) -> bool:
    """Whether it is a second answer on record, which an exhibit shows but does not judge."""
    return told.entry.said.kind == Kind.CONFLICT


def sequences(told: Sequence[Told]) -> list[int]:
    """The numbers of entries."""
    return [each.entry.body.sequence for each in told]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The entries by what they are for."""

    opening: list[Told]  # from the first entry to the last answer to it
    review: list[Told]  # from the draw or the batch to the close; none if the document was never reviewed
    position: int | None  # in the batch, from 1
    round: int
    closed: bool


def split(exhibit: Exhibit, told: list[Told], size: int) -> Parts:
    """Sort the entries by their part in the story; `size` is the checkpoint's."""
    opening = _opening(told)
    rest = told[len(opening) :]
    begin = next((at for at, each in enumerate(rest) if _kind(each) in (Kind.DRAW, Kind.BATCH)), None)
    review = _review(rest[begin:]) if begin is not None else []
    others = rest if begin is None else rest[:begin] + rest[begin + len(review) :]
    if strangers := _without_part(others):
        raise _lacks(f"entry {sequences(strangers)[0]} does not belong, or an entry before it is missing")
    closed = bool(review) and _kind(review[-1]) == Kind.CLOSED
    if review and not closed and sequences(review)[-1] != size - 1:
        raise _lacks("the end of the document's round is missing")
    position = _position(exhibit, review) if review else None
    parts = Parts(
        opening=opening,
        review=review,
        position=position,
        round=review[0].entry.said.round if review else 0,
        closed=closed,
    )
    for each in told:
        _check_opened(each, parts)
    return parts


def _kind(told: Told) -> str:
    return told.entry.said.kind


def _lacks(reason: str) -> Damaged:
    return Damaged(Check.CHAIN, f"the exhibit is not whole: {reason}")


def _without_part(others: list[Told]) -> list[Told]:
    """Besides the opening and the round, only granted new keys belong here, each with its question."""
    granted = {each.hash: each.entry.said.answers for each in others if is_granted_key(each)}
    asked = {each.hash for each in others if _kind(each) == Kind.REKEY} & set(granted.values())
    return [each for each in others if each.hash not in granted.keys() | asked]


def is_granted_key(told: Told) -> bool:
    """Whether the court grants a new key in it."""
    said = told.entry.said
    return said.kind == Kind.REKEYED and said.author is Role.COURT and said.content.get("granted") is True


def _opening(told: list[Told]) -> list[Told]:
    first = told[0].hash
    answers = [at for at, each in enumerate(told) if each.entry.said.answers == first]
    authors = {told[at].entry.said.author for at in answers}
    if authors != {Role.ALICE, Role.BOB, Role.COURT}:
        raise _lacks("an answer to the matter's opening is missing")
    opening = told[: answers[-1] + 1]
    if sequences(opening) != list(range(len(opening))):
        raise _lacks("an entry between the opening and its answers is missing")
    return opening


def _review(rest: list[Told]) -> list[Told]:
    """The entries in a row from the first one on, up to the close."""
    found: list[Told] = []
    for each in rest:
        if found and (each.entry.body.sequence != sequences(found)[-1] + 1 or _kind(found[-1]) == Kind.CLOSED):
            break
        found.append(each)
    first = found[0].entry.said
    if first.kind == Kind.BATCH and first.content.get("drawn") is not None:
        raise _lacks("the draw of the document's batch is missing")
    return found


def _position(exhibit: Exhibit, review: list[Told]) -> int:
    """Where in its batch the document stands, by the place that Trent sealed."""
    batch = next((each for each in review if _kind(each) == Kind.BATCH), None)
    shown = batch.values.get("documents", {}) if batch else {}
    if len(shown) != 1:
        raise _lacks("the document's place in the batch is not opened")
    ((index, value),) = shown.items()
    try:
        place = read(Place, value)
    except Malformed as error:
        raise Damaged(Check.BATCHES, f"the batch holds a value that is not a document's place: {error}") from None
    if (place.document, place.name) != (exhibit.document.number, exhibit.document.name):
        raise Damaged(Check.DOCUMENTS, "the batch names another document at the place that the exhibit opens")
    return index + 1


def _check_opened(told: Told, parts: Parts) -> None:
    opened = {(each.field, each.index) for each in told.openings}
    if opened != _due(told, parts):
        raise Damaged(
            Check.OPENINGS,
            f"entry {told.entry.body.sequence} of the exhibit opens more or less than an exhibit of this document does",
        )


def _due(told: Told, parts: Parts) -> set[tuple[str, int]]:
    """The document's own values and, if the round is closed, the labels and the threshold of the report."""
    said = told.entry.said
    if parts.position is None or said.round != parts.round:
        return set()
    index, sealed = parts.position - 1, said.sealed
    if said.kind == Kind.BATCH:
        return {("documents", index)}
    if not parts.closed:
        return set()
    if said.kind == Kind.REPORT:
        rests_on = ((name, len(sealed[name].commitments)) for name in ("labels", "threshold") if name in sealed)
        due = {(name, place) for name, count in rests_on for place in range(count)}
        return due | ({("privilege", index)} if "privilege" in sealed else set())
    positions: Any = said.content.get("positions")
    if said.kind == Kind.CLAIM and "privilege" in sealed and type(positions) is list and parts.position in positions:
        return {("privilege", positions.index(parts.position))}
    return set()
