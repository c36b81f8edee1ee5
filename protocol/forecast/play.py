"""One matter, played over counts: batches, escalations, validations, and what its claims could state."""

from dataclasses import dataclass
from math import log1p

import numpy as np
from numpy.random import RandomState

from protocol.certificates.exact import ONE, cost
from protocol.certificates.reviewed import capped, next_chance
from protocol.forecast.assumed import Assumed
from protocol.forecast.books import Books
from protocol.forecast.gain import Curve
from protocol.forecast.pool import FoundBy, Pool
from protocol.forecast.ranked import Ranked
from protocol.forecast.scheme import Scheme
from protocol.forecast.validating import Validating
from protocol.rules.spot_check import SpotCheck

DRAWS_OF_AN_ESCALATION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Where a matter stands after a batch round and what followed it."""

    found: int
    other: int
    recall: float  # the true one, which nobody knows in a real matter
    certified: float | None  # recall of the reviewed; None under a rule that certifies only at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one trial."""

    moments: tuple[Moment, ...]
    responsive: int  # in the collection
    reviewed: int
    read: int
    found: int
    other: int
    court: int
    hidden: int
    batches: int
    escalations: int
    validations: int
    certified_reviewed: float
    reached_reviewed: bool | None
    certified_collection: float | None
    reached_collection: bool | None
    limit_used_up: bool
    escalated: float  # of what Alice called not responsive, the share that escalations showed
    ended: str


class Play:
    """A matter that is being played; `run` plays it to the end."""

    def __init__(self, scheme: Scheme, assumed: Assumed, random: RandomState) -> None:
        self._scheme, self._assumed, self._random = scheme, assumed, random
        responsive = max(1, round(assumed.richness.draw(random) * assumed.documents))
        curve = Curve.of(assumed.gain.draw(random))
        self.pool = Pool(documents=assumed.documents, responsive=responsive, curve=curve, random=random)
        self.books = Books(random)
        self._spot_check = scheme.spot_check
        self._ranked = None if scheme.spot_check else Ranked(scheme.rule, assumed.alice, random)
        self._validating = Validating(scheme.validation, assumed.alice) if scheme.validation else None
        self._yields: list[int] = []
        self._escalations = self._drawn = self._shown_by_escalations = 0
        self._used_up = False

    def run(self) -> Outcome:
        """Play to the claims."""
        moments = []
        while not self._over:
            self._batch()
            self._validate()
            if self._over or (self._spot_check and len(self._yields) % self._spot_check.every == 0):
                self._escalate()
            moments.append(self._moment())
        return self._outcome(tuple(moments))

    @property
    def _over(self) -> bool:
        return self._ended or (self._validating is not None and self._validating.reached)

    @property
    def _ended(self) -> bool:
        return len(self._yields) == self._scheme.rounds or not self.pool.left

    @property
    def _free(self) -> int:
        return self._scheme.draws - self._drawn - 2 * (self._scheme.rounds - len(self._yields))

    def _batch(self) -> None:
        books, before = self.books, self.books.found
        found_by = self._found_by()
        start = self.pool.effort
        responsive, other = self.pool.batch(self._scheme.batch, found_by)
        self._drawn += 2 if found_by is FoundBy.COINS else 1
        if self._ranked is not None:
            efforts = np.linspace(start, self.pool.effort, responsive + other)
            self._ranked.round(books, efforts, self.pool.curve, responsive)
        elif self._spot_check is not None:
            self._checked_batch(self._spot_check, responsive, other)
        self._yields.append(books.found - before)

    def _found_by(self) -> FoundBy:
        """A model needs documents of both sorts."""
        if not self._yields and self._scheme.query:
            return FoundBy.QUERY
        reviewed = self.pool.documents - self.pool.left
        return FoundBy.MODEL if 0 < self.books.found < reviewed else FoundBy.COINS

    def _checked_batch(self, rule: SpotCheck, responsive: int, other: int) -> None:
        books, rate = self.books, rule.chance
        hidden, claimed = self._assumed.alice.mislabelled(self._random, responsive, other)
        books.read += responsive + other
        books.negatives += other - claimed + hidden
        books.show(responsive - hidden, claimed, disputed=claimed)
        if rule.whole_batch and hidden:
            least = 1 - (1 - self._random.uniform()) ** (1 / hidden)  # the least coin of all that is hidden
            if least < rate / ONE:
                books.hits += 1
                books.credit += hidden * int(-log1p(-least) * ONE)
                books.show(hidden, other - claimed, disputed=hidden)
                return
            drawn = int(self._random.binomial(other - claimed, rate / ONE))
            books.show(0, drawn)
            books.withhold(cost(rate), hidden, other - claimed - drawn)
            return
        found = books.check(rate, 0, hidden, other - claimed)
        books.show(found.responsive, found.other, disputed=found.responsive)

    def _validate(self) -> None:
        if self._validating is not None:
            self._drawn += self._validating.hold_if_due(
                self.books, self.pool, self._yields, ended=self._ended, free=self._free
            )

    def _escalate(self) -> None:
        """Escalate until the target is met or the limit is used up."""
        rule = self._spot_check
        if rule is None:
            return
        while not self._met(rule) and not self._used_up and self._free >= DRAWS_OF_AN_ESCALATION:
            self._escalations += 1
            self._drawn += DRAWS_OF_AN_ESCALATION
            self._escalation(rule)

    def _met(self, rule: SpotCheck) -> bool:
        return self.books.certified(rule.target, self._scheme.doubt).met

    def _escalation(self, rule: SpotCheck) -> None:
        books, alice = self.books, self._assumed.alice
        if alice.looks:
            books.look_again(alice.looks)
        standing = books.standing()
        if not standing.withheld or self._met(rule):
            return
        allowance = int(self._scheme.limit * books.negatives) - self._shown_by_escalations
        wanted = next_chance(standing, rule.target, self._scheme.doubt)
        chance, self._used_up = capped(wanted, standing.withheld, allowance)
        if chance:
            drawn = books.draw_withheld(chance)
            books.show(drawn.responsive, drawn.other, disputed=drawn.responsive)
            self._shown_by_escalations += drawn.size

    def _moment(self) -> Moment:
        rule, books = self._spot_check, self.books
        certified = None
        if rule is not None:
            certified = _recall(books.found, books.certified(rule.target, self._scheme.doubt).at_most)
        return Moment(
            found=books.found, other=books.other, recall=books.found / self.pool.all_responsive, certified=certified
        )

    def _outcome(self, moments: tuple[Moment, ...]) -> Outcome:
        books, validating = self.books, self._validating
        hidden, met = self._reviewed()
        missing = validating.missing if validating else None
        if missing is None and not self.pool.left:
            missing = hidden
        return Outcome(
            moments=moments,
            responsive=self.pool.all_responsive,
            reviewed=self.pool.documents - self.pool.left,
            read=books.read,
            found=books.found,
            other=books.other,
            court=books.court,
            hidden=books.hidden,
            batches=len(self._yields),
            escalations=self._escalations,
            validations=len(validating.held) if validating else 0,
            certified_reviewed=_recall(books.found, hidden),
            reached_reviewed=met,
            certified_collection=None if missing is None else _recall(books.found, missing),
            reached_collection=validating.is_met(books.found, missing) if validating else None,
            limit_used_up=self._used_up,
            escalated=self._shown_by_escalations / max(1, books.negatives),
            ended=self._why(),
        )

    def _reviewed(self) -> tuple[int, bool | None]:
        """At most how many are hidden among the reviewed, and whether that meets a target of the rule."""
        if self._ranked is not None:
            return self._ranked.rule.hidden_at_most(self._ranked.closed, self._scheme.doubt), None
        if self._spot_check is None:
            raise ValueError("a scheme has either a rule over counts or one over rankings")
        certified = self.books.certified(self._spot_check.target, self._scheme.doubt)
        return certified.at_most, certified.met

    def _why(self) -> str:
        if self._validating is not None and self._validating.reached:
            return "validation"
        return "documents" if not self.pool.left else "rounds"


def _recall(found: int, missing: int) -> float:
    return found / (found + missing) if found + missing else 1.0
