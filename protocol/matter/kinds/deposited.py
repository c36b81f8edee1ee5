"""`deposited`: the court signs the terms, and holds the roots of the chains with these anchors under seal."""

from ledger import coins
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter


class Deposited(Record, frozen=True, kw_only=True):
    """Which chains the court holds."""

    anchors: dict[Role, Digest]


def blind(matter: Matter, content: Deposited, entry: Entry) -> None:
    """The court holds all three chains."""
    if not {Role.ALICE, Role.BOB}.isdisjoint(matter.awaits):
        raise Malformed("the court can hold no deposit before Alice and Bob have named their anchors")
    if content.anchors != {role: matter.links[role].link for role in coins.DRAWERS}:
        raise Malformed("the deposited chains are not those whose anchors Alice, Bob and Trent have named")


def say(asked: Asked, decisions: Decisions) -> Said:
    """The anchors that were named."""
    return Said(content=Deposited(anchors=dict(asked.anchors)))


KIND = Kind(
    name="deposited",
    record=Deposited,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=nothing,
    asking=Asking(
        task="sign the terms and keep the three sealed deposits",
        question="to sign the terms of the matter, and to keep everyone's sealed share in the coins",
        shown=Shown.NONE,
        decision=Decision.NOTHING,
        say=say,
        silence=None,
    ),
    words=Words(called="signature of the terms", event=None),
)
