"""What comes next between rounds: whether the review is over, what is due, and how many draws are free.

An answer is None where the copy does not show what it rests on.
"""

from verifier.certificates.reviewed import Certificate, Standing, certify
from verifier.replay.forms import Kind
from verifier.replay.rounds import Sort
from verifier.replay.state import State
from verifier.rules import validation
from verifier.rules.terms import probability

_FOR_ESCALATION = 2


def at_its_end(state: State) -> bool:
    """Whether T batch rounds are closed, or no document is left."""
    return state.batches_closed >= state.rounds_agreed or state.put_up >= state.opened.corpus.documents


def over(state: State) -> bool | None:
    """Whether no further batch is to be reviewed."""
    if at_its_end(state):
        return True
    if state.opened.terms.validation is None:
        return False
    return any(each.reached for each in state.held) if state.labels_shown else None


def batches_begun(state: State) -> int:
    """How many batch rounds there are, the open one included; a draw for a batch begins one."""
    drawing = state.drawing is not None and state.drawing.begins is Sort.BATCH
    is_open = state.current is not None and state.current.sort is Sort.BATCH
    return state.batches_closed + (is_open or drawing)


def free_draws(state: State, rounds: int | None = None) -> int:
    """The draws that no round is owed, if so many batch rounds are agreed on.

    Where the copy does not show what a draw is for, it counts as one for a batch: then more draws are free.
    """
    agreed = state.rounds_agreed if rounds is None else rounds
    return state.opened.terms.draws - state.draws - 2 * (agreed - batches_begun(state)) - _owed_now(state)


def _owed_now(state: State) -> int:
    """The draws that the open round is owed, or the one that a draw begins."""
    current = state.current
    if current is None:
        begins = None if state.drawing is None else state.drawing.begins
        planned = state.opened.terms.validation
        in_two_stages = planned is not None and planned.review is not None
        if begins is None and state.drawing is not None:
            return -1  # of the two that its batch would be owed, one is left
        return int(begins is Sort.BATCH or (begins is Sort.VALIDATION and in_two_stages))
    if current.asks is Kind.LOOK:
        if current.reported:
            return 0 if current.report_entry >= 0 else _FOR_ESCALATION
        return int(not current.redrawn)
    return int(current.asks is Kind.REPORT and current.reported and current.report_entry < 0)


def withheld(state: State) -> int:
    """W, between rounds: every copy shows how many documents were put up and nobody but Alice has seen."""
    return state.put_up - state.seen


def validation_due(state: State) -> bool | None:
    """Whether a validation is due, between rounds."""
    planned = state.opened.terms.validation
    if planned is None:
        return False
    if not state.labels_shown:
        return None
    course = validation.Course(
        brought=state.brought,
        found=state.found,
        at_its_end=at_its_end(state),
        population=state.opened.corpus.documents - state.seen,
        free_draws=free_draws(state),
        held=state.held,
    )
    return validation.is_due(planned, course)


def standing(state: State) -> Standing:
    """F, D, K and the exposures, between rounds."""
    return Standing(
        found=state.found,
        hits=state.books.hits,
        credit=state.books.credit,
        exposures=state.withheld.exposures(),
    )


def certificate(state: State) -> Certificate | None:
    """The certificate of the reviewed by the books; None if the rule keeps none."""
    kept = state.spot_checks
    if kept is None:
        return None
    return certify(standing(state), kept.target, probability("doubt", state.opened.terms.doubt))


def escalation_due(state: State) -> bool | None:
    """Whether an escalation is due, between rounds, once no validation is."""
    if not state.labels_shown:
        return None
    kept = state.spot_checks
    if kept is None or state.limit_used_up or free_draws(state) < _FOR_ESCALATION:
        return False
    rounds = state.batches_closed
    if not over(state) and (not rounds or rounds % kept.every):
        return False
    found = certificate(state)
    return found is not None and not found.met
