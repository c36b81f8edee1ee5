"""One simulated matter for `coverage`: batches, escalations and validations, and what its certificates get wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from protocol.certificates import collection
from protocol.certificates.exact import ONE, threshold
from protocol.paper.experiments.spotchecks import Alice, Hidden, Review, SpotCheck

PROFILE = (90, 75, 60, 45, 30, 24, 18, 12, 6, 0)
"""The responsive documents of each batch, if a validation draws none before."""
BATCH_SIZE = 300
BEYOND = 40
"""Responsive documents that no batch brings."""
VALIDATED = 3
"""A validation comes after so many batches, and again."""

ONE_STAGE, TWO_STAGES = "one stage", "two stages"
SHOW, REVIEW = Fraction(1, 20), Fraction(1, 5)
"""What a validation in one stage shows; what one in two stages calls. The latter shows a quarter of what it calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is played: the terms, and whether there are validations."""

    terms: SpotCheck
    validation: str = ""
    target: Fraction = Fraction(4, 5)  # of the validations

    @property
    def title(self) -> str:
        """The terms in a line."""
        terms = self.terms
        words = f"rate {float(terms.rate):g}, target {float(terms.target):g}, every {terms.every}, {terms.penalty}"
        return f"{words}, validations in {self.validation}" if self.validation else words


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of a matter."""

    below: bool  # the certificate says that the target is reached, and it is not
    broken: bool  # the exposure of what is hidden ever exceeded its bound
    wrong: bool  # a validation's total was ever below the truth
    nrd: int
    hits: int


@dataclass(slots=True)
class Course:
    """A matter under way."""

    case: Case
    review: Review
    left: list[int] = field(default_factory=lambda: [*PROFILE, BEYOND])  # responsive, and never put up
    number: int = 0  # of the last validation
    wrong: bool = False
    stopped: bool = False

    def play(self) -> Ended:
        """All rounds, until a validation reaches its target."""
        review, alice = self.review, self.review.alice
        for number in range(1, len(PROFILE) + 1):
            responsive, self.left[number - 1] = self.left[number - 1], 0
            hidden = self._hidden(alice, responsive)
            padding = min(alice.pads(review), BATCH_SIZE - responsive)
            documents = [alice.kind(review) for _ in range(hidden)]
            review.batch(documents, responsive - hidden, padding, BATCH_SIZE - responsive - padding)
            if self.case.validation and number % VALIDATED == 0:
                self._validate()
            if self.stopped:
                break
            if number % self.case.terms.every == 0:
                self._escalate()
        self._escalate()
        below = review.reached() and review.below_target()
        return Ended(below=below, broken=review.broken, wrong=self.wrong, nrd=review.nrd, hits=review.hits)

    def _escalate(self) -> None:
        while self.review.due():
            self.review.escalate()

    def _hidden(self, alice: Alice, responsive: int) -> int:
        return max(0, min(responsive, alice.hides(self.review, responsive)))

    def _validate(self) -> None:
        self.number += 1
        level = collection.alpha(self.case.terms.doubt, self.number)
        review = self.review
        found, unread = review.found, review.unread
        unseen = sum(self.left) + sum(not document.privileged for document in review.hidden)
        if self.case.validation == ONE_STAGE:
            chance = threshold(SHOW)
            hits = self._drawn(chance) + review.draw(chance)
            total = found + collection.most(hits + review.unread - unread, chance, level)
            settled = hits
        else:
            settled, total = self._two_stages(level)
        self.wrong = self.wrong or found + unseen > total
        target = self.case.target
        self.stopped = (found + settled) * target.denominator >= target.numerator * total

    def _drawn(self, chance: int) -> int:
        """Never reviewed documents that a draw over everything brings to Bob: the responsive ones."""
        drawn = self._called(chance)
        self.review.found += drawn
        self.review.responsive_found += drawn
        return drawn

    def _called(self, chance: int) -> int:
        counts = self.review.coins.binomial(self.left, chance / ONE).tolist()
        self.left = [left - count for left, count in zip(self.left, counts, strict=True)]
        return int(sum(counts))

    def _two_stages(self, level: Fraction) -> tuple[int, int]:
        """How many were settled as responsive, and the bound on all."""
        review, alice = self.review, self.review.alice
        stages = collection.TwoStages(review=REVIEW, show=SHOW / REVIEW, alpha=level)
        called = self._called(threshold(REVIEW))
        hidden = self._hidden(alice, called)
        before, found, unread = review.unread, review.found, review.unread
        withheld_hits = review.draw(threshold(REVIEW) * threshold(SHOW / REVIEW) // ONE)
        withheld_unread, unread = review.unread - unread, review.unread
        documents = [Hidden() for _ in range(hidden)]  # what is rightly privileged is not missing, claimed or not
        review.report(documents, called - hidden, 0, 0, chance=threshold(SHOW / REVIEW))
        hits = review.found - found - withheld_hits - (called - hidden)
        missing = collection.missing(
            stages,
            reported=called - hidden,
            hits=hits + review.unread - unread,
            withheld_hits=withheld_hits + withheld_unread,
        )
        settled = review.found - found
        return settled, found + settled + (review.unread - before) + missing


def ended(results: Sequence[Ended]) -> dict[str, int]:
    """Matters in which something failed, and the sums of what they cost."""
    return {
        name: sum(int(getattr(each, name)) for each in results) for name in ("below", "broken", "wrong", "nrd", "hits")
    }
