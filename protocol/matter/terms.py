"""Terms that can be run, and what follows from them."""

from fractions import Fraction

from ledger import canonical
from ledger.canonical import NotCanonical
from protocol import fixedpoint, rules
from protocol.errors import BadTerms
from protocol.matter.statements import Terms
from protocol.rules.base import Rule

LONGEST = 2**12
"""So many rounds at most: each spends two links of chains that are made before the first."""

_CHAINS = 256  # simulations with the same seed draw alike while their chains have one length


def terms(*, protocol: str, rounds: int, batch: int, delta: str, k: int, query: str = "", doubt: str = "0.05") -> Terms:
    """Checked terms, or `BadTerms` with the first that cannot be run."""
    draws = max(_CHAINS, 1 << (2 * max(rounds, 1)).bit_length())  # some are left for draws that the court orders later
    made = Terms(batch=batch, delta=delta, doubt=doubt, draws=draws, k=k, protocol=protocol, query=query, rounds=rounds)
    check(made)
    return made


def check(found: Terms) -> None:
    """Raise `BadTerms` unless a matter can be run under these terms."""
    if found.protocol not in rules.NAMES:
        raise BadTerms(f"the protocol is {found.protocol!r}; known are {', '.join(rules.NAMES)}")
    for name, value, most in (("rounds", found.rounds, LONGEST), ("batch", found.batch, 2**31), ("k", found.k, 2**31)):
        if not 1 <= value <= most:
            raise BadTerms(f"{name} is {value}; it must be a whole number from 1 to {most}")
    if not 2 * found.rounds <= found.draws <= 4 * LONGEST:
        raise BadTerms(f"{found.draws} draws for {found.rounds} rounds; each round may need two")
    probability("delta", found.delta)
    probability("doubt", found.doubt)
    try:
        canonical.check(found.query)
    except NotCanonical as error:
        raise BadTerms(f"the query cannot be recorded: {error}") from None


def probability(name: str, text: str) -> Fraction:
    """A probability strictly between 0 and 1, as an exact fraction."""
    try:
        value = fixedpoint.parse_fraction(text)
    except BadTerms as error:
        raise BadTerms(f"{name}: {error}") from None
    if not 0 < value < 1:
        raise BadTerms(f"{name} is {text}; it must lie between 0 and 1, such as 0.01")
    return value


def rule_of(agreed: Terms) -> Rule:
    """The label-verification rule that the terms name."""
    return rules.rule(agreed.protocol, delta=probability("delta", agreed.delta), k=agreed.k)
