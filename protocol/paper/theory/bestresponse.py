"""Alice's best response to the label report, under L = NRD + price N+ (REC - 1): exact, over all reports.

`protocol.paper.theory.canonical` shows which few reports have to be compared. Losses are compared as floating-point
numbers; reports whose losses differ by less than `CLOSE` count as equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.paper.theory.canonical import Candidate, Candour, candidates, report
from protocol.paper.theory.instances import Truth
from protocol.rules.label_report import LabelReport

CLOSE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A report with the smallest expected loss."""

    labels: Truth
    loss: float
    proven: bool  # else a better one may exist


def best_response(rule: LabelReport, truth: Truth, price: float, candour: Candour = Candour.NONE) -> Response:
    """The best of all reports of a kind. Of equal ones, the one that hides least, then with the largest rank."""
    return best_responses(rule, truth, [price], candour)[0]


def best_responses(
    rule: LabelReport, truth: Truth, prices: Sequence[float], candour: Candour = Candour.NONE
) -> list[Response]:
    """The same for several prices, with one look at the reports, which do not depend on them."""
    negatives = len(truth) - sum(truth)
    best: list[Candidate | None] = [None] * len(prices)
    doubtful = [0.0] * len(prices)  # what reports that were not compared may gain, at most
    for candidate in candidates(rule, truth, candour):
        for which, price in enumerate(prices):
            if candidate.hidden and candidate.unseen + price * len(candidate.hidden) < 1:
                doubtful[which] = max(doubtful[which], candidate.survival)
            held = best[which]
            if held is None or _preferred(candidate, held, price):
                best[which] = candidate
    found = []
    for chosen, price, doubt in zip(best, prices, doubtful, strict=True):
        if chosen is None:
            raise AssertionError("hiding all is always possible")
        gain = chosen.gain(price)
        found.append(Response(labels=report(truth, chosen, candour), loss=negatives - gain, proven=gain >= doubt))
    return found


def _preferred(one: Candidate, other: Candidate, price: float) -> bool:
    ahead = one.gain(price) - other.gain(price)
    if abs(ahead) > CLOSE:
        return ahead > 0
    return (-len(one.hidden), one.rank) > (-len(other.hidden), other.rank)
