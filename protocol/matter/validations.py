"""When a validation of the whole collection is due, with which chance it draws, and what it certifies.

A validation draws from everything that Bob has not seen, reviewed or not. In one stage every document has the same
chance, and what is drawn is shown. In two stages a draw first calls documents that were never put up, Alice labels
them, and a second draw checks what she labels not responsive, together with what she withheld before.

All of this is pure: plain data in, plain data out, so that Trent and every reader compute the same.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol.certificates import collection
from protocol.certificates.collection import TwoStages, alpha, least_rate, most
from protocol.certificates.exact import ONE, threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the terms say about validations, as exact numbers."""

    doubt: Fraction
    every: int  # rounds between two validations
    hits: int | None  # how many hits the rate by rule expects; None: the rate is `show`
    review: Fraction | None  # None: one stage
    show: Fraction
    target: Fraction
    window: int  # rounds that the yield is counted over
    least_yield: Fraction | None  # `yield` in the terms; None: a validation every so many rounds from the start

    @property
    def stages(self) -> int:
        """How many draws a validation needs."""
        return 1 if self.review is None else 2

    def alpha(self, number: int) -> Fraction:
        """The share of the doubt that validation `number` has."""
        return alpha(self.doubt, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Where a matter stands between two rounds, as far as validations go."""

    yields: Sequence[int]  # for each closed batch round, what it found
    found: int  # F: responsive documents that Bob has
    held: Sequence[int]  # for each validation, how many batch rounds were closed before it
    reached: bool  # whether one of them has reached the target
    ended: bool  # whether all rounds are held, or no document is left
    population: int  # how many documents a validation would draw from
    free: int  # draws that nothing else needs


def due(plan: Plan, course: Course) -> bool:
    """Whether a validation comes next: at most one after each closed batch round, and none after a success."""
    closed = len(course.yields)
    if not closed or course.reached or not course.population or course.free < plan.stages:
        return False
    if course.held and course.held[-1] == closed:
        return False
    return course.ended or _in_rhythm(plan, course, closed)


def _in_rhythm(plan: Plan, course: Course, closed: int) -> bool:
    """Whether the terms ask for one in the middle of the review."""
    if plan.least_yield is None:
        return closed % plan.every == 0
    if course.held:
        return (closed - course.held[0]) % plan.every == 0
    brought = sum(course.yields[-plan.window :])
    enough = plan.least_yield.numerator * course.found
    return closed >= plan.window and brought * plan.least_yield.denominator <= enough


def population(documents: int, *, shown: Collection[int], kept: Collection[int]) -> Iterator[int]:
    """The numbers of the documents that a validation draws from, in order.

    `shown` are those that Bob has. `kept` are those that the court has upheld as privileged, or found not responsive
    in camera: they are judged, although Bob does not have them.
    """
    left_out = {*shown, *kept}
    return (number for number in range(documents) if number not in left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """With which chances a validation draws, in coins. A coin draws if it is below."""

    first: int  # of the draw over the collection: shows in one stage, calls in two
    second: int | None = None  # to show a called document that Alice labels not responsive; None: there is one stage

    @property
    def withheld(self) -> int:
        """X: the chance to show a document that was withheld before; in one stage that of all documents."""
        return self.first if self.second is None else self.first * self.second // ONE


def chances(plan: Plan, number: int, found: int) -> Chances:
    """The chances of validation `number`, if Bob has `found` responsive documents before it."""
    if plan.review is not None:
        return Chances(first=threshold(plan.review), second=threshold(plan.show))
    if plan.hits is None:
        return Chances(first=threshold(plan.show))
    rate = least_rate(
        found=found, expected_hits=plan.hits, target=plan.target, level=plan.alpha(number), largest=plan.show
    )
    return Chances(first=rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What came of the positions of one stratum: settled as responsive, and shown to a Bob who did not answer."""

    hits: int = 0
    unread: int = 0

    @property
    def counted(self) -> int:
        """How many the bound must count as hits: what nobody read could be responsive."""
        return self.hits + self.unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What a validation proves of the whole collection, with confidence 1 - alpha."""

    total: int  # at most so many responsive documents are there
    at_most: int  # so many of them Bob does not have after the validation
    reached: bool


def one_stage(plan: Plan, number: int, *, found: int, shown: Tally) -> Certificate:
    """What validation `number` proves if all of these positions were shown; `found` is F before it."""
    chance = chances(plan, number, found).first
    total = found + most(shown.counted, chance, plan.alpha(number))
    return _certificate(plan, found + shown.hits, total)


def two_stages(plan: Plan, number: int, *, found: int, reported: Tally, called: Tally, withheld: Tally) -> Certificate:
    """What validation `number` proves, if Alice has reported on what was called; `found` is F before it.

    `reported` are called documents that she labels responsive, `called` those that she labels not responsive and that
    were shown, and `withheld` what was withheld before and was shown.
    """
    if plan.review is None:
        raise ValueError("the terms ask for validations in one stage")
    stages = TwoStages(review=plan.review, show=plan.show, alpha=plan.alpha(number))
    missing = collection.missing(stages, reported=reported.counted, hits=called.counted, withheld_hits=withheld.counted)
    hits = reported.hits + called.hits + withheld.hits
    unread = reported.unread + called.unread + withheld.unread
    return _certificate(plan, found + hits, found + hits + unread + missing)


def within(plan: Plan, proven: Certificate, documents: int) -> Certificate:
    """The same, if there are only so many documents that can be responsive."""
    return _certificate(plan, proven.total - proven.at_most, min(proven.total, documents))


def _certificate(plan: Plan, found: int, total: int) -> Certificate:
    """Given what Bob has after the validation."""
    return Certificate(total=total, at_most=total - found, reached=meets(plan.target, found, total))


def meets(target: Fraction, found: int, total: int) -> bool:
    """Whether so many of all are at least the target's share."""
    return found * target.denominator >= target.numerator * total
