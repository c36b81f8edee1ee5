"""`draw`: Trent asks Alice and Bob for their links.

It is for a batch that coins choose, for a validation, or for an escalation whose look never came.
"""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import course, requirements, state
from protocol.matter.course import Next
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Sort
from protocol.matter.state import Matter
from protocol.rules.terms import Positive


class Draw(Record, frozen=True, kw_only=True):
    """Which draw begins."""

    draw: Positive


def blind(matter: Matter, content: Draw, entry: Entry) -> None:
    """Coins are needed here."""
    current = matter.current
    if matter.drawing is not None:
        raise Malformed("a draw is under way")
    if current is not None:
        if not current.silent:
            raise Malformed("no coins are needed in this round")
        requirements.of_round(entry, current.number)
    elif matter.stages:
        requirements.next_round(matter, entry)
    else:
        requirements.next_batch(matter, entry)
        if not matter.one_class:
            raise Malformed("no coins are needed for this batch")
    requirements.draw(content.draw, matter.draws + 1)


def check(matter: Matter, content: Draw, entry: Entry) -> None:
    """A validation is due, or a batch that coins must choose, or the draw of an escalation."""
    if matter.current is not None:
        if not course.draw_missing(matter, matter.current):
            raise Malformed("no coins are needed in this round")
        return
    requirements.comes_next(matter, Next.BATCH, Next.VALIDATION)
    if course.following(matter) is Next.BATCH and not matter.one_class:
        raise Malformed("no coins are needed for this batch")


def take(matter: Matter, content: Draw, entry: Entry) -> None:
    """The draw answers the query."""
    matter.begin_draw(content.draw, state.hash_query(matter.opening), _sort(matter, entry))


def _sort(matter: Matter, entry: Entry) -> Sort | None:
    """What the draw is for, as far as this reader can tell."""
    if matter.current is not None:
        return Sort.ESCALATION
    if not matter.stages:
        return Sort.BATCH
    if entry.openings is None:
        return None if matter.one_class and not matter.over else Sort.VALIDATION
    return Sort.VALIDATION if course.following(matter) is Next.VALIDATION else Sort.BATCH


KIND = Kind(
    name="draw",
    record=Draw,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.ALICE: "link", Role.BOB: "link"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="draw", event=None),
)
