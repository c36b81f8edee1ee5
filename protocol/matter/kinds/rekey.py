"""`rekey`: a new key for Alice or Bob, if the court grants it."""

from ledger.keys import PublicKey
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter, Rekeying

REPLACEABLE = (Role.ALICE, Role.BOB)
"""Who may get a new key. Nobody stands above the court and Trent to order one for them."""


class Rekey(Record, frozen=True, kw_only=True):
    """Which key, and whose."""

    key: PublicKey
    role: Role


def blind(matter: Matter, content: Rekey, entry: Entry) -> None:
    """The key is new to the matter."""
    requirements.of_round(entry, 0)
    if content.role not in REPLACEABLE:
        raise Malformed(f"{content.role.called}'s key is never replaced, only Alice's and Bob's")
    if content.key in matter.keys.values():
        raise Malformed(f"the new key of {content.role.called} already belongs to a party")
    if content.key in matter.former_keys:
        raise Malformed(f"the new key of {content.role.called} is one that the court has replaced; make another")
    if matter.skips_draw(content.role) and matter.free_draws < 1:
        raise Malformed(
            "a new key of Alice's while she owes a report or a look costs one draw, and the terms have none to spare. "
            "Let her answer with her present key, or have all parties amend the matter to fewer rounds first"
        )


def take(matter: Matter, content: Rekey, entry: Entry) -> None:
    """The court is asked."""
    matter.rekeying = Rekeying(role=content.role, key=content.key)


KIND = Kind(
    name="rekey",
    record=Rekey,
    authors=(Role.TRENT,),
    when=When.BESIDE_PARTIES,
    asks={Role.COURT: "rekeyed"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="request for a new key", event=None),
)
