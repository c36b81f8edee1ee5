"""`reclaim`: which of the documents that Bob was shown Alice asks back.

Sealed for Alice, Bob and the court, if she asks any back: `privilege`, a basis each. Bob must know why he has to keep a
document apart until the court has ruled.
"""

from itertools import pairwise

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown
from protocol.matter.books import Seat
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import Matter
from protocol.matter.values import PARTIES
from protocol.rules.terms import Positive


class ShownAt(Record, frozen=True, kw_only=True):
    """Where Bob was shown a document."""

    position: Positive
    round: Positive

    @property
    def seat(self) -> Seat:
        """The same, as the state has it."""
        return Seat(self.round, self.position)


class Reclaim(Record, frozen=True, kw_only=True):
    """What Alice asks back, in the order of rounds and positions; perhaps nothing."""

    documents: tuple[ShownAt, ...]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The same, as the state has it."""
        return tuple(each.seat for each in self.documents)


def blind(matter: Matter, content: Reclaim, entry: Entry) -> None:
    """Bob was shown each document, none was asked back before, and each has a basis."""
    seats = content.seats
    if not all(one < other for one, other in pairwise(seats)):
        raise Malformed("it must name documents in the order of rounds and positions, each once")
    if not matter.may_be_asked_back(seats):
        raise Malformed("only documents that Bob was shown can be asked back, and each of them once")
    requirements.sealed(entry, "privilege", len(seats))


def check(matter: Matter, content: Reclaim, entry: Entry) -> None:
    """Each basis is a text that fits a log."""
    values = entry.values("privilege")
    requirements.bases(matter, values, classes=False)
    if any(value is None for value in values):
        raise Malformed("each document that is asked back needs a basis")


def take(matter: Matter, content: Reclaim, entry: Entry) -> None:
    """The court is asked about these."""
    matter.clawbacks.ask(entry.sequence, content.seats)


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Nothing is asked back."""


def say(asked: Asked, decisions: Decisions) -> Said:
    """What she asks back, of the documents that the question lists."""
    claims = dict(sorted((decisions.claims or {}).items()))
    if not claims.keys() <= set(range(1, len(asked.shown) + 1)):
        raise Refused(f"documents are asked back by their number in the list, from 1 to {len(asked.shown)}")
    seats = [asked.shown[number - 1] for number in claims]
    content = Reclaim(documents=tuple(ShownAt(position=seat.position, round=seat.round) for seat in seats))
    if not claims:
        return Said(content=content)
    fields = {"privilege": list(claims.values())}
    sealed, openings = asked.sealed(f"reclaim/{asked.hash.hex()}", KIND.seals, fields)
    return Said(content=content, sealed=sealed, openings=openings)


def event(content: Reclaim) -> str:
    """How much is asked back."""
    number = len(content.documents)
    return f"Alice asks for {number} document{'' if number == 1 else 's'} back" if number else ""


KIND = Kind(
    name="reclaim",
    record=Reclaim,
    authors=(Role.ALICE,),
    when=When.ASKED,
    asks={Role.COURT: "returned"},
    asks_about="documents",
    seals={"privilege": PARTIES},
    optional=("privilege",),  # missing if nothing is asked back
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="say which documents that Bob was shown are asked back",
        question="which of the documents that Bob was shown are asked back as privileged",
        shown=Shown.DISCLOSED,
        decision=Decision.RECLAIM,
        say=say,
        silence=Granted(words="nothing is asked back", take=silenced),
    ),
    words=Words(called="answer about what to claw back", event=event),
)
