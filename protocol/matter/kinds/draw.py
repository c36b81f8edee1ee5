"""`draw`: Trent asks Alice and Bob for their links, to draw the round's batch by coin."""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements, state
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter
from protocol.rules.terms import Positive


class Draw(Record, frozen=True, kw_only=True):
    """Which draw begins."""

    draw: Positive


def blind(matter: Matter, content: Draw, entry: Entry) -> None:
    """A batch is due, and coins must choose it."""
    requirements.next_round(matter, entry)
    if matter.drawing is not None or not matter.one_class:
        raise Malformed("no coins are needed for this batch")
    requirements.draw(content.draw, matter.draws + 1)


def take(matter: Matter, content: Draw, entry: Entry) -> None:
    """The draw answers the query."""
    matter.begin_draw(content.draw, state.hash_query(matter.opening))


KIND = Kind(
    name="draw",
    record=Draw,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "link", Role.BOB: "link"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="draw", event=None),
)
