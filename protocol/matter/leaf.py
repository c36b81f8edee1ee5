"""A leaf of the operator's log: what it says of a matter at one size.

    tallystick/7f3a...             the four lines of the matter's checkpoint
    42
    CsUYapGGPo4d...
    head 5e0c...
    state open                     `opened` for the first entry alone, `closed` once the claims are made

A leaf says nothing about the parties or the case: only who has the record can connect it with them.
"""

from dataclasses import dataclass
from enum import StrEnum

from ledger import checkpoints
from ledger.checkpoints import Checkpoint
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.notes import Note


class State(StrEnum):
    """How far a matter is."""

    OPENED = "opened"  # its first entry, and no other
    OPEN = "open"
    CLOSED = "closed"  # the claims are made: only orders on missing signatures may follow


class BadLeaf(LedgerError):
    """The bytes are not a leaf about a matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A matter's state at one size, as the log has it."""

    checkpoint: Checkpoint
    state: State

    def __bytes__(self) -> bytes:
        return f"{self.checkpoint.text}state {self.state}\n".encode()

    @property
    def matter(self) -> Digest:
        """Of which matter."""
        return self.checkpoint.matter

    @property
    def size(self) -> int:
        """How many entries the matter has."""
        return self.checkpoint.size


def parse(data: bytes) -> Leaf:
    """A leaf from its bytes. Whatever parses is written again as the same bytes."""
    try:
        text, _, last = data.decode("ascii").removesuffix("\n").rpartition("\n")
        word, _, state = last.partition(" ")
        found = Leaf(checkpoint=checkpoints.parse(Note(text=text + "\n", signatures=())), state=State(state))
    except (ValueError, LedgerError):
        raise BadLeaf(
            "the leaf is not about a matter: it must be a matter's checkpoint and a line `state ...`"
        ) from None
    if word != "state" or bytes(found) != data or not found.size or (found.size == 1) != (found.state is State.OPENED):
        raise BadLeaf("the leaf about a matter does not have its form")
    return found
