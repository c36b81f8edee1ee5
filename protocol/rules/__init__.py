"""Label verification: one module a rule, chosen by the name in a matter's terms."""

from fractions import Fraction

from protocol.rules.base import Rule
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll

NAMES = (RevealAll.name, LabelReport.name, ClassifierReport.name)


def rule(name: str, *, delta: Fraction, k: int) -> Rule:
    """The rule that a matter's terms name."""
    known: dict[str, Rule] = {
        RevealAll.name: RevealAll(),
        LabelReport.name: LabelReport(delta=delta, k=k),
        ClassifierReport.name: ClassifierReport(delta=delta),
    }
    return known[name]
