"""The entries of an exhibit by what they are for: the opening, the document's rounds, and the new keys.

Where the document stands in a round is told by what is opened there: its place in the entry that lists it, or its proof
in the entries that show it, if it was withheld before.
"""

from dataclasses import dataclass

from verifier.checks import Check, Role
from verifier.exhibit import outside, reclaims
from verifier.exhibit.form import Exhibit
from verifier.exhibit.pieces import is_granted_key, sequences
from verifier.exhibit.reclaims import Reclaimed
from verifier.findings import Damaged
from verifier.record.copy import Told
from verifier.record.parts import read_proof
from verifier.record.shapes import Malformed, read
from verifier.replay.contents import Place
from verifier.replay.forms import Kind

FIRST = (Kind.BATCH, Kind.ESCALATION, Kind.VALIDATION, Kind.CALL)
"""With what a round begins, after its draw if there is one before."""

_LISTS = (Kind.BATCH, Kind.VALIDATION, Kind.CALL)
_SHOWS = (Kind.DISCLOSURE, Kind.CAMERA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One round of the document."""

    entries: list[Told]  # from the draw or the first entry to the close
    first: Told  # the batch, escalation, validation or call
    position: int  # of the document, from 1
    listed: bool  # by the first entry; otherwise it was withheld before
    closed: bool

    @property
    def kind(self) -> Kind:
        """What the round begins with."""
        return Kind(self.first.entry.said.kind)

    @property
    def round(self) -> int:
        """The round's number: what follows the draw or the first entry must state the same."""
        return self.entries[0].entry.said.round


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The entries by what they are for."""

    opening: list[Told]  # from the first entry to the last answer to it
    asked_back: Reclaimed | None  # if Alice asked the document back
    reviews: list[Review]  # none if the document was never put up, or its rounds were taken out


def split(exhibit: Exhibit, opening: list[Told], rest: list[Told], size: int) -> Parts:
    """Sort the entries after the opening by their part in the story; `size` is the checkpoint's."""
    runs, others = _runs(rest)
    reviews = [_review(exhibit, run, size) for run in runs]
    inside = {sequence: review for review in reviews for sequence in sequences(review.entries)}
    asked_back = reclaims.found(rest, {(each.round, each.position) for each in reviews}, inside)
    known = sequences(asked_back.entries) if asked_back else []
    if strangers := [each for each in _without_part(others) if each.entry.body.sequence not in known]:
        raise _lacks(f"entry {sequences(strangers)[0]} does not belong, or an entry before it is missing")
    for each in (*opening, *rest):
        due = reclaims.due(each, asked_back)
        _check_opened(each, inside.get(each.entry.body.sequence), due)
    return Parts(opening=opening, reviews=reviews, asked_back=asked_back)


def _kind(told: Told) -> str:
    return told.entry.said.kind


def _lacks(reason: str) -> Damaged:
    return Damaged(Check.CHAIN, f"the exhibit is not whole: {reason}")


def opening(told: list[Told]) -> list[Told]:
    """The first entry and what follows it, up to the last of its three answers, whatever these are."""
    first = told[0].hash
    answers = [at for at, each in enumerate(told) if each.entry.said.answers == first]
    authors = {told[at].entry.said.author for at in answers}
    if authors != {Role.ALICE, Role.BOB, Role.COURT}:
        raise _lacks("an answer to the matter's opening is missing")
    found = told[: answers[-1] + 1]
    if sequences(found) != list(range(len(found))):
        raise _lacks("an entry between the opening and its answers is missing")
    return found


def _runs(rest: list[Told]) -> tuple[list[list[Told]], list[Told]]:
    """The rounds, each a row of entries up to its close, and what is outside of them."""
    runs: list[list[Told]] = []
    others: list[Told] = []
    for each in rest:
        follows = bool(runs) and each.entry.body.sequence == sequences(runs[-1])[-1] + 1
        if follows and _kind(runs[-1][-1]) != Kind.CLOSED:
            runs[-1].append(each)
        elif _kind(each) in (Kind.DRAW, *FIRST):
            runs.append([each])
        else:
            others.append(each)
    return runs, others


def _without_part(others: list[Told]) -> list[Told]:
    """Besides the opening and the rounds, only granted new keys belong here, each with its question, and what outsiders
    have seen.
    """
    granted = {each.hash: each.entry.said.answers for each in others if is_granted_key(each)}
    asked = {each.hash for each in others if _kind(each) == Kind.REKEY} & set(granted.values())
    return [each for each in others if each.hash not in granted.keys() | asked and _kind(each) not in outside.KINDS]


def _review(exhibit: Exhibit, run: list[Told], size: int) -> Review:
    first = next((each for each in run if _kind(each) in FIRST), None)
    closed = _kind(run[-1]) == Kind.CLOSED
    if not closed and sequences(run)[-1] != size - 1:
        raise _lacks("the end of a round of the document is missing")
    if first is None:
        raise _lacks("a draw is here without what it is for")
    if first is run[0] and first.entry.said.content.get("drawn") is not None:
        raise _lacks(f"the draw of the document's {first.entry.said.kind} is missing")
    listed = _listed_at(exhibit, first) if _kind(first) in _LISTS else None
    position = _shown_at(exhibit, run) if listed is None else listed
    return Review(entries=run, first=first, position=position, listed=listed is not None, closed=closed)


def _listed_at(exhibit: Exhibit, first: Told) -> int | None:
    """Where a batch, a validation or a call lists the document, by the place that Trent sealed."""
    shown = first.values.get("documents", {})
    if not shown and _kind(first) == Kind.CALL:
        return None
    if len(shown) != 1:
        raise _lacks(f"the document's place in the {_kind(first)} is not opened")
    ((index, value),) = shown.items()
    try:
        place = read(Place, value)
    except Malformed as error:
        raise Damaged(Check.BATCHES, f"the batch holds a value that is not a document's place: {error}") from None
    if (place.document, place.name) != (exhibit.document.number, exhibit.document.name):
        raise Damaged(Check.DOCUMENTS, f"the {_kind(first)} names another document at the place that the exhibit opens")
    return index + 1


def _shown_at(exhibit: Exhibit, run: list[Told]) -> int:
    """Where a document that was withheld before stands, by the proof that Trent sealed with it."""
    found = set()
    for each in run:
        for index, value in each.values.get("proofs", {}).items() if _kind(each) in _SHOWS else ():
            positions = _positions(each)
            try:
                proof = read_proof(value)
            except Malformed as error:
                raise Damaged(Check.DOCUMENTS, f"an entry holds a value that is not a proof: {error}") from None
            number = exhibit.document.number
            if proof.leaf(number) != exhibit.document.proof.proof.leaf(number) or index >= len(positions):
                raise Damaged(Check.DOCUMENTS, "a round shows another document at the place that the exhibit opens")
            found.add(positions[index])
    if len(found) != 1:
        raise _lacks("nothing opened in it tells where the document stands in a round")
    return found.pop()


def _positions(told: Told) -> list[int]:
    positions: list[int] = told.entry.said.content.get("positions", [])
    return positions


def _check_opened(told: Told, review: Review | None, asked_back: set[tuple[str, int]]) -> None:
    if set(told.openings.places) != asked_back | (_due(told, review) if review else set()):
        raise Damaged(
            Check.OPENINGS,
            f"entry {told.entry.body.sequence} of the exhibit opens more or less than an exhibit of this document does",
        )


def _is_shown(review: Review) -> bool:
    """Whether Bob was shown the document in the round: then its proof is that of the wave, which may withhold parts."""
    return any(_kind(each) == Kind.DISCLOSURE and review.position in _positions(each) for each in review.entries)


def _due(told: Told, review: Review) -> set[tuple[str, int]]:
    """The document's own values and, if the round is closed, the labels and the threshold of the report."""
    kind, index, sealed = _kind(told), review.position - 1, told.entry.said.sealed
    if kind in _LISTS:
        return {("documents", index)} if review.listed else set()
    positions = _positions(told)
    if kind in _SHOWS and not review.listed:
        told_here = kind == Kind.DISCLOSURE or not _is_shown(review)
        return {("proofs", positions.index(review.position))} if told_here and review.position in positions else set()
    if not review.closed:
        return set()
    if kind == Kind.REPORT:
        rests_on = ((name, len(sealed[name].commitments)) for name in ("labels", "threshold") if name in sealed)
        due = {(name, place) for name, count in rests_on for place in range(count)}
        own = "privilege" in sealed and review.listed and index < len(sealed["privilege"].commitments)
        return due | ({("privilege", index)} if own else set())
    if kind == Kind.CLAIM and "privilege" in sealed and review.position in positions:
        return {("privilege", positions.index(review.position))}
    return set()
