"""`agreed`: its author answers the opening, and thereby signs the terms and names the anchor of a coin chain."""

from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Role
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import LastLink, Matter


class Agreed(Record, frozen=True, kw_only=True):
    """There is nothing to check: the author chooses the anchor."""

    anchor: Digest


def take(matter: Matter, content: Agreed, entry: Entry) -> None:
    """The chain begins."""
    matter.links[entry.statement.author] = LastLink(number=0, link=content.anchor)


def say(asked: Asked, decisions: Decisions) -> Said:
    """The anchor of the author's chain."""
    return Said(content=Agreed(anchor=asked.chain.anchor))


KIND = Kind(
    name="agreed",
    record=Agreed,
    authors=(Role.ALICE, Role.BOB),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=nothing,
    check=nothing,
    take=take,
    asking=Asking(
        task="read the terms and sign them",
        question="to sign the terms of the matter",
        shown=Shown.NONE,
        decision=Decision.NOTHING,
        say=say,
        silence=None,
    ),
    words=Words(called="signature of the terms", event=None),
)
