"""What the close of a round brings into the books of the matter, for those who have the openings."""

from collections.abc import Sequence

from protocol.matter import books
from protocol.matter.books import Case, Seat
from protocol.matter.escalations import Escalation
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from protocol.matter.validating import Validation
from protocol.rules.spot_check import SpotCheck

NO_CHANCE = 0
"""Under the paper's rules nothing is exposed: only what is withheld is kept in the books."""


def close(matter: Matter, review: Round, coins: Sequence[int]) -> None:
    """Change the books by a round that has ended; its coins are those of its positions, or none."""
    if review.sort is Sort.BATCH and not review.unreported:
        _close_batch(matter, review, coins)
    elif isinstance(review.procedure, Escalation):
        _close_escalation(matter, review, review.procedure, coins)
    elif isinstance(review.procedure, Validation):
        review.certificate = review.procedure.certificate(review)
        if not review.unreported:
            _close_validation(matter, review, review.procedure, coins)


def _close_batch(matter: Matter, review: Round, coins: Sequence[int]) -> None:
    cases = _cases(review, review.size, coins)
    rule = matter.rule
    if not isinstance(rule, SpotCheck):
        matter.books = books.checked(matter.books, NO_CHANCE, cases)
    elif rule.whole_batch:
        matter.books = books.checked_as_one(matter.books, rule.chance, cases)
    else:
        matter.books = books.checked(matter.books, rule.chance, cases)


def _cases(review: Round, last: int, coins: Sequence[int]) -> dict[Seat, Case]:
    """What a draw makes of each position, up to the last one, that Alice has labelled not responsive in this round."""
    beforehand, late = review.privilege.beforehand, review.privilege.late
    labels = review.said.labels
    return {
        Seat(review.number, position): Case(
            coin=coins[position - 1],
            fate=review.fate(position),
            beforehand=position in beforehand,
            late=position in late,
        )
        for position in range(1, last + 1)
        if not labels[position - 1]
    }


def _close_escalation(matter: Matter, review: Round, escalated: Escalation, coins: Sequence[int]) -> None:
    matter.books = escalated.close(review, coins)
    if escalated.chance(review.given_up, review.known).lowered:
        matter.limit_used_up = True


def _close_validation(matter: Matter, review: Round, validation: Validation, coins: Sequence[int]) -> None:
    """What was withheld before was drawn once more; what Alice labelled as called was checked for the first time."""
    checked = isinstance(matter.rule, SpotCheck)
    again = validation.chances.withheld if checked else NO_CHANCE
    after = books.drawn_again(matter.books, again, validation.cases(review, coins))
    second = validation.chances.second
    if second is not None:
        after = books.checked(after, second if checked else NO_CHANCE, _cases(review, review.called, coins))
    matter.books = after
