"""What a report leads to, without sampling: the probabilities themselves.

Label report. Coins are independent, and the first hidden document that one of them draws brings the whole batch. So a
batch ends in one of two ways, and the product of the hidden ones' chances to be missed decides between them.

Classifier report. W is the distance to the last find, and M- what is not M+, so the last find and the number of finds
are all that has to be remembered. They change at responsive positions only; the others add their chances in between.

Chances are the rules' own, C / 2^32 / j, as floating-point numbers: off by less than one part in 10^15.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protocol.paper.theory.bounds import harmonic
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport

Reals = NDArray[np.float64]
Bits = NDArray[np.bool_]

_TICKET = 2.0**32


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOutcomes:
    """What label reports lead to, one row a report."""

    rank: NDArray[np.int64]  # t_A
    error: NDArray[np.int64]  # err_A(t_A)
    hidden: NDArray[np.int64]  # responsive ones that Bob sees only if one of them is drawn
    survival: Reals  # the probability that none is
    certain: NDArray[np.int64]  # others that Bob sees whatever the coins say
    sampled: Reals  # the mean number of others that coins draw
    negatives: int  # N-

    @property
    def disclosure(self) -> Reals:
        """The expected non-responsive disclosure."""
        return self.survival * (self.certain + self.sampled) + (1 - self.survival) * self.negatives

    def loss(self, price: float) -> Reals:
        """Alice's expected loss, NRD + price N+ (REC - 1)."""
        return self.disclosure - price * self.survival * self.hidden

    def failure(self, allowed: int) -> Reals:
        """The probability that more than this many responsive documents stay hidden."""
        return np.where(self.hidden > allowed, self.survival, 0.0)


def label_reports(rule: LabelReport, truth: Sequence[bool] | Bits, labels: Bits) -> LabelOutcomes:
    """What each row of labels leads to, on a batch with these true labels."""
    true = np.asarray(truth, dtype=np.bool_)
    size = len(true)
    errors = np.zeros((len(labels), size + 1), dtype=np.int64)
    np.cumsum(np.where(labels, -1, 1), axis=1, out=errors[:, 1:])
    errors += labels.sum(axis=1)[:, None]
    rank = size - np.argmin(errors[:, ::-1], axis=1)
    error = errors.min(axis=1)
    tickets = np.array([rule.tickets(each) for each in range(int(error.max()) + 1)]) / _TICKET
    below = ~labels & (np.arange(1, size + 1) > rank[:, None])
    chances = tickets[error][:, None] / np.maximum(np.cumsum(below, axis=1), 1)
    chances = np.where(below, np.minimum(chances, 1), 0)
    return LabelOutcomes(
        rank=rank,
        error=error,
        hidden=(below & true).sum(axis=1),
        survival=np.prod(np.where(true, 1 - chances, 1), axis=1),
        certain=(~below & ~true).sum(axis=1),
        sampled=np.where(true, 0, chances).sum(axis=1),
        negatives=int((~true).sum()),
    )


def samples(tickets: float, count: int) -> float:
    """How many of `count` positions are drawn with min(1, c/j), in the mean."""
    certain = min(count, int(tickets))
    return certain + tickets * (harmonic(count) - harmonic(certain))


def every_report(size: int, start: int = 0, stop: int | None = None) -> Bits:
    """All label vectors of a small batch, one a row, or some of them."""
    numbers = np.arange(start, 2**size if stop is None else stop)
    return (numbers[:, None] >> np.arange(size) & 1).astype(np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierOutcome:
    """What a reported threshold leads to."""

    compelled: float  # the probability that M+ > M- somewhere
    missed: Reals  # by number, the probability that this many responsive documents stay hidden
    disclosure: float  # the expected non-responsive disclosure

    def failure(self, allowed: int) -> float:
        """The probability that more than this many responsive documents stay hidden."""
        return float(self.missed[allowed + 1 :].sum())


def classifier_report(rule: ClassifierReport, truth: Sequence[bool], rank: int) -> ClassifierOutcome:
    """What a threshold of this rank leads to, on a batch with these true labels."""
    tickets = rule.tickets(len(truth)) / _TICKET  # c
    below = np.asarray(truth[rank:], dtype=np.bool_)
    negatives = len(truth) - sum(truth)
    above = rank - sum(truth[:rank])
    chances = np.minimum(tickets / np.maximum(np.arange(len(below) + 1), 1), 1)  # by W
    sums = np.concatenate([[0.0], np.cumsum(chances[1:])])
    places = [0, *(int(place) + 1 for place in np.flatnonzero(below))]  # 0 is the start: W counts from there
    count = len(places) - 1
    origins = np.array(places)
    mass = np.zeros((count + 1, count + 1))  # by the last find, and the number of finds
    drawn = np.zeros_like(mass)  # the same, times the mean number of others drawn so far
    mass[0, 0] = 1
    compelled = 0.0
    before = 0
    for step, place in enumerate(places[1:], start=1):
        since, now, so_far = origins[:step], mass[:step, :step], drawn[:step, :step]  # there are fewer finds than steps
        so_far += now * (sums[place - 1 - since] - sums[np.maximum(before - since, 0)])[:, None]
        found = chances[place - since][:, None]
        arrived, carried = (now * found).sum(axis=0), (so_far * found).sum(axis=0)
        now *= 1 - found
        so_far *= 1 - found
        stop = min(place // 2, step)  # from M+ = place // 2 + 1 on, the finds outnumber the others
        compelled += float(arrived[stop:].sum())
        mass[step, 1 : stop + 1] = arrived[:stop]
        drawn[step, 1 : stop + 1] = carried[:stop]
        before = place
    drawn += mass * (sums[len(below) - origins] - sums[np.maximum(before - origins, 0)])[:, None]
    missed = mass.sum(axis=0)[::-1].copy()
    missed[0] += compelled
    return ClassifierOutcome(
        compelled=compelled,
        missed=missed,
        disclosure=float(drawn.sum() + (1 - compelled) * above + compelled * negatives),
    )
