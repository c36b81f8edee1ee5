"""Protocol_Classifier: the Label-Verification Protocol for Classifier Report (Algorithm 3 of the paper).

Alice reports a threshold and labels for what is at or above it, all of which Bob gets. Below it, positions are drawn
with probability min(1, c/W); W counts up from 1 and starts again at each responsive document that the court confirms.
If those outnumber the others at any prefix, a better threshold than Alice's has been found, and Bob gets the rest.

The paper goes one document at a time. Here what is not settled yet counts as negative: a later find makes W smaller
from there on, so the same coins draw all that they drew before and perhaps more, and the waves end where the paper's
loop does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol import fixedpoint
from protocol.rules import bound
from protocol.rules.base import NOT_COVERED, Evidence, Examination, Report, chance


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierReport:
    """The rule for one matter's failure probability delta."""

    delta: Fraction

    name = "classifier"
    reports_threshold = True
    guarantee = (
        "In each round, whatever threshold Alice reports, with probability at least 1 - delta at most 3 err* of the "
        "batch's responsive documents were not disclosed, err* being the least error that any threshold has on the "
        f"true labels. {NOT_COVERED}"
    )

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        size, threshold = len(report.labels), report.threshold or 0
        tickets = self.tickets(size)
        chances: dict[int, int] = {}
        drawn: set[int] = set()
        stop = None
        positives = negatives = 0  # M+ and M- in the paper
        weight = 1  # W in the paper
        for place in range(threshold + 1, size + 1):
            chances[place] = chance(tickets, weight)
            sampled = coins[place - 1] < chances[place] or place in counted
            if sampled:
                drawn.add(place)
            if sampled and settled.get(place):
                positives, weight = positives + 1, 1
            else:
                negatives, weight = negatives + 1, weight + 1
            if positives > negatives:
                stop = place
                break
        return Examination(
            threshold=threshold,
            error=sum(label is False for label in report.labels),
            due=frozenset(range(1, threshold + 1)) | drawn if stop is None else frozenset(range(1, size + 1)),
            chances=chances,
            drawn=frozenset(drawn),
            compelled_at=stop,
        )

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return bound.classifier_report(rounds, doubt)

    def tickets(self, size: int) -> int:
        """C = 2 ln(N / delta) in the paper, times 2^32, rounded upward."""
        return 2 * fixedpoint.ceil_ln(size * self.delta.denominator, self.delta.numerator, 32)
