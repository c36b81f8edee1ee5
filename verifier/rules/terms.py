"""What the terms of every matter fix, whatever its rule; a rule adds its own parameters."""

import re
from dataclasses import dataclass
from fractions import Fraction

from verifier.record.shapes import Malformed, positive, shaped, text

MOST_ROUNDS = 2**12
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
_LONGEST_DECIMAL = 30

ASSUMPTIONS = (
    "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too."
)
"""What the bound on hidden documents rests on, in the words of the claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all parties sign before anything is drawn."""

    batch: int = shaped(positive)
    doubt: str = shaped(text)
    draws: int = shaped(positive)
    protocol: str = shaped(text)  # the name of the rule
    query: str = shaped(text)
    rounds: int = shaped(positive)


def check(terms: Terms) -> None:
    """Raise `Malformed` unless a matter can be run under these terms, as far as every rule has them."""
    if terms.rounds > MOST_ROUNDS:
        raise Malformed(f"rounds: at most {MOST_ROUNDS} were expected, {terms.rounds} found")
    if not 2 * terms.rounds <= terms.draws <= 4 * MOST_ROUNDS:
        raise Malformed(f"draws: from {2 * terms.rounds} to {4 * MOST_ROUNDS} were expected, {terms.draws} found")
    probability("doubt", terms.doubt)


def probability(name: str, written: str) -> Fraction:
    """A plain decimal strictly between 0 and 1."""
    if len(written) > _LONGEST_DECIMAL or not _DECIMAL.fullmatch(written) or not 0 < Fraction(written) < 1:
        raise Malformed(f"{name}: a decimal between 0 and 1 was expected, {written[:_LONGEST_DECIMAL]!r} found")
    return Fraction(written)
