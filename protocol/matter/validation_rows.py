"""The validations of a matter in numbers for people and scripts: what was looked at, estimates, and what is proven.

An estimate has an interval, and a certificate is on the safe side; the two are kept apart.
"""

from fractions import Fraction
from typing import Any

from protocol.certificates.exact import ONE
from protocol.matter import estimates, validating
from protocol.matter.estimates import Count, Estimates, Share, Stratum
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.matter.validating import Validation


def rows(matter: Matter) -> list[dict[str, Any]]:
    """A row for each closed validation."""
    documents = matter.opening.corpus.documents
    return [
        _row(each, each.procedure, documents) for each, _ in matter.closed if isinstance(each.procedure, Validation)
    ]


def _row(review: Round, held: Validation, documents: int) -> dict[str, Any]:
    never, withheld = strata(review, held)
    made = None
    if review.certificate is not None:
        made = estimates.estimates(
            never=never,
            withheld=withheld,
            chances=held.chances,
            found=held.found,
            documents=documents,
            doubt=held.plan.doubt,
        )
    return {
        "number": held.number,
        "round": review.number,
        "stages": held.plan.stages,
        "chance": held.chances.withheld / ONE,
        "called": review.called,
        "unread": len(review.unread),
        "strata": {
            "found": {"documents": held.found},
            "withheld": _stratum(withheld, made.withheld if made else None),
            "never": _stratum(never, made.never if made else None),
        },
        "estimates": _estimates(made, held.plan.doubt) if made else None,
        "certificate": _certificate(review, held),
    }


def strata(review: Round, held: Validation) -> tuple[Stratum, Stratum]:
    """What was never put up before, and what was withheld before, with what came of each."""
    everything = frozenset(range(1, review.size + 1))
    reported = frozenset(position for position in everything if review.reported(position))
    looked_at = review.disclosed | review.in_camera.keys()
    never = Stratum(
        documents=held.never,
        shown=len(review.fresh & looked_at),
        drawn=validating.tally(review, review.fresh - reported),
        reported=validating.tally(review, review.fresh & reported),
    )
    others = everything - review.fresh
    withheld = Stratum(documents=held.withheld, shown=len(others & looked_at), drawn=validating.tally(review, others))
    return never, withheld


def _certificate(review: Round, held: Validation) -> dict[str, Any]:
    proven = review.certificate
    has = None if proven is None else proven.total - proven.at_most
    return {
        "target": float(held.plan.target),
        "reached": proven is not None and proven.reached,
        "recall_at_least": has / proven.total if proven is not None and has is not None and proven.total else None,
        "confidence": float(1 - held.plan.alpha(held.number)),
        "at_most": None if proven is None else proven.at_most,
    }


def _estimates(made: Estimates, doubt: Fraction) -> dict[str, Any]:
    return {
        "interval_confidence": float(1 - doubt),
        "elusion": _share(made.elusion),
        "richness": _share(made.richness),
        "recall": _share(made.recall),
    }


def _stratum(stratum: Stratum, responsive: Count | None) -> dict[str, Any]:
    count = None
    if responsive is not None:
        count = {"point": responsive.point, "low": responsive.low, "high": responsive.high}
    return {"documents": stratum.documents, "shown": stratum.shown, "hits": stratum.hits, "responsive": count}


def _share(share: Share | None) -> dict[str, float] | None:
    if share is None:
        return None
    return {"point": float(share.point), "low": float(share.low), "high": float(share.high)}
