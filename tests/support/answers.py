"""What parties say in tests, from plain lists instead of decisions by position."""

from collections.abc import Mapping, Sequence

from ledger.hashing import Digest
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.parties.party import Party

Parts = Mapping[int, tuple[int, ...]]
"""By position, numbers of parts."""


def report(
    alice: Party,
    labels: Sequence[bool | None],
    threshold: int | None = None,
    claims: Mapping[int, str] | None = None,
    replaces: tuple[Digest, ...] = (),
    parts: Parts | None = None,
) -> Answer:
    given = {position: label for position, label in enumerate(labels, start=1) if label is not None}
    decided = Decisions(labels=given, threshold=threshold, claims=claims, claimed_parts=parts)
    return alice.say(decided, replaces=replaces)


def claim(alice: Party, claims: Mapping[int, str], parts: Parts | None = None) -> Answer:
    return alice.say(Decisions(claims=claims, claimed_parts=parts))


def label(party: Party, labels: Sequence[bool]) -> Answer:
    """Bob's labels, or the court's, in the order of the question."""
    return party.say(Decisions(labels=_by_position(party, labels)))


def uphold(court: Party, upheld: Sequence[bool], parts: Parts | None = None) -> Answer:
    return court.say(Decisions(upheld=_by_position(court, upheld), upheld_parts=parts))


def order(court: Party, granted: bool, link: Digest | None = None) -> Answer:  # noqa: FBT001 (yes or no)
    return court.say(Decisions(granted=granted), absent_link=link)


def rekeyed(court: Party, granted: bool) -> Answer:  # noqa: FBT001 (yes or no)
    return court.say(Decisions(granted=granted))


def amended(party: Party, accepted: bool) -> Answer:  # noqa: FBT001 (yes or no)
    return party.say(Decisions(accepted=accepted))


def _by_position(party: Party, said: Sequence[bool]) -> dict[int, bool]:
    asked = party.question
    positions = () if asked is None else asked.statement.content.get("positions", ())
    return dict(zip(positions, said, strict=False))
