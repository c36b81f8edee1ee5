"""Validations of a matter: when one is due, what it draws from, and what its round makes of it.

Which documents are drawn follows from what Bob has seen, so only those who have the openings can tell. Everybody can
tell that a drawn document's coin is small enough.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ledger import coins
from ledger.entries import Release
from ledger.hashing import Digest
from ledger.records import Natural, Record
from ledger.roles import Audience, Role
from protocol.certificates.exact import threshold
from protocol.matter import validations
from protocol.matter.books import Case, Fate, Seat
from protocol.matter.rounds import Known, Round, Sort
from protocol.matter.state import Matter
from protocol.matter.validations import Certificate, Chances, Course, Plan, Tally
from protocol.matter.values import Link
from protocol.rules.base import Examination
from protocol.rules.terms import Positive, Terms, probability


class Drawn(Record, frozen=True, kw_only=True):
    """What a validation's draw gives: the content of `validation` and of `call`."""

    drawn: Link  # the draw, and Trent's link
    number: Positive  # of the validation
    numbers: tuple[Natural, ...]  # of the documents, ascending: its positions
    reviewed: tuple[Positive, ...]  # the positions whose documents were put up before; none in a `call`


def plan(terms: Terms) -> Plan | None:
    """What the terms say about validations; None if they ask for none."""
    found = terms.validation
    if found is None:
        return None
    return Plan(
        doubt=probability("doubt", terms.doubt),
        every=found.every,
        hits=found.hits,
        review=None if found.review is None else probability("review", found.review),
        show=probability("show", found.show),
        target=probability("target", found.target),
        window=found.window,
        least_yield=None if found.least_yield is None else probability("yield", found.least_yield),
    )


def due(matter: Matter) -> bool:
    """Whether a validation comes next, for those who have the openings."""
    agreed = plan(matter.terms)
    return agreed is not None and validations.due(agreed, course(matter))


def course(matter: Matter) -> Course:
    """Where the matter stands, as far as validations go."""
    return Course(
        yields=[each.confirmed for each in matter.batches],
        found=matter.confirmed,
        held=_held(matter),
        reached=matter.validated,
        ended=len(matter.batches) >= matter.terms.rounds or matter.exhausted,
        population=matter.opening.corpus.documents - _judged(matter),
        free=matter.free_draws,
    )


def _held(matter: Matter) -> list[int]:
    """For each validation, how many batch rounds were closed before it."""
    found, closed = [], 0
    for each in matter.rounds:
        closed += each.sort is Sort.BATCH
        if each.sort is Sort.VALIDATION:
            found.append(closed)
    return found


def held(matter: Matter) -> list[Round]:
    """The validations that have begun."""
    return [each for each in matter.rounds if each.sort is Sort.VALIDATION]


def _judged(matter: Matter) -> int:
    """How many documents Bob was shown, or the court has kept from him. No document is shown or kept twice."""
    return sum(len(each.looked_at) for each, _ in matter.closed)


def withheld(matter: Matter) -> int:
    """W: how many documents were put up that nobody but Alice has judged. Anybody can tell that."""
    return matter.put_up - _judged(matter)


def population(matter: Matter) -> Iterator[int]:
    """The numbers of the documents that a validation draws from, for those who can see them."""
    shown: set[int] = set()
    kept: set[int] = set()
    for each, _ in matter.closed:
        shown |= {each.places[position - 1].document for position in each.disclosed}
        kept |= {each.places[position - 1].document for position in each.privilege.withheld | each.kept}
    return validations.population(matter.opening.corpus.documents, shown=shown, kept=kept)


def never(matter: Matter) -> Iterator[int]:
    """The numbers of the documents that were never put up, for those who can see them."""
    put_up = matter.put_up_documents
    return (number for number in range(matter.opening.corpus.documents) if number not in put_up)


def drawn(matter: Matter, links: Mapping[Role, Digest], candidates: Iterable[int]) -> tuple[int, ...]:
    """Those of the candidates that the first draw takes, given all its links."""
    return tuple(coins.below(matter.seed(links), begin(matter).chances.first, candidates))


def largest_chance(agreed: Plan) -> int:
    """The largest chance that the first draw can have, whatever was found."""
    return threshold(agreed.show if agreed.review is None else agreed.review)


def to_bob(matter: Matter) -> tuple[Release, ...]:
    """What a validation releases: the numbers of all batches that Bob has not got yet."""
    found: list[Release] = []
    for each in matter.rounds:
        if each.sort is Sort.VALIDATION:
            found.clear()
        elif each.sort is Sort.BATCH and each.sources:
            entry, _ = each.sources[0]
            found.append(Release(audience=Audience.BOB, entry=entry, field="numbers", indices=None))
    return tuple(found)


def begin(matter: Matter, beforehand: frozenset[int] = frozenset()) -> "Validation":
    """The validation that begins now."""
    agreed = plan(matter.terms)
    if agreed is None:
        raise RuntimeError("the terms ask for no validations")
    number, found = len(held(matter)) + 1, matter.confirmed
    return Validation(
        plan=agreed,
        number=number,
        found=found,
        chances=validations.chances(agreed, number, found),
        never=matter.opening.corpus.documents - matter.put_up,
        withheld=withheld(matter),
        beforehand=beforehand,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What a validation rests on, as it begins: the procedure of its round."""

    plan: Plan
    number: int
    found: int  # F before it
    chances: Chances
    never: int  # documents of the population that were not put up before
    withheld: int  # and those that were
    beforehand: frozenset[int]  # the positions that Alice claimed in the report that first labelled them

    def examine(self, review: Round, coins: Sequence[int], known: Known) -> Examination:
        """What is due: in one stage everything, in two what Alice reports and what the second draw adds."""
        everything = range(1, review.size + 1)
        if self.chances.second is None:
            return _examination(frozenset(everything), frozenset(everything))
        if review.unreported:
            return _examination(frozenset(range(1, review.called + 1)), frozenset())
        drawn = frozenset(
            position
            for position in everything
            if not review.reported(position)
            and (position in known.counted or coins[position - 1] < self.chance(review, position))
        )
        return _examination(drawn | {position for position in everything if review.reported(position)}, drawn)

    def chance(self, review: Round, position: int) -> int:
        """With which chance the last draw shows a position that Alice labels not responsive."""
        second = self.chances.second
        return self.chances.withheld if second is None or position > review.called else second

    def certificate(self, review: Round) -> Certificate | None:
        """What the closed round proves; nothing if the report on what was called never came."""
        proven = self._by_coins(review)
        return (
            None if proven is None else validations.within(self.plan, proven, self.found + self.never + self.withheld)
        )

    def _by_coins(self, review: Round) -> Certificate | None:
        if self.chances.second is None:
            everything = tally(review, range(1, review.size + 1))
            return validations.one_stage(self.plan, self.number, found=self.found, shown=everything)
        if review.unreported:
            return None
        called = range(1, review.called + 1)
        return validations.two_stages(
            self.plan,
            self.number,
            found=self.found,
            reported=tally(review, [position for position in called if review.reported(position)]),
            called=tally(review, [position for position in called if not review.reported(position)]),
            withheld=tally(review, range(review.called + 1, review.size + 1)),
        )

    def cases(self, review: Round, coins: Sequence[int]) -> dict[Seat, Case]:
        """What the draw makes of what was withheld before, for the books."""
        found = {}
        for position, seat in enumerate(review.seats or (), start=1):
            if seat is not None:
                found[seat] = Case(
                    coin=coins[position - 1],
                    fate=review.fate(position),
                    beforehand=position in self.beforehand,
                    late=position in review.privilege.late,
                )
        return found


def tally(review: Round, positions: Iterable[int]) -> Tally:
    """What came of these positions."""
    fates = [review.fate(position) for position in positions]
    return Tally(hits=fates.count(Fate.RESPONSIVE), unread=fates.count(Fate.UNREAD))


def _examination(due: frozenset[int], drawn: frozenset[int]) -> Examination:
    return Examination(threshold=0, error=0, due=due, chances={}, drawn=drawn)
