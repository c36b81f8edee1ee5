"""`stamped`: Trent has a time stamp (RFC 3161) of the record as it was before this entry.

Only the token's hash is on record: whether the token is valid depends on whose roots one trusts, so no rule asks.
"""

from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter


class Stamped(Record, frozen=True, kw_only=True):
    """What was stamped, and by which token."""

    root: Digest  # over all entries before this one
    token: Digest  # its SHA-256


def blind(matter: Matter, content: Stamped, entry: Entry) -> None:
    """It is about the entries before it."""
    requirements.seen_from_outside(matter, entry, content.root)


def take(matter: Matter, content: Stamped, entry: Entry) -> None:
    """The review may go on, as far as stamps go."""
    matter.stamped = True
    matter.stamps.setdefault(content.token, entry.sequence)


def event(content: Stamped) -> str:
    """That there is a stamp."""
    return f"a time stamp is on record: token {content.token.hex()[:16]}"


KIND = Kind(
    name="stamped",
    record=Stamped,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="time stamp", event=event),
)
