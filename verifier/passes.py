"""Escalations and validations, one after the other: what was drawn, what it brought, what it proves or estimates.

In words and as values. An estimate and a certificate are never mixed: every sentence says which it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier import proven
from verifier.certificates.collection import alpha
from verifier.estimates import Count, Estimates, Looked, Share, Stratum, estimates
from verifier.plural import be, count, were
from verifier.proven import about, at_least, documents, percent
from verifier.replay.contents import Stratum as Part
from verifier.replay.contents import ValidationClaim
from verifier.replay.passed import Passed
from verifier.replay.reason import percent as chance_percent
from verifier.replay.rounds import ClosedRound, Sort
from verifier.rules.base import ALL_COINS
from verifier.rules.terms import Validation, probability
from verifier.rules.validation import Chances, chances
from verifier.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """A validation for people to read."""

    claim: ValidationClaim
    terms: Validation
    found: int  # what Bob had before it
    chances: Chances
    confidence: Fraction  # of its certificate
    interval: Fraction  # the confidence of each estimate's interval
    estimates: Estimates | None  # None if it shows nothing, or the copy does not

    @property
    def has(self) -> int:
        """What Bob has after it."""
        return self.found + self.claim.never.hits + self.claim.withheld.hits

    @property
    def recall(self) -> Fraction | None:
        """The recall that it certifies."""
        return Fraction(self.has, self.claim.total) if self.claim.total else None


def escalations(verdict: Verdict) -> list[tuple[ClosedRound, Passed | None]]:
    """The closed escalations, each with what came of it if the copy shows that."""
    passed = {each.round: each for each in verdict.passes}
    return [(each, passed.get(each.number)) for each in verdict.rounds if each.sort is Sort.ESCALATION]


def validations(verdict: Verdict) -> list[Validated]:
    """The validations of closed rounds, if the copy shows what they rest on."""
    opened, claims = verdict.opened, verdict.claims
    if opened is None or claims is None or opened.terms.validation is None or not verdict.bound_known:
        return []
    return [_validated(verdict, claim, opened.terms.validation) for claim in claims.validations]


def _validated(verdict: Verdict, claim: ValidationClaim, terms: Validation) -> Validated:
    doubt = probability("doubt", verdict.opened.terms.doubt) if verdict.opened else Fraction(1, 2)
    found = sum(each.confirmed for each in verdict.rounds if each.number < claim.round)
    drawn = chances(terms, doubt, claim.number, found)
    return Validated(
        claim=claim,
        terms=terms,
        found=found,
        chances=drawn,
        confidence=1 - alpha(doubt, claim.number),
        interval=1 - doubt,
        estimates=estimates(_looked(verdict, claim, found, drawn), doubt) if claim.total is not None else None,
    )


def _looked(verdict: Verdict, claim: ValidationClaim, found: int, drawn: Chances) -> Looked:
    two = drawn.checked is not None
    return Looked(
        found=found,
        collection=verdict.opened.corpus.documents if verdict.opened else 0,
        never=Stratum(documents=claim.never.documents, shown=claim.never.shown, hits=claim.never.hits),
        withheld=Stratum(documents=claim.withheld.documents, shown=claim.withheld.shown, hits=claim.withheld.hits),
        unread=claim.unread,
        chance=drawn.withheld,
        review=drawn.first if two else None,
        show=drawn.checked,
        reported=verdict.reported_hits.get(claim.number, 0) if two else 0,
    )


def told(verdict: Verdict) -> list[str]:
    """A sentence or two for each escalation and validation, in order, and by which rule the review ended."""
    parts = [(each.number, _escalated(each, passed)) for each, passed in escalations(verdict)]
    parts += [(each.claim.round, " ".join(validated(each))) for each in validations(verdict)]
    said = [sentence for _, sentence in sorted(parts)]
    if ended := proven.ended(verdict):
        said.append(f"The review ended because {ended}.")
    return said


def _escalated(each: ClosedRound, passed: Passed | None) -> str:
    said = f"Escalation in round {each.number}: {each.size} withheld"
    if passed is None:
        return f"{said}. What it brought is sealed in this copy."
    drawn = (
        f"{documents(passed.drawn)} of the rest drawn with a chance of {chance_percent(passed.chance)}"
        if passed.chance
        else "no draw was needed"
    )
    after = "reached" if passed.reached else "NOT reached"
    limited = " The limit of what escalations may show was used up." if passed.limited else ""
    return (
        f"{said}, {passed.given_up} given up by Alice in her second look, {drawn}: {count(passed.hits, 'hit')}. "
        f"After it at most {passed.at_most} can be hidden among the reviewed: "
        f"the target is {after}.{limited}"
    )


def validated(each: Validated) -> Iterator[str]:
    """A validation in sentences: what was looked at, the estimates, the certificate."""
    claim, hits = each.claim, each.claim.never.hits + each.claim.withheld.hits
    looked = claim.never.shown + claim.withheld.shown
    yield (
        f"Validation {claim.number} in round {claim.round}: of {documents(claim.never.documents)} never reviewed and "
        f"{claim.withheld.documents} reviewed and withheld, {_drawn(each)}; {looked} {were(looked)} looked at, "
        f"{hits} {be(hits)} responsive."
    )
    if claim.unread:
        yield unread_told(claim)
    if each.estimates is not None:
        named = {
            "elusion": each.estimates.elusion,
            "richness": each.estimates.richness,
            "recall": each.estimates.recall,
        }
        shown = [f"{name} {share_told(share)}" for name, share in named.items() if share is not None]
        yield f"Estimates, each with its {percent(each.interval)} interval: {', '.join(shown)}."
    yield f"Certificate: {certificate(each)}"


def unread_told(claim: ValidationClaim) -> str:
    """What Bob left unread in a validation, and how it counts."""
    return (
        f"Bob left {claim.unread} of them unread: each counts as responsive in the certificate, and at the end of an "
        "interval at which most is missing."
    )


def chance_told(each: Validated) -> str:
    """With what chance a validation looks at a document that Bob has not seen."""
    return f"Chance to be looked at: {chance_percent(each.chances.withheld)}"


def _drawn(each: Validated) -> str:
    if each.chances.checked is None:
        return f"each was drawn with a chance of {chance_percent(each.chances.first)}"
    called = each.claim.called
    return (
        f"{called} of the former {were(called)} called with a chance of {chance_percent(each.chances.first)} for Alice "
        f"to label, and a second draw showed what she did not report with a chance of "
        f"{chance_percent(each.chances.checked)}"
    )


def certificate(each: Validated) -> str:
    """What a validation proves, in a sentence."""
    claim = each.claim
    if claim.total is None:
        return "none, since Alice did not report on what was called."
    reached = "reached" if claim.reached else "NOT reached"
    target = f"The target of {percent(Fraction(each.terms.target))} is {reached}."
    missing = f"{'and ' if each.recall else ''}at most {documents(claim.at_most or 0)} missing after it"
    share = (
        f"Bob has at least {at_least(each.recall)} of the responsive documents of the whole collection, "
        if (each.recall)
        else ""
    )
    return f"{share}{missing}, with {percent(each.confidence)} confidence. {target}"


def share_told(share: Share) -> str:
    """An estimated share with its interval."""
    return f"{about(share.point)} ({about(share.least)} to {about(share.most)})"


def escalations_value(verdict: Verdict) -> list[dict[str, Any]]:
    """All escalations, for scripts; what the copy does not show is null."""
    found = []
    for each, passed in escalations(verdict):
        found.append(
            {
                "round": each.number,
                "withheld": each.size,
                "given_up": passed.given_up if passed else None,
                "chance": passed.chance / ALL_COINS if passed else None,
                "drawn": passed.drawn if passed else None,
                "hits": passed.hits if passed else None,
                "at_most": passed.at_most if passed else None,
                "reached": passed.reached if passed else None,
                "limit_used_up": passed.limited if passed else None,
            }
        )
    return found


def validations_value(verdict: Verdict) -> list[dict[str, Any]]:
    """All validations, for scripts."""
    return [_validation_value(each) for each in validations(verdict)]


def _validation_value(each: Validated) -> dict[str, Any]:
    claim, made = each.claim, each.estimates
    return {
        "number": claim.number,
        "round": claim.round,
        "stages": 1 if each.chances.checked is None else 2,
        "chance": each.chances.withheld / ALL_COINS,
        "called": claim.called,
        "unread": claim.unread,
        "strata": {
            "found": {"documents": each.found},
            "withheld": _stratum_value(claim.withheld, made.withheld if made else None),
            "never": _stratum_value(claim.never, made.never if made else None),
        },
        "estimates": None
        if made is None
        else {
            "interval_confidence": float(each.interval),
            "elusion": _share_value(made.elusion),
            "richness": _share_value(made.richness),
            "recall": _share_value(made.recall),
        },
        "certificate": {
            "target": float(each.terms.target),
            "reached": claim.reached,
            "recall_at_least": None if each.recall is None else float(each.recall),
            "confidence": float(each.confidence),
            "at_most": claim.at_most,
        },
    }


def _stratum_value(stratum: Part, responsive: Count | None) -> dict[str, Any]:
    count = None
    if responsive is not None:
        count = {"point": responsive.point, "low": responsive.least, "high": responsive.most}
    return {
        "documents": stratum.documents,
        "shown": stratum.shown,
        "hits": stratum.hits,
        "responsive": count,
    }


def _share_value(share: Share | None) -> dict[str, float] | None:
    if share is None:
        return None
    return {"point": float(share.point), "low": float(share.least), "high": float(share.most)}
