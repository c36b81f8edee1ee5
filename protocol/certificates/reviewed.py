"""The certificate of the reviewed: how many responsive documents can be hidden among them, and what to draw next.

    budget = 2^32 b_D - K        A = F (den - num) // num        S = the A + 1 least exposures of the withheld, added up
    at_most = the largest h whose h least exposures add up to at most the budget (all, if the budget is negative)

with F found, D hits, K their credit, and the target num/den of the recall. The target is met if F of F + at_most are
enough, which is the same as at_most <= A.

All exposures, the credit and the budget are counted in 2^-64. Thousands of the withheld share a few exposures, so they
are counted by exposure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from protocol.certificates.boundary import UNIT_BITS, boundary
from protocol.certificates.exact import BITS, ONE, cost, least_chance, threshold

LEAST_STEP = ONE // 200
"""An escalation's draw adds at least this much exposure."""

LARGEST_CHANCE = threshold(Fraction(98, 100))
"""If even this chance is not enough, an escalation shows all that is withheld."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known of the reviewed documents at one moment."""

    found: int  # F: responsive documents that Bob has
    hits: int  # D: those of them that a coin found against Alice's label
    credit: int  # K: what the documents that came to light were exposed to
    exposures: Mapping[int, int]  # of the withheld: how many have each exposure C

    @property
    def withheld(self) -> int:
        """W: how many documents are withheld."""
        return sum(self.exposures.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """What is proven about the reviewed documents, with confidence 1 - doubt."""

    budget: int  # what the hidden documents can have been exposed to, all together
    allowed: int  # A: how many may be hidden for the target to be met
    at_most: int  # how many can be hidden
    met: bool


def certify(standing: Standing, target: Fraction, doubt: Fraction) -> Certified:
    """What the coins so far prove, and whether it meets the target."""
    budget = _budget(standing, doubt)
    at_most = standing.withheld if budget < 0 else _affordable(standing.exposures, budget)
    enough = standing.found * target.denominator >= target.numerator * (standing.found + at_most)
    return Certified(budget=budget, allowed=_allowed(standing.found, target), at_most=at_most, met=enough)


def next_chance(standing: Standing, target: Fraction, doubt: Fraction) -> int:
    """The chance of an escalation's next draw: the least one that meets the target if nothing is hit.

    It is at least what LEAST_STEP asks for. ONE shows all that is withheld.
    """
    certified = certify(standing, target, doubt)
    if certified.met:
        raise ValueError("the target is met: there is nothing to draw")
    if certified.budget < 0:
        return ONE
    lacking = certified.budget - _least(standing.exposures, certified.allowed + 1)
    step = max(LEAST_STEP, lacking // (certified.allowed + 1) + 1)
    return ONE if step > cost(LARGEST_CHANCE) else least_chance(step)


def capped(chance: int, withheld: int, allowance: int) -> tuple[int, bool]:
    """The chance as far as the allowance permits, and whether the allowance lowered it. If so, this draw is the last.

    The draw shows `chance / ONE` of the withheld on average, and the allowance says how many it may show. At a chance
    of 0 there is no draw.
    """
    if withheld < 1:
        raise ValueError("nothing is withheld: there is nothing to draw")
    if chance * withheld <= allowance * ONE:
        return chance, False
    return max(0, allowance) * ONE // withheld, True


def _budget(standing: Standing, doubt: Fraction) -> int:
    return (boundary(doubt, standing.hits) << BITS - UNIT_BITS) - standing.credit


def _allowed(found: int, target: Fraction) -> int:
    """How many more responsive documents there may be, if those found are to be `target` of all."""
    if not 0 < target <= 1:
        raise ValueError(f"a target of {target} must be above 0 and at most 1")
    return found * (target.denominator - target.numerator) // target.numerator


def _least(exposures: Mapping[int, int], number: int) -> int:
    """So many of the least exposures, added up; all of them if there are fewer."""
    total = 0
    for exposure in sorted(exposures):
        taken = min(number, exposures[exposure])
        total += taken * exposure
        number -= taken
    return total


def _affordable(exposures: Mapping[int, int], budget: int) -> int:
    """How many of the least exposures add up to at most the budget."""
    bought = 0
    for exposure in sorted(exposures):
        taken = min(exposures[exposure], budget // exposure) if exposure else exposures[exposure]
        bought += taken
        budget -= taken * exposure
        if taken < exposures[exposure]:
            break
    return bought
