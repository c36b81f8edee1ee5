"""Transcripts that settle questions on which two verifiers disagreed, or could have."""

import gzip
from collections.abc import Iterator

from ledger.roles import Audience
from tests.support.forging.mutations import Lines
from tests.support.forging.settled import SETTLED
from tests.support.forging.spotcheck import COURSES
from tests.support.forging.telltale import TELLTALES
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
    yield from _torn(maker, copies["label-court"])
    yield from _telltales(maker)


def _copies(maker: Maker, name: str) -> dict[str, Lines]:
    """The copies of one matter whose parties have the keys of all forgeries."""
    course = {**COURSES, **TELLTALES}.get(name)
    if course is None:
        return edges.copies_of(maker, name)
    played = with_same_keys(spotchecks.planned(maker, name, course))
    path = maker.play(maker.corpus, played, course=course.run)
    return {f"{name}-{each}": maker.lines(path, played, each) for each in Audience}


def _torn(maker: Maker, lines: Lines) -> Iterator[Case]:
    """Compressed copies that are not one whole member: nothing in them is judged."""
    whole, behind = (b"".join(line + b"\n" for line in part) for part in (lines, lines[5:]))
    cheated = b"".join(line + b"\n" for line in edges.with_two_faults(lines))
    for name, comment, data in (
        (
            "compressed-in-two-members",
            "a good copy, whose lines are compressed in two members",
            gzip.compress(whole[: -len(behind)], mtime=0) + gzip.compress(behind, mtime=0),
        ),
        (
            "compressed-with-a-byte-behind-it",
            "a good copy that is compressed, and a byte stands behind it",
            gzip.compress(whole, mtime=0) + b"\0",
        ),
        (
            "faults-in-a-torn-file",
            "a compressed copy in which two parties break rules, without its checksum: nothing in it is judged",
            gzip.compress(cheated, mtime=0)[:-8],
        ),
    ):
        yield Case(
            id=f"edge-{name}",
            comment=comment,
            flags=("Damage", "Edge"),
            copy=maker.store_bytes(f"edge-{name}", data),
            verdict="undecided",
        )


def _telltales(maker: Maker) -> Iterator[Case]:
    """Honest matters in which a verifier that errs in one rule gets another number."""
    for name, course in TELLTALES.items():
        played = spotchecks.planned(maker, name, course)
        path = maker.play(maker.corpus, played, course=course.run)
        yield Case(
            id=f"valid-{name}",
            comment=f"{course.comment}; the copy for bob",
            flags=("Valid",),
            copy=maker.store_compressed(f"valid-{name}", maker.lines(path, played, Audience.BOB)),
            verdict="verified",
        )
