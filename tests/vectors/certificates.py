"""Vectors for the arithmetic of certificates: the boundary, costs, the reviewed, validations, intervals.

Made by the protocol's code. Integers beyond 2^53 are written as decimal texts.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from protocol.certificates import boundary, collection, exact, intervals, reviewed
from protocol.certificates.collection import TwoStages
from protocol.certificates.reviewed import Standing


def certificates() -> dict[str, object]:
    """Each list holds cases with inputs and results; a fraction is a decimal, or two numbers with a slash."""
    return {
        "boundary": list(_boundary()),
        "costs": list(_costs()),
        "reviewed": list(_reviewed()),
        "most": list(_most()),
        "rates": list(_rates()),
        "two_stages": list(_two_stages()),
        "intervals": list(_intervals()),
    }


def _boundary() -> Iterator[dict[str, object]]:
    """Every branch: the recursion from its start, its end, and the closed form behind it."""
    for doubt in ("0.05", "0.5", "0.001"):
        for hits in (0, 1, 2, 3, 10, 50, 500, 501, 2000):
            yield {"doubt": doubt, "hits": hits, "b": str(boundary.boundary(Fraction(doubt), hits))}


def _costs() -> Iterator[dict[str, object]]:
    for rate in ("0.01", "0.03", "0.25", "0.5", "0.98", "0.0000000000000000001"):
        chance = exact.threshold(Fraction(rate))
        yield {"rate": rate, "threshold": str(chance), "cost": str(exact.cost(chance))}


def _reviewed() -> Iterator[dict[str, object]]:
    """Standings of all sorts: met, not met, all shown, a budget below 0, a limit that lowers the chance."""
    for number in range(40):
        random = Random(f"reviewed {number}")
        rates = [exact.cost(exact.threshold(Fraction(each, 100))) for each in (1, 5, 30)]
        exposures = Counter(random.choice([0, *rates] if number % 8 == 7 else rates) for _ in range(number * 9))
        hits = random.choice([0, 0, 1, 3, 12])
        found = random.choice([0, 3, 40, 900])
        credit = random.choice([0, 0, rates[1], exact.ONE, 90 * exact.ONE])
        standing = Standing(found=found, hits=hits, credit=credit, exposures=exposures)
        target, doubt = random.choice(["0.5", "0.8", "0.95"]), random.choice(["0.05", "0.2"])
        allowance = random.choice([-3, 0, 2, 30, 10**6])
        certified = reviewed.certify(standing, Fraction(target), Fraction(doubt))
        chance = None if certified.met else reviewed.next_chance(standing, Fraction(target), Fraction(doubt))
        capped = None if chance is None else reviewed.capped(chance, standing.withheld, allowance)
        yield {
            "found": found,
            "hits": hits,
            "credit": str(credit),
            "exposures": {str(exposure): count for exposure, count in sorted(exposures.items())},
            "target": target,
            "doubt": doubt,
            "budget": str(certified.budget),
            "at_most": certified.at_most,
            "met": certified.met,
            "chance": None if chance is None else str(chance),
            "allowance": allowance,
            "capped": None if capped is None else str(capped[0]),
            "lowered": None if capped is None else capped[1],
        }


def _most() -> Iterator[dict[str, object]]:
    for hits in (0, 1, 2, 5, 17, 300):
        for rate in ("0.001", "0.01", "0.25", "0.999"):
            for validation in (1, 2, 5):
                alpha = collection.alpha(Fraction(1, 20), validation)
                found = collection.most(hits, exact.threshold(Fraction(rate)), alpha)
                yield {"hits": hits, "rate": rate, "doubt": "0.05", "number": validation, "most": found}


def _rates() -> Iterator[dict[str, object]]:
    for found in (0, 30, 400, 2000):
        for hits in (0, 2, 40):
            for target, largest in (("0.75", "0.2"), ("0.9", "0.0101")):
                chance = collection.least_rate(
                    found=found,
                    expected_hits=hits,
                    target=Fraction(target),
                    level=collection.alpha(Fraction(1, 20), 1),
                    largest=Fraction(largest),
                )
                yield {
                    "found": found,
                    "hits": hits,
                    "target": target,
                    "doubt": "0.05",
                    "number": 1,
                    "show": largest,
                    "chance": str(chance),
                }


def _two_stages() -> Iterator[dict[str, object]]:
    for review, show in (("0.05", "0.2"), ("0.1", "0.1"), ("0.7", "0.9")):
        stages = TwoStages(review=Fraction(review), show=Fraction(show), alpha=collection.alpha(Fraction(1, 20), 1))
        for reported, hits, others in ((0, 0, 0), (10, 0, 0), (10, 1, 0), (30, 0, 2), (0, 3, 3)):
            missing = collection.missing(stages, reported=reported, hits=hits, withheld_hits=others)
            yield {
                "review": review,
                "show": show,
                "doubt": "0.05",
                "number": 1,
                "reported": reported,
                "hits": hits,
                "withheld_hits": others,
                "missing": missing,
            }


def _intervals() -> Iterator[dict[str, object]]:
    for hits in (0, 1, 7, 90):
        for rate in ("0.01", "0.3"):
            chance = exact.threshold(Fraction(rate))
            low, high = intervals.interval(hits, chance, Fraction(1, 20))
            middle = intervals.estimate(hits, chance)
            yield {"hits": hits, "rate": rate, "doubt": "0.05", "low": low, "estimate": middle, "high": high}
