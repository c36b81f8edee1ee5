"""Transcripts of matters with spot checks, escalations, validations and classes: honest ones, cheats and forgeries.

All of them are stored compressed.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ledger.roles import Audience
from protocol.matter.rounds import Sort
from protocol.simulation.identity import Simulated
from tests.support.builders import KEYS
from tests.support.forging.allcheats import SPOT_CHEATS
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.forged import forge
from tests.support.forging.mutations import Lines
from tests.support.forging.running import CheatingRun, plan
from tests.support.forging.spotcheck import CLAIMED_BEFORE, COURSES, SpotCourse
from tests.support.forging.spotforged import SPOT_FORGERIES
from tests.support.genuine import with_same_keys
from tests.vectors.agreed import AGREED
from tests.vectors.cases import Case
from tests.vectors.edges import Maker

FOR_EVERYBODY = ("validated", "classed")
"""Of the other courses Bob's copy and the court's are stored."""

Until = Callable[[CheatingRun], bool]


def _open(sort: Sort, then: Callable[[Any], object]) -> Until:
    """Whether a round of this sort is open, and has come so far."""
    return lambda run: (
        run.state.current is not None and run.state.current.sort is sort and bool(then(run.state.current))
    )


UNFINISHED: dict[str, tuple[str, str, Until, tuple[Audience, ...]]] = {
    "escalation": (
        "escalated",
        "a matter in the midst of an escalation, of which Bob was shown what Alice gave up",
        _open(Sort.ESCALATION, lambda current: current.waves),
        (Audience.BOB, Audience.COURT),
    ),
    "look": (
        "escalated",
        "a matter in which Alice is asked for a second look",
        _open(Sort.ESCALATION, lambda _: True),
        (Audience.BOB, Audience.PUBLIC),
    ),
    "validation": (
        "classed",
        "a matter in the midst of a validation, in which Alice has claimed privilege and a class",
        _open(Sort.VALIDATION, lambda current: current.waves),
        (Audience.BOB, Audience.COURT),
    ),
    "camera": (
        "viewed",
        "a matter in the midst of a validation, of which only the court has seen what was drawn",
        _open(Sort.VALIDATION, lambda current: current.in_camera),
        (Audience.BOB, Audience.COURT),
    ),
    "call": (
        "called",
        "a matter in which documents are called, and Alice has not reported on them",
        _open(Sort.VALIDATION, lambda _: True),
        (Audience.BOB, Audience.ALICE),
    ),
    "drawing": (
        "called",
        "a matter in which a draw for a validation has begun",
        lambda run: run.state.current is None and len(run.state.batches) == 1 and run.state.drawing is not None,
        (Audience.BOB, Audience.PUBLIC),
    ),
}
"""By name: which course, what has happened, and when it ends."""


def cases(maker: Maker) -> Iterator[Case]:
    yield from _valid(maker)
    yield from _unfinished(maker)
    yield from _cheats(maker)
    yield from _forgeries(maker)


def _planned(maker: Maker, course: SpotCourse) -> Simulated:
    agreed = AGREED | dict(course.terms)
    return plan(maker.corpus, players=dict(course.players), protocol=course.protocol, **agreed)


def _valid(maker: Maker) -> Iterator[Case]:
    for name, course in {**COURSES, "claimed-before": CLAIMED_BEFORE}.items():
        played = _planned(maker, course)
        path = maker.play(maker.corpus, played, course=course.run)
        for audience in EVERYBODY if name in FOR_EVERYBODY else (Audience.BOB, Audience.COURT):
            ident, is_court = f"valid-{name}-{audience}", audience is Audience.COURT
            yield Case(
                id=ident,
                comment=f"{course.comment}; the copy for {audience}",
                flags=("Valid", "Corpus") if is_court else ("Valid",),
                copy=maker.store_compressed(ident, maker.lines(path, played, audience)),
                corpus="corpora/plain" if is_court else None,
                verdict="verified",
            )


def _unfinished(maker: Maker) -> Iterator[Case]:
    for name, (base, comment, ended, audiences) in UNFINISHED.items():
        course = COURSES[base]
        played = _planned(maker, course)
        path = maker.scratch / f"{name}.matter"
        with course.run(maker.corpus, played, path) as run:
            while not ended(run):
                run.step()
        for audience in audiences:
            ident = f"valid-not-closed-{name}-{audience}"
            yield Case(
                id=ident,
                comment=comment,
                flags=("NotClosed",),
                copy=maker.store_compressed(ident, maker.lines(path, played, audience)),
                verdict="not closed",
            )


def _cheats(maker: Maker) -> Iterator[Case]:
    for name, cheat in SPOT_CHEATS.items():
        agreed = AGREED | dict(cheat.terms)
        played = plan(maker.corpus, players=dict(cheat.players), protocol=cheat.protocol, **agreed)
        path = maker.play(maker.corpus, played, **cheat.bends)
        audience = Audience.BOB if Audience.BOB in cheat.caught_in else Audience.COURT
        yield Case(
            id=name,
            comment=cheat.comment,
            flags=("Cheat",),
            copy=maker.store_compressed(name, maker.lines(path, played, audience)),
            verdict="rejected",
            checks=(cheat.check,),
            blamed=(cheat.who,),
        )


def _forgeries(maker: Maker) -> Iterator[Case]:
    copies: dict[str, dict[Audience, Lines]] = {}
    for name, spoiled in SPOT_FORGERIES.items():
        if spoiled.base not in copies:
            course = COURSES[spoiled.base]
            played = with_same_keys(_planned(maker, course))
            path = maker.play(maker.corpus, played, course=course.run)
            copies[spoiled.base] = {each: maker.lines(path, played, each) for each in (Audience.BOB, Audience.COURT)}
        audience = Audience.BOB if Audience.BOB in spoiled.found_in else Audience.COURT
        forgery, ident = spoiled.forgery, f"forgery-{name}"
        yield Case(
            id=ident,
            comment=forgery.comment,
            flags=("Cheat",),
            copy=maker.store_compressed(ident, forge(copies[spoiled.base][audience], dict(KEYS), forgery)),
            verdict=forgery.verdict,
            checks=(forgery.check,),
            blamed=(forgery.who,) if forgery.who else (),
        )
