"""`agreed`: its author answers the opening, and thereby signs the terms and names the anchor of a coin chain.

Alice may seal `candidates`, for herself alone: names of her counsel and other terms. Trent, who has the opening, marks
the documents that hold one of them in her questions, so that she says of each whether it is privileged.
"""

from collections.abc import Sequence
from typing import Any

from ledger.canonical import Value
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Audience, Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import LastLink, Matter

CANDIDATES = "candidates"
MOST_CANDIDATES = 1000
LONGEST_CANDIDATE = 200
"""Code points."""


class Agreed(Record, frozen=True, kw_only=True):
    """There is nothing to check: the author chooses the anchor."""

    anchor: Digest


def blind(matter: Matter, content: Agreed, entry: Entry) -> None:
    """Only Alice seals candidates, as one value, so that nobody learns how many there are."""
    if CANDIDATES not in entry.statement.sealed:
        return
    if entry.statement.author is not Role.ALICE:
        raise Malformed("only Alice names candidates for privilege")
    requirements.sealed(entry, CANDIDATES, 1)


def check(matter: Matter, content: Agreed, entry: Entry) -> None:
    """The candidates are a list of texts."""
    for value in entry.values(CANDIDATES):
        if not are_candidates(value):
            raise Malformed(f"candidates are 1 to {MOST_CANDIDATES} texts of 1 to {LONGEST_CANDIDATE} characters each")


def are_candidates(value: Any) -> bool:
    """Whether a sealed value is a list of names and terms."""
    return (
        isinstance(value, list | tuple)
        and 1 <= len(value) <= MOST_CANDIDATES
        and all(isinstance(each, str) and 1 <= len(each) <= LONGEST_CANDIDATE for each in value)
    )


def take(matter: Matter, content: Agreed, entry: Entry) -> None:
    """The chain begins."""
    matter.links[entry.statement.author] = LastLink(number=0, link=content.anchor)
    if entry.openings is not None:
        matter.candidates += tuple(each for value in entry.values(CANDIDATES) for each in value)


def say(asked: Asked, decisions: Decisions) -> Said:
    """The anchor of the author's chain, and what Alice wants to be asked about."""
    content = Agreed(anchor=asked.chain.anchor)
    if decisions.candidates is None:
        return Said(content=content)
    fields: dict[str, Sequence[Value]] = {CANDIDATES: [list(decisions.candidates)]}
    sealed, openings = asked.sealed(f"agreed/{asked.hash.hex()}", KIND.seals, fields)
    return Said(content=content, sealed=sealed, openings=openings)


KIND = Kind(
    name="agreed",
    record=Agreed,
    authors=(Role.ALICE, Role.BOB),
    when=When.ASKED,
    asks={},
    seals={CANDIDATES: (Audience.ALICE,)},
    optional=(CANDIDATES,),
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="read the terms and sign them",
        question="to sign the terms of the matter",
        shown=Shown.NONE,
        decision=Decision.TERMS,
        say=say,
        silence=None,
    ),
    words=Words(called="signature of the terms", event=None),
)
