"""`camera`: what the court must see of the next wave before Bob: what Alice claims as privileged or for a class, and in
a validation whose viewer is the court everything. Releases the bases of the claims to Bob.

Sealed: `proofs` and `path` for Alice and the court, as in a `disclosure`.
"""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Step
from protocol.matter.state import Matter
from protocol.matter.values import OWNERS
from protocol.rules.terms import Positive


class Camera(Record, frozen=True, kw_only=True):
    """What the court is asked about."""

    positions: tuple[Positive, ...]


def blind(matter: Matter, content: Camera, entry: Entry) -> None:
    """The court gets what it has not ruled on, and Bob gets the bases of the claims among it."""
    review = requirements.open_round(matter, entry)
    requirements.positions(content.positions, review)
    requirements.sealed(entry, "proofs", len(content.positions))
    requirements.sealed(entry, "path", 1)
    log, claims = review.privilege, review.claimed_among(content.positions)
    if (review.disclosed | log.upheld.keys() | review.in_camera.keys()) & set(content.positions):
        raise Malformed("the court may get only positions that Bob has not been shown and that it has not ruled on")
    if not log.may_be_claimed(claims):
        raise Malformed("the court may get only positions that Alice has claimed")
    bases = log.opened_to_bob(claims)
    if bases is not None and entry.releases != bases:
        raise Malformed("it must release to Bob the bases of these claims, and nothing else")


def check(matter: Matter, content: Camera, entry: Entry) -> None:
    """Nothing is disputed, and the coins are fixed."""
    requirements.settled(matter.rounds[-1])
    requirements.drawn(matter, matter.rounds[-1])


def take(matter: Matter, content: Camera, entry: Entry) -> None:
    """The court is asked."""
    review = matter.rounds[-1]
    review.take_step(Step(positions=content.positions, in_camera=True))
    review.privilege.ask(content.positions, review.claimed_among(content.positions))


KIND = Kind(
    name="camera",
    record=Camera,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.COURT: "privilege"},
    seals={"path": OWNERS, "proofs": OWNERS},
    optional=(),
    releases=True,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="claims for the court", event=None),
)
