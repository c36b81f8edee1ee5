"""The claw-back of an exhibit's document: what Alice answered, the question, and what the court ruled.

These entries may stand between two rounds. Their signatures and their place in the record are checked as for every
entry; whether Bob was shown the document, the rounds of the exhibit tell.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.checks import Check, Role
from verifier.findings import Damaged
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, read
from verifier.replay.contents import Reclaim, Returned
from verifier.replay.forms import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaimed:
    """What Alice asked back and how the court ruled, as far as it is about the document."""

    question: Told
    asked: Told
    ruled: Told | None
    index: int  # of the document among those that she names
    upheld: bool | None  # None if the exhibit holds no ruling

    @property
    def entries(self) -> list[Told]:
        """The entries that tell it."""
        return [self.question, self.asked, *([self.ruled] if self.ruled else [])]

    @property
    def basis(self) -> Any:
        """On what basis she asks it back."""
        return self.asked.values.get("privilege", {}).get(self.index)


def found(told: Sequence[Told], places: set[tuple[int, int]], inside: Container[int]) -> Reclaimed | None:
    """What Alice asked back, if it names the document at one of these places, each a round and a position.

    `inside` are the numbers of the entries that stand in a round, of which the replay judges what they must be. So only
    there may she ask for it more than once.
    """
    asked = [(each, at) for each in told if (at := _index(each, places)) is not None]
    if len(asked) > 1 and not all(each.entry.body.sequence in inside for each, _ in asked):
        raise Damaged(Check.CHAIN, "the exhibit is not whole: a claw-back between rounds is one too many")
    return _reclaimed(told, *asked[0], inside) if asked else None


def _index(told: Told, places: set[tuple[int, int]]) -> int | None:
    """Where Alice first names the document among those that she asks back."""
    content = _content(told, Reclaim) if _is(told, Role.ALICE, Kind.RECLAIM) else None
    return next((at for at, place in enumerate(content.places if content else ()) if place in places), None)


def _reclaimed(told: Sequence[Told], asked: Told, index: int, inside: Container[int]) -> Reclaimed:
    question = next((each for each in told if each.hash == asked.entry.said.answers), None)
    asks = question is not None and _is(question, Role.TRENT, Kind.CLAWBACK, Kind.AGAIN)
    if question is None or not (asks or question.entry.body.sequence in inside):
        raise Damaged(Check.CHAIN, "the exhibit is not whole: the question of what to claw back is missing")
    ruled = next((each for each in told if each.entry.said.answers == asked.hash), None)
    answer = _content(ruled, Returned) if ruled is not None and _is(ruled, Role.COURT, Kind.RETURNED) else None
    if answer is None or len(answer.upheld) != len(_content(asked, Reclaim).places):
        return Reclaimed(question=question, asked=asked, ruled=None, index=index, upheld=None)
    return Reclaimed(question=question, asked=asked, ruled=ruled, index=index, upheld=answer.upheld[index])


def _is(told: Told, author: Role, *kinds: Kind) -> bool:
    return told.entry.said.author is author and told.entry.said.kind in kinds


def _content(told: Told, shape: type[Any]) -> Any:
    """What an entry says, if it has the right form; in a round, the replay judges whether it must."""
    try:
        return read(shape, told.entry.said.content)
    except Malformed:
        return None


def due(told: Told, reclaimed: Reclaimed | None) -> set[tuple[str, int]]:
    """What an entry opens of the claw-back: the document's own basis."""
    return {("privilege", reclaimed.index)} if reclaimed is not None and told.hash == reclaimed.asked.hash else set()


def story(reclaimed: Reclaimed | None) -> list[str]:
    """What became of it, in a sentence or two."""
    if reclaimed is None:
        return []
    said = (
        f"Asked back. Alice asked for the document back after Bob was shown it (entry "
        f"{reclaimed.asked.entry.body.sequence}), on the basis {reclaimed.basis!r}."
    )
    if reclaimed.ruled is None:
        return [f"{said} The exhibit holds no ruling of the court on that."]
    where = f"(entry {reclaimed.ruled.entry.body.sequence})"
    if not reclaimed.upheld:
        return [f"{said} The court overruled that {where}, so Bob keeps it."]
    return [f"{said} The court upheld that {where}: it is clawed back, and Bob must return or destroy it."]


def value(reclaimed: Reclaimed | None) -> dict[str, Any] | None:
    """The same for scripts; null if the exhibit does not say that the document was asked back."""
    if reclaimed is None:
        return None
    return {
        "asked_in": reclaimed.asked.entry.body.sequence,
        "basis": reclaimed.basis,
        "upheld": reclaimed.upheld,
        "ruled_in": None if reclaimed.ruled is None else reclaimed.ruled.entry.body.sequence,
    }
