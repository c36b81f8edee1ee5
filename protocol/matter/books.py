"""The books of a matter: hits D, credit K, and the exposure C of each withheld document, all in 2^-64.

The certificate of the reviewed rests on them. They are kept so that D is at least the number of hits, and credit and
exposures are at most the time that the documents were on test; then its bound holds, whatever Alice did:

- A drawn position that is settled as responsive is a hit. So is one that Bob did not read, or that Alice claimed as
  privileged when she knew that it was drawn: nobody can tell that it was none.
- Credit is given only for what is settled as responsive and stood the test, not for what she claimed as privileged
  beforehand: what the court upholds of that is left out, and the rest must not count more.
- What stays withheld was exposed to one more draw.

Under the paper's rules only the list of the withheld is kept: no draw, no exposure.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NamedTuple

from protocol.certificates.exact import cost
from protocol.certificates.reviewed import Standing


class Seat(NamedTuple):
    """Where Alice labelled a document first; in this order she reviewed them."""

    round: int
    position: int


class Fate(Enum):
    """What became of a position in a round."""

    HIDDEN = auto()  # nobody but Alice saw it
    RESPONSIVE = auto()  # Bob and Alice agree, or the court says so
    NOT_RESPONSIVE = auto()
    UNREAD = auto()  # shown to Bob, who did not answer
    UPHELD = auto()  # as privileged


class Case(NamedTuple):
    """One position that Alice labelled not responsive, as a draw leaves it."""

    coin: int
    fate: Fate
    beforehand: bool = False  # whether she claimed privilege for it in the report that first labelled it
    late: bool = False  # whether she claimed it when the coins were fixed


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """What the closed rounds have brought."""

    hits: int = 0  # D
    credit: int = 0  # K
    exposures: Mapping[Seat, int] = field(default_factory=dict)  # C of each withheld document, in the order of review

    def standing(self, found: int) -> Standing:
        """What a certificate rests on, with F found."""
        return Standing(found=found, hits=self.hits, credit=self.credit, exposures=Counter(self.exposures.values()))


def checked(books: Books, chance: int, cases: Mapping[Seat, Case]) -> Books:
    """The books after the spot check of new documents: all that Alice labelled not responsive in a report.

    They come in the order of positions, behind all that was labelled before, so the order of review is kept.
    """
    return _drawn(books, chance, dict.fromkeys(cases, 0), cases)


def drawn_again(books: Books, chance: int | None, cases: Mapping[Seat, Case]) -> Books:
    """The books after one more draw of all that is withheld; what has no case was not drawn, and stays withheld.

    Without a draw (None) documents only leave.
    """
    if chance is None:
        return _without(books, cases)
    untouched = {seat: each for seat, each in books.exposures.items() if seat not in cases}
    exposed = {seat: books.exposures[seat] for seat in cases}
    after = _drawn(replace(books, exposures={}), chance, exposed, cases)
    stay = {seat: each + cost(chance) for seat, each in untouched.items()} | dict(after.exposures)
    return replace(after, exposures={seat: stay[seat] for seat in books.exposures if seat in stay})


def given_up(books: Books, cases: Mapping[Seat, Case]) -> Books:
    """The books after Alice gave documents up: each was on test for as long as it was withheld."""
    if not cases:
        return books
    credit = sum(
        books.exposures[seat] for seat, case in cases.items() if case.fate is Fate.RESPONSIVE and not case.beforehand
    )
    left = {seat: each for seat, each in books.exposures.items() if seat not in cases}
    return replace(books, credit=books.credit + credit, exposures=left)


def checked_as_one(books: Books, chance: int, cases: Mapping[Seat, Case]) -> Books:
    """The books after a spot check in which the first hit brings the whole batch, so that there is one hit at most."""
    hidden = {seat: 0 for seat, case in cases.items() if case.fate is Fate.HIDDEN}
    if any(case.coin < chance and _untold(case) for case in cases.values()):
        return replace(books, hits=books.hits + 1, exposures={**books.exposures, **hidden})
    responsive = [case for case in cases.values() if case.fate is Fate.RESPONSIVE]
    least = min((case.coin for case in responsive), default=chance)
    if least >= chance:
        return checked(books, chance, cases)
    credit = cost(least) * sum(not case.beforehand for case in responsive)
    return replace(
        books,
        hits=books.hits + 1,
        credit=books.credit + credit,
        exposures={**books.exposures, **hidden},
    )


def _drawn(books: Books, chance: int, before: Mapping[Seat, int], cases: Mapping[Seat, Case]) -> Books:
    """One draw of these documents, which were exposed so much before it."""
    hits, credit, exposures = books.hits, books.credit, dict(books.exposures)
    for seat, case in cases.items():
        if case.coin < chance:
            hits += case.fate is Fate.RESPONSIVE or _untold(case)
            if case.fate is Fate.RESPONSIVE and not case.beforehand:
                credit += before[seat] + cost(case.coin)
        elif case.fate is Fate.HIDDEN:
            exposures[seat] = before[seat] + cost(chance)
        elif case.fate is Fate.RESPONSIVE:  # shown all the same
            credit += before[seat] + cost(chance)
    return Books(hits=hits, credit=credit, exposures=exposures)


def _untold(case: Case) -> bool:
    """Whether nobody can tell that a drawn position was no hit."""
    return case.fate is Fate.UNREAD or (case.fate is Fate.UPHELD and case.late)


def _without(books: Books, cases: Mapping[Seat, Case]) -> Books:
    gone = {seat for seat, case in cases.items() if case.fate is not Fate.HIDDEN}
    return replace(books, exposures={seat: each for seat, each in books.exposures.items() if seat not in gone})
