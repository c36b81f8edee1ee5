"""`again`: Trent repeats a question to a party that got a new key before it answered.

The new key answers this entry, which binds the history with the change. It never answers a question from before it, so
nobody can put its answer beside one that the former key gave.
"""

from dataclasses import replace

from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Awaited, Matter


class Again(Record, frozen=True, kw_only=True):
    """Which question is repeated."""

    question: Digest  # the entry that became void


def blind(matter: Matter, content: Again, entry: Entry) -> None:
    """It asks one party whose question is void, and repeats that question."""
    _, void = _repeated(matter, entry)
    if content.question != void.question:
        raise Malformed("it repeats another question than the one that became void")
    requirements.of_round(entry, void.round)


def take(matter: Matter, content: Again, entry: Entry) -> None:
    """The party must answer this entry."""
    role, void = _repeated(matter, entry)
    matter.awaits[role] = replace(void, question=entry.hash)
    del matter.void[role]


def _repeated(matter: Matter, entry: Entry) -> tuple[Role, Awaited]:
    """Who is asked again, and what."""
    if len(entry.asks) != 1 or entry.asks[0] not in matter.void:
        raise Malformed("it must ask one party whose question became void")
    return entry.asks[0], matter.void[entry.asks[0]]


KIND = Kind(
    name="again",
    record=Again,
    authors=(Role.TRENT,),
    when=When.BESIDE_PARTIES,
    asks=None,
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="question asked again", event=None),
)
