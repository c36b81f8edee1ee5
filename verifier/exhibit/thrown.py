"""What an exhibit can tell about coins that rest on the whole record: those of escalations and validations.

The chance of an escalation follows from all rounds before it, and so does the population of a validation. But one
chance holds for all, the terms bound it, and the document's own coin is known. So a document that was shown although no
chance allows it proves that Trent broke the rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verifier.certificates.exact import ONE, threshold
from verifier.checks import Check, Role
from verifier.exhibit.parts import Review
from verifier.findings import Finding
from verifier.replay.detail import RoundDetail
from verifier.replay.forms import Kind
from verifier.rules.terms import Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class Coins:
    """The coins of a round, as far as an exhibit shows them; chances are counted in coins."""

    first: int | None = None  # of the document's number, in the draw of a validation or call
    last: Sequence[int] | None = None  # of all positions of an escalation
    second: int | None = None  # of the document's number, in the draw that answers the report after a call


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The coin that decided about the document, and what the exhibit tells about its chance."""

    coin: int
    above: int  # the chance is at least this
    below: int  # and at most this

    @property
    def exact(self) -> bool:
        """Whether the chance is known."""
        return self.above == self.below


def called(review: Review, coins: Coins, terms: Validation | None) -> Decided | None:
    """The coin by which a validation drew the document, or by which it was called."""
    if coins.first is None or terms is None or not review.listed:
        return None
    if terms.review is not None:
        chance = threshold(Fraction(terms.review))
        return Decided(coin=coins.first, above=chance, below=chance)
    chance = threshold(Fraction(terms.show))
    return Decided(coin=coins.first, above=chance if terms.hits is None else 0, below=chance)


def decided(review: Review, detail: RoundDetail, coins: Coins, terms: Validation | None) -> Decided | None:
    """The coin that decided whether the document is shown: in an escalation, or after a call."""
    if review.kind is Kind.ESCALATION and coins.last is not None and review.position not in detail.given_up:
        drawn, others = _drawn(detail), _others(detail)
        above = max((coins.last[each - 1] + 1 for each in drawn), default=0)
        below = min((coins.last[each - 1] for each in others), default=ONE)
        return Decided(coin=coins.last[review.position - 1], above=above, below=max(above, below))
    if review.kind is Kind.CALL and coins.second is not None and terms is not None and terms.review is not None:
        chance = threshold(Fraction(terms.show))
        if not review.listed:
            chance = threshold(Fraction(terms.review)) * chance // ONE
        return Decided(coin=coins.second, above=chance, below=chance)
    return None


def not_drawn(review: Review, coins: Coins, terms: Validation | None) -> Finding | None:
    """The document stands in a validation or a call that no chance allows."""
    listed = called(review, coins, terms)
    if listed is None or listed.coin < listed.below:
        return None
    return Finding(
        check=Check.VALIDATIONS,
        rule="A validation lists the documents that the coins draw, and no others",
        expected=f"a coin below {listed.below}",
        found=f"{listed.coin}, the coin of the document at position {review.position}",
        entry=review.first.entry.body.sequence,
        party=Role.TRENT,
    )


def broken(review: Review, detail: RoundDetail, coins: Coins, terms: Validation | None) -> Finding | None:
    """What was shown in a closed round although no chance allows it."""
    if not review.closed:
        return None
    if review.kind is Kind.ESCALATION:
        return _two_chances(detail, coins)
    return _without_cause(review, detail, coins, terms) if review.kind is Kind.CALL else None


def _drawn(detail: RoundDetail) -> list[int]:
    """The positions that only a coin can have made due."""
    seen = {position for wave in detail.waves for position in wave} | detail.camera_in.keys()
    return sorted(seen - detail.given_up - detail.late)


def _others(detail: RoundDetail) -> list[int]:
    seen = {*_drawn(detail), *detail.given_up, *detail.late}
    return [position for position in range(1, detail.size + 1) if position not in seen]


def _two_chances(detail: RoundDetail, coins: Coins) -> Finding | None:
    """An escalation draws all that is withheld with one chance."""
    drawn, others = _drawn(detail), _others(detail)
    if not drawn:
        return None
    if coins.last is None:
        return _shown_without_cause(detail, "nothing beyond what Alice gave up, without a draw", drawn[0])
    dearest = max(drawn, key=lambda each: coins.last[each - 1] if coins.last else 0)
    if not others or coins.last[dearest - 1] < min(coins.last[each - 1] for each in others):
        return None
    return _shown_without_cause(detail, "one chance for all that is withheld", dearest)


def _without_cause(review: Review, detail: RoundDetail, coins: Coins, terms: Validation | None) -> Finding | None:
    """After a call, the document is shown by Alice's label, by its coin, or since she claimed it late."""
    labels: Mapping[int, bool | None] = dict(enumerate(detail.report.labels, start=1)) if detail.report else {}
    shown = any(review.position in wave for wave in detail.waves) or review.position in detail.camera_in
    if not shown or review.position in detail.late or labels.get(review.position):
        return None
    if not detail.reported:
        return None if review.listed else _shown_without_cause(detail, "what was called", review.position)
    found = decided(review, detail, coins, terms)
    if found is None or found.coin < found.below:
        return None
    return _shown_without_cause(detail, f"what has a coin below {found.below}", review.position)


def _shown_without_cause(detail: RoundDetail, expected: str, position: int) -> Finding:
    return Finding(
        check=Check.DISCLOSURES,
        rule="Bob is shown what the agreed rule and the coins say, wave by wave, no more and no less",
        expected=expected,
        found=f"shown without cause: position {position}",
        entry=detail.closed_entry,
        party=Role.TRENT,
    )
