"""Entries that are Trent's to choose, and that need no documents: what he asks of the court and of all, and the close.

Each is checked before it is added: one that may not come now raises `OutOfTurn`, and changes nothing.
"""

from ledger.entries import NO_ENTRY
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.log import Addition
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import additions, claims, statements
from protocol.matter.state import MatterState
from protocol.matter.statements import Kind


def default(state: MatterState, absent: Role, served: Digest) -> Addition:
    """Ask the court to go on without this party's answer; `served` is the last entry that it was shown."""
    return _proposed(state, Kind.DEFAULT, statements.Default(absent=absent, served=served))


def rekey(state: MatterState, role: Role, key: PublicKey) -> Addition:
    """Ask the court for a new key of this party's."""
    return _proposed(state, Kind.REKEY, statements.Rekey(key=key, role=role))


def amend(state: MatterState, rounds: int) -> Addition:
    """Ask all parties whether the matter shall have so many rounds."""
    return _proposed(state, Kind.AMEND, statements.Amend(rounds=rounds))


def late(state: MatterState) -> Addition:
    """Ask Alice what she claims as privileged after her report."""
    return _proposed(state, Kind.LATE, statements.Late(), len(state.rounds))


def close(state: MatterState) -> Addition:
    """State what the matter can claim."""
    return _proposed(state, Kind.CLAIMS, claims.claims(state))


def _proposed(state: MatterState, kind: Kind, content: Record, number: int = 0) -> Addition:
    addition = additions.by_trent(state.matter, kind, content, number)
    try:
        state.check(additions.told(addition, state.size, NO_ENTRY))
    except Malformed as error:
        raise OutOfTurn(str(error)) from None
    return addition
