"""Escalations: all that is withheld is drawn again, until the certificate of the reviewed meets its target.

Alice first gets a second look: what she gives up is shown to Bob. Then the books, with that in them, say with which
chance the rest is drawn. The chance is fixed before the coins are known, and nothing that happens later in the round
changes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol.certificates import reviewed
from protocol.matter import books as entries
from protocol.matter.books import Books, Case, Fate, Seat
from protocol.matter.rounds import Known, Round
from protocol.rules.base import Examination


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """With which chance an escalation draws what was not given up."""

    coins: int  # how many coins draw; 0: there is nothing to draw
    met: bool = False  # whether the target is met without a draw
    lowered: bool = False  # whether the limit lowered it, and is used up thereby


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """What an escalation rests on, as it begins."""

    books: Books
    found: int  # F
    target: Fraction
    doubt: Fraction
    allowance: int  # how many documents the limit still lets draws show
    seats: tuple[Seat, ...]  # by position
    beforehand: frozenset[int]  # the positions that Alice claimed in the report that first labelled them

    def examine(self, review: Round, coins: Sequence[int], known: Known) -> Examination:
        """First what was given up is due; once it is settled, what the coins draw, and what is claimed late."""
        given_up = review.given_up
        drawn: frozenset[int] = frozenset()
        if given_up <= known.settled.keys() | known.withheld:
            chance = self.chance(given_up, known)
            if not chance.met:
                by_coin = {position for position, coin in enumerate(coins, start=1) if coin < chance.coins}
                drawn = frozenset(by_coin | known.counted) - given_up
        return Examination(threshold=0, error=0, due=given_up | drawn, chances={}, drawn=drawn)

    def chance(self, given_up: frozenset[int], known: Known) -> Chance:
        """The chance of the draw, once all that was given up is settled, unread or upheld.

        What Bob left unread is neither found nor credited: only Alice calls it responsive.
        """
        found = {position for position in given_up - known.unread if known.settled.get(position)}
        cases = {
            self.seats[position - 1]: Case(
                coin=0,
                fate=Fate.RESPONSIVE if position in found else Fate.NOT_RESPONSIVE,
                beforehand=position in self.beforehand,
            )
            for position in given_up
        }
        standing = entries.given_up(self.books, cases).standing(self.found + len(found))
        if not standing.withheld or reviewed.certify(standing, self.target, self.doubt).met:
            return Chance(coins=0, met=True)
        wanted = reviewed.next_chance(standing, self.target, self.doubt)
        coins, lowered = reviewed.capped(wanted, standing.withheld, self.allowance)
        return Chance(coins=coins, lowered=lowered)

    def close(self, review: Round, coins: Sequence[int] | None) -> Books:
        """The books after the round; without coins there was no draw."""
        cases = {
            self.seats[position - 1]: Case(
                coin=coins[position - 1] if coins else 0,
                fate=review.fate(position),
                beforehand=position in self.beforehand,
                late=position in review.privilege.late,
            )
            for position in sorted(review.looked_at)
        }
        given_up = {self.seats[position - 1] for position in review.given_up}
        after = entries.given_up(self.books, _only(cases, given_up))
        chance = self.chance(review.given_up, review.known).coins if coins else None
        return entries.drawn_again(after, chance, _only(cases, cases.keys() - given_up))


def _only(cases: Mapping[Seat, Case], seats: Iterable[Seat]) -> dict[Seat, Case]:
    return {seat: cases[seat] for seat in seats}
