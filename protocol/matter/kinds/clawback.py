"""`clawback`: Trent asks Alice what she wants back of what Bob was shown."""

from ledger.records import Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter


class Clawback(Record, frozen=True, kw_only=True):
    """It says nothing but that it asks."""


def blind(matter: Matter, content: Clawback, entry: Entry) -> None:
    """It belongs to no round: it may come in one, or between two."""
    requirements.of_round(entry, 0)


KIND = Kind(
    name="clawback",
    record=Clawback,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "reclaim"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=nothing,
    asking=None,
    words=Words(called="question of what to claw back", event=None),
)
