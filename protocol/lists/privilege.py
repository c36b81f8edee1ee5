"""The privilege log: what Alice claims, and what the court ruled on it, a row for each part of a document.

Bob's log has the claims that his copy opens, which are those that went to the court: all that was kept from him because
of privilege. What Alice has claimed and no coin has drawn is withheld as not responsive; only she and the court know of
the claim. Of a document Bob's log states what Rule 26(b)(5)(A) asks for and a leaf can open alone: date, author,
recipients, type, family. Names, subjects, custodians and paths may tell what is privileged, so they are for Alice and
the court.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from protocol.corpus.listing import PartFields
from protocol.lists.record import Recorded, Ruling, control_number, seat
from protocol.lists.table import Table
from protocol.matter.books import Seat
from protocol.matter.rounds import Round

_LOG = (
    ("control number", 16),
    ("date", 22),
    ("author", 28),
    ("recipients", 40),
    ("type", 12),
    ("family", 30),
    ("basis", 48),
    ("ruling", 22),
    ("ruled in entry", 14),
)
_REST = (("document", 40), ("subject", 40), ("custodian", 20), ("path", 40))


@dataclass(slots=True, kw_only=True)
class Claim:
    """A claim of privilege for one document, or for some of its parts."""

    seat: Seat
    document: int
    basis: str
    parts: tuple[int, ...] = ()  # those that are claimed; none if all of it is
    late: bool = False
    asked: bool = False  # whether it went to the court
    ruling: Ruling | None = None
    shown: bool = False
    back: bool = False  # whether Bob was shown it, and Alice asks it back

    @property
    def upheld(self) -> bool:
        """Whether the court has upheld that Bob never gets it, as a whole."""
        return self.ruling is not None and self.ruling.answer and not (self.parts or self.back)


def claims(found: Recorded) -> list[Claim]:
    """The claims of privilege that the audience's copy opens, by where their documents were first put up.

    A claim stands in later rounds that come back to its document. A class is no claim of privilege.
    """
    standing: dict[Seat, Claim] = {}
    rulings = {each.place: each for each in found.rulings if each.kind == "privilege"}
    for review in found.state.rounds:
        log, shown, asked = review.privilege, review.disclosed, frozenset(review.privilege.asked)
        for position, place in sorted(log.claimed.items()):
            said = found.basis(place)
            if said is None or (isinstance(said, dict) and "class" in said):
                continue  # sealed from this audience, or no claim of privilege
            claim = standing.setdefault(seat(review, position), _claim(review, position, said))
            claim.late |= position in log.late
            claim.ruling = rulings.get(Seat(review.number, position), claim.ruling)
            claim.asked |= position in asked or claim.ruling is not None
            claim.shown |= position in shown
    return sorted([*standing.values(), *_asked_back(found)], key=lambda each: (each.seat, each.back))


def _asked_back(found: Recorded) -> Iterator[Claim]:
    """What Alice wants to claw back."""
    rulings = {each.place: each for each in found.rulings if each.kind == "returned"}
    for place, basis in found.state.clawbacks.bases.items():
        claim = _claim(found.state.rounds[place.round - 1], place.position, found.basis(basis) or "")
        claim.ruling, claim.asked, claim.shown, claim.back = rulings.get(place), True, True, True
        yield claim


def _claim(review: Round, position: int, said: Any) -> Claim:
    document = review.places[position - 1].document
    if isinstance(said, dict):
        parts = tuple(said["parts"])
        return Claim(seat=seat(review, position), document=document, basis=str(said["basis"]), parts=parts)
    return Claim(seat=seat(review, position), document=document, basis=str(said))


def privilege_log(found: Recorded, corpus: Corpus) -> Table:
    """The log for the audience that the matter was read for."""
    committed = found.state.opening.corpus
    corpus.check_committed(committed.root, committed.documents)
    more = found.audience is not Audience.BOB
    rows = [row for claim in claims(found) for row in _rows(claim, corpus, more=more)]
    return Table(title="Privilege log", columns=_LOG + (_REST if more else ()), rows=rows)


def _rows(claim: Claim, corpus: Corpus, *, more: bool) -> Iterator[tuple[str | int, ...]]:
    parts = range(corpus.parts(claim.document))
    for part in [each for each in claim.parts if each in parts] or parts:  # a claim may name what is not there
        known = corpus.fields(claim.document, part)
        yield (
            _control_number(claim.seat, part, len(parts)),
            known.log.date,
            known.log.author,
            known.log.recipients,
            known.log.type,
            _family(claim.seat, len(parts), known.log.parent),
            claim.basis,
            _ruling(claim, part),
            "" if claim.ruling is None else claim.ruling.entry,
            *(_rest(known) if more else ()),
        )


def _control_number(place: Seat, part: int, parts: int) -> str:
    """The document's own number, and behind a dot the part's, if the document has several."""
    return control_number(place) if parts == 1 else f"{control_number(place)}.{part}"


def _family(place: Seat, parts: int, parent: int | None) -> str:
    if parts == 1:
        return ""
    if parent is None:
        return (
            f"with {parts - 1} attached: {control_number(place)}.1 to .{parts - 1}" if parts > 2 else "with 1 attached"
        )
    return f"attached to {_control_number(place, parent, parts)}"


def _ruling(claim: Claim, part: int) -> str:
    """What the court said of a part, or why it was not asked."""
    if claim.ruling is None:
        return "not ruled yet" if claim.asked else "not asked: not due to Bob"
    if claim.back:
        return "clawed back" if claim.ruling.answer else "claw-back overruled"
    late = " (claimed late)" if claim.late else ""
    if part in claim.ruling.parts if claim.parts else claim.ruling.answer:
        return f"upheld{late}"
    return f"{'overruled, shown to Bob' if claim.shown else 'overruled'}{late}"


def _rest(known: PartFields) -> tuple[str, str, str, str]:
    rest = known.rest
    return rest.name, rest.fields.get("subject", ""), "; ".join(rest.custodians), "; ".join(rest.paths)
