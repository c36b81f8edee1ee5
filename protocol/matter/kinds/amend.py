"""`amend`: another number of rounds, if all accept; or another limit of escalations, if all or the court accepts."""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.errors import BadTerms
from protocol.matter import requirements, terms
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Amendment, Matter
from protocol.rules.terms import Positive, share


class Amend(Record, frozen=True, kw_only=True):
    """What is proposed, as it would be in force."""

    limit: str | None  # a decimal; None: the rule has no limit
    rounds: Positive


def blind(matter: Matter, content: Amend, entry: Entry) -> None:
    """What is proposed is possible, and differs from what is agreed on now."""
    requirements.of_round(entry, 0)
    check_possible(matter, content)


def check_possible(matter: Matter, content: Amend) -> None:
    """Raise unless this can be proposed now."""
    now = matter.terms
    if (content.limit is None) != (now.limit_in_force is None):
        raise Malformed("a limit is proposed if the protocol has one, and only then")
    if content.limit is not None:
        _check_limit(content.limit)
    if (content.rounds, content.limit) == (now.rounds, now.limit_in_force):
        same = "" if content.limit is None else f" and a limit of {content.limit}"
        raise Malformed(f"{content.rounds} rounds{same} are agreed on already")
    if content.rounds == now.rounds:
        return
    most = min(terms.LONGEST, now.rounds + matter.free_draws // 2)
    if not matter.begun <= content.rounds <= most:
        raise Malformed(f"{content.rounds} rounds cannot be agreed on now, only {max(1, matter.begun)} to {most}")


def _check_limit(limit: str) -> None:
    try:
        share("limit", limit)
    except BadTerms as error:
        raise Malformed(str(error)) from None


def take(matter: Matter, content: Amend, entry: Entry) -> None:
    """All are asked."""
    matter.amendment = Amendment(rounds=content.rounds, limit=content.limit)


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
