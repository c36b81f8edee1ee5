"""The family of instances in the proof of the lower bound, by formulas that reach N = 2^20.

Of N = 2^m documents the first is bucket 0, and the positions 2^(j - 1) + 1 to 2^j are bucket j. In instance j buckets 0
and j are responsive. Its best threshold is at rank 2^j, and the 2^(j - 1) - 1 others above it are its error; the next
best, right below the first document, has one error more. So FN* = 0, and the recall to be reached is 1.

Instance 0, with the first document alone, is not in the paper. A protocol that hears of it cannot know which bucket
Alice may hide, and has to look into each of the m: there it shows log2 N others. In the paper's own instances one of
the buckets is responsive, which leaves log2 N - 1.
"""

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import numpy as np

from protocol.rules.base import Report
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.theory.exact import every_report, samples
from protocol.theory.instances import bucket
from protocol.theory.trials import observe
from protocol.theory.worst import threshold_report, worst_labels

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


def cheapest(exponent: int, *, with_zero: bool) -> int:
    """The fewest others that a set of documents shows in its worst instance, if it meets every bucket: by all sets."""
    sets = every_report(2**exponent)
    first = 0 if with_zero else 1
    others = [(sets & ~np.array(bucket(exponent, j))).sum(axis=1) for j in range(first, exponent + 1)]
    meets = [sets[:, 2 ** (j - 1) : 2**j].any(axis=1) for j in range(1, exponent + 1)]
    return int(np.max(others, axis=0)[np.all(meets, axis=0)].min())


def rule(name: str, delta: Fraction) -> LabelReport | ClassifierReport:
    """A rule by its name, with k = 1."""
    return LabelReport(delta=delta, k=1) if name == LabelReport.name else ClassifierReport(delta=delta)


def observed(name: str, delta: str, exponent: int, number: int, plays: int, seed: int) -> dict[str, Any]:
    """The disclosure of the same reports, played with coins of the ledger: a job, as in `protocol.theory.trials`."""
    played, truth = rule(name, Fraction(delta)), bucket(exponent, number)
    report = Report(labels=truth) if isinstance(played, LabelReport) else threshold_report(truth, 2**number)
    return asdict(observe(played, report, truth, plays, f"bucket {name} {delta} {exponent} {number} {seed}"))
