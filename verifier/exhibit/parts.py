"""Which entries an exhibit must hold, and what it must open of them: no more, no less.

An exhibit is not signed as a whole, so an entry or an opening that is missing or too many is damage.
"""

from dataclasses import dataclass
from typing import Any

from verifier.checks import Check, Role
from verifier.exhibit.form import Exhibit
from verifier.exhibit.pieces import sequences
from verifier.findings import Damaged
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, read
from verifier.replay.contents import Kind, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The entries by what they are for."""

    opening: list[Told]  # from the first entry to the last answer to it
    review: list[Told]  # from the draw or the batch to the close; none where the document was never reviewed
    position: int | None  # in the batch, from 1
    round: int
    closed: bool


def split(exhibit: Exhibit, told: list[Told], size: int) -> Parts:
    """Tell the entries apart; `size` is the checkpoint's."""
    opening = _opening(told)
    rest = told[len(opening) :]
    begin = next((at for at, each in enumerate(rest) if _kind(each) in (Kind.DRAW, Kind.BATCH)), None)
    review = _review(rest[begin:]) if begin is not None else []
    others = rest if begin is None else rest[:begin] + rest[begin + len(review) :]
    if strangers := _without_part(others):
        raise _lacks(f"entry {sequences(strangers)[0]} has no part in it, or an entry before it is missing")
    closed = bool(review) and _kind(review[-1]) == Kind.CLOSED
    if review and not closed and sequences(review)[-1] != size - 1:
        raise _lacks("the end of the document's round is missing")
    position = _position(exhibit, review) if review else None
    parts = Parts(
        opening=opening,
        review=review,
        position=position,
        round=review[0].entry.said.round if review else 0,
        closed=closed,
    )
    for each in told:
        _check_opened(each, parts)
    return parts


def _kind(told: Told) -> str:
    return told.entry.said.kind


def _lacks(reason: str) -> Damaged:
    return Damaged(Check.CHAIN, f"the exhibit is not whole: {reason}")


def _without_part(others: list[Told]) -> list[Told]:
    """Outside of opening and round belong only new keys that the court grants, each with its question."""
    granted = {each.hash: each.entry.said.answers for each in others if _is_granted_key(each)}
    asked = {each.hash for each in others if _kind(each) == Kind.REKEY} & set(granted.values())
    return [each for each in others if each.hash not in granted.keys() | asked]


def _is_granted_key(told: Told) -> bool:
    said = told.entry.said
    return said.kind == Kind.REKEYED and said.author is Role.COURT and said.content.get("granted") is True


def _opening(told: list[Told]) -> list[Told]:
    first = told[0].hash
    answers = [at for at, each in enumerate(told) if each.entry.said.answers == first]
    authors = {told[at].entry.said.author for at in answers}
    if authors != {Role.ALICE, Role.BOB, Role.COURT}:
        raise _lacks("an answer to the matter's opening is missing")
    opening = told[: answers[-1] + 1]
    if sequences(opening) != list(range(len(opening))):
        raise _lacks("an entry between the opening and its answers is missing")
    return opening


def _review(rest: list[Told]) -> list[Told]:
    """The entries in a row from the first one on, up to the close."""
    found: list[Told] = []
    for each in rest:
        if found and (each.entry.body.sequence != sequences(found)[-1] + 1 or _kind(found[-1]) == Kind.CLOSED):
            break
        found.append(each)
    first = found[0].entry.said
    if first.kind == Kind.BATCH and first.content.get("drawn") is not None:
        raise _lacks("the draw of the document's batch is missing")
    return found


def _position(exhibit: Exhibit, review: list[Told]) -> int:
    """Where in its batch the document stands, by the place that Trent sealed."""
    batch = next((each for each in review if _kind(each) == Kind.BATCH), None)
    shown = batch.opened.get("documents", {}) if batch else {}
    if len(shown) != 1:
        raise _lacks("the document's place in the batch is not opened")
    ((index, value),) = shown.items()
    try:
        place = read(Place, value)
    except Malformed as error:
        raise Damaged(Check.BATCHES, f"the batch holds what is no document's place: {error}") from None
    if (place.document, place.name) != (exhibit.document.number, exhibit.document.name):
        raise Damaged(Check.DOCUMENTS, "the batch names another document at the place that the exhibit opens")
    return index + 1


def _check_opened(told: Told, parts: Parts) -> None:
    opened = {(each.field, each.index) for each in told.openings}
    if opened != _due(told, parts):
        raise Damaged(
            Check.OPENINGS,
            f"entry {told.entry.body.sequence} of the exhibit opens more or less than an exhibit of this document does",
        )


def _due(told: Told, parts: Parts) -> set[tuple[str, int]]:
    """The document's own values, and of a closed round the labels and the threshold of the report."""
    said = told.entry.said
    if parts.position is None or said.round != parts.round:
        return set()
    index, sealed = parts.position - 1, said.sealed
    if said.kind == Kind.BATCH:
        return {("documents", index)}
    if not parts.closed:
        return set()
    if said.kind == Kind.REPORT:
        rests_on = ((name, len(sealed[name].commitments)) for name in ("labels", "threshold") if name in sealed)
        due = {(name, place) for name, count in rests_on for place in range(count)}
        return due | ({("privilege", index)} if "privilege" in sealed else set())
    positions: Any = said.content.get("positions")
    if said.kind == Kind.CLAIM and "privilege" in sealed and type(positions) is list and parts.position in positions:
        return {("privilege", positions.index(parts.position))}
    return set()
