"""The family of instances in the proof of the lower bound, by formulas that reach N = 2^20.

Of N = 2^m documents the first is bucket 0, and the positions 2^(j - 1) + 1 to 2^j are bucket j. In instance j buckets 0
and j are responsive. Its best threshold is at rank 2^j, and the 2^(j - 1) - 1 others above it are its error; the next
best, right below the first document, has one error more. So FN* = 0, and the recall to be reached is 1.

The proof lets a protocol look into every bucket, to tell the instances apart. Inside the family nobody has to: one
document of the bucket that Alice reports tells instance j from all others, and if she is truthful it is responsive.
All that she is asked for can then be shown without a single other document. The bound needs more truths:

- instance 0, in which the first document alone is responsive and err* = 0. Who hears of it has to look into each of
  the m buckets, and shows log2 N others;
- or buckets 0, i and j together. Their FN* is 0 as well, so the theorem's premise ("on all instances") asks for all of
  them. Who hears of instance j has to look into every other bucket for a second one, and shows log2 N - 1 others.
"""

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from protocol.paper.theory.exact import samples
from protocol.paper.theory.instances import Truth, bucket
from protocol.paper.theory.trials import observe
from protocol.paper.theory.worst import threshold_report, worst_labels
from protocol.rules.base import Report
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport

_TICKET = 2.0**32


def error(number: int) -> int:
    """err* of an instance: the others above its best threshold."""
    return 2**number // 2 - 1 if number else 0


def disclosure(rule: LabelReport | ClassifierReport, exponent: int, number: int) -> float:
    """The expected non-responsive disclosure of true labels, or of the optimal threshold."""
    if isinstance(rule, LabelReport):
        tickets = rule.tickets(error(number)) / _TICKET
    else:
        tickets = rule.tickets(2**exponent) / _TICKET
    return error(number) + samples(tickets, 2**exponent - 2**number)


def skipped(rule: LabelReport, number: int, *, share: float = 1.0) -> float:
    """The probability that no coin meets bucket `number` (from 1) where Alice reports instance 0.

    Its documents are reported negatives 2^(j - 1) to 2^j - 1. `share` makes every chance smaller, to see it fail.
    """
    places = np.arange(2 ** (number - 1), 2**number)
    return float(np.prod(1 - np.minimum(1, share * rule.tickets(0) / _TICKET / places)))


def left_out(rule: ClassifierReport, exponent: int, number: int) -> float:
    """The probability that Bob does not see all of bucket `number` (from 1) where Alice's threshold is of rank 1.

    At the bucket's first document W is 2^(j - 1). If it is found, W stays 1 through the rest of the bucket, whose
    documents are all found and then outnumber the others; if not, the finds cannot outnumber them any more.
    """
    chance = rule.tickets(2**exponent) / _TICKET / 2.0 ** (number - 1)
    return 1 - min(1.0, chance)


def worst(rule: LabelReport, exponent: int, number: int) -> float:
    """The largest probability, over all label reports, that the recall is less than that of the optimal classifier."""
    found = worst_labels(rule, bucket(exponent, number), allowed=0)
    return found.failure if found else 0.0


Family = Sequence[frozenset[int]]
"""Truths, each as the set of buckets from 1 on that are responsive; bucket 0 is in all of them."""


def printed(exponent: int) -> Family:
    """The instances of the paper's proof."""
    return [frozenset({j}) for j in range(1, exponent + 1)]


def pairs(exponent: int) -> Family:
    """Two responsive buckets at a time. Not in the paper, but among the instances that its premise covers."""
    return [frozenset(pair) for pair in combinations(range(1, exponent + 1), 2)]


def truth_of(exponent: int, responsive: frozenset[int]) -> Truth:
    """The labels of 2^exponent documents."""
    labels = np.any([bucket(exponent, j) for j in (0, *responsive)], axis=0)
    return tuple(bool(label) for label in labels)


def needed(exponent: int, said: frozenset[int], family: Family) -> int:
    """The fewest others that Bob has to see where Alice says `said`, and it is true.

    He has to see all that is responsive, and so much more that in every truth of the family which agrees with what he
    saw he saw all too: Alice may say the same there. The documents of a bucket are alike, so all that counts is whether
    he sees none, one or all of it; every combination is tried.
    """
    sizes = [1 << (j - 1) for j in range(1, exponent + 1)]
    least = sum(sizes)
    for seen in product((0, 1, 2), repeat=exponent):  # none, one, all
        met = {j for j, amount in enumerate(seen, start=1) if amount}
        whole = {j for j in met if seen[j - 1] == 2 or sizes[j - 1] == 1}
        if said <= whole and all(truth <= whole or truth & met != said & met for truth in family):
            shown = sum(sizes[j - 1] if seen[j - 1] == 2 else 1 for j in met - said)
            least = min(least, shown)
    return least


def rule(name: str, delta: Fraction) -> LabelReport | ClassifierReport:
    """A rule by its name, with k = 1."""
    return LabelReport(delta=delta, k=1) if name == LabelReport.name else ClassifierReport(delta=delta)


def observed(name: str, delta: str, exponent: int, number: int, plays: int, seed: int) -> dict[str, Any]:
    """The disclosure of the same reports, played with coins of the ledger: a job, as in `trials`."""
    played, truth = rule(name, Fraction(delta)), bucket(exponent, number)
    report = Report(labels=truth) if isinstance(played, LabelReport) else threshold_report(truth, 2**number)
    return asdict(observe(played, report, truth, plays, f"bucket {name} {delta} {exponent} {number} {seed}"))
