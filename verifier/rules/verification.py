"""The label-verification rules in ranks and integers (specification, section "Label verification").

Positions count from 1, the highest score; a threshold is a rank r, the top r are at or above it. The coins of all
positions are fixed, so what must have been shown is a function of the report, the coins and the labels settled so far.
What Alice claims late counts as drawn, whatever its coin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from verifier.rules.logarithms import ln_ceil
from verifier.rules.terms import Protocol, Terms, probability

ALL_COINS = 2**64


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What Alice says of a batch; a label is None where none is asked for, and the threshold likewise."""

    labels: tuple[bool | None, ...]
    threshold: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What follows from a report, the coins, and what is settled."""

    threshold: int
    error: int
    due: frozenset[int]  # what Bob must have been shown by now
    chances: dict[int, int]  # for each position that a coin decides about, how many of all coins would draw it
    drawn: frozenset[int]
    compelled_at: int | None  # where the whole batch became due


_NOTHING: frozenset[int] = frozenset()


def examine(
    terms: Terms,
    report: Report,
    coins: Sequence[int],
    settled: Mapping[int, bool],
    counted: frozenset[int] = _NOTHING,
) -> Examined:
    """The state of a round under the terms' rule; `counted` are the positions that count as drawn."""
    match terms.protocol:
        case Protocol.REVEAL_ALL:
            return _reveal_all(report)
        case Protocol.LABEL:
            return _label(terms, report, coins, settled, counted)
        case Protocol.CLASSIFIER:
            return _classifier(terms, report, coins, settled, counted)


def without_report(size: int) -> Examined:
    """A round in which Alice does not report: everything is due, and no coin decides."""
    return Examined(
        threshold=0,
        error=0,
        due=frozenset(range(1, size + 1)),
        chances={},
        drawn=_NOTHING,
        compelled_at=None,
    )


def best_rank(labels: Sequence[bool]) -> tuple[int, int]:
    """The largest rank of least error, and that error: not responsive ones in the top r, responsive ones below."""
    errors = [sum(labels)]
    for label in labels:
        errors.append(errors[-1] + (-1 if label else 1))
    least = min(errors)
    return len(errors) - 1 - errors[::-1].index(least), least


def chance(tickets: int, divisor: int) -> int:
    """How many coins U have U divisor < tickets 2^32."""
    return min(ALL_COINS, -(-tickets * 2**32 // divisor))


def tickets_for_labels(delta: Fraction, k: int, error: int) -> int:
    """C of the label report: ceil(2 (k + err) L / k) with L = ceil(2^32 ln(1/delta))."""
    doubled = 2 * (k + error) * ln_ceil(delta.denominator, delta.numerator, 32)
    return -(-doubled // k)


def tickets_for_classifier(delta: Fraction, size: int) -> int:
    """C of the classifier report: 2 ceil(2^32 ln(N/delta)), N being the batch's size."""
    return 2 * ln_ceil(size * delta.denominator, delta.numerator, 32)


def _reveal_all(report: Report) -> Examined:
    threshold, error = best_rank([bool(label) for label in report.labels])
    everything = frozenset(range(1, len(report.labels) + 1))
    return Examined(threshold=threshold, error=error, due=everything, chances={}, drawn=frozenset(), compelled_at=None)


def _label(
    terms: Terms, report: Report, coins: Sequence[int], settled: Mapping[int, bool], counted: frozenset[int]
) -> Examined:
    first = _label_with_nothing_settled(terms, report, tuple(coins), counted)
    compelled_at = min((position for position in first.drawn if settled.get(position)), default=None)
    if compelled_at is None:
        return first
    return replace(first, due=frozenset(range(1, len(report.labels) + 1)), compelled_at=compelled_at)


@lru_cache(2)  # a round is examined with each wave and at its close, and all but the last step is the same
def _label_with_nothing_settled(
    terms: Terms, report: Report, coins: tuple[int, ...], counted: frozenset[int]
) -> Examined:
    labels = [bool(label) for label in report.labels]
    threshold, error = best_rank(labels)
    tickets = tickets_for_labels(probability("delta", terms.delta), terms.k, error)
    negatives = [position for position in range(threshold + 1, len(labels) + 1) if not labels[position - 1]]
    chances = {position: chance(tickets, j) for j, position in enumerate(negatives, start=1)}
    drawn = frozenset(position for position, number in chances.items() if coins[position - 1] < number)
    drawn |= counted.intersection(chances)
    return Examined(
        threshold=threshold,
        error=error,
        due=frozenset(range(1, len(labels) + 1)).difference(negatives) | drawn,
        chances=chances,
        drawn=drawn,
        compelled_at=None,
    )


def _classifier(
    terms: Terms, report: Report, coins: Sequence[int], settled: Mapping[int, bool], counted: frozenset[int]
) -> Examined:
    size, threshold = len(report.labels), report.threshold or 0
    tickets = tickets_for_classifier(probability("delta", terms.delta), size)
    drawn, chances = set(), {}
    balance, weight, compelled_at = 0, 1, None  # M- less M+, W
    for position in range(threshold + 1, size + 1):
        chances[position] = chance(tickets, weight)
        is_drawn = coins[position - 1] < chances[position] or position in counted
        if is_drawn:
            drawn.add(position)
        confirmed = is_drawn and settled.get(position, False)
        balance, weight = (balance - 1, 1) if confirmed else (balance + 1, weight + 1)
        if balance < 0:
            compelled_at = position
            break
    shown = range(1, threshold + 1) if compelled_at is None else range(1, size + 1)
    return Examined(
        threshold=threshold,
        error=sum(label is False for label in report.labels),
        due=frozenset(shown) | drawn,
        chances=chances,
        drawn=frozenset(drawn),
        compelled_at=compelled_at,
    )
