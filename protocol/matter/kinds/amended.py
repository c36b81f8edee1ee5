"""`amended`: whether one party accepts what is proposed. When all have, it is in force.

Another limit of escalations, with the same number of rounds, needs the court alone.
"""

from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Role
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown, yes_or_no
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Amendment, Matter

VOTERS = (Role.ALICE, Role.BOB, Role.COURT)


class Amended(Record, frozen=True, kw_only=True):
    """There is nothing to check: its author may accept or reject."""

    accepted: bool


def take(matter: Matter, content: Amended, entry: Entry) -> None:
    """The answer counts."""
    _vote(matter, entry.statement.author, accepted=content.accepted)


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Silence rejects."""
    _vote(matter, absent, accepted=False)


def _vote(matter: Matter, role: Role, *, accepted: bool) -> None:
    """When all have answered, the amendment is in force, or it has failed."""
    amendment = matter.amendment
    if amendment is None:
        return
    amendment.accepted[role] = accepted
    if amendment.accepted.keys() == set(VOTERS):
        matter.amendment = None
        by_court = amendment.rounds == matter.terms.rounds and amendment.accepted[Role.COURT]
        if by_court or all(amendment.accepted.values()):
            _change(matter, amendment)


def _change(matter: Matter, amendment: Amendment) -> None:
    """The proposal is in force. With another limit, escalations can go on."""
    if amendment.limit != matter.terms.limit_in_force:
        matter.limit_used_up = False
    matter.terms = matter.terms.amended(amendment.rounds, amendment.limit)


def say(asked: Asked, decisions: Decisions) -> Said:
    """Whether the party accepts."""
    return Said(content=Amended(accepted=yes_or_no(decisions.accepted)))


KIND = Kind(
    name="amended",
    record=Amended,
    authors=VOTERS,
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=nothing,
    check=nothing,
    take=take,
    asking=Asking(
        task="accept or reject an amendment: {change}",
        question="to accept or reject another number of rounds, or another limit",
        shown=Shown.NONE,
        decision=Decision.ACCEPT,
        say=say,
        silence=Granted(words="the party counts as having rejected the change", take=silenced),
    ),
    words=Words(called="answer on the amendment", event=None),
)
