"""The pieces of an exhibit: the right entries of one chain, each at its place in the checkpoint's tree.

Nobody can be blamed for what an exhibit leaves out, since nobody signs an exhibit as a whole. So behind the first entry
that is left out a party's signature that its key in force did not make is damage, because the court may have granted
a new key in an entry that is missing. There it is also damage if the question of an answer is missing. And it is damage
if an entry or an opening is missing or does not belong.
"""

from collections.abc import Iterable, Sequence

from verifier.checks import Check, Role
from verifier.exhibit import outside
from verifier.exhibit.form import Exhibit, Piece
from verifier.findings import Damaged, Fault, Finding
from verifier.record import notes
from verifier.record.chain import Chain
from verifier.record.copy import Told
from verifier.record.entries import Entry
from verifier.record.notes import BadNote, Checkpoint
from verifier.record.trees import GrowingTree, root_from_path
from verifier.record.vouched import check_vouched
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
        return super().admit(entry)

    def _check_answer(self, entry: Entry, key: bytes) -> None:
        """After a gap, another key may have been in force, and the question may be missing."""
        said = entry.said
        try:
            super()._check_answer(entry, key)
        except Fault as fault:
            found = fault.finding
            is_asked = found.check is Check.ORDER and (said.author, said.answers) in self._questions
            if self._whole or is_asked:
                raise
            raise Damaged(
                found.check,
                f"entry {entry.body.sequence}: {found.rule}; the exhibit may lack an entry that explains it",
            ) from None


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
            outside.check_prefix(piece, told, checkpoint.state)
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
    """Each opening belongs to a commitment of its entry, in order. A false one is damage, if its author did not sign
    it.
    """
    sealed, places = piece.entry.said.sealed, piece.openings.places
    committed = {field: dict(enumerate(each.commitments)) for field, each in sealed.items()}
    fits = all(
        committed.get(each.field, {}).get(index) == commitment
        for each in piece.openings.fields
        for index, commitment in zip(each.indices, each.commitments, strict=True)
    )
    if not fits or places != sorted(set(places)):
        check_vouched(piece.entry.body, piece.openings)
        raise Damaged(Check.OPENINGS, f"an opening of entry {piece.sequence} is not the one that was sealed")


def _told(piece: Piece, digest: bytes) -> Told:
    opened = piece.openings
    return Told(entry=piece.entry, hash=digest, values=opened.values, openings=opened, sound=True, attachments={})


def is_evidence(told: Told) -> bool:
    """Whether it is a second answer on record, which an exhibit shows but does not judge."""
    return told.entry.said.kind == Kind.CONFLICT


def sequences(told: Sequence[Told]) -> list[int]:
    """The numbers of entries."""
    return [each.entry.body.sequence for each in told]


def is_granted_key(told: Told) -> bool:
    """Whether the court grants a new key in it."""
    said = told.entry.said
    return said.kind == Kind.REKEYED and said.author is Role.COURT and said.content.get("granted") is True
