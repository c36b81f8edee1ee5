"""The label report: Alice labels the whole batch, and one confirmed error below the threshold brings Bob all of it.

Specification, "Label verification" and "The bound".
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import compress
from operator import lt

from verifier.certificates.exact import cost
from verifier.logarithms import ln_ceil
from verifier.record.shapes import positive, shaped, text
from verifier.rules import bound
from verifier.rules.base import (
    NOTHING,
    Coins,
    Evidences,
    Examined,
    Report,
    Rule,
    Settled,
    Words,
    above_the_threshold,
    best_rank,
    chances,
    everything,
)
from verifier.rules.terms import Terms, probability


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTerms(Terms):
    """The failure probability of a round, and the slack of its guarantee."""

    delta: str = shaped(text)
    k: int = shaped(positive)


def check(terms: LabelTerms) -> None:
    """Whether delta is a probability."""
    probability("delta", terms.delta)


def tickets(delta: Fraction, k: int, error: int) -> int:
    """C of the label report: ceil(2 (k + err) L / k) with L = ceil(2^32 ln(1/delta))."""
    doubled = 2 * (k + error) * ln_ceil(delta.denominator, delta.numerator, 32)
    return -(-doubled // k)


def examine(
    terms: LabelTerms,
    report: Report,
    coins: Coins,
    settled: Settled,
    counted: frozenset[int] = NOTHING,
) -> Examined:
    """Due is all but the negatives below the best rank, and of these what the coins draw; on a find, everything."""
    first = _with_nothing_settled(terms, report, tuple(coins), counted)
    compelled_at = min((position for position in first.drawn if settled.get(position)), default=None)
    if compelled_at is None:
        return first
    return replace(first, due=everything(len(report.labels)), compelled_at=compelled_at)


@lru_cache(2)  # a round is examined with each wave and at its close, and all but the last step is the same
def _with_nothing_settled(
    terms: LabelTerms, report: Report, coins: tuple[int, ...], counted: frozenset[int]
) -> Examined:
    labels = list(map(bool, report.labels))
    threshold, error = best_rank(labels)
    sold = tickets(probability("delta", terms.delta), terms.k, error)
    negatives = [position for position, label in enumerate(labels[threshold:], start=threshold + 1) if not label]
    numbers = chances(sold, len(negatives))
    drawn = frozenset(compress(negatives, map(lt, [coins[position - 1] for position in negatives], numbers)))
    drawn |= counted.intersection(negatives)
    return Examined(
        threshold=threshold,
        error=error,
        due=everything(len(labels)).difference(negatives) | drawn,
        chances=dict(zip(negatives, numbers, strict=True)),
        drawn=drawn,
        compelled_at=None,
    )


def certain(_terms: LabelTerms, report: Report, threshold: int) -> dict[int, str]:
    """What Alice reports as responsive, and all above the threshold that fits her labels best."""
    reported = [position for position, label in enumerate(report.labels, start=1) if label]
    return dict.fromkeys(reported, "Alice reported it responsive") | above_the_threshold(threshold)


def at_most(_terms: LabelTerms, rounds: Evidences, doubt: Fraction) -> int:
    """Each compelled round costs a factor of two in doubt, and any at all doubles the budget."""
    compelled = sum(each.compelled for each in rounds)
    budget = bound.log_of_inverse(doubt / 2 ** (compelled + 1))
    return bound.affordable(bound.missed(rounds), cost, 2 * budget if compelled else budget)


RULE = Rule(
    protocol="label",
    terms=LabelTerms,
    check=check,
    with_threshold=False,
    examine=examine,
    certain=certain,
    at_most=at_most,
    words=Words(
        guarantee=(
            "In each round, whatever Alice reports, with probability at least 1 - delta either the whole batch was "
            "disclosed or at most err* + k - 1 of its responsive documents were not, err* being the least error that "
            f"any threshold has on the true labels. {bound.LEFT_ASIDE}"
        ),
        plain=(
            "Of each batch, Bob almost surely gets all responsive documents but for about as many as even the best "
            "threshold through the ranking would get wrong. If Alice leaves out more, a coin finds one, and he gets "
            "the whole batch."
        ),
        explained=(
            "Alice reported a label for every document. Bob was to see all that she reported as responsive, all above "
            "the threshold that fits her labels best, and others drawn by coin; a confirmed error among the latter was "
            "to bring him the whole batch."
        ),
        story=(
            "The rule was the label report. Alice says of every document in the batch whether it is responsive, before "
            "anybody knows the coins. Bob sees all that she reports as responsive, all down to the threshold that fits "
            "her labels best, and others drawn by coin, with a chance that falls with every position below the "
            "threshold. If a drawn document that she reported as not responsive turns out to be responsive, he gets "
            "the whole batch."
        ),
        numbers=lambda terms: f"delta is {terms.delta} and k is {terms.k}",
    ),
)
