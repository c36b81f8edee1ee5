"""What a report costs Alice under the paper's linear loss, L = NRD + c N+ (REC - 1).

In other words: one for each not responsive document that Bob sees, minus c for each responsive one that he does not.
"""

from collections.abc import Sequence
from fractions import Fraction

from ledger import coins
from ledger.hashing import Digest
from protocol.rules.base import COINS, Examiner, Report, played


def counts(responsive: int, most: int = 24) -> list[int]:
    """How many documents Alice considers hiding: every number up to a few, then evenly spread ones, and all."""
    step = max(1, -(-responsive // most))
    return sorted({*range(0, responsive + 1, step), responsive})


def expected_loss(rule: Examiner, report: Report, truth: Sequence[bool], c: Fraction) -> Fraction:
    """The exact expected loss if one hidden document that is drawn brings the whole batch.

    Probabilities are rounded down to multiples of 2^-64 as products grow, which only has to be the same everywhere.
    """
    start = rule.examine(report, [COINS - 1] * len(truth), {})
    certain = start.due - start.drawn
    survival = COINS
    samples = hidden = 0
    for place, chance in start.chances.items():
        if truth[place - 1]:
            survival = survival * (COINS - chance) // COINS
            hidden += 1
        else:
            samples += chance
    shown = sum(not truth[place - 1] for place in certain)
    unseen = Fraction(survival, COINS) * (shown + Fraction(samples, COINS) - c * hidden)
    return unseen + (1 - Fraction(survival, COINS)) * (len(truth) - sum(truth))


def sampled_loss(
    rule: Examiner, report: Report, truth: Sequence[bool], c: Fraction, seeds: Sequence[Digest]
) -> Fraction:
    """The mean loss over plays with coins of Alice's own, for rules whose expectation has no short form."""
    total = Fraction(0)
    for seed in seeds:
        settled = played(rule, report, coins.coins(seed, range(1, len(truth) + 1)), truth)
        seen = sum(settled.values())
        total += len(settled) - seen - c * (sum(truth) - seen)
    return total / len(seeds)
