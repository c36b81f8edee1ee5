"""`privilege`: whether the court upholds each of the claims that it was asked about.

Of a class, and of what nobody claims, upheld means that the document is not responsive, so that Bob does not get it.
"""

from ledger.records import Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter


class Privilege(Record, frozen=True, kw_only=True):
    """The court's rulings, in the order of the claims."""

    upheld: tuple[bool, ...]


def blind(matter: Matter, content: Privilege, entry: Entry) -> None:
    """It rules on all that it was asked about."""
    requirements.count("rulings", len(content.upheld), matter.rounds[-1].privilege.asked)


def take(matter: Matter, content: Privilege, entry: Entry) -> None:
    """What is upheld is withheld from Bob."""
    matter.rounds[-1].hear(content.upheld)


def say(asked: Asked, decisions: Decisions) -> Said:
    """The court's rulings on the claims."""
    return Said(content=Privilege(upheld=tuple(decided(decisions.upheld, asked.statement.content["positions"]))))


KIND = Kind(
    name="privilege",
    record=Privilege,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=Asking(
        task="rule on the {asked} that the court alone reads",
        question="to rule on documents that the court alone reads",
        shown=Shown.NAMED,
        decision=Decision.UPHELD,
        say=say,
        silence=None,
    ),
    words=Words(called="rulings on privilege", event=None),
)
