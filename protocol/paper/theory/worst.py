"""The report that most likely breaks a recall guarantee: exact, over all that Alice can report."""

from dataclasses import dataclass

from protocol.paper.theory.canonical import Candour, candidates, report
from protocol.paper.theory.exact import classifier_report
from protocol.paper.theory.instances import Truth
from protocol.rules.base import Report
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """A report, and the probability that more documents stay hidden than are allowed."""

    report: Report
    failure: float


def worst_labels(rule: LabelReport, truth: Truth, allowed: int, candour: Candour = Candour.NONE) -> Worst | None:
    """The worst label report; None if no report ever hides more than is allowed."""
    enough = [each for each in candidates(rule, truth, candour) if len(each.hidden) > allowed]
    if not enough:
        return None
    worst = max(enough, key=lambda each: each.survival)
    return Worst(report=Report(labels=report(truth, worst, candour)), failure=worst.survival)


def worst_threshold(rule: ClassifierReport, truth: Truth, allowed: int) -> Worst | None:
    """The worst threshold; None if no threshold ever hides more than is allowed.

    Where the first document below is responsive and drawn for certain, it compels the rest.
    """
    certain = rule.tickets(len(truth)) >= 2**32
    found = [
        (classifier_report(rule, truth, rank).failure(allowed), rank)
        for rank in range(len(truth) + 1)
        if sum(truth[rank:]) > allowed and not (certain and truth[rank])
    ]
    if not found:
        return None
    failure, rank = max(found)
    return Worst(report=threshold_report(truth, rank), failure=failure)


def threshold_report(truth: Truth, rank: int) -> Report:
    """A threshold, with true labels at and above it."""
    return Report(labels=(*truth[:rank], *[None] * (len(truth) - rank)), threshold=rank)
