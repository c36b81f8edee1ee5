"""A rule that nobody ships: each document that Alice reports as not responsive is drawn with one constant probability.

With `toy_rule_verified` this is all that a new rule needs, one module on each side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol.certificates.exact import cost
from protocol.rules import bound
from protocol.rules.base import COINS, NOT_COVERED, Evidence, Examination, Report, Rule, Words
from protocol.rules.terms import Parameter, RuleTerms, probability

ODDS = Parameter(
    name="odds",
    default="0.25",
    check=probability,
    limits="between 0 and 1",
    explained="How likely it is that a document which Alice holds not responsive is shown to Bob all the same.",
    told="the probability with which a coin draws a document",
    option="Probability of being drawn, of the toy rule.",
)


class ToyTerms(RuleTerms, frozen=True, kw_only=True, tag="toy"):
    """Has neither delta nor k."""

    odds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    """The rule for one probability."""

    odds: Fraction

    name = "toy"
    reports_threshold = False
    ends_at_a_find = False

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        chance = -(-self.odds.numerator * COINS // self.odds.denominator)
        chances = {place: chance for place, label in enumerate(report.labels, start=1) if not label}
        drawn = frozenset(place for place in chances if coins[place - 1] < chance or place in counted)
        reported = frozenset(range(1, len(report.labels) + 1)).difference(chances)
        return Examination(threshold=0, error=len(reported), due=reported | drawn, chances=chances, drawn=drawn)

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        """One bet on everything that was missed, which a single find takes away."""
        missed = bound.undisclosed(rounds)
        found = any(each.found for each in rounds)
        paid = len(missed) if found else bound.most(missed, cost, bound.budget(doubt))
        return paid + bound.unproven(rounds)


RULE = Rule(
    name="toy",
    terms=ToyTerms,
    parameters=(ODDS,),
    make=lambda terms: Toy(odds=probability("odds", terms.odds)),
    words=Words(
        guarantee=f"In each round every document is drawn with the probability `odds`. {NOT_COVERED}",
        plain="A coin decides about each document that Alice leaves out.",
        offered="Coins draw some of the documents that she holds not responsive, all with one probability. A toy.",
        chosen="of the documents that Alice calls not responsive, Bob sees each with one probability",
        threshold=None,
        find="never, since a find brings nothing but itself",
        against="the toy court found against Alice.",
    ),
)
