"""Protocol_Label: the Label-Verification Protocol for Label Report (Algorithm 2 of the paper).

Alice reports every label. Bob gets what she reports as responsive, everything at or above the threshold that fits her
labels best, and of the j-th reported negative below it a sample with probability min(1, c/j). If the court confirms
that a sampled one is responsive, Bob gets the whole batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol import fixedpoint
from protocol.rules import bound
from protocol.rules.base import NOT_COVERED, Evidence, Examination, Report, best_rank, chance


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReport:
    """The rule for one matter's failure probability delta and error tolerance k."""

    delta: Fraction
    k: int

    name = "label"
    reports_threshold = False
    guarantee = (
        "In each round, whatever Alice reports, with probability at least 1 - delta either the whole batch was "
        "disclosed or at most err* + k - 1 of its responsive documents were not, err* being the least error that any "
        f"threshold has on the true labels. {NOT_COVERED}"
    )

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
        return bound.label_report(rounds, doubt)

    def tickets(self, error: int) -> int:
        """C = (2 + 2 err / k) ln(1 / delta) in the paper, times 2^32, rounded upward."""
        log = fixedpoint.ceil_ln(self.delta.denominator, self.delta.numerator, 32)
        return -(-2 * (self.k + error) * log // self.k)
