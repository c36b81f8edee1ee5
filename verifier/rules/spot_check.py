"""Spot checks: everything that Alice reports as not responsive has the same chance to be drawn, whatever its rank.

What may be hidden is told by the matter's books (`verifier.replay.books`), and no round by itself. Specification,
"Label verification" and "The certificates".
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from verifier.certificates.exact import threshold
from verifier.record.shapes import positive, shaped, text, word
from verifier.rules.base import (
    NOTHING,
    Coins,
    Evidences,
    Examined,
    Report,
    Rule,
    Settled,
    SpotChecks,
    Words,
    everything,
)
from verifier.rules.terms import Terms, probability, share


class Penalty(StrEnum):
    """What a hit brings Bob besides the document itself."""

    NONE = "none"
    BATCH = "batch"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotCheckTerms(Terms):
    """The chance in a batch, the certified share of the responsive documents, and when and how far to draw again."""

    every: int = shaped(positive)
    limit: str = shaped(text)
    penalty: Penalty = shaped(word(Penalty))
    rate: str = shaped(text)
    target: str = shaped(text)


def check(terms: SpotCheckTerms) -> None:
    """Whether rate and target are probabilities, and the limit a share."""
    share("limit", terms.limit)
    probability("rate", terms.rate)
    probability("target", terms.target)


def spot_checks(terms: SpotCheckTerms) -> SpotChecks:
    """The numbers that the matter's books are kept by."""
    return SpotChecks(
        chance=threshold(probability("rate", terms.rate)),
        target=probability("target", terms.target),
        target_text=terms.target,
        every=terms.every,
        limit=terms.limit,
        by_batch=terms.penalty is Penalty.BATCH,
    )


def examine(
    terms: SpotCheckTerms,
    report: Report,
    coins: Coins,
    settled: Settled,
    counted: frozenset[int] = NOTHING,
) -> Examined:
    """Due are the labels true, and of the others what the coins draw; with a penalty, on a hit everything."""
    chance = threshold(probability("rate", terms.rate))
    negatives = [position for position, label in enumerate(report.labels, start=1) if not label]
    drawn = frozenset([position for position in negatives if coins[position - 1] < chance])
    drawn |= counted.intersection(negatives)
    compelled_at, due = None, everything(len(report.labels)).difference(negatives) | drawn
    if terms.penalty is Penalty.BATCH:
        compelled_at = min((position for position in drawn if settled.get(position)), default=None)
        due = due if compelled_at is None else everything(len(report.labels))
    chances = dict.fromkeys(negatives, chance)
    return Examined(threshold=0, error=0, due=due, chances=chances, drawn=drawn, compelled_at=compelled_at)


def certain(_terms: SpotCheckTerms, report: Report, _threshold: int) -> dict[int, str]:
    """What Alice reports as responsive."""
    reported = [position for position, label in enumerate(report.labels, start=1) if label]
    return dict.fromkeys(reported, "Alice reported it responsive")


def at_most(_terms: SpotCheckTerms, _rounds: Evidences, _doubt: Fraction) -> int:
    """Nothing of its own: the books tell what may be hidden."""
    return 0


def _numbers(terms: SpotCheckTerms) -> str:
    return f"the target is {terms.target} and the doubt {terms.doubt}"


RULE = Rule(
    protocol="spot-check",
    terms=SpotCheckTerms,
    check=check,
    with_threshold=False,
    examine=examine,
    certain=certain,
    at_most=at_most,
    spot_checks=spot_checks,
    words=Words(
        guarantee=(
            "Whatever Alice did, with confidence 1 - doubt Bob has at least the target share of the responsive "
            "documents that were reviewed, or these claims say that the target was not reached. This leaves aside what "
            "the court withheld as privileged, and documents that were never reviewed."
        ),
        plain=None,
        explained=(
            "Alice reported a label for every document. Bob was to see all that she reported as responsive, and every "
            "other one with the same small chance; and coins drew again from what she withheld, until few enough "
            "responsive documents could be hidden."
        ),
        story=(
            "The rule was spot checks. Alice says of every document in the batch whether it is responsive, before "
            "anybody knows the coins. Bob sees all that she reports as responsive. Every other document has the same "
            "small chance to be drawn and shown to him as well. From what the coins find, and do not find, follows how "
            "many responsive documents can be hidden. While that is too many, Alice is asked to look again, and fresh "
            "coins draw from all that is withheld."
        ),
        numbers=_numbers,
    ),
)
