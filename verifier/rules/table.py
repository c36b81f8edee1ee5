"""The rules that this verifier knows, by their name in the terms. All other code finds a rule here."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from verifier.findings import UnknownVersion, shortened
from verifier.record.shapes import Malformed, read, text
from verifier.rules import classifier, label, reveal_all, spot_check, terms
from verifier.rules.base import Rule, SpotChecks
from verifier.rules.terms import Terms

AnyRule = Rule[Any]  # each has terms of its own type, which `of` finds by their name

_RULES: dict[str, AnyRule] = {
    each.protocol: each for each in (reveal_all.RULE, label.RULE, classifier.RULE, spot_check.RULE)
}


def rules() -> tuple[AnyRule, ...]:
    """All rules."""
    return tuple(_RULES.values())


def named(protocol: str) -> AnyRule:
    """The rule of this name. An unknown one blames nobody: a newer verifier may know it."""
    if protocol not in _RULES:
        known = ", ".join(_RULES)
        raise UnknownVersion(f"the matter follows the rule {shortened(protocol)!r}; this verifier knows {known}")
    return _RULES[protocol]


def of(agreed: Terms) -> AnyRule:
    """The rule of a matter."""
    return named(agreed.protocol)


def spot_checks(agreed: Terms) -> SpotChecks | None:
    """What the books of a matter are kept by, if its rule keeps books."""
    rule = of(agreed)
    return None if rule.spot_checks is None else rule.spot_checks(agreed)


def read_terms(value: Any) -> Terms:
    """Parses terms by the rule that they name."""
    if type(value) is not dict or "protocol" not in value:
        raise Malformed("terms that name their protocol were expected")
    agreed: Terms = read(named(text(value["protocol"])).terms, value)
    return agreed


def check(agreed: Terms) -> None:
    """Raise `Malformed` unless a matter can be run under these terms."""
    terms.check(agreed)
    of(agreed).check(agreed)


@contextmanager
def registered(rule: AnyRule) -> Iterator[None]:
    """Know one more rule for a while. Only for tests: no command loads a rule from elsewhere."""
    if rule.protocol in _RULES:
        raise ValueError(f"there is a rule {rule.protocol!r} already")
    _RULES[rule.protocol] = rule
    try:
        yield
    finally:
        del _RULES[rule.protocol]
