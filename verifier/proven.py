"""What is proven about recall: the two certificates, kept apart, in words and as values.

A verified record can prove much about recall, little, or nothing at all. So every presentation says which, beside the
verdict: first of the whole collection, which is what people ask about, and then of the documents that were reviewed.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from verifier import kept, words
from verifier.checks import Check
from verifier.naming import Telling
from verifier.plural import count, have
from verifier.replay.contents import Claims, CollectionCertificate, Ended, ReviewedCertificate
from verifier.rules import table
from verifier.rules.terms import probability
from verifier.verdict import Answer, Outcome, Verdict

COLLECTION, REVIEWED = "The whole collection", "The reviewed documents"

_COINS = (
    "Before Alice reported in a round, the court disclosed none of the secrets that make its coins, so she could not "
    "know them."
)
_SEALED = "Alice's labels are sealed in this copy. Bob's, Alice's or the court's copy shows what is proven."


class Proof(StrEnum):
    """How much a certificate proves."""

    REACHED = "target reached"
    SHORT = "target not reached"
    PROVEN = "proven, without a target"
    NOTHING = "nothing proven"
    SEALED = "not shown in this copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """A certificate as Trent claims it, which this copy cannot check."""

    recall: Fraction | None  # at least
    at_most: int | None
    reached: bool | None
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A certificate for people to read."""

    name: str
    proof: Proof
    has: str  # what Bob has, or that nothing is proven, in a sentence or two
    aimed: str  # whether the target is reached, in a sentence; empty without one
    target: str | None
    reached: bool | None
    recall: Fraction | None  # at least
    confidence: float
    at_most: int | None
    assumes: str
    does_not_cover: tuple[str, ...]
    unchecked: Unchecked | None  # what Trent claims, if the copy does not show what that rests on

    @property
    def sentence(self) -> str:
        """All of it."""
        return " ".join(filter(None, (self.has, self.aimed, self.unchecked.said if self.unchecked else "")))


def certified(verdict: Verdict) -> tuple[Certified, Certified] | None:
    """Both certificates, that of the collection first; None if the record does not support any conclusion."""
    claims = verdict.claims
    if claims is None or not verdict.rounds or verdict.answer not in (Answer.VERIFIED, Answer.NOT_CLOSED):
        return None
    return _of_the_collection(verdict, claims), _of_the_reviewed(verdict, claims)


def _of_the_collection(verdict: Verdict, claims: Claims) -> Certified:
    stated = claims.certificates.collection
    known = verdict.bound_known or bool(stated.unreviewed and not _agreed(verdict))  # then nothing can be proven
    at_most = stated.at_most if known else None
    proof = _proof(stated, at_most) if known else Proof.SEALED
    sentence = _has(stated, at_most, "of the whole collection") if at_most is not None else _unread(verdict, claims)
    return Certified(
        name=COLLECTION,
        proof=proof,
        has=_SEALED if proof is Proof.SEALED else _so_far(verdict, sentence),
        aimed=_aimed(stated, proof),
        target=stated.target,
        reached=stated.reached if known else None,
        recall=_recall(stated.found, at_most),
        confidence=_confidence(stated),
        at_most=at_most,
        assumes=f"{stated.assumes} {_COINS}",
        does_not_cover=(*_apart(verdict), "documents that never entered the collection", "how important a document is"),
        unchecked=None
        if known or verdict.stated is None
        else _unchecked(verdict.stated.certificates.collection, stated.target),
    )


def _of_the_reviewed(verdict: Verdict, claims: Claims) -> Certified:
    stated = claims.certificates.reviewed
    at_most = stated.at_most if verdict.bound_known else None
    proof = _proof(stated, at_most) if verdict.bound_known else Proof.SEALED
    sentence = _SEALED
    if at_most is not None:
        sentence = _so_far(verdict, _has(stated, at_most, f"among the {claims.reviewed} reviewed"))
    unreviewed = claims.certificates.collection.unreviewed
    rest = (f"the {documents(unreviewed)} that nobody has read",) if unreviewed else ()
    return Certified(
        name=REVIEWED,
        proof=proof,
        has=sentence,
        aimed=_aimed(stated, proof),
        target=stated.target,
        reached=stated.reached if verdict.bound_known else None,
        recall=_recall(stated.found, at_most),
        confidence=_confidence(stated),
        at_most=at_most,
        assumes=f"{stated.assumes} {_COINS}",
        does_not_cover=(*rest, *_apart(verdict), "how important a document is"),
        unchecked=None
        if verdict.bound_known or verdict.stated is None
        else _unchecked(verdict.stated.certificates.reviewed, stated.target),
    )


def _unchecked(stated: ReviewedCertificate | CollectionCertificate, target: str | None) -> Unchecked:
    """What Trent claims, said so that nobody takes it for proven; the target is that of the terms."""
    recall = _recall(stated.found, stated.at_most)
    claimed = f"at least {at_least(recall)}" if recall else "that nothing is proven"
    if stated.at_most == 0:
        claimed = "that no responsive document is missing"
    if target is not None and stated.reached is not None:
        reached = "is reached" if stated.reached else "is NOT reached"
        claimed += f", and that the target of {percent(Fraction(target))} {reached}"
    return Unchecked(
        recall=recall,
        at_most=stated.at_most,
        reached=stated.reached,
        said=f"Trent claims {claimed}; this copy cannot check that.",
    )


def _proof(stated: ReviewedCertificate | CollectionCertificate, at_most: int | None) -> Proof:
    if stated.target is not None:
        return Proof.REACHED if stated.reached else Proof.SHORT
    return Proof.NOTHING if at_most is None or (at_most and not stated.found) else Proof.PROVEN


def _has(stated: ReviewedCertificate | CollectionCertificate, at_most: int, where: str) -> str:
    """What Bob has, as a sentence."""
    surely = f"with {percent(1 - doubt_of(stated))} confidence"
    if not at_most:
        return f"No responsive document {where} is missing, {surely}."
    if not stated.found:
        return (
            f"Bob has no responsive document, and up to {at_most} {where} may be missing: nothing is proven about "
            "recall."
        )
    share = at_least(Fraction(stated.found, stated.found + at_most))
    return f"Bob has at least {share} of the responsive documents {where}, {surely}."


def _unread(verdict: Verdict, claims: Claims) -> str:
    """That the collection as a whole was not certified, and why."""
    said = f"Nothing is proven about the {documents(claims.certificates.collection.unreviewed)} that nobody has read."
    if claims.validations:
        return f"{said} No validation so far proves anything."
    return f"{said} {'No validation was held.' if _agreed(verdict) else 'The terms ask for no validation.'}"


def _agreed(verdict: Verdict) -> bool:
    """Whether the terms ask for validations."""
    return verdict.opened is not None and verdict.opened.terms.validation is not None


def _aimed(stated: ReviewedCertificate | CollectionCertificate, proof: Proof) -> str:
    if stated.target is None or proof is Proof.SEALED:
        return ""
    reached = "is reached" if proof is Proof.REACHED else "is NOT reached"
    return f"The target of {percent(Fraction(stated.target))} {reached}."


def _so_far(verdict: Verdict, sentence: str) -> str:
    return sentence if verdict.answer is Answer.VERIFIED else f"So far: {sentence}"


def _apart(verdict: Verdict) -> tuple[str, ...]:
    """What was withheld as privileged, as far as the copy shows it."""
    court = kept.in_all(verdict)
    if words.not_told_apart(court):
        return ("what the court withheld as privileged",)
    return (f"the {documents(court.privileged)} withheld as privileged",) if court.privileged else ()


def _recall(found: int, at_most: int | None) -> Fraction | None:
    return None if at_most is None or not found + at_most else Fraction(found, found + at_most)


def doubt_of(stated: ReviewedCertificate | CollectionCertificate) -> Fraction:
    """How probable it may be that the certificate is wrong."""
    return probability("doubt", stated.doubt)


def _confidence(stated: ReviewedCertificate | CollectionCertificate) -> float:
    return float(1 - doubt_of(stated))


def value(verdict: Verdict) -> dict[str, Any] | None:
    """Both certificates for scripts."""
    both = certified(verdict)
    if both is None or verdict.claims is None:
        return None
    collection, reviewed = map(_value, both)
    collection["unreviewed"] = verdict.claims.certificates.collection.unreviewed
    return {"reviewed": reviewed, "collection": collection}


def _value(each: Certified) -> dict[str, Any]:
    return {
        "target": None if each.target is None else float(each.target),
        "reached": each.reached,
        "recall_at_least": None if each.recall is None else float(each.recall),
        "confidence": each.confidence,
        "at_most": each.at_most,
        "assumes": each.assumes,
        "does_not_cover": _sentence(each.does_not_cover),
        "said": each.sentence,
        "claimed_by_trent_not_checked": each.unchecked and _unchecked_value(each.unchecked),
    }


def _unchecked_value(each: Unchecked) -> dict[str, Any]:
    return {
        "reached": each.reached,
        "recall_at_least": None if each.recall is None else float(each.recall),
        "at_most": each.at_most,
        "said": each.said,
    }


def block(verdict: Verdict, telling: Telling) -> str:
    """Both certificates for a terminal, beside the verdict; nothing without a result."""
    both = certified(verdict)
    if both is None:
        return ""
    told = [words.wrapped(f"  {each.name + ':':<24}{telling.said(each.sentence)}", " " * 26) for each in both]
    if broken := broken_assumptions(verdict):
        told.append(words.wrapped(f"  {telling.said(broken)}", "  "))
    return "\n".join(["What is proven about recall:", *told])


LIMIT = "That is a limit, not an estimate: the coins cannot rule out that many, whatever Alice did."


def certificates(verdict: Verdict) -> list[str]:
    """Both certificates in full, a paragraph each: the number, what it rests on, and what it leaves out."""
    both = certified(verdict)
    if both is None or verdict.claims is None:
        return []
    collection, reviewed = both
    where = {
        collection.name: "in the whole collection",
        reviewed.name: f"among the {verdict.claims.reviewed} reviewed",
    }
    told = []
    for each, of in ((reviewed, "reviewed"), (collection, "whole collection")):
        said = f"Certificate of the {of}: "
        if each.at_most is None:
            told.append(f"{said}none. {each.sentence}")
            continue
        more = f" {_unread_counted(verdict)}" if each is reviewed and any(_unread_by_round(verdict)) else ""
        more += f" {tighter(verdict)}" if each is reviewed and tighter(verdict) else ""
        many = {0: "no responsive document", 1: "at most 1 responsive document"}
        told.append(
            f"{said}{many.get(each.at_most, f'at most {each.at_most} responsive documents')} {where[each.name]} "
            f"{'is' if each.at_most <= 1 else 'are'} missing from what Bob has, with "
            f"{percent(Fraction(str(each.confidence)))} confidence.{f' {LIMIT}' if each.at_most else ''}{more} It does "
            f"not cover {words.listing(list(each.does_not_cover))}."
        )
    if counted := _in_parts(verdict):
        told.append(counted)
    if reviewed.at_most is not None:
        told.append(f"What this rests on: {reviewed.assumes}")
    return told


def _in_parts(verdict: Verdict) -> str:
    """How many files the documents are, if a document can be a family of several."""
    if verdict.opened is None or verdict.opened.corpus.account.parts == verdict.opened.corpus.documents:
        return ""
    corpus, claims = verdict.opened.corpus, verdict.claims
    parts = f"{have(corpus.documents)} {count(corpus.account.parts, 'part')}"
    said = "Certificates count families, each as one document: "
    said += f"the {documents(corpus.documents)} of the collection {parts}"
    if claims is None or not verdict.shown_parts or verdict.answer is not Answer.VERIFIED:
        return f"{said}."
    shown = f"the {documents(claims.revealed)} that Bob was shown {have(claims.revealed)} {verdict.shown_parts}"
    return f"{said}, and {shown}."


def tighter(verdict: Verdict) -> str:
    """Why the certificate of the reviewed can allow for more than that of the whole collection, if it does."""
    both = certified(verdict)
    if both is None or both[0].at_most is None or both[1].at_most is None or both[0].at_most >= both[1].at_most:
        return ""
    return (
        "The certificate of the whole collection is the tighter one here: by other coins, and with a doubt of its own, "
        f"it allows for at most {both[0].at_most} in all."
    )


def _unread_by_round(verdict: Verdict) -> list[int]:
    return [each.unread for each in verdict.rounds]


def _unread_counted(verdict: Verdict) -> str:
    left = "What Bob left unread does not count as found here"
    if has_books(verdict):
        return f"{left}, and what a coin drew of it counts as a hit."
    return f"{left}, and in such rounds every document labelled only by Alice, as not responsive, may be missing."


def has_books(verdict: Verdict) -> bool:
    """Whether the rule keeps hits, credit and exposures; the paper's rules bound each matter by its coins alone."""
    return verdict.opened is not None and table.spot_checks(verdict.opened.terms) is not None


_FAITHFUL = {"bob": "truthful", "court": "right"}  # the players of a simulation that keep the assumptions


def broken_assumptions(verdict: Verdict) -> str:
    """For a simulation whose players break the assumptions: that the certificates may not hold."""
    simulation = verdict.opened.simulation if verdict.opened else None
    if simulation is None:
        return ""
    told = {
        "bob": f"Bob is played as “{simulation.bob}”, so he does not recognise every responsive document",
        "court": f"the court is played as “{simulation.court}”, so it does not always rule correctly",
    }
    players = {"bob": simulation.bob, "court": simulation.court}
    broken = [told[role] for role, played in players.items() if played != _FAITHFUL[role]]
    if not broken:
        return ""
    return (
        f"In this simulation the assumptions are broken on purpose: {words.listing(broken)}. So no certificate "
        "need hold here."
    )


def _sentence(parts: tuple[str, ...]) -> str:
    said = words.listing(list(parts))
    return f"{said[0].upper()}{said[1:]}."


_ENDED = {
    Ended.ROUNDS: "all rounds that the parties agreed on were held",
    Ended.AMENDMENT: "all rounds were held, as many as an amendment had set",
    Ended.DOCUMENTS: "no document was left to review",
    Ended.VALIDATION: "a validation reached its target",
}


def ended_by(verdict: Verdict) -> Ended | None:
    """By which rule the review ended; None while it goes on, and if the copy does not show it."""
    claims, needed = verdict.claims, (Check.CLAIMS, Check.STOPPING)
    if claims is None or any(verdict.result(each).outcome is not Outcome.PASS for each in needed):
        return None
    return claims.ended


def ended(verdict: Verdict) -> str:
    """The same in words, where the copy does not show it as Trent states it; empty while the review goes on."""
    if (shown := ended_by(verdict)) is not None:
        return _ENDED[shown]
    stated = verdict.stated
    if stated is None or verdict.result(Check.CLAIMS).outcome is not Outcome.PASS:
        return ""
    return f"{_ENDED[stated.ended]}, as Trent states; this copy cannot check that"


def documents(number: int) -> str:
    """So many documents."""
    return count(number, "document")


def percent(share: Fraction) -> str:
    """A share that somebody agreed on, or a confidence: exact, without needless digits."""
    return f"{float(100 * share):.6g} %"


def at_least(share: Fraction) -> str:
    """A share that is proven, rounded down: a certificate never says more than was proven."""
    return f"{share * 1000 // 1 / 10:.10g} %"


def about(share: Fraction) -> str:
    """An estimated share, rounded to what a reader can use."""
    number = float(100 * share)
    return f"{number:.1f} %" if number >= 1 or not number else f"{number:.2g} %"
