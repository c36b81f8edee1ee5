"""`default`: Trent says that a party has not answered what was served on it, and asks the court for an order."""

from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter, Silence


class Default(Record, frozen=True, kw_only=True):
    """Which party does not answer, and what it has been shown."""

    absent: Role
    served: Digest  # the last entry that the party was shown


def blind(matter: Matter, content: Default, entry: Entry) -> None:
    """The party is asked something, and was shown the question."""
    requirements.of_round(entry, 0)
    awaited = matter.awaits.get(content.absent)
    if awaited is None:  # this also refuses the court, since every default waits for the court
        raise Malformed(f"{content.absent.called} is not in default: nothing is asked of {content.absent.called} now")
    if matter.sequences.get(content.served, -1) < matter.sequences[awaited.question]:
        raise Malformed(f"what was served must be the entry that asks {content.absent.called}, or a later one")


def take(matter: Matter, content: Default, entry: Entry) -> None:
    """The party's question rests while the court decides."""
    awaited = matter.awaits.pop(content.absent)
    matter.silence = Silence(absent=content.absent, served=content.served, awaited=awaited)


KIND = Kind(
    name="default",
    record=Default,
    authors=(Role.TRENT,),
    when=When.BESIDE_PARTIES,
    asks={Role.COURT: "order"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="default", event=None),
)
