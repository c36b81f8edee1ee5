"""A round by a rule of the paper, on a made-up ranking: these rules depend on the order of a batch, not only on counts.

The rule itself decides what Bob is shown, with coins of this forecast. The ranking is as good as the curve of CAL says:
each place of the batch is responsive with the density that the curve has there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import RandomState

from protocol.forecast.assumed import Alice
from protocol.forecast.books import Books
from protocol.forecast.gain import Curve
from protocol.rules.base import Evidence, Examiner, Report, best_rank, evidence, played


@dataclass(slots=True)
class Ranked:
    """The rule, and what its closed rounds tell about hidden documents."""

    rule: Examiner
    alice: Alice
    random: RandomState
    closed: list[Evidence] = field(default_factory=list)

    def round(self, books: Books, efforts: np.ndarray, curve: Curve, responsive: int) -> None:
        """One batch, with this many responsive documents; `efforts` are its places on the curve."""
        truth = self._ranking(curve.density(efforts), responsive)
        report = self._report(truth)
        coins = [int(each) for each in self.random.randint(0, 2**64, len(truth), dtype=np.uint64)]
        settled = played(self.rule, report, coins, truth)
        self.closed.append(evidence(self.rule.examine(report, coins, settled), settled))
        shown = sum(settled.values())
        books.read += len(truth)
        books.negatives += sum(not label for label in report.labels)
        disputed = sum(bool(report.labels[place - 1]) != label for place, label in settled.items())
        books.show(shown, len(settled) - shown, disputed=disputed)
        missed = sum(truth) - shown
        books.withhold(0, missed, len(truth) - len(settled) - missed)

    def _ranking(self, density: np.ndarray, responsive: int) -> list[bool]:
        """Which places are responsive: so many, and each more likely where the density is higher."""
        keys = self.random.exponential(size=len(density)) / density
        truth = np.zeros(len(density), dtype=bool)
        truth[np.argsort(keys, kind="stable")[:responsive]] = True
        return [bool(each) for each in truth]

    def _report(self, truth: Sequence[bool]) -> Report:
        labels = list(truth)
        responsive = [place for place, label in enumerate(truth) if label]
        other = [place for place, label in enumerate(truth) if not label]
        hidden, claimed = self.alice.mislabelled(self.random, len(responsive), len(other))
        lowest = responsive[len(responsive) - hidden :] if self.alice.hides else self._some(responsive, hidden)
        for place in (*lowest, *self._some(other, claimed)):
            labels[place] = not labels[place]
        if not self.rule.reports_threshold:
            return Report(labels=tuple(labels))
        threshold, _ = best_rank(labels)
        return Report(labels=(*labels[:threshold], *[None] * (len(labels) - threshold)), threshold=threshold)

    def _some(self, places: Sequence[int], number: int) -> list[int]:
        return [places[each] for each in self.random.permutation(len(places))[:number]]
