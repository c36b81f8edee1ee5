"""Transcripts of matters with spot checks, escalations, validations and classes: honest ones, cheats and forgeries.

All of them are stored compressed.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ledger.roles import Audience
from protocol.matter.rounds import Sort
from protocol.simulation.identity import Simulated
from tests.support.builders import KEYS
from tests.support.forging.allcheats import SPOT_CHEATS
from tests.support.forging.catalogue import EVERYBODY, Cheat
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
    every = {**COURSES, "claimed-before": CLAIMED_BEFORE}
    yield from (case for name in every for case in valid(maker, name))
    yield from (case for name in UNFINISHED for case in unfinished(maker, name))
    yield from (cheated(maker, name) for name in SPOT_CHEATS)
    yield from (forged(maker, name) for name in SPOT_FORGERIES)


def cases_of(maker: Maker, course: str) -> Iterator[Case]:
    """Those that depart from one course."""
    yield from valid(maker, course)
    yield from (case for name, (base, *_) in UNFINISHED.items() if base == course for case in unfinished(maker, name))
    yield from (cheated(maker, name) for name, cheat in SPOT_CHEATS.items() if cheat.base == course)
    yield from (forged(maker, name) for name, spoiled in SPOT_FORGERIES.items() if spoiled.base == course)


def course_named(name: str) -> SpotCourse:
    return CLAIMED_BEFORE if name == "claimed-before" else COURSES[name]


def planned(maker: Maker, name: str, like: SpotCourse | Cheat) -> Simulated:
    """A course, or a cheat in it, on its terms."""
    agreed = AGREED | dict(like.terms) | maker.seeds_of(name)
    return plan(maker.corpus, players=dict(like.players), protocol=like.protocol, **agreed)


def valid(maker: Maker, name: str) -> Iterator[Case]:
    course = course_named(name)
    played = planned(maker, name, course)
    path = maker.play(maker.corpus, played, course=course.run)
    audiences = EVERYBODY if name in FOR_EVERYBODY else (Audience.BOB, Audience.COURT)
    yield from copied(maker, name, course, played, path, audiences, "corpora/plain")


def copied(
    maker: Maker,
    name: str,
    course: SpotCourse,
    played: Simulated,
    path: Path,
    audiences: Sequence[Audience],
    corpus: str,
) -> Iterator[Case]:
    """Copies of an honest matter; the court's is judged with the corpus."""
    for audience in audiences:
        ident, is_court = f"valid-{name}-{audience}", audience is Audience.COURT
        yield Case(
            id=ident,
            comment=f"{course.comment}; the copy for {audience}",
            flags=("Valid", "Corpus") if is_court else ("Valid",),
            copy=maker.store_compressed(ident, maker.lines(path, played, audience)),
            corpus=corpus if is_court else None,
            verdict="verified",
        )


def unfinished(maker: Maker, name: str) -> Iterator[Case]:
    base, comment, ended, audiences = UNFINISHED[name]
    course = COURSES[base]
    played = planned(maker, base, course)
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


def cheated(maker: Maker, name: str) -> Case:
    cheat = SPOT_CHEATS[name]
    played = planned(maker, cheat.base, cheat)
    return caught(maker, name, cheat, played, maker.play(maker.corpus, played, **cheat.bends))


def caught(maker: Maker, name: str, cheat: Cheat, played: Simulated, path: Path) -> Case:
    """A copy that shows a cheat."""
    audience = Audience.BOB if Audience.BOB in cheat.caught_in else Audience.COURT
    return Case(
        id=name,
        comment=cheat.comment,
        flags=("Cheat",),
        copy=maker.store_compressed(name, maker.lines(path, played, audience)),
        verdict="rejected",
        checks=(cheat.check,),
        blamed=(cheat.who,),
    )


def forged(maker: Maker, name: str) -> Case:
    spoiled = SPOT_FORGERIES[name]
    audience = Audience.BOB if Audience.BOB in spoiled.found_in else Audience.COURT
    forgery, ident = spoiled.forgery, f"forgery-{name}"
    return Case(
        id=ident,
        comment=forgery.comment,
        flags=("Cheat",),
        copy=maker.store_compressed(ident, forge(_genuine(maker, spoiled.base)[audience], dict(KEYS), forgery)),
        verdict=forgery.verdict,
        checks=(forgery.check,),
        blamed=(forgery.who,) if forgery.who else (),
    )


def _genuine(maker: Maker, name: str) -> dict[Audience, Lines]:
    """The copies of a course that are forged, played once."""
    if name not in maker.genuine:
        course = COURSES[name]
        played = with_same_keys(planned(maker, name, course))
        path = maker.play(maker.corpus, played, course=course.run)
        maker.genuine[name] = {each: maker.lines(path, played, each) for each in (Audience.BOB, Audience.COURT)}
    return maker.genuine[name]
