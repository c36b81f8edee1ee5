"""`look`: what Alice gives up of all that is withheld, with her link, after a second look at it.

Whatever she gives up she labels as responsive. The draw of the rest answers these words, so she cannot know its coins.
"""

from ledger import entries
from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter
from protocol.matter.values import Link
from protocol.rules.base import Report
from protocol.rules.terms import Positive


class Looked(Record, frozen=True, kw_only=True):
    """Alice's link, and the positions of the escalation that she gives up; perhaps none."""

    draw: Positive
    link: Digest
    positions: tuple[Positive, ...]


def blind(matter: Matter, content: Looked, entry: Entry) -> None:
    """It gives the link that is due, and names positions of the escalation."""
    requirements.link(matter, Role.ALICE, matter.draws + 1, Link(draw=content.draw, link=content.link))
    if content.positions:
        requirements.positions(content.positions, matter.rounds[-1])


def take(matter: Matter, content: Looked, entry: Entry) -> None:
    """Her words are in the record, and the round's draw begins."""
    review = matter.rounds[-1]
    given_up = set(content.positions)
    review.report_entry = entry.sequence
    review.report = Report(labels=tuple(position in given_up for position in range(1, review.size + 1)))
    matter.begin_draw(content.draw, entries.hash_words(entry.statement), review.sort)
    matter.spend(Role.ALICE, content.link)


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Nothing is given up. The draw of the look that did not come is left out."""
    matter.rounds[-1].go_without_look()
    matter.leave_out_draw()


def say(asked: Asked, decisions: Decisions) -> Said:
    """What she gives up, in order."""
    draw = asked.draws + 1
    given_up = tuple(sorted(decisions.given_up or ()))
    return Said(content=Looked(draw=draw, link=asked.chain.link(draw), positions=given_up), spends=draw)


KIND = Kind(
    name="look",
    record=Looked,
    authors=(Role.ALICE,),
    when=When.ASKED,
    asks={Role.BOB: "link"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=Asking(
        task="look again at {size} that are withheld, and say which of them are responsive after all",
        question="which of the withheld documents are responsive after all",
        shown=Shown.LISTED,
        decision=Decision.LOOK,
        say=say,
        silence=Granted(
            words="Alice gives up nothing of what is withheld, and coins draw again from it", take=silenced
        ),
    ),
    words=Words(called="second look", event=None),
)
