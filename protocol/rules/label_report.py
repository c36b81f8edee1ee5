"""Protocol_Label: the Label-Verification Protocol for Label Report (Algorithm 2 of the paper).

Alice reports every label. Bob gets what she reports as responsive, everything at or above the threshold that fits her
labels best, and of the j-th reported negative below it a sample with probability min(1, c/j). If the court confirms
that a sampled one is responsive, Bob gets the whole batch.

The bound: one find discloses the batch, so a round is one bet on all that is hidden in it, s = sum of c. One half of
the money goes with g = c, which loses everything at the first find; the other half with g = c/2, which keeps a factor
1 / (1 + e^(-s/2)) >= 1/2 in each of D compelled rounds. So sum c <= ln(2/doubt), or 2 (ln(2/doubt) + D ln 2) if D > 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol import fixedpoint
from protocol.certificates.exact import cost
from protocol.rules import bound
from protocol.rules.base import NOT_COVERED, Evidence, Examination, Report, Rule, Words, best_rank, chance
from protocol.rules.terms import DELTA, K, Positive, RuleTerms, probability


class LabelTerms(RuleTerms, frozen=True, kw_only=True, tag="label"):
    """The failure probability of a round's check, and the tolerance for errors."""

    delta: str  # a decimal
    k: Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReport:
    """The rule for one matter's failure probability delta and error tolerance k."""

    delta: Fraction
    k: int

    name = "label"
    reports_threshold = False
    ends_at_a_find = True

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        labels = [bool(label) for label in report.labels]
        threshold, error = best_rank(labels)
        tickets = self.tickets(error)
        positions = range(1, len(labels) + 1)
        below = [place for place in positions[threshold:] if not labels[place - 1]]  # x_1 > x_2 > ... in the paper
        chances = {place: chance(tickets, j) for j, place in enumerate(below, start=1)}
        drawn = frozenset(place for place in below if coins[place - 1] < chances[place] or place in counted)
        certain = {place for place in positions if place <= threshold or labels[place - 1]}
        confirmed = min((place for place in drawn if settled.get(place)), default=None)
        return Examination(
            threshold=threshold,
            error=error,
            due=frozenset(certain | drawn if confirmed is None else positions),
            chances=chances,
            drawn=drawn,
            compelled_at=confirmed,
        )

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return at_most(rounds, doubt)

    def tickets(self, error: int) -> int:
        """C = (2 + 2 err / k) ln(1 / delta) in the paper, times 2^32, rounded upward."""
        log = fixedpoint.ceil_ln(self.delta.denominator, self.delta.numerator, 32)
        return -(-2 * (self.k + error) * log // self.k)


def at_most(rounds: Sequence[Evidence], doubt: Fraction) -> int:
    """How many responsive documents can be hidden in rounds of label reports, except with probability `doubt`."""
    compelled = sum(closed.compelled for closed in rounds)
    money = bound.budget(doubt / 2 ** (compelled + 1)) * (2 if compelled else 1)
    return bound.most(bound.undisclosed(rounds), cost, money) + bound.unproven(rounds)


def _make(terms: LabelTerms) -> LabelReport:
    return LabelReport(delta=probability("delta", terms.delta), k=terms.k)


RULE = Rule(
    name=LabelReport.name,
    terms=LabelTerms,
    parameters=(DELTA, K),
    make=_make,
    words=Words(
        guarantee=(
            "In each round, whatever Alice reports, with probability at least 1 - delta either the whole batch was "
            "disclosed or at most err* + k - 1 of its responsive documents were not, err* being the least error that "
            f"any threshold has on the true labels. {NOT_COVERED}"
        ),
        plain=(
            "Of each batch, Bob almost surely gets all responsive documents but for about as many as even the best "
            "threshold through the ranking would get wrong. If Alice leaves out more, a coin finds one, and he gets "
            "the whole batch."
        ),
        offered=(
            "She labels every document of a batch. Coins draw some of those that she calls not responsive, and Bob "
            "reads them; a confirmed error brings him the whole batch."
        ),
        chosen="Alice labels every document; of those that she calls not responsive, Bob sees what coins draw",
        threshold=None,
        find="a confirmed error of Alice's brought Bob the whole batch",
        against="the court found against Alice.",
    ),
)
