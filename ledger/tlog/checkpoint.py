"""A log's checkpoint: origin, size and root in a note, as c2sp.org/tlog-checkpoint defines them.

It is not a matter's checkpoint (`ledger.checkpoints`), whose origin begins with `tallystick/`. One key may sign both,
and the origin keeps the two apart.
"""

import base64
import re
from dataclasses import dataclass

from ledger import notes
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.notes import BadNote, Note, NoteKey, SignatureType

RESERVED = "tallystick/"
"""How the origins of matters begin."""

MAX_ORIGIN = 255
"""Largest origin in bytes, as cosigners take it."""

_TEXT = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n((?:[^\n]+\n)*)")


class TwoHistories(LedgerError):
    """The log's own valid signatures prove that it does not only grow. It names the key, not who holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCheckpoint:
    """A log's state at one size."""

    origin: str
    size: int
    root: Digest
    extensions: tuple[str, ...] = ()  # of other logs; ours writes none

    @property
    def text(self) -> str:
        """What the note signs."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)


def parse(text: str) -> LogCheckpoint:
    """The checkpoint that a note's text states."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise BadNote("the note's text is not a checkpoint of a log: origin, size and root, a line each")
    origin, size, root, extensions = match.groups()
    found = LogCheckpoint(
        origin=origin,
        size=int(size),
        root=Digest(base64.b64decode(root)),
        extensions=tuple(extensions.split("\n")[:-1]),
    )
    if found.text != text:
        raise BadNote("the checkpoint's root is not in its one encoding")
    return found


def note_key(origin: str, key: SigningKey) -> NoteKey:
    """The key under which a new log of ours signs; refused if the origin cannot name it."""
    if origin.startswith(RESERVED):
        raise Refused(f"a log's origin must not begin with {RESERVED}, where those of matters begin")
    if len(origin.encode(errors="replace")) > MAX_ORIGIN:
        raise Refused(f"a log's origin has at most {MAX_ORIGIN} bytes")
    try:
        return notes.parse_vkey(NoteKey(name=origin, type=SignatureType.ED25519, key=key.public).vkey)
    except (BadNote, UnicodeError):
        raise Refused(
            f"{origin!r} cannot be a log's origin: it must be like trent.example/log, without blanks and plus signs"
        ) from None


def signed(checkpoint: LogCheckpoint, key: SigningKey) -> Note:
    """The checkpoint as a note with the log's signature. The signature depends on nothing but text and key."""
    return Note(text=checkpoint.text, signatures=(notes.sign(checkpoint.text, key, checkpoint.origin),))


def opened(note: Note, log: NoteKey) -> LogCheckpoint:
    """What a note states that this log's key has signed; otherwise raises `BadNote`."""
    found = parse(note.text)
    if found.origin != log.name:
        raise BadNote(f"it is a checkpoint of the log {found.origin}, not of {log.name}")
    if not note.signed_by([log]):
        raise BadNote(f"it does not carry the signature of the log {log.name}")
    return found
