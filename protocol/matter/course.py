"""What comes next between two rounds: a validation, an escalation, a batch or the claims.

Escalations and validations follow from Alice's labels, so only those who have the openings can tell.
"""

from collections.abc import Sequence
from enum import Enum

from protocol.certificates import reviewed
from protocol.certificates.reviewed import Certified
from protocol.fixedpoint import parse_fraction
from protocol.matter import validating
from protocol.matter.escalations import Escalation
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter, Withheld
from protocol.rules.spot_check import SpotCheck
from protocol.rules.terms import probability

DRAWS_OF_AN_ESCALATION = 2
"""An escalation may need two draws: the one of a look that never comes is left out."""


class Next(Enum):
    """What Trent begins between two rounds."""

    VALIDATION = "a validation"
    ESCALATION = "an escalation"
    BATCH = "a batch"
    CLAIMS = "what the matter can claim"


def following(matter: Matter) -> Next:
    """What comes next. A validation comes before an escalation that is due at the same place."""
    if validating.due(matter):
        return Next.VALIDATION
    if escalation_due(matter):
        return Next.ESCALATION
    return Next.CLAIMS if matter.over else Next.BATCH


def held(matter: Matter) -> bool:
    """Whether only the claims are left to be made."""
    return not matter.concluded and matter.between and following(matter) is Next.CLAIMS


def unseen(matter: Matter) -> bool:
    """Whether a round or the claims are due, and outsiders must see the record first."""
    return matter.between and not matter.concluded and bool(matter.unwitnessed)


def escalation_due(matter: Matter) -> bool:
    """Whether all that is withheld must be drawn again now."""
    rule = matter.rule
    if not isinstance(rule, SpotCheck) or matter.limit_used_up or matter.free_draws < DRAWS_OF_AN_ESCALATION:
        return False
    closed = len(matter.batches)
    at_rest = closed > 0 and closed % rule.every == 0
    return (at_rest or matter.over) and not certificate(matter, rule).met


def certificate(matter: Matter, rule: SpotCheck) -> Certified:
    """What the spot checks prove about the reviewed documents by now."""
    return reviewed.certify(
        matter.books.standing(matter.confirmed), rule.target, probability("doubt", matter.terms.doubt)
    )


def escalation(matter: Matter, rule: SpotCheck, withheld: Sequence[Withheld]) -> Escalation:
    """The escalation of all that is withheld, as it begins."""
    return Escalation(
        books=matter.books,
        found=matter.confirmed,
        target=rule.target,
        doubt=probability("doubt", matter.terms.doubt),
        allowance=_allowance(matter),
        seats=tuple(each.seat for each in withheld),
        beforehand=frozenset(position for position, each in enumerate(withheld, start=1) if each.beforehand),
    )


def draw_missing(matter: Matter, review: Round) -> bool:
    """Whether an escalation whose look never came still needs a draw."""
    escalated = review.procedure
    if not isinstance(escalated, Escalation) or not review.silent or matter.drawing is not None:
        return False
    return escalated.chance(review.given_up, review.known).coins > 0


def _allowance(matter: Matter) -> int:
    """How many documents draws of escalations may still show Bob, by the limit."""
    limit = parse_fraction(matter.terms.limit_in_force or "0")
    negatives = shown = 0
    for each, _ in matter.closed:
        if each.sort is Sort.ESCALATION:
            shown += len(each.disclosed - each.given_up)
        elif not each.unreported and each.labelled:
            negatives += sum(not each.reported(position) for position in each.fresh)
    return limit.numerator * negatives // limit.denominator - shown
