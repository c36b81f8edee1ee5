"""Reveal all: Bob sees every document of every batch (specification, "Label verification")."""

from fractions import Fraction

from verifier.rules.base import NOTHING, Coins, Evidences, Examined, Report, Rule, Settled, Words, best_rank, everything
from verifier.rules.terms import Terms


def check(_terms: Terms) -> None:
    """The rule has no parameters of its own."""


def examine(
    _terms: Terms,
    report: Report,
    _coins: Coins,
    _settled: Settled,
    _counted: frozenset[int] = NOTHING,
) -> Examined:
    """All is due at once."""
    threshold, error = best_rank([bool(label) for label in report.labels])
    due = everything(len(report.labels))
    return Examined(threshold=threshold, error=error, due=due, chances={}, drawn=NOTHING, compelled_at=None)


def certain(_terms: Terms, report: Report, _threshold: int) -> dict[int, str]:
    """Everything."""
    return dict.fromkeys(range(1, len(report.labels) + 1), "the rule shows every document")


def at_most(_terms: Terms, _rounds: Evidences, _doubt: Fraction) -> int:
    """Nothing can be hidden."""
    return 0


RULE = Rule(
    protocol="reveal-all",
    terms=Terms,
    check=check,
    with_threshold=False,
    examine=examine,
    certain=certain,
    at_most=at_most,
    words=Words(
        guarantee=(
            "In each round Bob was shown every document of the batch, apart from what the court withheld as privileged."
        ),
        plain=None,
        explained="Bob was to see every document that Alice reviewed.",
        story=(
            "The rule was to reveal all: Bob sees every document of every batch. Nothing that was reviewed can be "
            "hidden from him, and he sees the most that is not his concern."
        ),
        numbers=lambda _: "",
    ),
)
