"""Terms that can be run, and what follows from them."""

from fractions import Fraction

from ledger import canonical
from ledger.noncanonical import NotCanonical
from protocol import fixedpoint, rules
from protocol.errors import BadTerms
from protocol.matter.statements import Terms
from protocol.rules.base import Rule

SPARE_DRAWS = 16
"""Links beyond two a round, for draws that the court orders later."""


def terms(*, protocol: str, rounds: int, batch: int, delta: str, k: int, query: str = "", doubt: str = "0.05") -> Terms:
    """Checked terms, or `BadTerms` with the first that cannot be run."""
    draws = 2 * rounds + SPARE_DRAWS
    made = Terms(batch=batch, delta=delta, doubt=doubt, draws=draws, k=k, protocol=protocol, query=query, rounds=rounds)
    check(made)
    return made


def check(found: Terms) -> None:
    """Raise `BadTerms` unless a matter can be run under these terms."""
    if found.protocol not in rules.NAMES:
        raise BadTerms(f"the protocol is {found.protocol!r}; known are {', '.join(rules.NAMES)}")
    for name, value in (("rounds", found.rounds), ("batch", found.batch), ("k", found.k)):
        if not 1 <= value <= 2**31:
            raise BadTerms(f"{name} is {value}; it must be a whole number from 1 on")
    probability("delta", found.delta)
    probability("doubt", found.doubt)
    try:
        canonical.check(found.query)
    except NotCanonical as error:
        raise BadTerms(f"the query cannot be recorded: {error}") from None


def probability(name: str, text: str) -> Fraction:
    """A probability strictly between 0 and 1, as an exact fraction."""
    value = fixedpoint.parse_fraction(text)
    if not 0 < value < 1:
        raise BadTerms(f"{name} is {text}; it must lie between 0 and 1, such as 0.01")
    return value


def rule_of(agreed: Terms) -> Rule:
    """The label-verification rule that the terms name."""
    return rules.rule(agreed.protocol, delta=probability("delta", agreed.delta), k=agreed.k)
