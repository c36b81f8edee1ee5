"""What must happen in each honest course, so that the cheats that depart from it have something to cheat about."""

from collections.abc import Callable, Mapping

from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter

Need = Callable[[Matter], bool]


def _of(state: Matter, sort: Sort) -> list[Round]:
    return [each for each in state.rounds if each.sort is sort]


def _escalations(found: Callable[[Round], object]) -> Need:
    return lambda state: any(found(each) for each in _of(state, Sort.ESCALATION))


def _validations(found: Callable[[Round], object]) -> Need:
    return lambda state: any(found(each) for each in _of(state, Sort.VALIDATION))


def _hit(review: Round) -> bool:
    return any(review.rulings.get(position) for position in review.disclosed - review.given_up)


def _one_fails_and_a_later_one_ends_it(state: Matter) -> bool:
    proven = [each.certificate for each in _of(state, Sort.VALIDATION)]
    reached = [each.reached for each in proven if each is not None]
    return (
        len(reached) > 1
        and reached == [False] * (len(reached) - 1) + [True]
        and len(state.batches) < state.terms.rounds
    )


def _compelled_and_not(state: Matter) -> bool:
    ends = [each.outcome for each in _of(state, Sort.BATCH)]
    return {end.compelled for end in ends if end is not None} == {True, False}


def _class_in(sort: Sort) -> Need:
    return lambda state: {label for each in _of(state, sort) for label in each.in_camera.values()} == {True, False}


def _found_among_the_withheld(review: Round) -> bool:
    return any(label and not review.reported(at) for at, label in review.rulings.items())


ENDS_EARLY: Mapping[str, Need] = {
    "one validation fails, and a later one ends the review": _one_fails_and_a_later_one_ends_it
}

NEEDS: Mapping[str, Mapping[str, Need]] = {
    "escalated": {
        "something is given up": _escalations(lambda each: each.given_up),
        "a draw of an escalation hits": _escalations(_hit),
    },
    "limited": {"the limit is used up": lambda state: state.limit_used_up},
    "penalised": {"a hit makes one batch due, and another has none": _compelled_and_not},
    "validated": {
        **ENDS_EARLY,
        "a validation draws reviewed and unreviewed documents": _validations(
            lambda each: 0 < len(each.fresh) < each.size
        ),
    },
    "called": {
        **ENDS_EARLY,
        "what is withheld stands beside what is called": _validations(lambda each: each.called < each.size),
        "something is found among the withheld": _validations(_found_among_the_withheld),
    },
    "viewed": {
        **ENDS_EARLY,
        "the court keeps something in every validation, and Bob sees something": lambda state: all(
            each.kept and each.disclosed for each in _of(state, Sort.VALIDATION)
        ),
    },
    "classed": {
        "the court decides both ways about a class in batches": _class_in(Sort.BATCH),
        "the court decides both ways about a class in validations": _class_in(Sort.VALIDATION),
        "something is withheld as privileged": lambda state: any(each.privilege.withheld for each in state.rounds),
    },
    "eventful-two-stages": {
        "the limit is amended": lambda state: state.terms.limit_in_force == "0.9",
        "a look is ordered away": _escalations(lambda each: each.silent),
        "Bob leaves a wave of an escalation unread": _escalations(lambda each: each.unread),
        "something is claimed late in an escalation": _escalations(lambda each: each.privilege.late),
        "a call has no report": _validations(lambda each: each.unreported),
        "Bob leaves a wave of a validation unread": _validations(lambda each: each.unread),
        "a draw is skipped": lambda state: state.skipped == 1,
    },
    "eventful-one-stage": {},
    "claimed-before": {},
}
"""By course: what is needed, in words, and whether it has happened."""


def wanting(course: str, state: Matter) -> list[str]:
    """What is needed and has not happened."""
    return [words for words, met in NEEDS[course].items() if not met(state)]
