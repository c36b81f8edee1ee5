"""The few label reports among which Alice's best one is, whatever she wants to hide.

Let a report have the threshold of rank r, hide h responsive documents below it, and show A others for certain. Let Q be
the probability that nothing hidden is drawn, and S the mean number of others drawn. Her expected loss is

    L = N- - Q (N- - A - S + price h),    with N- - A - S the mean number of others that Bob does not see, at least 0.

So she wants small chances: they make Q larger, and S smaller. Three changes keep r the report's best rank (the largest
of several), and h, and make no chance larger:

1. Call everything at or above r responsive. It is shown anyway, and the report's error, hence every chance, is less.
2. Take back false claims below r. Each shows one other for certain, adds to the error, and moves those behind it
   forward in the sampling order.
3. Hide documents further down. In sampling order the i-th hidden one is number (others before it) + i.

Rank r is best (against larger ranks) if among the reported labels right below it every beginning has more negatives
than positives; for that some documents have to be hidden. Going down and hiding only what must be hidden by then, and
at the end the last ones up to h, puts each of the h as far down as any choice of h can. So there are at most
(N + 1)(N+ + 1) reports to compare, of all 2^N:

- for the largest probability that more than a given number stay hidden, that is Q, always;
- for the smallest loss with given r and h if N- - A - S + price h >= 1. As a function of the h chances p, L falls when
  one of them falls, as long as that term plus p is above 1: Q holds the product of (1 - p), and S lacks the sum of p.
  Where the term is less than 1 for the report compared, every other with this r and h loses at least N- - Q, Q being
  that of the one compared: so a loss elsewhere that is no larger is still the smallest.

Alice may also be held to some candour: see `Candour`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from protocol.paper.theory.instances import Truth, smallest_best_rank
from protocol.rules.label_report import LabelReport


class Candour(Enum):
    """To what a report is held. The three changes apply within each kind, as far as it lets them."""

    NONE = "any report"
    NO_FALSE_CLAIMS = "calls nothing responsive that is not"
    TRUE_AT_TOP = "true labels for all that the optimal threshold calls responsive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One report of the comparison, and what it leads to."""

    rank: int  # t_A
    hidden: tuple[int, ...]  # positions
    survival: float  # Q
    unseen: float  # N- - A - S: others that Bob does not see, in the mean, if nothing hidden is drawn

    def gain(self, price: float) -> float:
        """By how much the loss is below N-, that of a batch that is shown as a whole."""
        return self.survival * (self.unseen + price * len(self.hidden))


def candidates(rule: LabelReport, truth: Truth, candour: Candour = Candour.NONE) -> Iterator[Candidate]:
    """One report for each rank and number of hidden documents that are possible together and may stay hidden."""
    values = np.asarray(truth, dtype=np.bool_)
    sums = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, len(truth) + 1))])  # H_m
    for rank, error in _ranks(truth, candour):
        places = np.flatnonzero(values[rank:])
        before = places - np.arange(len(places))  # others below the threshold and above each
        forced = _forced(before.tolist())
        needed = len(forced)
        if needed and before[forced[0]] + forced[0] + 1 <= rule.tickets(error) / 2**32:
            continue  # it is drawn for certain, however many more are hidden
        optional = np.setdiff1d(np.arange(len(places)), forced)
        others = len(truth) - rank - len(places)
        for count in range(needed, len(places) + 1):
            tickets = rule.tickets(error + len(places) - count) / 2**32  # c
            chosen = np.sort(np.concatenate([forced, optional[len(optional) - (count - needed) :]]))
            chances = np.minimum(1, tickets / (before[chosen] + np.arange(1, count + 1)))
            drawn = _sampled(tickets, others + count, sums) - float(chances.sum())
            yield Candidate(
                rank=rank,
                hidden=tuple((places[chosen] + rank + 1).tolist()),
                survival=float(np.prod(1 - chances)),
                unseen=others - drawn,
            )


def report(truth: Truth, candidate: Candidate, candour: Candour = Candour.NONE) -> Truth:
    """The labels of a candidate."""
    kept = {
        Candour.NONE: 0,
        Candour.NO_FALSE_CLAIMS: candidate.rank,
        Candour.TRUE_AT_TOP: smallest_best_rank(truth)[0],
    }[candour]
    claimed = (*truth[:kept], *[True] * (candidate.rank - kept), *truth[candidate.rank :])
    hidden = set(candidate.hidden)
    return tuple(label and place not in hidden for place, label in enumerate(claimed, start=1))


def _ranks(truth: Truth, candour: Candour) -> Iterator[tuple[int, int]]:
    """The ranks that a report of this kind can have, each with its error at or above the threshold.

    Without false claims, a rank is best (against smaller ranks) if right above it every end has no fewer responsive
    ones than others.
    """
    if candour is Candour.NONE:
        yield from ((rank, 0) for rank in range(len(truth) + 1))
    elif candour is Candour.TRUE_AT_TOP:
        top, _ = smallest_best_rank(truth)
        yield from ((rank, top - sum(truth[:top])) for rank in range(top, len(truth) + 1))
    else:
        lead = most = 0  # responsive ones minus others so far, and the most that ever was
        yield 0, 0
        for rank, responsive in enumerate(truth, start=1):
            lead += 1 if responsive else -1
            if lead >= most:
                most = lead
                yield rank, (rank - lead) // 2


def _forced(before: Sequence[int]) -> NDArray[np.int64]:
    """Which of the responsive ones have to be hidden if all are as far down as can be."""
    hidden: list[int] = []
    for number, others in enumerate(before):
        reported = number - len(hidden)
        if others + len(hidden) <= reported + 1:
            hidden.append(number)
    return np.array(hidden, dtype=np.int64)


def _sampled(tickets: float, count: int, sums: NDArray[np.float64]) -> float:
    """How many of `count` reported negatives are drawn, in the mean: the sum of min(1, c/j)."""
    certain = min(count, int(tickets))
    return certain + tickets * float(sums[count] - sums[certain])
