"""Checkpoints: a chain's size, root and head in a note that standard transparency-log tools read.

    tallystick/7f3a...             the origin, from the matter
    42                             entries
    CsUYapGGPo4d...                the RFC 9162 root over their hashes, base64
    head 5e0c...                   the last entry's hash, which binds the chain as the root binds the tree

Trent signs as the log, under the origin's name; Alice, Bob and the court cosign. Two checkpoints of one size with
different contents, both with Trent's valid signature, prove that he showed two histories: nothing else is needed.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ledger import notes
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.notes import BadNote, Note, NoteKey, NoteSignature, SignatureType
from ledger.roles import Role


class Misplaced(BadNote):
    """A checkpoint of another matter or size than its place requires."""


class OtherHistory(BadNote):
    """Trent signed a checkpoint of this matter and size that states another history."""


COSIGNERS = (Role.ALICE, Role.BOB, Role.COURT)

_TEXT = re.compile(r"tallystick/([0-9a-f]{64})\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\nhead ([0-9a-f]{64})\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A chain's state at one size."""

    matter: Digest
    size: int
    root: Digest
    head: Digest

    @property
    def text(self) -> str:
        """What the note signs."""
        root = base64.b64encode(self.root).decode()
        return f"{origin(self.matter)}\n{self.size}\n{root}\nhead {self.head.hex()}\n"


def origin(matter: Digest) -> str:
    """The log's name on its notes."""
    return f"tallystick/{matter.hex()}"


def note_key(matter: Digest, role: Role, key: PublicKey) -> NoteKey:
    """The key as it signs this matter's checkpoints: Trent as the log, the others as cosigners."""
    if role is Role.TRENT:
        return NoteKey(name=origin(matter), type=SignatureType.ED25519, key=key)
    return NoteKey(name=f"{origin(matter)}/{role}", type=SignatureType.COSIGNATURE, key=key)


def sign(checkpoint: Checkpoint, trent: SigningKey) -> Note:
    """The checkpoint as a note with Trent's signature."""
    line = notes.sign(checkpoint.text, trent, origin(checkpoint.matter))
    return Note(text=checkpoint.text, signatures=(line,))


def cosign(checkpoint: Checkpoint, role: Role, key: SigningKey, time: int) -> NoteSignature:
    """A party's line for the checkpoint's note; the party has checked the chain up to here."""
    return notes.cosign(checkpoint.text, key, f"{origin(checkpoint.matter)}/{role}", time)


def parse(note: Note) -> Checkpoint:
    """The checkpoint that a note's text states."""
    match = _TEXT.fullmatch(note.text)
    if match is None:
        raise BadNote("the note's text is not a checkpoint of a matter")
    matter, size, root, head = match.groups()
    checkpoint = Checkpoint(
        matter=Digest.parse(matter),
        size=int(size),
        root=Digest(base64.b64decode(root)),
        head=Digest.parse(head),
    )
    if checkpoint.text != note.text:
        raise BadNote("the checkpoint's root is not in its one encoding")
    return checkpoint


def signers(note: Note, keys: Mapping[Role, PublicKey]) -> list[Role]:
    """Which parties signed the checkpoint; raises `BadNote` if a line by one of them is false."""
    matter = parse(note).matter
    named = {note_key(matter, role, key): role for role, key in keys.items()}
    return [named[key] for key in note.signed_by(named)]


def verify(note: Note, here: Checkpoint, keys: Mapping[Role, PublicKey]) -> list[Role]:
    """Who signed the checkpoint at this place, Trent among them; otherwise raises a `BadNote`.

    Only `OtherHistory` is proven by Trent's own signature; for other errors, it depends on who vouches for the note.
    """
    stated = parse(note)
    if (stated.matter, stated.size) != (here.matter, here.size):
        raise Misplaced(f"it is a checkpoint of {stated.size} entries of the matter {stated.matter.hex()}")
    if not note.signed_by([note_key(here.matter, Role.TRENT, keys[Role.TRENT])]):
        raise BadNote("it does not carry Trent's signature")
    if stated != here:
        raise OtherHistory("it states another history, under Trent's signature")
    found = signers(note, keys)
    if len(found) != len(note.signatures):
        raise BadNote("it carries a signature line by somebody who is not a party")
    return found
