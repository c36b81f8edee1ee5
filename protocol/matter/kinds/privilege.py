"""`privilege`: whether the court upholds each of the claims that it was asked about.

Of a class, and of what nobody claims, upheld means that the document is not responsive, so that Bob does not get it. So
it does where the court upholds a claim for some parts: then Bob gets the others if the document is responsive.
"""

from itertools import pairwise

from ledger.records import Malformed, Natural, Record
from ledger.roles import Role
from protocol.matter import reasons, requirements
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import Matter
from protocol.matter.values import OWNERS


class Privilege(Record, frozen=True, kw_only=True):
    """The court's rulings, in the order of the claims."""

    parts: tuple[tuple[Natural, ...], ...]  # the parts that are upheld, where a claim is for parts
    upheld: tuple[bool, ...]


def blind(matter: Matter, content: Privilege, entry: Entry) -> None:
    """It rules on all that it was asked about, and names parts in order."""
    asked = matter.rounds[-1].privilege.asked
    requirements.count("rulings", len(content.upheld), asked)
    requirements.count("lists of parts", len(content.parts), asked)
    if not all(one < other for parts in content.parts for one, other in pairwise(parts)):
        raise Malformed("the parts that are upheld must be in order, each once")
    if matter.opening.corpus.unit == "document" and any(content.parts):
        raise Malformed("every document of this matter has one part, so privilege is for the whole document")
    reasons.check_number(entry, len(asked))


def check(matter: Matter, content: Privilege, entry: Entry) -> None:
    """It upholds no part that Alice does not claim. A claim for parts of which it upholds none is overruled."""
    reasons.check(entry)
    review, log = matter.rounds[-1], matter.rounds[-1].privilege
    if review.documents is None:  # the court's own program follows the record without Alice's openings
        return
    for position, parts, upheld in zip(log.asked, content.parts, content.upheld, strict=True):
        claimed = log.parts.get(position, ())
        if not set(parts) <= set(claimed):
            raise Malformed(f"it upholds parts of position {position} that Alice does not claim")
        if claimed and not parts and upheld:
            raise Malformed(f"it upholds the claim for parts of position {position}, and none of these parts")


def take(matter: Matter, content: Privilege, entry: Entry) -> None:
    """What is upheld is withheld from Bob."""
    matter.rounds[-1].hear(content.upheld, content.parts)


def say(asked: Asked, decisions: Decisions) -> Said:
    """The court's rulings on the claims."""
    positions, parts = asked.statement.content["positions"], decisions.upheld_parts or {}
    content = Privilege(
        parts=tuple(parts.get(position, ()) for position in positions),
        upheld=tuple(decided(decisions.upheld, positions)),
    )
    return reasons.with_reasons(asked, Said(content=content), KIND, decisions.reasons, positions)


KIND = Kind(
    name="privilege",
    record=Privilege,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={"reasons": OWNERS},
    optional=("reasons",),  # missing if no reason is given
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="rule on the {asked} that the court alone reads",
        question="to rule on documents that the court alone reads",
        shown=Shown.NAMED,
        decision=Decision.UPHELD,
        say=say,
        silence=None,
    ),
    words=Words(called="rulings on privilege", event=None),
)
