"""What a party gives back to Trent: a signed statement with its openings, or the cosignature of a checkpoint.

Whatever is secret in it is sealed.
"""

from ledger.entries import SignedStatement
from ledger.hashing import Digest
from ledger.openings import Openings
from ledger.records import Natural, Record
from ledger.roles import Role
from protocol.parties.secrets import SealedRoot

FORMAT = 1


class Reply(Record, frozen=True, kw_only=True):
    """One party's answer to one question."""

    answer: SignedStatement | None
    cosignature: str | None  # a note's line
    deposit: SealedRoot | None  # with `agreed`, for the court; with `rekeyed`, for the new key
    format: Natural
    matter: Digest
    openings: Openings
    role: Role
