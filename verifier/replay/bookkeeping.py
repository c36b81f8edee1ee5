"""What the close of a round changes in the books, in what is withheld, and in the counts of the whole matter."""

from array import array
from collections.abc import Iterator, Sequence

from verifier.replay import books, course, escalations, validations
from verifier.replay.passed import Passed
from verifier.replay.rounds import ClosedRound, Round, Sort
from verifier.replay.state import State
from verifier.replay.withheld import Labelled, Places


def close(state: State, current: Round, closed: ClosedRound, flips: Sequence[int]) -> None:
    """A round has closed, with these coins."""
    escalated = None
    if state.opened.terms.validation is not None:
        state.out_of_question.update(_numbers(current))
    if current.sort is Sort.ESCALATION:
        if state.labels_shown:
            escalated = escalations.close(state, current, flips)
    elif current.sort is Sort.BATCH:
        _close_batch(state, current, flips)
        state.put_up += current.size
        state.brought.append(closed.confirmed)
    else:
        left = validations.close(state, current, flips)
        withhold(state, current, left.positions, left.exposure)
    state.found += closed.confirmed
    state.seen += closed.revealed + closed.privileged + closed.in_camera
    if escalated is not None:
        state.passes.append(_passed(state, current, closed, escalated))


def _numbers(current: Round) -> Iterator[int]:
    """The documents that Bob was shown, or that the court kept from him, as far as the copy shows their numbers."""
    for position in current.shown.union(current.kept):
        number = current.number_at(position)
        if number is not None:
            yield number


def _passed(state: State, current: Round, closed: ClosedRound, escalated: escalations.Outcome) -> Passed:
    """An escalation by its numbers, with the certificate after it."""
    certificate = course.certificate(state)
    if certificate is None:
        raise RuntimeError("an escalation belongs to a rule that keeps books")
    return Passed(
        round=current.number,
        given_up=len(current.given_up),
        chance=escalated.chance,
        drawn=closed.sampled,
        hits=escalated.drawn.hits,
        at_most=certificate.at_most,
        reached=certificate.met,
        limited=escalated.lowered,
    )


def _close_batch(state: State, current: Round, flips: Sequence[int]) -> None:
    """The reported negatives of a batch that nobody else has seen are withheld."""
    if current.report is None or not state.keeps_withheld:
        return
    negatives = [position for position, label in enumerate(current.report.labels, start=1) if not label]
    kept, gone, exposure = state.spot_checks, current.gone, 0
    state.reported_false += len(negatives)
    left = tuple([position for position in negatives if position not in gone])
    if kept is not None:
        exposed = [current.exposed(position, flips[position - 1]) for position in negatives if position in gone]
        unseen = {position: flips[position - 1] for position in left}
        entered = (books.draw_by_batch if kept.by_batch else books.draw)(exposed, kept.chance, unseen)
        state.books.hits += entered.hits
        state.books.credit += entered.credit
        left, exposure = entered.left, entered.cost
    withhold(state, current, left, exposure)


def withhold(state: State, current: Round, positions: Sequence[int], exposure: int) -> None:
    """These positions of a round, which Alice labelled in its report, are withheld from now on."""
    numbers, left = current.numbers, set(positions)
    state.withheld.add(
        Labelled(
            round=current.number,
            entry=current.batch_entry,
            report_entry=current.report_entry,
            positions=array("L", positions),
            numbers=None if numbers is None else array("Q", [numbers[position - 1] for position in positions]),
            places=Places({position: place for position, place in current.places.items() if position in left}),
            claims={position: claim for position, claim in current.claimed.items() if position in left},
            claims_shown=current.claims_shown,
            unclaimed=frozenset() if current.claims_shown else frozenset(current.unclaimed & left),
            exposure=exposure,
        )
    )
