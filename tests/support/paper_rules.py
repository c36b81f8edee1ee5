"""The paper's three rules, made without terms."""

from fractions import Fraction

from protocol.rules.base import Examiner
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll

NAMES = (RevealAll.name, LabelReport.name, ClassifierReport.name)


def rule(name: str, *, delta: Fraction, k: int) -> Examiner:
    """The rule of this name, with these parameters as far as it has them."""
    known: dict[str, Examiner] = {
        RevealAll.name: RevealAll(),
        LabelReport.name: LabelReport(delta=delta, k=k),
        ClassifierReport.name: ClassifierReport(delta=delta),
    }
    return known[name]
