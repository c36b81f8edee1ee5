"""`dispute`: the positions of the wave on which Alice and Bob disagree, for the court."""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import Matter
from protocol.rules.terms import Positive


class Dispute(Record, frozen=True, kw_only=True):
    """What the court is asked about."""

    positions: tuple[Positive, ...]


def blind(matter: Matter, content: Dispute, entry: Entry) -> None:
    """The court gets only positions on which Alice and Bob can disagree."""
    review = matter.current
    requirements.of_round(entry, -1 if review is None else review.number)
    if review is None or review.unreported or not review.waves:
        raise Malformed("there is nothing that Alice and Bob could disagree on")
    requirements.positions(content.positions, review)
    wave = set(review.waves[-1])
    can_be = wave & review.bob.keys() - review.in_camera.keys()
    if not set(content.positions) <= can_be or wave & review.rulings.keys():
        raise Malformed(
            "the court may get only positions of the last wave that Bob has labelled and the court has not ruled on"
        )


def check(matter: Matter, content: Dispute, entry: Entry) -> None:
    """Alice and Bob disagree on these positions, and on no others."""
    if content.positions != matter.rounds[-1].open_disputes():
        raise Malformed("the court must get the positions on which Alice and Bob disagree, and no others")


def take(matter: Matter, content: Dispute, entry: Entry) -> None:
    """The court is asked."""
    matter.rounds[-1].disputed = content.positions


KIND = Kind(
    name="dispute",
    record=Dispute,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.COURT: "rulings"},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="dispute", event=None),
)
