"""A review under `spot-check` by counts, with exact books: what `coverage`, `frontier` and the others play with.

No documents, keys or signatures. Of a document that Alice labels not responsive only three things matter: whether it is
responsive (then it is one of the `Hidden`), what it was exposed to, and whether a coin draws it. Those that are not
responsive are only counted, by their exposure. Coins are floats here: -ln(1 - U / 2^64) is exponential, and a document
is drawn if its value lies below the cost of the chance. Everything that decides (books, certificates, chances) is in
the exact integers of `protocol.certificates`.

An `Alice` chooses what to hide, what to give up and what to claim. She knows everything that was fixed before, and the
coins of a draw as soon as her words before it are fixed. Bob may leave what he is shown unread.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from ledger.hashing import tagged_hash
from protocol.certificates.boundary import UNIT_BITS, boundary
from protocol.certificates.exact import BITS, ONE, cost, threshold
from protocol.certificates.reviewed import Certified, Standing, capped, certify, next_chance

NONE, BATCH = "none", "batch"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotCheck:
    """The terms of the rule."""

    rate: Fraction = Fraction(1, 100)
    target: Fraction = Fraction(9, 10)
    doubt: Fraction = Fraction(1, 20)
    every: int = 10
    penalty: str = NONE
    limit: Fraction = Fraction(1)  # of the reported negatives, for all draws of escalations together


@dataclass(slots=True, kw_only=True, eq=False)
class Hidden:
    """A responsive document that Alice labelled not responsive, and that Bob has not seen."""

    name: int = 0  # which document it is, for an experiment that trains a model
    exposure: int = 0  # C
    claimed: bool = False  # as privileged, with the report that first labelled it, and without right
    privileged: bool = False  # the court would uphold a claim; Alice has made none
    last: float = inf  # what its last coin was, in units of the cost


class Alice:
    """A truthful one; the others change some of her choices."""

    def hides(self, review: "Review", responsive: int) -> int:
        """How many of a batch's responsive documents she labels not responsive."""
        return 0

    def kind(self, review: "Review") -> Hidden:
        """What sort of document she hides next."""
        return Hidden()

    def pads(self, review: "Review") -> int:
        """How many documents that are not responsive she labels responsive in this batch."""
        return 0

    def gives_up(self, review: "Review") -> Iterable[Hidden]:
        """What she gives up at a second look, before the coins of the draw."""
        return ()

    def claims_late(self, review: "Review", drawn: Sequence[Hidden], others: Sequence[Hidden]) -> Iterable[Hidden]:
        """What she claims when she knows the coins."""
        return ()

    def reads(self, review: "Review", found: int) -> bool:
        """Whether Bob labels a wave in which so many hidden documents are drawn; he may be silent when it helps her."""
        return True


def generator(*words: str | int) -> np.random.Generator:
    """Coins that depend on these words alone."""
    return np.random.default_rng(int.from_bytes(tagged_hash("experiment", *(str(word).encode() for word in words))))


class Review:
    """The books of one matter, and what is true of it."""

    unread_is_found = True  # whether what Alice reports as responsive counts as found if Bob does not read it

    def __init__(self, terms: SpotCheck, alice: Alice, coins: np.random.Generator) -> None:
        self.terms, self.alice, self.coins = terms, alice, coins
        self.found = 0  # F, as the certificate counts it
        self.responsive_found = 0  # those of them that are responsive
        self.hits = 0  # D
        self.credit = 0  # K
        self.hidden: list[Hidden] = []
        self.innocent: Counter[int] = Counter()  # withheld and not responsive, by exposure
        self.nrd = 0
        self.reported = 0  # R: labels "not responsive" so far
        self.escalated = 0  # E: shown by draws of escalations
        self.used_up = False
        self.draws = 0
        self.unread = 0  # documents that a coin drew and Bob did not label
        self.broken = False  # whether the hidden documents ever had more exposure than Theorem 1 allows
        self.uncovered: list[Hidden] = []  # what came to light since the caller last looked
        self._rate = threshold(terms.rate)

    # The books at one moment

    def standing(self) -> Standing:
        """What the certificate is made of."""
        exposures = self.innocent.copy()
        for document in self.hidden:
            exposures[document.exposure] += 1
        return Standing(found=self.found, hits=self.hits, credit=self.credit, exposures=exposures)

    def budget(self) -> int:
        """What the hidden documents can have been exposed to, all together."""
        return (boundary(self.terms.doubt, self.hits) << BITS - UNIT_BITS) - self.credit

    def certified(self) -> Certified:
        """What the books prove now."""
        return certify(self.standing(), self.terms.target, self.terms.doubt)

    def reached(self) -> bool:
        """Whether the certificate says that Bob has the target."""
        return self.certified().met

    def allowed(self) -> int:
        """A: how many may be hidden for the target to be met."""
        target = self.terms.target
        return self.found * (target.denominator - target.numerator) // target.numerator

    def below_target(self) -> bool:
        """Whether Bob truly has less than the target of the responsive documents that were reviewed."""
        target = self.terms.target
        every = self.responsive_found + len(self.hidden)
        return self.responsive_found * target.denominator < target.numerator * every

    # A batch

    def batch(self, responsive: Sequence[Hidden], reported: int, padding: int, innocent: int) -> None:
        """Close a round: `responsive` are hidden, `reported` are not; of the others Alice reports `padding`."""
        self.report(responsive, reported, padding, innocent, chance=self._rate, penalty=self.terms.penalty)

    def report(
        self,
        responsive: Sequence[Hidden],
        reported: int,
        padding: int,
        innocent: int,
        *,
        chance: int,
        penalty: str = NONE,
    ) -> None:
        """Enter a report and its draw at this chance: that of a batch, or of what a validation has called."""
        self.reported += len(responsive) + innocent
        fall = self._thrown(responsive, chance)
        by_chance = self._binomial(innocent, chance)
        read = self.alice.reads(self, len(fall.drawn))
        self._bring(reported)
        self.found += padding if self.unread_is_found and not read else 0
        self.nrd += padding + by_chance
        if penalty == NONE or not self._compelled(fall, by_chance, innocent, read=read):
            self._leave_unread(0 if read else by_chance)
            self.innocent[fall.limit] += innocent - by_chance
            self.hidden += self._settled(fall, read=read)
        self._check()

    def _compelled(self, fall: "Fall", by_chance: int, innocent: int, *, read: bool) -> bool:
        """The books of a round with penalty `batch`. False, and nothing is done, where they are as with `none`."""
        certain = [document for document in (*fall.drawn, *fall.others) if not fall.upheld(document)]
        shown = [document for document in certain if document in fall.late or document.last < fall.end]
        confirmed = certain if read and shown else []  # one of them brings the whole batch
        unproven = (not read and bool(fall.drawn or by_chance)) or any(map(fall.upheld, fall.drawn))
        least = min((document.last for document in confirmed), default=inf)
        if not unproven and not confirmed:
            return False
        if unproven or least < fall.end:
            self.hits += 1
        if not unproven:
            credit = int(least * ONE) if least < fall.end else fall.limit
            self.credit += credit * sum(not document.claimed for document in confirmed)
        if confirmed:
            self._bring(len(confirmed), confirmed)
            self.nrd += innocent - by_chance
        else:
            self.innocent[0] += innocent - by_chance  # their coins prove nothing
            self.hidden += [document for document in fall.others if document not in fall.late]
        return True

    # Escalations

    def due(self) -> bool:
        """Whether an escalation has to come, where the terms ask."""
        return not self.used_up and not self.reached()

    def escalate(self) -> None:
        """One escalation: a second look, and a draw of all that is withheld unless the target is met."""
        self.give_up(list(self.alice.gives_up(self)))
        standing = self.standing()
        if not standing.withheld or certify(standing, self.terms.target, self.terms.doubt).met:
            return
        chance = next_chance(standing, self.terms.target, self.terms.doubt)
        allowance = int(self.terms.limit * self.reported) - self.escalated
        chance, self.used_up = capped(chance, standing.withheld, allowance)
        before = self.nrd - len(self.hidden)
        self.draw(chance)
        self.escalated += self.nrd - len(self.hidden) - before

    def give_up(self, documents: Collection[Hidden]) -> None:
        """Show Bob what Alice gives up."""
        given = set(documents)
        self.hidden = [document for document in self.hidden if document not in given]
        self.credit += sum(document.exposure for document in documents if not document.claimed)
        self._bring(len(documents), documents)
        self._check()

    def draw(self, chance: int) -> int:
        """Draw all that is withheld at this chance; how many came to light and were settled as responsive."""
        self.draws += 1
        fall = self._thrown(self.hidden, chance)
        read = self.alice.reads(self, len(fall.drawn))
        before = self.responsive_found
        innocent: Counter[int] = Counter()
        for exposure, number in self.innocent.items():
            shown = self._binomial(number, chance)
            self.nrd += shown
            self._leave_unread(0 if read else shown)
            innocent[exposure + fall.limit] += number - shown
        self.innocent = +innocent
        self.hidden = self._settled(fall, read=read)
        self._check()
        return self.responsive_found - before

    # Coins, and what they settle

    def _thrown(self, documents: Sequence[Hidden], chance: int) -> "Fall":
        """A fresh coin for each document."""
        limit = cost(chance) if chance < ONE else 0
        end = limit / ONE if chance < ONE else inf
        for document, value in zip(documents, self._values(documents), strict=True):
            document.last = value
        drawn = [document for document in documents if document.last < end]
        others = [document for document in documents if document.last >= end]
        late = [document for document in self.alice.claims_late(self, drawn, others) if not document.claimed]
        return Fall(drawn=drawn, others=others, limit=limit, end=end, late=frozenset(late))

    def _values(self, documents: Sequence[Hidden]) -> list[float]:
        values: list[float] = self.coins.standard_exponential(len(documents)).tolist()
        return values

    def _settled(self, fall: "Fall", *, read: bool) -> list[Hidden]:
        """Enter a draw into the books; what stays withheld."""
        for document in fall.drawn:
            if fall.upheld(document):
                self.hits += 1
            elif not read:
                self._leave_unread(1)
            else:
                self.hits += 1
                self.credit += 0 if document.claimed else document.exposure + int(document.last * ONE)
                self._bring(1, [document])
        stay = []
        for document in fall.others:
            if document not in fall.late:
                document.exposure += fall.limit
                stay.append(document)
            elif read and not document.privileged:
                self.credit += document.exposure + fall.limit
                self._bring(1, [document])
        return stay

    def _leave_unread(self, number: int) -> None:
        self.hits += number
        self.unread += number

    def _bring(self, number: int, documents: Iterable[Hidden] = ()) -> None:
        """So many responsive documents reach Bob."""
        self.found += number
        self.responsive_found += number
        self.uncovered += documents

    def _binomial(self, number: int, chance: int) -> int:
        return int(self.coins.binomial(number, min(1.0, chance / ONE))) if number else 0

    def _check(self) -> None:
        """Note whether Theorem 1 fails at this moment."""
        self.broken = self.broken or sum(document.exposure for document in self.hidden) > max(0, self.budget())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """How the coins of a draw fell on what is hidden, and what Alice then claimed."""

    drawn: Sequence[Hidden]
    others: Sequence[Hidden]
    limit: int  # the cost of the chance; 0 if everything is drawn
    end: float  # the same as the coins have it
    late: Collection[Hidden]

    def upheld(self, document: Hidden) -> bool:
        """Whether the court withholds it, on a late claim."""
        return document.privileged and document in self.late
