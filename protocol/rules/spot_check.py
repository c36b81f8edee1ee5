"""Spot checks: every document that Alice labels not responsive has the same coin, whatever its rank.

Bob gets what she labels responsive, and of the rest what the coins draw. The chance is small, and a miss tells little.
But it is the same for every document, so the draws of all rounds add up to one certificate of the reviewed documents
(`protocol.certificates.reviewed`); and where that is not enough, an escalation draws all that is withheld again. What
the draws have brought is kept in the books of the matter (`protocol.matter.books`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from protocol.certificates.exact import threshold
from protocol.rules.base import Evidence, Examination, Report, Rule, Words
from protocol.rules.terms import EVERY, LIMIT, PENALTY, RATE, TARGET, Positive, RuleTerms, probability


class SpotCheckTerms(RuleTerms, frozen=True, kw_only=True, tag="spot-check"):
    """How much is drawn, how much must be certified, and what may be shown for that."""

    every: Positive
    limit: str  # a decimal
    penalty: Literal["none", "batch"]
    rate: str  # a decimal
    target: str  # a decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotCheck:
    """The rule with the parameters of one matter; but an amendment can change the limit, so it stays in the terms."""

    rate: Fraction  # p
    target: Fraction
    whole_batch: bool  # whether a hit brings Bob the whole batch: the penalty
    every: int

    name = "spot-check"
    reports_threshold = False

    @property
    def ends_at_a_find(self) -> bool:
        """Whether the first confirmed error brings Bob the whole batch."""
        return self.whole_batch

    @property
    def chance(self) -> int:
        """How many of all coins draw a document."""
        return threshold(self.rate)

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        chance = self.chance
        positions = range(1, len(report.labels) + 1)
        below = [place for place in positions if not report.labels[place - 1]]
        drawn = frozenset(place for place in below if coins[place - 1] < chance or place in counted)
        hit = min((place for place in drawn if settled.get(place)), default=None) if self.whole_batch else None
        return Examination(
            threshold=0,
            error=0,
            due=frozenset(positions).difference(below) | drawn if hit is None else frozenset(positions),
            chances=dict.fromkeys(below, chance),
            drawn=drawn,
            compelled_at=hit,
        )

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        """The books of the matter say that, not a round's evidence."""
        raise RuntimeError("the certificate of spot checks comes from the books of the matter")


def _make(terms: SpotCheckTerms) -> SpotCheck:
    return SpotCheck(
        rate=probability("rate", terms.rate),
        target=probability("target", terms.target),
        whole_batch=terms.penalty == "batch",
        every=terms.every,
    )


RULE = Rule(
    name=SpotCheck.name,
    terms=SpotCheckTerms,
    parameters=(RATE, TARGET, PENALTY, EVERY, LIMIT),
    make=_make,
    words=Words(
        guarantee=(
            "Whatever Alice did, with confidence 1 - doubt Bob has at least the target share of the responsive "
            "documents that were reviewed, or these claims say that the target was not reached. This leaves aside what "
            "the court withheld as privileged, and documents that were never reviewed."
        ),
        plain=None,
        offered=(
            "She labels every document of a batch. Coins draw a small share of those that she calls not responsive, "
            "and Bob reads them. From time to time coins draw again from all that she withholds, until it is certain "
            "enough that Bob has the share of the responsive documents that the terms ask for. The usual choice."
        ),
        chosen=(
            "Alice labels every document; of those that she calls not responsive, Bob sees a small share that coins "
            "draw, and more where too little is certain"
        ),
        threshold=None,
        find="a confirmed error of Alice's brought Bob the whole batch, where the terms say so",
        against="the court found against Alice.",
    ),
)
