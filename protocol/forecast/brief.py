"""A forecast in a few sentences: in the terms file, and for a party that is about to sign.

It has to be there at once. So it has few trials, and there is none if even a few would take long, or if the collection
is so small that people can count.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

from protocol.rules.terms import Terms

if TYPE_CHECKING:
    from protocol.forecast.assumed import Assumed, Span
    from protocol.forecast.forecast import Forecast, Range
    from protocol.forecast.scheme import Scheme

SMALLEST_COLLECTION = 1_000

TRIALS, ENOUGH = 100, 20
"""With fewer trials than enough, nothing is said about what is likely."""

WORK_OF_COUNTS, WORK_OF_RANKINGS = 4_000, 30_000
"""How many batches, or documents to rank, are played in half a second."""

MOST_HITS, LEAST_RATE = 100, Fraction(1, 10**6)
"""Validations whose rate follows from more hits, or that draw less, may take long."""


def brief(agreed: Terms, documents: int | None = None) -> list[str]:
    """What these terms will cost, in up to four sentences."""
    if documents is not None and documents < SMALLEST_COLLECTION:
        return []
    from protocol.forecast import words
    from protocol.forecast.assumed import COLLECTION, assumed
    from protocol.forecast.scheme import scheme

    found = _quick(scheme(agreed), assumed(documents=documents or COLLECTION))
    if found is None:
        return []
    read = _about(found.range(lambda each: each.read))
    responsive = _about(found.range(lambda each: each.found))
    others = _about(found.range(lambda each: each.other))
    return [
        f"If {_percent(found.assumed.richness)} of {found.assumed.documents:,} documents are responsive and Alice is "
        f"truthful, she reads {read} documents, and Bob sees {responsive} responsive ones and {others} others.",
        *(words.sentences(found) if len(found.outcomes) >= ENOUGH else ()),
    ]


def _quick(numbers: "Scheme", usual: "Assumed") -> "Forecast | None":
    """A forecast with few trials."""
    from protocol.forecast.forecast import forecast, work

    if numbers.validation is not None:
        plan = numbers.validation.plan
        if (plan.hits or 0) > MOST_HITS or min(plan.show, plan.review or 1) < LEAST_RATE:
            return None
    allowed = WORK_OF_RANKINGS if numbers.spot_check is None else WORK_OF_COUNTS
    trials = min(TRIALS, allowed // work(numbers, usual))
    return forecast(numbers, usual, trials=trials) if trials else None


def _about(found: "Range") -> str:
    if found.low == found.high:
        return f"{int(found.median):,}"
    return f"{int(found.median):,} ({int(found.low):,} to {int(found.high):,})"


def _percent(span: "Span") -> str:
    return f"{float(100 * span.low):g} to {float(100 * span.high):g} %"
