"""Transcripts that settle questions on which two verifiers disagreed, or could have."""

from collections.abc import Iterator

from ledger.roles import Audience
from tests.support.forging.mutations import Lines
from tests.support.forging.settled import SETTLED
from tests.support.forging.spotcheck import COURSES
from tests.support.genuine import with_same_keys
from tests.vectors import edges, spotchecks
from tests.vectors.cases import Case
from tests.vectors.edges import Maker


def cases(maker: Maker) -> Iterator[Case]:
    copies: dict[str, Lines] = {}
    for name, edge in SETTLED.items():
        if edge.base not in copies:
            copies |= _copies(maker, edge.base.rpartition("-")[0])
        yield edges.case_of(maker, f"edge-{name}", edge.forgery, copies[edge.base])


def _copies(maker: Maker, name: str) -> dict[str, Lines]:
    """The copies of one matter whose parties have the keys of all forgeries."""
    if name not in COURSES:
        return edges.copies_of(maker, name)
    course = COURSES[name]
    played = with_same_keys(spotchecks.planned(maker, name, course))
    path = maker.play(maker.corpus, played, course=course.run)
    return {f"{name}-{each}": maker.lines(path, played, each) for each in Audience}
