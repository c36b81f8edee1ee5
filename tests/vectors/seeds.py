"""Finds seeds for the courses from which the vectors are made: `python -m tests.vectors.seeds [COURSE ...]`.

When the method changes, all coins fall differently, and a course may lose what its cheats need. For each course that
is named, or for each that no longer does, the seeds 1, 2, … are tried until every case that departs from it gets the
verdict and the outcomes that its author states. Write the seed down in `tests/support/forging/spotcheck.py`.

The course `agreed` is that of the cheats without a course of their own; its seed stands in `tests/vectors/agreed.py`.
That of `eventful`, which claw-backs share, stands in `tests/support/forging/eventful.py`.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from ledger.errors import LedgerError
from tests.support.forging import clawedback, eventful
from tests.support.forging.catalogue import CHEATS
from tests.support.forging.eventful import EventfulRun
from tests.support.forging.events import EVENTS
from tests.support.forging.needs import wanting
from tests.support.forging.spotcheck import COURSES
from tests.vectors import clawbacks, spotchecks
from tests.vectors.agreed import AGREED
from tests.vectors.cases import Case, stated_outcomes
from tests.vectors.transcripts import Maker
from verifier.values import blamed
from verifier.verification import verify


def _agreed(maker: Maker) -> Iterator[Case]:
    AGREED["seed"] = maker.seeds.get("agreed", AGREED["seed"])
    yield from maker.copy_cheats()
    yield from maker.cheats(CHEATS)
    yield from maker.forgeries()


def _eventful(maker: Maker) -> Iterator[Case]:
    for terms in (eventful.AGREED, clawedback.AGREED):
        terms["seed"] = maker.seeds.get("eventful", terms["seed"])
    yield from maker.cheats(EVENTS)
    yield from maker.eventful_forgeries()
    yield from clawbacks.cases(maker)


_SHARED = {"agreed": _agreed, "eventful": _eventful}


def unfit(maker: Maker, name: str) -> str:
    """Why the seed that is tried does not serve the course; empty if it does."""
    maker.genuine.clear()
    with tempfile.TemporaryDirectory() as scratch:
        maker.scratch = Path(scratch)
        try:
            if name in _SHARED:
                return next(_misjudged(maker, _SHARED[name](maker)), "")
            return _missing(maker, name) or next(_misjudged(maker, spotchecks.cases_of(maker, name)), "")
        except (LedgerError, ValueError, RuntimeError, StopIteration, LookupError) as error:
            return f"a cheat found nothing to cheat about ({type(error).__name__}: {error})"


def _missing(maker: Maker, name: str) -> str:
    course = spotchecks.course_named(name)
    with course.run(maker.corpus, spotchecks.planned(maker, name, course), maker.scratch / "course.matter") as run:
        run.run()
    left = isinstance(run, EventfulRun) and run._left
    return "; ".join(wanting(name, run.state)) or ("not all events have come" if left else "")


def _misjudged(maker: Maker, cases: Iterable[Case]) -> Iterator[str]:
    stated = stated_outcomes()
    for case in cases:
        verdict = verify(maker.folder / case.copy, corpus=maker.folder / case.corpus if case.corpus else None)
        outcomes = {str(each.check): str(each.outcome) for each in verdict.checks}
        if (verdict.answer, outcomes, blamed(verdict)) != (
            case.verdict,
            stated.get(case.id, outcomes),
            list(case.blamed),
        ):
            yield f"{case.id} is judged otherwise: {verdict.answer}, {blamed(verdict)}"


def search(maker: Maker, name: str) -> None:
    """Print a seed for a course."""
    why = unfit(maker, name)
    print(f"{name}: {why or 'the seed that is written down serves'}", flush=True)
    for seed in count(1) if why else ():
        maker.seeds[name] = str(seed)
        if not (why := unfit(maker, name)):
            print(f"{name}: seed {seed} serves", flush=True)
            return
        print(f"  {seed}: {why}", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(Path(folder), Path(folder))
        for name in sys.argv[1:] or [*_SHARED, *COURSES, "claimed-before"]:
            search(maker, name)
