"""`disclosure`: one wave of documents for Bob, in batch order. Releases their places to him.

Sealed for Alice, Bob and the court: `proofs`, which lead to each document's leaf of the corpus commitment, and `path`,
which leads from all of these leaves to its root.
"""

from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Step
from protocol.matter.state import Matter
from protocol.matter.values import PARTIES
from protocol.rules.terms import Positive


class Disclosure(Record, frozen=True, kw_only=True):
    """What Bob is shown."""

    positions: tuple[Positive, ...]


def blind(matter: Matter, content: Disclosure, entry: Entry) -> None:
    """Bob gets what he may see and has not seen before."""
    review, wave = requirements.open_round(matter, entry), content.positions
    requirements.positions(wave, review)
    requirements.sealed(entry, "proofs", len(wave))
    requirements.sealed(entry, "path", 1)
    if (review.disclosed | review.kept | review.privilege.withheld | review.for_the_court) & set(wave):
        raise Malformed("a disclosed position was disclosed before, is withheld, or is claimed and not ruled on yet")
    places = review.shown_to_bob(wave)
    if places is not None and entry.releases != places:
        raise Malformed("it must release to Bob the places of its positions, and nothing else")


def check(matter: Matter, content: Disclosure, entry: Entry) -> None:
    """Nothing is disputed. When the round closes, the coins show whether the wave is what the rule says."""
    requirements.settled(matter.rounds[-1])
    requirements.drawn(matter, matter.rounds[-1])


def take(matter: Matter, content: Disclosure, entry: Entry) -> None:
    """Bob has the wave."""
    review = matter.rounds[-1]
    review.take_step(Step(positions=content.positions))
    review.waves.append(content.positions)


KIND = Kind(
    name="disclosure",
    record=Disclosure,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={Role.BOB: "labels"},
    seals={"path": PARTIES, "proofs": PARTIES},
    optional=(),
    releases=True,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="wave", event=None),
)
