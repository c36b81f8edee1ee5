"""`amend`: another number of rounds, if all accept."""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements, terms
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Amendment, Matter
from protocol.rules.terms import Positive


class Amend(Record, frozen=True, kw_only=True):
    """What is proposed."""

    rounds: Positive


def blind(matter: Matter, content: Amend, entry: Entry) -> None:
    """The number of rounds is possible, and differs from the number agreed on now."""
    requirements.of_round(entry, 0)
    most = min(terms.LONGEST, (matter.terms.draws - matter.skipped) // 2)
    if content.rounds == matter.terms.rounds:
        raise Malformed(f"{content.rounds} rounds are agreed on already")
    if not matter.begun <= content.rounds <= most:
        raise Malformed(f"{content.rounds} rounds cannot be agreed on now, only {max(1, matter.begun)} to {most}")


def take(matter: Matter, content: Amend, entry: Entry) -> None:
    """All are asked."""
    matter.amendment = Amendment(rounds=content.rounds)


KIND = Kind(
    name="amend",
    record=Amend,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "amended", Role.BOB: "amended", Role.COURT: "amended"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="amendment", event=None),
)
