"""`call`: the first stage of a validation, documents that were never put up, drawn for Alice to label.

The round's positions are these, and after them all that is withheld, which the second draw draws again. Sealed, if any
is called: `documents`, a `Place` each, for Alice and the court. Releases to Bob which documents were in the batches so
far, so that he can tell what was drawn from.
"""

from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import validating
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.kinds import validation
from protocol.matter.privilege_log import PrivilegeLog
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter, still_claimed
from protocol.matter.validating import Drawn
from protocol.matter.values import OWNERS

TWO_STAGES = 2


def blind(matter: Matter, content: Drawn, entry: Entry) -> None:
    """A validation in two stages can begin here, and every document in it was called."""
    validation.check_begin(matter, content, entry, TWO_STAGES)
    if content.reviewed:
        raise Malformed("what was put up before is not called again")


def check(matter: Matter, content: Drawn, entry: Entry) -> None:
    """It names all that the coins call of what was never put up."""
    validation.check_numbers(matter, content, entry, validating.never(matter))


def take(matter: Matter, content: Drawn, entry: Entry) -> None:
    """A round begins, with what is withheld after what is called."""
    called, more = len(content.numbers), validating.withheld(matter)
    review = Round(
        number=entry.statement.round,
        sort=Sort.VALIDATION,
        size=called + more,
        documents=None,
        sources=None,
        seats=None,
        items=None,
        fresh=frozenset(range(1, called + 1)),
        called=called,
        privilege=PrivilegeLog(from_before=frozenset(range(called + 1, called + more + 1))),
    )
    if entry.openings is not None:
        before = matter.withheld()
        here = tuple((entry.sequence, index) for index in range(called))
        review.documents = (*validation.places(entry), *(each.place for each in before))
        review.sources = (*here, *(each.source for each in before))
        review.seats = (*[None] * called, *(each.seat for each in before))
        review.items = tuple(place.document for place in review.documents)
        review.privilege = still_claimed(dict(enumerate(before, start=called + 1)))
        review.procedure = validating.begin(matter, review.privilege.beforehand)
    validation.begin(matter, content, review)


def event(content: Drawn) -> str:
    """What happens."""
    return f"validation {content.number} of the whole collection: {len(content.numbers)} documents are called"


KIND = Kind(
    name="call",
    record=Drawn,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "report"},
    seals={"documents": OWNERS},
    optional=("documents",),  # missing if none is called
    releases=True,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="call for a validation", event=event),
)
