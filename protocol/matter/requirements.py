"""Requirements that several kinds of entry share. Each raises `Malformed` with what is wrong."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ledger import coins
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.corpus.leaves import MAX_PARTS
from protocol.matter import course
from protocol.matter.course import Next
from protocol.matter.kind import Entry
from protocol.matter.privilege_log import BASIS, PARTS
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.matter.values import LONGEST_BASIS, Link, Opened
from protocol.rules.terms import ClassTerms, probability


def of_round(entry: Entry, due: int) -> None:
    """The entry is of this round."""
    if entry.statement.round != due:
        raise Malformed(f"it is of round {entry.statement.round}")


def next_round(matter: Matter, entry: Entry) -> None:
    """A further round, of any sort, begins with the entry."""
    if matter.current is not None:
        raise Malformed("no further round begins here")
    of_round(entry, len(matter.rounds) + 1)
    seen_before(matter)


def seen_before(matter: Matter) -> None:
    """Since the round before, outsiders have seen the record, as the terms ask."""
    if missing := matter.unwitnessed:
        raise Malformed(
            f"the terms ask for {' and '.join(missing)} before each round and before the claims, on record since the "
            "last round"
        )


def seen_from_outside(matter: Matter, entry: Entry, root: Digest) -> None:
    """A stamp or a proof between rounds states the root over all entries before it."""
    of_round(entry, 0)
    if matter.current is not None or matter.drawing is not None:
        raise Malformed("stamps and proofs go on record between rounds, and a round is open")
    if root != matter.tree.root():
        raise Malformed(f"it states the root {root.hex()}, which is not that of the entries before it")


def next_batch(matter: Matter, entry: Entry) -> None:
    """A further batch begins with the entry."""
    if matter.over:
        raise Malformed("no further round begins here")
    next_round(matter, entry)


def comes_next(matter: Matter, *due: Next) -> None:
    """What begins here is due between two rounds; only those who have the openings can tell."""
    following = course.following(matter)
    if following not in due:
        raise Malformed(f"it comes at the wrong place: {following.value} is due")


def open_round(matter: Matter, entry: Entry) -> Round:
    """The entry belongs to the open round, whose coins are fixed, or which throws none."""
    current = matter.current
    if current is None or not (matter.drawing is None or Role.BOB in matter.links_of_draw()):
        raise Malformed("no round is open, or its coins are not known yet")
    of_round(entry, current.number)
    return current


def drawn(matter: Matter, review: Round) -> None:
    """The round's coins are fixed; only those who have the openings can tell whether it throws any."""
    if course.draw_missing(matter, review):
        raise Malformed("the round's draw comes first")


def settled(review: Round) -> None:
    """Nothing is disputed in the round."""
    if review.open_disputes():
        raise Malformed(f"the court has not ruled on the positions {review.open_disputes()}")


def positions(found: tuple[int, ...], review: Round) -> None:
    """These are positions of the round, in order."""
    ascending = all(one < other for one, other in pairwise(found))
    if not found or not ascending or found[-1] > review.size:
        raise Malformed("it must name positions of the batch, in order")


def sealed(entry: Entry, name: str, due: int) -> None:
    """The entry seals as many values under this name as are due."""
    if entry.sealed(name) != due:
        raise Malformed(f"it seals {entry.sealed(name)} values as {name!r}, but {due} are due")


def count(what: str, given: int, asked: tuple[int, ...]) -> None:
    """The answer is about all that was asked, and no more."""
    if given != len(asked):
        raise Malformed(f"it has {given} {what}, but {len(asked)} documents were asked about")


def draw(found: int, due: int) -> None:
    """A link is for the draw that is due."""
    if found != due:
        raise Malformed(f"the link is for draw {found}, but draw {due} is due")


def link(matter: Matter, role: Role, due: int, found: Link) -> None:
    """It is the next link of this drawer's chain, for the draw that is due, which the chain was made for."""
    draw(found.draw, due)
    most = matter.opening.terms.draws
    if due > most:
        raise Malformed(f"draw {due} is due, but the terms provide for {most} draws")
    last = matter.links[role]
    if not coins.follows(
        matter=matter.number, role=role, draw=due, link=found.link, last=last.number, before=last.link
    ):
        raise Malformed(f"the link is not number {due} of the chain that {role.called} has committed to")


def bases(matter: Matter, values: Sequence[Any], *, classes: bool) -> None:
    """Each claim has a basis that fits a log, or null, and perhaps parts of a family; or names a class of the terms, if
    classes may stand here.
    """
    agreed = matter.terms.classes
    known = [{"class": name} for name in agreed.names] if classes and agreed is not None else []
    named = [value for value in values if value in known]
    families = matter.opening.corpus.unit == "family"
    for value in values:
        if value is not None and value not in known and not _fits(value) and not (families and _fits_parts(value)):
            more = f"{', perhaps with parts' if families else ''}{', or a class of the terms' if known else ''}"
            raise Malformed(f"the basis of a claim of privilege is a text of 1 to {LONGEST_BASIS} characters{more}")
    if agreed is not None and matter.classed + len(named) > classes_allowed(matter.opening, agreed):
        raise Malformed(f"more than {classes_allowed(matter.opening, agreed)} documents are put into classes")


def _fits(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= LONGEST_BASIS


def _fits_parts(value: Any) -> bool:
    """Whether this is a claim for parts: a basis, and their numbers in order."""
    if not isinstance(value, dict) or value.keys() != {BASIS, PARTS} or not _fits(value[BASIS]):
        return False
    parts = value[PARTS]
    numbers = isinstance(parts, list) and len(parts) > 0 and all(type(each) is int for each in parts)
    return numbers and all(one < other for one, other in pairwise([-1, *parts, MAX_PARTS]))


def classes_allowed(opening: Opened, agreed: ClassTerms) -> int:
    """How many documents may be put into classes in all."""
    share = probability("share", agreed.share)
    return share.numerator * opening.corpus.documents // share.denominator


def as_computed(found: Record, expected: Record, what: str) -> None:
    """Trent says what everybody who has the openings can compute."""
    if found != expected:
        names = [name for name in found.__struct_fields__ if getattr(found, name) != getattr(expected, name)]
        told = ", ".join(f"{name} is {getattr(expected, name)}, not {getattr(found, name)}" for name in names)
        raise Malformed(f"{what}: {told}")
