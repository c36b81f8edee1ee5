"""A validation: when one is due, with which chances it draws, and what it proves (specification, "Validations").

Everything here follows from the terms and from counts. Which documents are drawn follows from the coins and from the
population, which the replay knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from verifier.certificates.collection import alpha, least_rate, most, two_stages
from verifier.certificates.exact import ONE, threshold
from verifier.rules.terms import Validation


class Held(NamedTuple):
    """A validation that was held: after how many batch rounds, and whether it reached its target."""

    after: int
    reached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What decides whether a validation is due, between two rounds."""

    brought: Sequence[int]  # what each closed batch round brought: shown in it and settled as responsive
    found: int  # F
    at_its_end: bool  # T batch rounds are closed, or no document is left
    population: int
    free_draws: int
    held: Sequence[Held]


def draws_needed(terms: Validation) -> int:
    """How many draws must be free when a validation begins."""
    return 1 if terms.review is None else 2


def is_due(terms: Validation, course: Course) -> bool:
    """Whether a validation is due: at most once after each batch round, and none after one that reached its target."""
    rounds, held = len(course.brought), course.held
    if not rounds or not course.population or course.free_draws < draws_needed(terms):
        return False
    if any(each.reached or each.after == rounds for each in held):
        return False
    return course.at_its_end or _is_scheduled(terms, course)


def _is_scheduled(terms: Validation, course: Course) -> bool:
    """Whether one is due before the end: by the count of rounds, or first when the last ones brought little."""
    rounds = len(course.brought)
    if terms.yield_ is None:
        return rounds % terms.every == 0
    if course.held:
        since = rounds - course.held[0].after
        return since > 0 and since % terms.every == 0
    return rounds >= terms.window and sum(course.brought[-terms.window :]) <= Fraction(terms.yield_) * course.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """With which chances a validation draws, of 2^64."""

    first: int  # of the first draw: τ in one stage, R in two
    checked: int | None  # S: to be shown a called document that Alice labels as not responsive; None in one stage
    withheld: int  # τ or X: to be shown a withheld document


def chances(terms: Validation, doubt: Fraction, number: int, found: int) -> Chances:
    """The chances of validation `number`, fixed by the record before its draw."""
    show = Fraction(terms.show)
    if terms.review is not None:
        called, checked = threshold(Fraction(terms.review)), threshold(show)
        return Chances(first=called, checked=checked, withheld=called * checked // ONE)
    chance = threshold(show)
    if terms.hits is not None:
        chance = least_rate(found, terms.hits, Fraction(terms.target), alpha(doubt, number), show)
    return Chances(first=chance, checked=None, withheld=chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finds:
    """Positions of a validation that are settled as responsive, and those that Bob left unread.

    In one stage nothing is reported, and it does not matter whether a document was withheld before.
    """

    reported: int = 0  # a: called, with the label true
    hits: int = 0  # d; in two stages q: called, with the label false
    withheld: int = 0  # q': withheld before the validation
    unread_reported: int = 0
    unread_hits: int = 0
    unread_withheld: int = 0

    @property
    def settled(self) -> int:
        """All that are settled as responsive."""
        return self.reported + self.hits + self.withheld

    @property
    def unread(self) -> int:
        """All that Bob left unread."""
        return self.unread_reported + self.unread_hits + self.unread_withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """What a validation proves: at most so many responsive documents in all, and missing after it. None: nothing."""

    total: int | None
    at_most: int | None
    reached: bool


NOTHING_PROVEN = Proven(total=None, at_most=None, reached=False)
"""A validation in two stages for which Alice gave no report."""


def proven(terms: Validation, doubt: Fraction, number: int, found: int, finds: Finds, population: int) -> Proven:
    """What validation `number` of so many documents proves, if Bob had `found` responsive ones before it."""
    share, settled, used = alpha(doubt, number), finds.settled, chances(terms, doubt, number, found)
    if terms.review is None:
        total = found + most(settled + finds.unread, used.first, share)
    else:
        missing = two_stages(
            Fraction(terms.review),
            Fraction(terms.show),
            share,
            finds.reported + finds.unread_reported,
            finds.hits + finds.unread_hits,
            finds.withheld + finds.unread_withheld,
        )
        total = found + settled + finds.unread + missing.at_most
    total = min(total, found + population)
    reached = reaches(Fraction(terms.target), found + settled, total)
    return Proven(total=total, at_most=total - found - settled, reached=reached)


def reaches(target: Fraction, found: int, total: int) -> bool:
    """Whether so many of at most `total` documents are the target's share of them."""
    return found * target.denominator >= target.numerator * total


def missing_at_most(at_most: Sequence[int | None], unreviewed: int, hidden: int) -> int | None:
    """What the collection can miss at most: by the best of all validations, else by the certificate of the reviewed.

    What Bob was shown after a validation is not taken off: it may be privileged, and then it was never counted as
    missing. Without a validation, nothing is known of documents that were never put up.
    """
    known = [each for each in at_most if each is not None]
    return min(known) if known else None if unreviewed else hidden
