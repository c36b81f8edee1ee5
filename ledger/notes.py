"""Signed notes: text with the signatures of one or more keys, as c2sp.org/signed-note defines them.

Two signature types are known: plain Ed25519 (0x01, over the text), and the timestamped cosignature of
c2sp.org/tlog-cosignature (0x04). As the format demands, lines by unknown keys are ignored, and a line by a known
key that does not verify spoils the whole note.
"""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

from ledger import keys
from ledger.errors import LedgerError
from ledger.keys import BadKey, PublicKey, Signature, SigningKey

MAX_SIGNATURES = 64


class BadNote(LedgerError):
    """The text is not a signed note, or a known key's signature on it is false."""


class SignatureType(IntEnum):
    """The format's byte for what a signature covers."""

    ED25519 = 0x01
    COSIGNATURE = 0x04


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteKey:
    """A public key under the name that it has on notes."""

    name: str
    type: SignatureType
    key: PublicKey

    @property
    def id(self) -> bytes:
        """The four bytes that tell keys of one name apart."""
        return sha256(self.name.encode() + b"\n" + bytes([self.type]) + self.key).digest()[:4]

    @property
    def vkey(self) -> str:
        """The key as the format's verifier key: one line with name, id, type and key."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(bytes([self.type]) + self.key).decode()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteSignature:
    """One signature line."""

    name: str
    id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"\u2014 {self.name} {base64.b64encode(self.id + self.signature).decode()}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A text and its signature lines; `str` gives the bytes that were parsed."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(map(str, self.signatures))

    def signed_by(self, known: Iterable[NoteKey]) -> list[NoteKey]:
        """Which of the known keys signed the text; raises if a line claims one of them and is false."""
        found = []
        for key in known:
            lines = [line for line in self.signatures if (line.name, line.id) == (key.name, key.id)]
            if len(lines) > 1:
                raise BadNote(f"the note has two signatures of {key.name}")
            if lines and not _verifies(key, self.text, lines[0].signature):
                raise BadNote(f"the signature of {key.name} on the note is false")
            if lines:
                found.append(key)
        return found


def sign(text: str, key: SigningKey, name: str) -> NoteSignature:
    """A plain signature line."""
    _check_text(text)
    line = NoteKey(name=_checked_name(name), type=SignatureType.ED25519, key=key.public)
    return NoteSignature(name=name, id=line.id, signature=key.sign_bare(text.encode()))


def cosign(text: str, key: SigningKey, name: str, time: int) -> NoteSignature:
    """A cosignature line: that the signer has seen this text as the newest, at `time`."""
    _check_text(text)
    if not 0 <= time < 2**63:
        raise BadNote(f"{time} is not a time that a cosignature can state")
    line = NoteKey(name=_checked_name(name), type=SignatureType.COSIGNATURE, key=key.public)
    stamped = time.to_bytes(8, "big") + key.sign_bare(_cosigned(text, time))
    return NoteSignature(name=name, id=line.id, signature=stamped)


def parse_vkey(line: str) -> NoteKey:
    """A key from its verifier key. Whatever parses is written again as the same line."""
    match line.split("+", 2):  # base64 has plus signs, too
        case [name, _, encoded]:
            _check_text(name + "\n")
            _checked_name(name)
        case _:
            raise BadNote(
                f"{line[:80]!r} is not a verifier key: it must be a name, an id and a key, joined by plus signs"
            )
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise BadNote(f"the verifier key of {name} is damaged: its key is not base64") from None
    if raw[:1] not in [bytes([known]) for known in SignatureType]:
        kind = f"type {raw[0]}" if raw else "no type"
        raise BadNote(f"the verifier key of {name} is of {kind}; this version knows only Ed25519 (types 1 and 4)")
    if len(raw) != 1 + PublicKey.size:
        raise BadNote(f"the verifier key of {name} is damaged: its key does not have {PublicKey.size} bytes")
    try:
        key = NoteKey(name=name, type=SignatureType(raw[0]), key=PublicKey(raw[1:]))
    except BadKey as error:
        raise BadNote(f"the verifier key of {name}: {error}") from None
    if key.vkey != line:
        raise BadNote(f"the verifier key of {name} is damaged: its id is not that of its name and key")
    return key


def parse(note: str) -> Note:
    """A note from its exact text; checks the form, not the signatures."""
    _check_text(note)
    text, separator, block = note.rpartition("\n\n")
    if not (separator and block.endswith("\n")):
        raise BadNote("a note is a text, an empty line, and signature lines, each ended by a newline")
    lines = block[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise BadNote(f"more than {MAX_SIGNATURES} signatures on one note")
    parsed = Note(text=text + "\n", signatures=tuple(map(_parse_line, lines)))
    if str(parsed) != note:
        raise BadNote("the note's signature lines are not in their one encoding")
    return parsed


def _check_text(text: str) -> None:
    if re.search(r"[\x00-\x09\x0b-\x1f]", text):
        raise BadNote("a note holds no control characters other than newlines")
    if re.search(r"[\ud800-\udfff]", text):
        raise BadNote("a note holds no lone surrogates: it is UTF-8")
    if not text.endswith("\n"):
        raise BadNote("a note is a text that ends with a newline")


def _parse_line(line: str) -> NoteSignature:
    match line.split(" "):
        case ["\u2014", name, encoded]:
            try:
                raw = base64.b64decode(encoded, validate=True)
            except (binascii.Error, ValueError):
                raise BadNote(f"the signature of {name} is not base64") from None
            if len(raw) < 5:
                raise BadNote(f"the signature of {name} is too short")
            return NoteSignature(name=_checked_name(name), id=raw[:4], signature=raw[4:])
        case _:
            raise BadNote(f"{line[:80]!r} is not a signature line")


def _checked_name(name: str) -> str:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise BadNote(f"{name!r} cannot name a key: it must hold neither blanks nor a plus")
    return name


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _verifies(key: NoteKey, text: str, signature: bytes) -> bool:
    message = text.encode()
    if key.type is SignatureType.COSIGNATURE:
        time = int.from_bytes(signature[:8], "big")
        if time >= 2**63:
            return False
        signature, message = signature[8:], _cosigned(text, time)
    if len(signature) != Signature.size:
        return False
    return keys.holds(keys.signed_bare(key.key, message, Signature(signature)))
