"""The operator's log: its key, its checkpoints, and proofs that a leaf is in it (specification, "The operator's log").

The formats are C2SP's signed-note, tlog-checkpoint, tlog-cosignature and tlog-proof.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from hashlib import sha256

from verifier.findings import VerifierError
from verifier.record import keys
from verifier.record.notes import TreeHead, text_of
from verifier.record.trees import root_from_path

PLAIN, COSIGNATURE = 1, 4
MAX_PROOF = 2**20
_MOST_HASHES, _MOST_LINES = 63, 64
_VKEY = re.compile(r"([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})")
_PROOF = re.compile(
    r"c2sp\.org/tlog-proof@v1\n(extra [A-Za-z0-9+/]*={0,2}\n)?index (0|[1-9][0-9]{0,15})\n"
    r"((?:[A-Za-z0-9+/]{43}=\n)*)\n(.*)",
    re.DOTALL,
)
_CHECKPOINT = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*")
_CONTROL = re.compile("[\x00-\x1f\ud800-\udfff]")
_LINE = re.compile("\u2014 ([^ +\n]+) ([A-Za-z0-9+/]+={0,2})")


class BadProof(VerifierError):
    """A text is not a proof, or does not prove this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKey:
    """A key under the name that it has on notes, and what its signatures cover."""

    name: str
    type: int
    key: bytes

    @property
    def id(self) -> bytes:
        """The four bytes before its signatures."""
        return sha256(self.name.encode() + b"\n" + bytes([self.type]) + self.key).digest()[:4]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogNote:
    """A checkpoint of a log, with its signature lines."""

    text: str
    origin: str
    size: int
    root: bytes
    lines: tuple[tuple[str, bytes], ...]

    def is_signed_by(self, key: LogKey) -> bool:
        """Whether this key signed it; raises if a line of the key is false, or if there are two."""
        found = [raw[4:] for name, raw in self.lines if name == key.name and raw[:4] == key.id]
        if len(found) > 1:
            raise BadProof(f"the log's checkpoint has two signatures of {key.name}")
        if found and not _holds(key, self.text, found[0]):
            raise BadProof(f"the signature of {key.name} on the log's checkpoint is false")
        return bool(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A leaf's place in a log, the hashes from there to the root, and the checkpoint that states the root."""

    index: int
    hashes: tuple[bytes, ...]
    note: LogNote


def read_vkey(line: str) -> LogKey:
    """A verifier key: name, id and key, with the type in front."""
    match = _VKEY.fullmatch(line)
    if match is None:
        raise BadProof("this is not a verifier key: NAME+ID+KEY")
    raw = _unbase64(match[3])
    if len(raw) != 33 or raw[0] not in (PLAIN, COSIGNATURE):
        raise BadProof("the verifier key is not one for Ed25519")
    if _CONTROL.search(match[1]) or any(character.isspace() for character in match[1]):
        raise BadProof("the name in the verifier key has blanks, control characters or halves of surrogate pairs")
    if not keys.is_acceptable(raw[1:]):
        raise BadProof('the verifier key is not an acceptable one (specification, "Signatures")')
    key = LogKey(name=match[1], type=raw[0], key=raw[1:])
    if key.id.hex() != match[2]:
        raise BadProof("the verifier key does not have the id that it states")
    return key


def leaf(state: TreeHead) -> bytes:
    """What the log says of an open matter at one size."""
    return f"{text_of(state)}state open\n".encode()


def parse(text: str) -> Proof:
    """A proof from its exact text; nothing that it proves is looked at."""
    match = _PROOF.fullmatch(text)
    if match is None or len(text.encode(errors="surrogatepass")) > MAX_PROOF:
        raise BadProof("it is not a proof of a log in the format c2sp.org/tlog-proof@v1")
    if match[1] is not None:
        _unbase64(match[1].removeprefix("extra ").removesuffix("\n"))
    hashes = tuple(map(_unbase64, match[3].splitlines()))
    if len(hashes) > _MOST_HASHES:
        raise BadProof(f"it has {len(hashes)} hashes, more than a log can need")
    return Proof(index=int(match[2]), hashes=hashes, note=_note(match[4]))


def check(proof: Proof, data: bytes, log: LogKey) -> None:
    """Raise unless the log has this leaf, by a checkpoint that it signed."""
    note = proof.note
    if note.origin != log.name:
        raise BadProof(f"it is of the log {note.origin[:80]}")
    if not note.is_signed_by(log):
        raise BadProof("its checkpoint does not carry the log's signature")
    if root_from_path(data, proof.index, note.size, proof.hashes) != note.root:
        raise BadProof("its hashes do not lead from the record to the log's root")


def _note(note: str) -> LogNote:
    if _CONTROL.search(note.replace("\n", "")):
        raise BadProof("its checkpoint holds control characters or halves of surrogate pairs")
    text, gap, block = note.rpartition("\n\n")
    stated = _CHECKPOINT.fullmatch(f"{text}\n")
    if not gap or stated is None or not block.endswith("\n"):
        raise BadProof("its checkpoint is not one of a log")
    lines = block[:-1].split("\n")
    if len(lines) > _MOST_LINES:
        raise BadProof(f"its checkpoint has {len(lines)} signature lines")
    return LogNote(
        text=f"{text}\n",
        origin=stated[1],
        size=int(stated[2]),
        root=_unbase64(stated[3]),
        lines=tuple(map(_signature_line, lines)),
    )


def _signature_line(line: str) -> tuple[str, bytes]:
    match = _LINE.fullmatch(line)
    if match is None or any(character.isspace() for character in match[1]):
        raise BadProof("its checkpoint has a line that is not a signature")
    raw = _unbase64(match[2])
    if len(raw) < 5:
        raise BadProof("its checkpoint has a signature that is too short")
    return match[1], raw


def _unbase64(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BadProof("it holds something that is not base64") from None
    if base64.b64encode(raw).decode() != text:
        raise BadProof("it holds base64 with stray bits")
    return raw


def _holds(key: LogKey, text: str, line: bytes) -> bool:
    if key.type == PLAIN:
        return len(line) == 64 and keys.signed_bare(key.key, text.encode(), line)
    time = int.from_bytes(line[:8], "big")
    return (
        len(line) == 72
        and time < 2**63
        and keys.signed_bare(key.key, f"cosignature/v1\ntime {time}\n{text}".encode(), line[8:])
    )
