"""`validation`: documents drawn from everything that Bob has not seen, reviewed or not; all of them are due.

Sealed, if any is drawn: `documents`, a `Place` each, for Alice and the court. Releases to Bob which documents were in
the batches so far, so that he can tell what was drawn from.
"""

from collections.abc import Iterable
from itertools import pairwise

from ledger import records
from ledger.hashing import Digest
from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import requirements, validating
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.privilege_log import PrivilegeLog
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter, still_claimed
from protocol.matter.validating import Drawn
from protocol.matter.values import OWNERS, Place
from protocol.rules.base import Report

ONE_STAGE = 1


def blind(matter: Matter, content: Drawn, entry: Entry) -> None:
    """A validation in one stage can begin here, and every document in it was drawn."""
    check_begin(matter, content, entry, ONE_STAGE)
    if content.reviewed:
        _check_ascending(content.reviewed, len(content.numbers) + 1, "positions")


def check_begin(matter: Matter, content: Drawn, entry: Entry, stages: int) -> None:
    """A validation begins with the entry, as far as anybody can tell."""
    requirements.next_round(matter, entry)
    agreed = validating.plan(matter.terms)
    if agreed is None or agreed.stages != stages:
        raise Malformed("the terms ask for no validation of this form")
    if matter.drawing is None or matter.drawing.sort not in (None, Sort.VALIDATION):
        raise Malformed("a validation needs a draw of its own")
    requirements.link(matter, Role.TRENT, matter.draws, content.drawn)
    due = len(validating.held(matter)) + 1
    if content.number != due:
        raise Malformed(f"it is validation {due}, not {content.number}")
    _check_ascending(content.numbers, matter.opening.corpus.documents, "documents of the corpus")
    if any(coin >= validating.largest_chance(agreed) for coin in _coins(matter, content)):
        raise Malformed("it names a document that its coin does not draw")
    requirements.sealed(entry, "documents", len(content.numbers))
    if entry.releases != validating.to_bob(matter):
        raise Malformed("it must release to Bob the numbers of the batches since the last validation, and nothing else")


def _check_ascending(found: tuple[int, ...], end: int, what: str) -> None:
    if found and (found[-1] >= end or any(one >= other for one, other in pairwise(found))):
        raise Malformed(f"it must name {what}, in order")


def _coins(matter: Matter, content: Drawn) -> tuple[int, ...]:
    """The coins of the documents that it names."""
    return tuple(matter.coins(_links(matter, content), content.numbers))


def _links(matter: Matter, content: Drawn) -> dict[Role, Digest]:
    return {**matter.links_of_draw(), Role.TRENT: content.drawn.link}


def check(matter: Matter, content: Drawn, entry: Entry) -> None:
    """It names all of the population that the coins draw, and says which of them were put up before."""
    put_up = matter.put_up_documents
    check_numbers(matter, content, entry, validating.population(matter))
    reviewed = tuple(place for place, number in enumerate(content.numbers, start=1) if number in put_up)
    if content.reviewed != reviewed:
        raise Malformed(f"the positions {reviewed} were put up before, not {content.reviewed}")


def check_numbers(matter: Matter, content: Drawn, entry: Entry, candidates: Iterable[int]) -> None:
    """A validation is due; of the candidates it names those that the coins draw, and seals their places."""
    if matter.drawing is None or matter.drawing.sort is not Sort.VALIDATION:
        raise Malformed("the draw was for a batch")
    numbers = validating.drawn(matter, _links(matter, content), candidates)
    if content.numbers != numbers:
        raise Malformed(f"it names {len(content.numbers)} documents, which are not the {len(numbers)} that coins draw")
    if tuple(place.document for place in places(entry)) != content.numbers:
        raise Malformed("it seals other documents than it names")


def take(matter: Matter, content: Drawn, entry: Entry) -> None:
    """A round begins. Alice has labelled none of its positions in it, which counts as not responsive."""
    size, flips = len(content.numbers), _coins(matter, content)
    review = Round(
        number=entry.statement.round,
        sort=Sort.VALIDATION,
        size=size,
        documents=None,
        sources=tuple((entry.sequence, index) for index in range(size)),
        seats=None,
        items=content.numbers,
        fresh=frozenset(range(1, size + 1)) - frozenset(content.reviewed),
        report=Report(labels=(False,) * size),
        flips=flips,
        privilege=PrivilegeLog(from_before=frozenset(content.reviewed)),
        may_classify=True,
        court_looks=matter.terms.validation is not None and matter.terms.validation.viewer == "court",
    )
    if entry.openings is not None:
        before = {each.place.document: each for each in matter.withheld()}
        found = [before.get(number) for number in content.numbers]
        review.documents = places(entry)
        review.seats = tuple(None if each is None else each.seat for each in found)
        review.privilege = still_claimed({place: each for place, each in enumerate(found, start=1) if each is not None})
        review.procedure = validating.begin(matter, review.privilege.beforehand)
    begin(matter, content, review)


def begin(matter: Matter, content: Drawn, review: Round) -> None:
    """The draw has ended with Trent's link, and the round begins."""
    matter.spend(Role.TRENT, content.drawn.link)
    matter.drawing = None
    matter.begin_round(review)


def places(entry: Entry) -> tuple[Place, ...]:
    """The documents that it seals, for those who can see them."""
    return tuple(records.from_values(Place, entry.values("documents")))


def event(content: Drawn) -> str:
    """What happens."""
    return f"validation {content.number} of the whole collection: {len(content.numbers)} documents are drawn"


KIND = Kind(
    name="validation",
    record=Drawn,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "claim"},
    seals={"documents": OWNERS},
    optional=("documents",),  # missing if none is drawn
    releases=True,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="validation", event=event),
)
