"""Every reviewed document as the rounds have left it: who labelled it how, who saw it and why."""

from dataclasses import dataclass, field

from protocol.lists.record import Recorded, Ruling, seat
from protocol.matter.books import Seat
from protocol.matter.rounds import Round, Sort

LABEL = {True: "responsive", False: "not responsive"}


@dataclass(slots=True, kw_only=True)
class Reviewed:
    """A document that was put up, in words."""

    seat: Seat
    name: str = ""
    alice: str = ""
    bob: str = ""
    court: list[str] = field(default_factory=list)
    settled: str = ""
    shown: str = ""
    withheld: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Fates:
    """What became of the positions of a round, worked out once."""

    shown: set[int]
    privileged: frozenset[int]
    kept: frozenset[int]  # from Bob, by the court, as not responsive
    settled: dict[int, bool]
    responsive: frozenset[int]  # by the output label, once the round is closed


def reviewed(found: Recorded) -> list[Reviewed]:
    """All documents that were put up, in the order in which they were."""
    rulings: dict[tuple[int, int], list[Ruling]] = {}
    for each in found.rulings:
        rulings.setdefault((each.round, each.position), []).append(each)
    documents: dict[Seat, Reviewed] = {}
    for review in found.state.rounds:
        fates = _Fates(review.disclosed, review.privilege.withheld, review.kept, review.settled, _responsive(review))
        for position in range(1, review.size + 1):
            place = seat(review, position)
            document = documents.setdefault(place, Reviewed(seat=place))
            if place.round == review.number:
                _put_up(document, found, review, fates, position)
            _looked_at(document, review, fates, position)
            for each in rulings.get((review.number, position), ()):
                _ruled_on(document, review, each)
            document.name = document.name or found.name(review, position)
    return list(documents.values())


def _put_up(document: Reviewed, found: Recorded, review: Round, fates: _Fates, position: int) -> None:
    """What the round says in which the document was put up."""
    label = found.label(review, position)
    if label is not None:
        document.alice = LABEL[label]
    elif review.unreported:
        document.alice = "no report"
    if review.outcome is not None and review.labelled:
        responsive = position in fates.responsive
        document.settled = LABEL[responsive]
        document.withheld = "" if responsive else "as not responsive, by Alice's label"


def _looked_at(document: Reviewed, review: Round, fates: _Fates, position: int) -> None:
    """What Bob and the court have made of a document in a round, if it came to them there."""
    if position in review.bob or position in review.unread:
        document.bob = LABEL[review.bob[position]] if position in review.bob else "unread"
    if position in fates.shown:
        document.shown, document.withheld = f"in round {review.number}", ""
    elif position in fates.privileged:
        document.settled, document.withheld = "", "as privileged"
    elif position in fates.kept:
        document.withheld = "as not responsive, by the court in camera"
    else:
        return
    if review.outcome is not None:
        document.why = why(review, position)
        if position in fates.settled:
            document.settled = LABEL[fates.settled[position]]


def _ruled_on(document: Reviewed, review: Round, ruling: Ruling) -> None:
    """What the court has said of a document, and what Bob does not get because of it, or has to return."""
    document.court.append(ruled(review, ruling))
    if ruling.parts:
        document.withheld = f"{listed_parts(ruling.parts)} as privileged"
    elif ruling.kind == "returned" and ruling.answer:
        document.withheld = "clawed back"


def listed_parts(parts: tuple[int, ...]) -> str:
    """Parts of a document by their numbers."""
    return f"part{'' if len(parts) == 1 else 's'} {', '.join(map(str, parts))}"


def _responsive(review: Round) -> frozenset[int]:
    return frozenset() if review.outcome is None else frozenset(review.outcome.responsive)


def ruled(review: Round, ruling: Ruling) -> str:
    """The court's word on a position."""
    if ruling.kind == "rulings":
        return LABEL[ruling.answer]
    if ruling.kind == "returned":
        return "clawed back" if ruling.answer else "claw-back overruled"
    if ruling.parts:
        return f"{listed_parts(ruling.parts)} privileged; {LABEL[not ruling.answer]} (in camera)"
    if review.judged(ruling.position):
        return f"{LABEL[not ruling.answer]} (in camera)"
    return "privileged" if ruling.answer else "not privileged"


def why(review: Round, position: int) -> str:
    """Why a document was due to Bob in a closed round. Before the close, that would tell him Alice's label."""
    examined = review.examination
    if examined is None:
        return ""
    if review.unreported:
        return "by order: Alice did not report"
    if position in examined.drawn:
        drawn = review.by_coin is None or position in review.by_coin.drawn
        return f"drawn by coin{_WHERE[review.sort]}" if drawn else "claimed late, which counts as drawn"
    if review.reported(position):
        return "given up by Alice" if review.sort is Sort.ESCALATION else "reported as responsive"
    if position <= examined.threshold:
        return "at or above the threshold"
    return "the whole batch was due" if examined.compelled_at is not None else "the rule shows the whole batch"


_WHERE = {
    Sort.BATCH: "",
    Sort.ESCALATION: " from all that was withheld",
    Sort.VALIDATION: " from the whole collection",
}
