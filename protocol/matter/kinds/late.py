"""`late`: Trent asks Alice what she claims after her report; such documents count as drawn."""

from ledger.records import Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter


class Late(Record, frozen=True, kw_only=True):
    """It says nothing but that it asks."""


def blind(matter: Matter, content: Late, entry: Entry) -> None:
    """A round is open."""
    requirements.open_round(matter, entry)


def check(matter: Matter, content: Late, entry: Entry) -> None:
    """The coins are fixed."""
    requirements.drawn(matter, matter.rounds[-1])


KIND = Kind(
    name="late",
    record=Late,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "claim"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=nothing,
    asking=None,
    words=Words(called="request for late claims", event=None),
)
