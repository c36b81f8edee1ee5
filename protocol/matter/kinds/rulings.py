"""`rulings`: whether the court finds each disputed document responsive."""

from ledger.records import Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Asking, Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter


class Rulings(Record, frozen=True, kw_only=True):
    """The court's labels, in the order of the dispute."""

    labels: tuple[bool, ...]


def blind(matter: Matter, content: Rulings, entry: Entry) -> None:
    """It rules on all that it was asked about."""
    requirements.count("labels", len(content.labels), matter.rounds[-1].disputed)


def take(matter: Matter, content: Rulings, entry: Entry) -> None:
    """Its label is the last word."""
    review = matter.rounds[-1]
    review.rulings |= dict(zip(review.disputed, content.labels, strict=True))


KIND = Kind(
    name="rulings",
    record=Rulings,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=Asking(
        task="rule on the {asked} on which Alice and Bob disagree",
        question="to rule on the documents on which the parties disagree",
        silence=None,
    ),
    words=Words(called="rulings", event=None),
)
