"""All ways that the coins of a small batch can fall, with the real rules: an oracle for exact values."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from protocol.rules.base import COINS, Examiner, Report

Seen = tuple[int, int]  # responsive ones that Bob never sees, others that he does


def outcomes(rule: Examiner, report: Report, truth: Sequence[bool]) -> dict[Seen, Fraction]:
    """The exact probability of each outcome: a coin either draws its document, or draws it only if it must."""
    found: defaultdict[Seen, Fraction] = defaultdict(Fraction)
    for flips in product((0, COINS - 1), repeat=len(truth)):
        settled: dict[int, bool] = {}
        while due := (last := rule.examine(report, flips, settled)).due - settled.keys():
            settled |= {place: truth[place - 1] for place in due}
        weight = Fraction(1)
        for place in range(1, len(truth) + 1):
            chance = Fraction(last.chances.get(place, COINS), COINS)
            certain = chance == 1  # then both sides of the coin lead here
            weight *= Fraction(1, 2) if certain else chance if flips[place - 1] == 0 else 1 - chance
        seen = sum(settled.values())
        found[sum(truth) - seen, len(settled) - seen] += weight
    return found
