"""`.tlog-proof`: that a leaf is in a log, for anybody to check offline, as c2sp.org/tlog-proof defines it.

c2sp.org/tlog-proof@v1
extra dGFsbHlzdGljay8...       optional, and signed by nobody
index 7                        the leaf's place, counted from 0
gSKyXoYZUgZ6jduWYrkD...        the hashes from the leaf to the root

trent.example/log              the log's checkpoint, with the log's signature and those of witnesses
...
"""

import base64
import binascii
import re
from dataclasses import dataclass

from ledger import merkle, notes
from ledger.errors import LedgerError
from ledger.notes import BadNote, Note, NoteKey
from ledger.tlog import checkpoint
from ledger.tlog.checkpoint import LogCheckpoint

SUFFIX = ".tlog-proof"
FIRST_LINE = "c2sp.org/tlog-proof@v1"
MAX_HASHES = 63
MAX_SIZE = 2**20
"""Largest proof in bytes."""

_FORM = re.compile(
    r"c2sp\.org/tlog-proof@v1\n"
    r"(?:extra (?P<extra>[A-Za-z0-9+/]*={0,2})\n)?"
    r"index (?P<index>0|[1-9][0-9]{0,15})\n"
    r"(?P<hashes>(?:[A-Za-z0-9+/]{43}=\n)*)"
    r"\n"
    r"(?P<note>.*)",
    re.DOTALL,
)


class BadProof(LedgerError):
    """The file is not a proof, or does not prove this. Anybody can make such a file, so nobody is blamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A leaf's place in a log, the hashes from there to the root, and the note that states the root."""

    index: int
    hashes: tuple[bytes, ...]
    note: Note
    extra: bytes | None = None  # None: the line is missing

    def __str__(self) -> str:
        extra = [] if self.extra is None else [f"extra {_base64(self.extra)}"]
        lines = [FIRST_LINE, *extra, f"index {self.index}", *map(_base64, self.hashes), ""]
        return "".join(f"{line}\n" for line in lines) + str(self.note)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def parse(text: str) -> Proof:
    """A proof from its exact text; checks the form, and nothing that it proves."""
    if len(text.encode(errors="surrogatepass")) > MAX_SIZE:
        raise BadProof(f"a proof has at most {MAX_SIZE} bytes")
    match = _FORM.fullmatch(text)
    if match is None:
        said = "is of another version" if text.startswith("c2sp.org/tlog-proof@") else "does not begin as a proof"
        said = "does not have a proof's lines" if text.startswith(FIRST_LINE + "\n") else said
        raise BadProof(f"the file {said} of a log ({FIRST_LINE})")
    try:
        hashes = tuple(base64.b64decode(line) for line in match["hashes"].split())
        extra = None if match["extra"] is None else base64.b64decode(match["extra"], validate=True)
    except (binascii.Error, ValueError):
        raise BadProof("the proof's extra data is not base64") from None
    if len(hashes) > MAX_HASHES:
        raise BadProof(f"the proof has {len(hashes)} hashes; no log needs more than {MAX_HASHES}")
    try:
        note = notes.parse(match["note"])
    except BadNote as error:
        raise BadProof(f"the proof's checkpoint: {error}") from None
    found = Proof(index=int(match["index"]), hashes=hashes, note=note, extra=extra)
    if str(found) != text:
        raise BadProof("the proof is not in its one encoding")
    return found


def decode(data: bytes) -> Proof:
    """A proof from a file's bytes."""
    if len(data) > MAX_SIZE:
        raise BadProof(f"a proof has at most {MAX_SIZE} bytes")
    try:
        return parse(data.decode())
    except UnicodeDecodeError:
        raise BadProof("the proof is not UTF-8") from None


def check(proof: Proof, leaf: bytes, log: NoteKey) -> LogCheckpoint:
    """The log's checkpoint under which this leaf stands; `BadProof` says why there is none.

    Who has witnessed the checkpoint is for a policy to say.
    """
    try:
        found = checkpoint.opened(proof.note, log)
    except BadNote as error:
        raise BadProof(f"the proof's checkpoint: {error}") from None
    if proof.index >= found.size:
        raise BadProof(f"the proof is for leaf {proof.index}, but its checkpoint has only {found.size} leaves")
    if not merkle.verify_inclusion(data=leaf, index=proof.index, size=found.size, proof=proof.hashes, root=found.root):
        raise BadProof(f"the proof is not for this leaf: its hashes do not lead to the root of {found.size} leaves")
    return found
