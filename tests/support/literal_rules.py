"""The paper's label-verification protocols, word for word and one document at a time.

Written from the paper's pseudo-code (Algorithms 2 and 3, and Reveal_All) and the design's table of settled points, not
from protocol/rules. Documents are positions 1, 2, ... in decreasing score; a threshold is a rank. Bob and the court are
their answers, right or wrong, by position.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    disclosed: frozenset[int]
    labels: tuple[bool, ...]
    to_court: frozenset[int]
    compelled_at: int | None  # the document whose confirmed error sent all others to Bob


class Trent:
    """Sends documents to Bob, compares his label with Alice's, and sends disagreements to the court."""

    def __init__(self, alice: Sequence[bool], bob: Sequence[bool], court: Sequence[bool]) -> None:
        self.alice, self.bob, self.court = alice, bob, court
        self.sent: set[int] = set()
        self.to_court: set[int] = set()

    def send(self, position: int) -> None:
        self.sent.add(position)
        if self.bob[position - 1] != self.alice[position - 1]:
            self.to_court.add(position)

    def output(self, position: int) -> bool:
        return self.court[position - 1] if position in self.to_court else self.alice[position - 1]

    def outcome(self, compelled_at: int | None = None) -> Outcome:
        return Outcome(
            disclosed=frozenset(self.sent),
            labels=tuple(self.output(position) for position in range(1, len(self.alice) + 1)),
            to_court=frozenset(self.to_court),
            compelled_at=compelled_at,
        )


def log_of_inverse(number: Fraction) -> int:
    """ceil(2^32 ln(1 / number)): L in the design."""
    with localcontext() as context:
        context.prec = 200
        logarithm = (Decimal(number.denominator) / Decimal(number.numerator)).ln()
        return int((logarithm * 2**32).to_integral_value(rounding=ROUND_CEILING))


def threshold_error(labels: Sequence[bool], rank: int) -> int:
    """err(t): the labels that differ from sign(x - t)."""
    return sum(label != (position <= rank) for position, label in enumerate(labels, start=1))


def best_threshold(labels: Sequence[bool], *, largest_rank: bool = True) -> int:
    """The threshold with the least error; of several, for Alice's labels the smallest t, which is the largest rank."""
    ranks = range(len(labels) + 1)
    least = min(threshold_error(labels, rank) for rank in ranks)
    optimal = [rank for rank in ranks if threshold_error(labels, rank) == least]
    return max(optimal) if largest_rank else min(optimal)


def reveal_all(alice: Sequence[bool], bob: Sequence[bool], court: Sequence[bool]) -> Outcome:
    trent = Trent(alice, bob, court)
    for position in range(1, len(alice) + 1):
        trent.send(position)
    return trent.outcome()


def label_report(
    alice: Sequence[bool],
    coins: Sequence[int],
    bob: Sequence[bool],
    court: Sequence[bool],
    *,
    delta: Fraction,
    k: int,
) -> Outcome:
    """Algorithm 2."""
    trent = Trent(alice, bob, court)
    t_a = best_threshold(alice)
    everything = range(1, len(alice) + 1)
    for position in everything:
        if alice[position - 1] or position <= t_a:
            trent.send(position)
    exact = Fraction(2 * (k + threshold_error(alice, t_a)) * log_of_inverse(delta), k)
    c = -(-exact.numerator // exact.denominator)  # C in the design
    i = 0
    for position in everything:
        if position <= t_a or alice[position - 1]:
            continue
        i += 1
        if coins[position - 1] * i < c * 2**32:
            trent.send(position)
            if bob[position - 1] and court[position - 1]:
                for other in everything:
                    trent.send(other)
                return trent.outcome(compelled_at=position)
    return trent.outcome()


def classifier_report(
    above: Sequence[bool],
    coins: Sequence[int],
    bob: Sequence[bool],
    court: Sequence[bool],
    *,
    delta: Fraction,
) -> Outcome:
    """Algorithm 3. Alice's labels are those of the documents at or above her threshold: so many are above it."""
    t_a, size = len(above), len(bob)
    trent = Trent([*above, *[False] * (size - t_a)], bob, court)
    for position in range(1, t_a + 1):
        trent.send(position)
    c = 2 * log_of_inverse(delta / size)  # C in the design
    m_plus = m_minus = 0
    w = 1
    for position in range(t_a + 1, size + 1):
        sampled = coins[position - 1] * w < c * 2**32
        if sampled:
            trent.send(position)
        if sampled and bob[position - 1] and court[position - 1]:
            m_plus += 1
            w = 1
        else:  # not sent, or Bob says negative, or the court does
            m_minus += 1
            w += 1
        if m_plus > m_minus:
            for other in range(t_a + 1, size + 1):
                trent.send(other)
            return trent.outcome(compelled_at=position)
    return trent.outcome()
