"""What the terms of a matter fix: which rule, and its numbers."""

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from verifier.record.shapes import Malformed, positive, shaped, text, word

MOST_ROUNDS = 2**12
_DECIMAL = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
_LONGEST_DECIMAL = 30


class Protocol(StrEnum):
    """The label-verification rules."""

    REVEAL_ALL = "reveal-all"
    LABEL = "label"
    CLASSIFIER = "classifier"


_LEFT_ASIDE = "This leaves aside what the court withheld as privileged, and rounds in which Bob left documents unread."

GUARANTEES = {
    Protocol.REVEAL_ALL: (
        "In each round Bob was shown every document of the batch, apart from what the court withheld as privileged."
    ),
    Protocol.LABEL: (
        "In each round, whatever Alice reports, with probability at least 1 - delta either the whole batch was "
        "disclosed or at most err* + k - 1 of its responsive documents were not, err* being the least error that any "
        f"threshold has on the true labels. {_LEFT_ASIDE}"
    ),
    Protocol.CLASSIFIER: (
        "In each round, whatever threshold Alice reports, with probability at least 1 - delta at most 3 err* of the "
        "batch's responsive documents were not disclosed, err* being the least error that any threshold has on the "
        f"true labels. {_LEFT_ASIDE}"
    ),
}
"""What the paper proves of a round, in the words of the claims."""

ASSUMPTIONS = (
    "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too."
)
"""What the bound on hidden documents rests on, in the words of the claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all parties sign before anything is drawn."""

    batch: int = shaped(positive)
    delta: str = shaped(text)
    doubt: str = shaped(text)
    draws: int = shaped(positive)
    k: int = shaped(positive)
    protocol: Protocol = shaped(word(Protocol))
    query: str = shaped(text)
    rounds: int = shaped(positive)


def check(terms: Terms) -> None:
    """Raise `Malformed` unless a matter can be run under these terms."""
    if terms.rounds > MOST_ROUNDS:
        raise Malformed(f"rounds: at most {MOST_ROUNDS} were expected, {terms.rounds} found")
    if not 2 * terms.rounds <= terms.draws <= 4 * MOST_ROUNDS:
        raise Malformed(f"draws: from {2 * terms.rounds} to {4 * MOST_ROUNDS} were expected, {terms.draws} found")
    probability("delta", terms.delta)
    probability("doubt", terms.doubt)


def probability(name: str, written: str) -> Fraction:
    """A plain decimal strictly between 0 and 1."""
    if len(written) > _LONGEST_DECIMAL or not _DECIMAL.fullmatch(written) or not 0 < Fraction(written) < 1:
        raise Malformed(f"{name}: a decimal between 0 and 1 was expected, {written[:_LONGEST_DECIMAL]!r} found")
    return Fraction(written)
