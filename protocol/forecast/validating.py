"""Validations of the whole collection over counts; when they come and what they prove is as in a real matter."""

from collections.abc import Sequence

from protocol.certificates.exact import ONE
from protocol.forecast.assumed import Alice
from protocol.forecast.books import Books
from protocol.forecast.pool import Pool
from protocol.forecast.scheme import Validation
from protocol.matter import validations
from protocol.matter.validations import Certificate, Chances, Course, Tally


class Validating:
    """The validations of one matter."""

    def __init__(self, terms: Validation, alice: Alice) -> None:
        self._terms, self._alice = terms, alice
        self.held: list[int] = []  # how many batches were closed before each
        self.reached = False
        self.missing: int | None = None  # at most so many responsive documents Bob lacks, by the one that proves most
        self._judged = 0  # documents that only the court has seen: not responsive, and in no later population

    def hold_if_due(self, books: Books, pool: Pool, yields: Sequence[int], *, ended: bool, free: int) -> int:
        """Hold a validation if one is due; says how many draws that took."""
        course = Course(
            yields=yields,
            found=books.found,
            held=self.held,
            reached=self.reached,
            ended=ended,
            population=pool.documents - books.found - books.other - self._judged,
            free=free,
        )
        if not validations.due(self._terms.plan, course):
            return 0
        number = len(self.held) + 1
        chances = validations.chances(self._terms.plan, number, books.found)
        held = self._one_stage if self._terms.plan.review is None else self._two_stages
        certificate = held(number, chances, books, pool)
        self.held.append(len(yields))
        self.reached = certificate.reached
        self.missing = certificate.at_most if self.missing is None else min(self.missing, certificate.at_most)
        return self._terms.plan.stages

    def is_met(self, found: int, missing: int | None) -> bool:
        """Whether that is enough for the target."""
        return missing is not None and validations.meets(self._terms.plan.target, found, found + missing)

    def _one_stage(self, number: int, chances: Chances, books: Books, pool: Pool) -> Certificate:
        before = books.found
        never = pool.drawn(chances.first / ONE)
        withheld = books.draw_withheld(chances.first)
        books.read += sum(never)  # Alice may claim privilege for them
        responsive, other = never[0] + withheld.responsive, never[1] + withheld.other
        if self._terms.by_court:
            books.show(responsive, 0, disputed=responsive + other)
            self._judged += other
        else:
            books.show(responsive, other, disputed=responsive)
        return validations.one_stage(self._terms.plan, number, found=before, shown=Tally(hits=responsive))

    def _two_stages(self, number: int, chances: Chances, books: Books, pool: Pool) -> Certificate:
        before = books.found
        withheld = books.draw_withheld(chances.withheld)
        books.show(withheld.responsive, withheld.other, disputed=withheld.responsive)
        responsive, other = pool.drawn(chances.first / ONE)
        hidden, claimed = self._alice.mislabelled(books.random, responsive, other)
        books.read += responsive + other
        books.negatives += hidden + other - claimed
        books.show(responsive - hidden, claimed, disputed=claimed)
        called = books.check(chances.second or 0, 0, hidden, other - claimed)
        books.show(called.responsive, called.other, disputed=called.responsive)
        return validations.two_stages(
            self._terms.plan,
            number,
            found=before,
            reported=Tally(hits=responsive - hidden),
            called=Tally(hits=called.responsive),
            withheld=Tally(hits=withheld.responsive),
        )
