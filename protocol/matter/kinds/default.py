"""`default`: Trent says that a party has not answered what was served on it, and asks the court for an order.

After the claims it is about the signature of the end, without which the court can let the matter end.
"""

from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Awaited, Matter, Silence

SIGNATURE = "cosign"
"""What a party owes after the claims. It is not an entry, but a line of the last checkpoint."""

CAN_BE_MISSED = (Role.ALICE, Role.BOB)
"""Without whose signature the court can let a matter end."""


class Default(Record, frozen=True, kw_only=True):
    """Which party does not answer, and what it has been shown."""

    absent: Role
    served: Digest  # the last entry that the party was shown


def blind(matter: Matter, content: Default, entry: Entry) -> None:
    """The party is asked something, and was shown the question."""
    requirements.of_round(entry, 0)
    awaited = _owed(matter, content.absent)
    if awaited is None:
        raise Malformed(f"{content.absent.called} is not in default: nothing is asked of {content.absent.called} now")
    if matter.sequences.get(content.served, -1) < matter.sequences[awaited.question]:
        raise Malformed(f"what was served must be the entry that asks {content.absent.called}, or a later one")


def take(matter: Matter, content: Default, entry: Entry) -> None:
    """The party's question rests while the court decides."""
    awaited = _owed(matter, content.absent)
    if awaited is not None:
        matter.awaits.pop(content.absent, None)
        matter.silence = Silence(absent=content.absent, served=content.served, awaited=awaited)


def _owed(matter: Matter, absent: Role) -> Awaited | None:
    """What the party owes; after the claims, its signature of the end. Every default waits for the court's answers."""
    if matter.claimed_in is None:
        return matter.awaits.get(absent)
    if absent not in CAN_BE_MISSED or absent in matter.excused:
        return None
    return Awaited(kind=SIGNATURE, question=matter.claimed_in, round=0, silenced=_end_without)


def _end_without(matter: Matter, absent: Role, link: Digest | None) -> None:
    """The matter ends without this party's signature."""
    matter.excused[absent] = matter.size


KIND = Kind(
    name="default",
    record=Default,
    authors=(Role.TRENT,),
    when=When.TO_THE_END,
    asks={Role.COURT: "order"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="default", event=None),
)
