"""V20: have Alice, Bob and the court signed the end of this very history?

Checkpoints: a chain's size, root and head in a signed note (specification, section "Checkpoints").
`verifier.record.copy` checks that a copy's checkpoints belong to its own entries.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from verifier.checks import Role
from verifier.findings import VerifierError
from verifier.record.keys import signed_bare

_PLAIN, _COSIGNATURE = 1, 4  # the format's bytes for what a signature covers
_MAX_LINES = 64
_TEXT = re.compile(r"tallystick/([0-9a-f]{64})\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\nhead ([0-9a-f]{64})\n")
_LINE = re.compile("\u2014 ([^ +\n]+) ([A-Za-z0-9+/]+={0,2})\n")


class BadNote(VerifierError):
    """A text is not a checkpoint, or not signed by those who should have signed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeHead:
    """What a checkpoint states."""

    matter: bytes
    size: int
    root: bytes
    head: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A checkpoint with its signature lines: each name with the key's id and the signature."""

    text: str
    state: TreeHead
    lines: tuple[tuple[str, bytes], ...]

    def line_of(self, role: Role, key: bytes) -> bytes | None:
        """The signature on the note under this party's name and key; raises if there are two."""
        name, kind = note_name(self.state.matter, role)
        prefix = sha256(name.encode() + b"\n" + bytes([kind]) + key).digest()[:4]
        found = [raw[4:] for each, raw in self.lines if each == name and raw[:4] == prefix]
        if len(found) > 1:
            raise BadNote(f"it carries two signatures of {role.called}")
        return found[0] if found else None

    def is_signed_by(self, role: Role, key: bytes) -> bool:
        """Whether the party signed it; raises if a line under its name and key is false."""
        line = self.line_of(role, key)
        if line is not None and not _verifies(self.text, role, key, line):
            raise BadNote(f"the signature of {role.called} on it is false")
        return line is not None


def text_of(state: TreeHead) -> str:
    """The text of a checkpoint that states this."""
    root = base64.b64encode(state.root).decode()
    return f"tallystick/{state.matter.hex()}\n{state.size}\n{root}\nhead {state.head.hex()}\n"


def parse(note: str) -> Checkpoint:
    """A checkpoint from its exact text; its signatures are not looked at."""
    if re.search("[\x00-\x09\x0b-\x1f\ud800-\udfff]", note):
        raise BadNote("it holds control characters or halves of surrogate pairs")
    text, gap, block = note.rpartition("\n\n")
    text += "\n"
    stated = _TEXT.fullmatch(text)
    if not gap or stated is None:
        raise BadNote("it is not a checkpoint of a matter")
    matter, size, root, head = stated.groups()
    lines = tuple(_signature_line(line) for line in block.splitlines(keepends=True))
    if not 0 < len(lines) <= _MAX_LINES:
        raise BadNote(f"it has {len(lines)} signature lines")
    state = TreeHead(matter=bytes.fromhex(matter), size=int(size), root=_unbase64(root), head=bytes.fromhex(head))
    return Checkpoint(text=text, state=state, lines=lines)


def signers(checkpoint: Checkpoint, keys: Mapping[Role, bytes]) -> list[Role]:
    """Who signed it; raises if a line is false, or is not by a party."""
    found = [role for role, key in keys.items() if checkpoint.is_signed_by(role, key)]
    if len(found) != len(checkpoint.lines):
        raise BadNote("it carries a signature line by somebody who is not a party")
    return found


def note_name(matter: bytes, role: Role) -> tuple[str, int]:
    """A party's name on the matter's notes, and the type of its signature: Trent is the log, the others cosign."""
    origin = f"tallystick/{matter.hex()}"
    return (origin, _PLAIN) if role is Role.TRENT else (f"{origin}/{role}", _COSIGNATURE)


def _signature_line(line: str) -> tuple[str, bytes]:
    match = _LINE.fullmatch(line)
    if match is None or any(character.isspace() for character in match[1]):
        raise BadNote(f"{line[:80]!r} is not a signature line")
    raw = _unbase64(match[2])
    if len(raw) < 5:
        raise BadNote(f"the signature of {match[1][:80]} is too short")
    return match[1], raw


def _unbase64(text: str) -> bytes:
    """Bytes from the one base64 encoding that they have."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadNote("it holds something that is not base64") from None
    if base64.b64encode(raw).decode() != text:
        raise BadNote("it holds base64 with stray bits")
    return raw


def _verifies(text: str, role: Role, key: bytes, line: bytes) -> bool:
    if role is Role.TRENT:
        return signed_bare(key, text.encode(), line)
    time = int.from_bytes(line[:8], "big")
    return time < 2**63 and signed_bare(key, f"cosignature/v1\ntime {time}\n{text}".encode(), line[8:])
