"""All rules, by their name in the terms. All other code finds a rule here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from protocol.rules import classifier_report, label_report, reveal_all, spot_check, terms
from protocol.rules.base import Examiner, Rule
from protocol.rules.terms import RECORDS, Parameter, Terms

AnyRule = Rule[Any]  # each has terms of its own type, which `of` finds by their name

USUAL: AnyRule = spot_check.RULE
"""The rule that a blank terms file names."""

_RULES: dict[str, AnyRule] = {}


def rules() -> tuple[AnyRule, ...]:
    """All rules."""
    return tuple(_RULES.values())


def names() -> tuple[str, ...]:
    """Their names."""
    return tuple(_RULES)


def named(protocol: str) -> AnyRule:
    """The rule of this name, or `BadTerms`."""
    if protocol not in _RULES:
        raise terms.unknown(protocol)
    return _RULES[protocol]


def of(agreed: Terms) -> AnyRule:
    """The rule that a matter's terms name."""
    return named(agreed.protocol)


def examiner(agreed: Terms) -> Examiner:
    """The rule of these terms, with their parameters."""
    return of(agreed).make(agreed)


def parameters() -> tuple[Parameter, ...]:
    """The parameters of all rules, each once."""
    return tuple({each.name: each for rule in rules() for each in rule.parameters}.values())


def values(agreed: Terms) -> list[tuple[Parameter, int | str]]:
    """The parameters of a matter's rule, with their values."""
    return [(each, getattr(agreed, each.name)) for each in of(agreed).parameters]


@contextmanager
def registered(rule: AnyRule) -> Iterator[None]:
    """Know one more rule for a while. Only for tests: no command loads a rule from elsewhere."""
    _add(rule)
    try:
        yield
    finally:
        del _RULES[rule.name], RECORDS[rule.name]


def _add(rule: AnyRule) -> None:
    if rule.name in _RULES or rule.terms.__struct_config__.tag != rule.name:
        raise ValueError(f"there is a rule {rule.name!r} already, or its terms have another name")
    if any(each.name == other.name and each != other for each in parameters() for other in rule.parameters):
        raise ValueError(f"the rule {rule.name!r} shares a parameter with another rule, but describes it differently")
    _RULES[rule.name], RECORDS[rule.name] = rule, rule.terms


for _rule in (spot_check.RULE, reveal_all.RULE, label_report.RULE, classifier_report.RULE):
    _add(_rule)
