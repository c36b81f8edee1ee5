"""The certificate of the reviewed: how many responsive documents can be among what Alice withheld.

Off an event of probability `doubt`, the exposures of what she hides add up to at most the budget. The documents with
the least exposure are the cheapest to hide, so they are counted first. Exposures come as a table from each value to
how many documents have it, since thousands of documents share a few values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from verifier.certificates.boundary import boundary
from verifier.certificates.exact import ONE, chance_for, cost, threshold

_LEAST_STEP = ONE // 200
_DEAREST = Fraction(98, 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a matter has come to: F, D, K and the exposures C of what is withheld."""

    found: int
    hits: int
    credit: int
    exposures: Mapping[int, int]

    @property
    def withheld(self) -> int:
        """W: how many documents are withheld."""
        return sum(self.exposures.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What the standing proves: at most `at_most` documents are hidden, and `allowed` would still meet the target."""

    budget: int
    allowed: int
    at_most: int
    met: bool


def certify(standing: Standing, target: Fraction, doubt: Fraction) -> Certificate:
    """The certificate of the reviewed for a target above 0."""
    budget = (boundary(doubt, standing.hits) << 32) - standing.credit
    allowed = standing.found * (target.denominator - target.numerator) // target.numerator
    at_most = standing.withheld if budget < 0 else _affordable(standing.exposures, budget)
    return Certificate(budget=budget, allowed=allowed, at_most=at_most, met=at_most <= allowed)


def next_chance(standing: Standing, target: Fraction, doubt: Fraction) -> int:
    """The chance of the escalation's next draw: the least that meets the target if nothing is hit. ONE shows all."""
    certificate = certify(standing, target, doubt)
    if certificate.budget < 0:
        return ONE
    lacking = certificate.budget - _least_sum(standing.exposures, certificate.allowed + 1)
    step = max(_LEAST_STEP, lacking // (certificate.allowed + 1) + 1)
    return ONE if step > cost(threshold(_DEAREST)) else chance_for(step)


def capped(chance: int, withheld: int, allowance: int) -> tuple[int, bool]:
    """The chance within what escalations may still show, and whether that lowered it: then this draw is the last."""
    room = max(0, allowance) * ONE
    return (room // withheld, True) if chance * withheld > room else (chance, False)


def _affordable(exposures: Mapping[int, int], budget: int) -> int:
    """How many documents, the least exposed first, the budget pays for."""
    count = 0
    for exposure, number in sorted(exposures.items()):
        paid = min(number, budget // exposure) if exposure else number
        count += paid
        budget -= paid * exposure
    return count


def _least_sum(exposures: Mapping[int, int], count: int) -> int:
    """S: the least so many exposures, or all of them, added up."""
    total = 0
    for exposure, number in sorted(exposures.items()):
        total += exposure * min(number, count)
        count -= min(number, count)
    return total
