"""V27: was all that is withheld drawn again whenever the terms ask for it?

An escalation begins with a second look of Alice's. What she gives up is shown first, and only then the chance of the
draw is fixed, by the books as they stand. The draw answers her look, so that she cannot give up what she sees drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from verifier.certificates.reviewed import Standing
from verifier.checks import Check
from verifier.record.entries import hash_words
from verifier.replay import books, coins, course
from verifier.replay.books import GivenUp, NextDraw
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Draw, Escalation, Look
from verifier.replay.forms import Kind
from verifier.replay.rounds import Moment, Round, Sort
from verifier.replay.state import State
from verifier.replay.withheld import WithheldPlaces
from verifier.rules.base import Examined, SpotChecks
from verifier.rules.terms import probability, share

_LABELS = "Alice's labels in all rounds"


@condition(Check.ESCALATIONS, Blamed.TRENT, "Only a rule of spot checks has escalations")
def rule_has_escalations(entry: Candidate[Escalation]) -> Broken | None:
    """The rule is `spot-check`."""
    protocol = entry.state.opened.terms.protocol
    return None if entry.state.spot_checks is not None else Broken("another rule", protocol)


@condition(Check.ESCALATIONS, Blamed.TRENT, "An escalation comes when the terms ask for one", shown=_LABELS)
def is_due(entry: Candidate[Escalation]) -> Broken | None:
    """An escalation is due."""
    due = course.escalation_due(entry.state)
    return Broken("no escalation here", "an escalation") if due is False else None


@condition(Check.ESCALATIONS, Blamed.TRENT, "An escalation is of all that is withheld")
def of_all_withheld(entry: Candidate[Escalation]) -> Broken | None:
    """`size` is the number of documents that are withheld."""
    due, found = course.withheld(entry.state), entry.content.size
    return None if found == due else Broken(due if entry.state.rounds_known else f"at most {due}", found)


@condition(
    Check.ESCALATIONS, Blamed.TRENT, "Nothing else comes while an escalation is due, but a validation", shown=_LABELS
)
def none_is_due(entry: Candidate[Any]) -> Broken | None:
    """No escalation is due, or a validation is, or the draw belongs to an open one."""
    state = entry.state
    between = state.current is None and state.drawing is None
    if not between or not course.escalation_due(state) or course.validation_due(state):
        return None
    return Broken("an escalation", f"Trent's {entry.kind}")


@condition(
    Check.ESCALATIONS, Blamed.TRENT, "Without a look, an escalation has a draw if something may be drawn", shown=_LABELS
)
def may_draw_something(entry: Candidate[Draw]) -> Broken | None:
    """If an escalation is open, its chance is above 0."""
    state, current = entry.state, entry.state.current
    if current is None or not state.labels_shown or chance_without_look(state, current):
        return None
    return Broken("no draw here", f"draw {entry.content.draw}")


@condition(Check.ESCALATIONS, Blamed.TRENT, "Without a look, an escalation goes on with a draw", shown=_LABELS)
def has_its_draw(entry: Candidate[Any]) -> Broken | None:
    """If the open round is an escalation whose look was ordered away: it has a draw, or its chance is 0."""
    state, current = entry.state, entry.current
    if current.asks is not Kind.LOOK or current.closes_with_coins or not state.labels_shown:
        return None
    return Broken("a draw", f"Trent's {entry.kind}") if chance_without_look(state, current) else None


def take_escalation(entry: Candidate[Escalation]) -> None:
    """A round begins whose positions are all that is withheld."""
    state, size, before = entry.state, entry.content.size, entry.state.withheld
    current = Round(
        number=entry.said.round,
        size=size,
        batch_entry=entry.sequence,
        near_cut=None,
        places=WithheldPlaces({}, 1, before),
        sort=Sort.ESCALATION,
        asks=Kind.LOOK,
        own=0,
        before=before,
        classes=state.opened.terms.classes is not None,
        limit=state.limit or "0",
        claimed=before.claims(),
        unclaimed=before.unclaimed(),
    )
    current.rule = lambda flips, moment: examine(state, current, flips, moment)
    state.current = current
    state.tally.passed(Check.ESCALATIONS)


@condition(
    Check.ESCALATIONS, Blamed.ALICE, "A second look names withheld documents by their place in the list, in order"
)
def looks_at_the_list(entry: Candidate[Look]) -> Broken | None:
    """The positions are ascending, and in the list."""
    positions, size = entry.content.positions, entry.current.size
    if all(one < other for one, other in pairwise((*positions, size + 1))):
        return None
    return Broken(f"ascending positions up to {size}", some(positions))


def take_look(entry: Candidate[Look]) -> None:
    """Alice's second look fixes what the coins will decide about."""
    current = entry.current
    coins.begin_draw(entry, hash_words(entry.told.entry.statement_bytes))
    coins.spend(entry)
    current.report_entry, current.given_up = entry.sequence, frozenset(entry.content.positions)
    entry.state.tally.passed(Check.ESCALATIONS)


def chance_without_look(state: State, current: Round) -> int:
    """The chance of an escalation in which nothing is given up."""
    return next_draw(state, current, course.standing(state)).chance


def next_draw(state: State, current: Round, standing: Standing) -> NextDraw:
    """How an escalation goes on from a standing."""
    kept = _kept(state)
    allowance = int(share("limit", current.limit) * state.reported_false) - state.escalated
    return books.next_draw(standing, kept.target, probability("doubt", state.opened.terms.doubt), allowance)


def _kept(state: State) -> SpotChecks:
    kept = state.spot_checks
    if kept is None:
        raise RuntimeError("an escalation belongs to a rule that keeps books")
    return kept


def after_look(state: State, current: Round, settled: Mapping[int, bool]) -> Standing:
    """The standing once all that Alice gave up is settled, unread or upheld."""
    given_up = (
        GivenUp(
            exposure=state.withheld.exposure(position),
            found=settled.get(position, False) and position not in current.unread,
            beforehand=current.beforehand(position),
        )
        for position in sorted(current.given_up)
    )
    return books.after_look(course.standing(state), given_up)


def examine(state: State, current: Round, flips: Sequence[int], moment: Moment) -> Examined:
    """First what Alice gave up is due, and when that is settled, what the coins draw."""
    waiting = current.given_up - moment.settled.keys() - moment.upheld
    chances: dict[int, int] = {}
    drawn = frozenset[int]()
    if not waiting:
        ahead = next_draw(state, current, after_look(state, current, moment.settled))
        chance = ahead.chance if flips else 0
        drawn = frozenset([position for position, coin in enumerate(flips, start=1) if coin < chance])
        drawn = (drawn if ahead.ended else drawn | moment.counted) - current.given_up
        others = (position for position in range(1, current.size + 1) if position not in current.given_up)
        chances = {} if ahead.ended else dict.fromkeys(others, chance)
    due = current.given_up | drawn
    return Examined(threshold=0, error=0, due=due, chances=chances, drawn=drawn, compelled_at=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an escalation changes at its close."""

    credit: int  # for what was given up
    drawn: books.Entered
    gone: frozenset[int]  # positions that are not withheld any more
    shown: int  # positions that Bob was shown though they were not given up
    chance: int  # with which the draw was made; 0 if there was none
    lowered: bool  # by the limit


def outcome(state: State, current: Round, flips: Sequence[int]) -> Outcome:
    """The books at the close of an escalation."""
    settled, before = current.settled, course.standing(state)
    standing = after_look(state, current, settled)
    ahead = next_draw(state, current, standing)
    gone = frozenset({*settled, *current.shown, *current.privileged})
    entered = books.Entered(hits=0, credit=0, left=(), cost=0)
    if flips and not ahead.ended:
        exposed = [
            current.exposed(position, flips[position - 1], state.withheld.exposure(position))
            for position in gone - current.given_up
        ]
        entered = books.draw(exposed, ahead.chance)
    return Outcome(
        credit=standing.credit - before.credit,
        drawn=entered,
        gone=gone,
        shown=len(current.shown - current.given_up),
        chance=ahead.chance if flips else 0,
        lowered=ahead.lowered,
    )


def close(state: State, current: Round, flips: Sequence[int]) -> Outcome:
    """An escalation has closed: the books, what is withheld, and whether the limit is used up."""
    found = outcome(state, current, flips)
    state.books.hits += found.drawn.hits
    state.books.credit += found.credit + found.drawn.credit
    state.withheld.remove(found.gone)
    state.withheld.expose(found.drawn.cost)
    state.escalated += found.shown
    state.limit_used_up = state.limit_used_up or found.lowered
    return found
