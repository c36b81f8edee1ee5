"""V16: does each round end with the labels and numbers that follow from it?"""

from itertools import pairwise

from verifier.checks import Check
from verifier.replay import bookkeeping, coins, disclosures, training
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Closed
from verifier.replay.detail import detail
from verifier.replay.rounds import ClosedRound, Moment, Sort
from verifier.rules.base import Evidence, Examined
from verifier.rules.bound import evidence, without_answer


@condition(Check.OUTCOMES, Blamed.TRENT, "A close releases Alice's labels and threshold to Bob, and nothing else")
def releases_report(entry: Candidate[Closed]) -> Broken | None:
    """It releases to Bob the report's `labels` and `threshold`, with null, and nothing else."""
    due = entry.current.released_at_close()
    if entry.body.releases == due:
        return None
    return Broken(", ".join(each.field for each in due) or "nothing", "another release")


@condition(Check.OUTCOMES, Blamed.TRENT, "A simulation states the truth, and no other matter does")
def truth_of_simulation(entry: Candidate[Closed]) -> Broken | None:
    """`truth` is stated in a simulation, and is null elsewhere."""
    is_real, truth = entry.state.opened.simulation is None, entry.content.truth
    return None if (truth is None) == is_real else Broken("none" if is_real else "the truth", truth)


@condition(
    Check.OUTCOMES,
    Blamed.TRENT,
    "A round ends with the labels that were agreed or ruled, and with numbers up to its size",
)
def plausible(entry: Candidate[Closed]) -> Broken | None:
    """`responsive` is ascending, in the round, and as settled for every position that is settled, disclosed or not; an
    unread one counts as settled where the copy shows Alice's labels, and an unclear one is left out. `threshold`,
    `error` and `sampled` are at most the round's size. (The numbers in `truth` are not checked here.)
    """
    content, current = entry.content, entry.current
    responsive = set(content.responsive)
    settled = all(
        (position in responsive) is label
        for position, label in current.settled.items()
        if position not in current.unclear
    )
    ascending = all(one < other for one, other in pairwise((*content.responsive, current.size + 1)))
    largest = max(content.threshold, content.error, content.sampled)
    if settled and ascending and largest <= current.size:
        return None
    return Broken(
        f"positions in order and numbers up to {current.size}, as settled",
        f"{some(content.responsive)}; numbers up to {largest}",
    )


def _examined(entry: Candidate[Closed]) -> Examined | None:
    """What follows from the round at its end, if the copy shows what it rests on."""
    return disclosures.examined(entry, _end(entry, late=True)) if disclosures.can_be_judged(entry) else None


def _end(entry: Candidate[Closed], *, late: bool) -> Moment:
    """The end of the round, with the late claims counted as drawn or not."""
    current = entry.current
    return Moment(current.settled, frozenset(current.privileged), frozenset(current.late if late else ()))


@condition(
    Check.OUTCOMES, Blamed.TRENT, "A round ends with the labels and numbers that follow from it", shown="Alice's labels"
)
def as_it_follows(entry: Candidate[Closed]) -> Broken | None:
    """`responsive`, `compelled`, `error`, `sampled` and `threshold` follow from the round."""
    examined, content = entry.once(_examined), entry.content
    if examined is None:
        return None
    due = {
        "responsive": entry.current.responsive(),
        "compelled": examined.compelled_at is not None,
        "error": examined.error,
        "sampled": len(examined.drawn),
        "threshold": examined.threshold,
    }
    for name, value in due.items():
        found = getattr(content, name)
        if found != value:
            shown = (some(each) if isinstance(each, tuple) else each for each in (value, found))
            return Broken(*(f"`{name}` of round {entry.current.number}: {each}" for each in shown))
    return None


def take_closed(entry: Candidate[Closed]) -> None:
    """The close of a round: its labels count from now on, and its coins as evidence."""
    state, content, current = entry.state, entry.content, entry.current
    state.stamped = state.logged = False
    examined, flips = entry.once(_examined), entry.once(coins.of_round)
    current.clear_up(content.responsive)
    coins.spend(entry)
    _count(entry, examined)
    if state.details is not None:
        judged = None if examined is None else (examined, flips)
        state.details.append(detail(current, state.opened.terms, entry.sequence, judged))
    closed, lesson = _closed_round(entry), training.lesson(current, content, named=state.corpus is not None)
    state.rounds.append(closed)
    state.claims_shown = state.claims_shown and current.claims_shown
    bookkeeping.close(state, current, closed, flips)
    state.labelled += len(lesson.appended)
    state.responsive += lesson.learnt_responsive
    state.perhaps_labelled += lesson.unclear
    state.drawing = state.current = None
    if state.corpus:
        state.corpus.close(entry.told, content, lesson, current.shown)


def _count(entry: Candidate[Closed], examined: Examined | None) -> None:
    state, current = entry.state, entry.current
    if examined is None:
        state.evidence = None
        return
    state.tally.passed(Check.DISCLOSURES)
    state.tally.passed(Check.PRIVILEGE, len(current.seen_in_camera))
    state.tally.passed(Check.OUTCOMES)
    if state.evidence is not None and current.sort is Sort.BATCH and state.spot_checks is None:
        state.evidence.append(_evidence(entry, examined))


def _evidence(entry: Candidate[Closed], examined: Examined) -> Evidence:
    """What the round's coins prove about hidden documents."""
    current = entry.current
    alone = disclosures.examined(entry, _end(entry, late=False)) if current.late else examined  # by coins
    shown = evidence(examined, alone, current.settled, current.privileged)
    return without_answer(shown, examined, alone, current.unread, current.unproven()) if current.unread else shown


def _closed_round(entry: Candidate[Closed]) -> ClosedRound:
    current, content, settled = entry.current, entry.content, entry.current.settled
    sealed = current.unread - settled.keys()  # whose labels are Alice's, which the copy does not show
    return ClosedRound(
        number=current.number,
        sort=current.sort,
        size=current.size,
        near_cut=current.near_cut,
        revealed=len(current.shown),
        found=sum(settled.values()) + len(sealed.intersection(content.responsive)),
        confirmed=sum(label for position, label in settled.items() if position not in current.unread),
        disputes=len(current.rulings),
        alice_errors=current.alice_errors(),
        privileged=len(current.privileged),
        in_camera=current.in_camera,
        unclear=len(current.unclear.intersection(current.kept)),
        unclear_unread=len(current.unclear.intersection(current.unread)),
        unread=len(current.unread),
        reported=current.reported,
        compelled=content.compelled,
        error=content.error,
        sampled=content.sampled,
        threshold=content.threshold,
        truth=content.truth,
    )
