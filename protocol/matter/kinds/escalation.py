"""`escalation`: all that is withheld is drawn again, because the certificate of the reviewed does not meet its target.

Its positions are the withheld documents in the order of review. It seals nothing: Alice and the court have them all.
"""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import course, requirements
from protocol.matter.course import Next
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.privilege_log import PrivilegeLog
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter, still_claimed
from protocol.rules.spot_check import SpotCheck
from protocol.rules.terms import Positive


class Escalated(Record, frozen=True, kw_only=True):
    """How many documents are withheld."""

    size: Positive


def blind(matter: Matter, content: Escalated, entry: Entry) -> None:
    """The rule has escalations, and one can begin here."""
    requirements.next_round(matter, entry)
    if not isinstance(matter.rule, SpotCheck):
        raise Malformed("the protocol has no escalations")
    if matter.drawing is not None or not matter.batches or matter.free_draws < course.DRAWS_OF_AN_ESCALATION:
        raise Malformed("no escalation can begin here")


def check(matter: Matter, content: Escalated, entry: Entry) -> None:
    """An escalation is due, and is about all that is withheld."""
    requirements.comes_next(matter, Next.ESCALATION)
    withheld = len(matter.books.exposures)
    if content.size != withheld:
        raise Malformed(f"it is about {content.size} documents, but {withheld} are withheld")


def take(matter: Matter, content: Escalated, entry: Entry) -> None:
    """A round begins."""
    review = Round(
        number=entry.statement.round,
        sort=Sort.ESCALATION,
        size=content.size,
        documents=None,
        sources=None,
        seats=None,
        items=range(1, content.size + 1),
        fresh=frozenset(),
        privilege=PrivilegeLog(from_before=frozenset(range(1, content.size + 1))),
    )
    if entry.openings is not None and isinstance(matter.rule, SpotCheck):
        withheld = matter.withheld()
        review.documents = tuple(each.place for each in withheld)
        review.sources = tuple(each.source for each in withheld)
        review.seats = tuple(each.seat for each in withheld)
        review.privilege = still_claimed(dict(enumerate(withheld, start=1)))
        review.procedure = course.escalation(matter, matter.rule, withheld)
    matter.begin_round(review)


def event(content: Escalated) -> str:
    """What happens."""
    documents = "1 document" if content.size == 1 else f"{content.size} documents"
    return f"the target is not reached: coins draw again from what is withheld, {documents}"


KIND = Kind(
    name="escalation",
    record=Escalated,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "look"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="escalation", event=event),
)
