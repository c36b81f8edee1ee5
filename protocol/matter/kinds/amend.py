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
    """So many rounds can be held, and are not agreed yet."""
    requirements.of_round(entry, 0)
    most = min(terms.LONGEST, matter.terms.draws // 2)
    if content.rounds == matter.terms.rounds:
        raise Malformed(f"{content.rounds} rounds are agreed already")
    if not matter.begun <= content.rounds <= most:
        raise Malformed(f"{content.rounds} rounds; from {max(1, matter.begun)} to {most} can be agreed now")


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
