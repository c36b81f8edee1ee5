"""What happened to one position of a round, as replayed: the facts that the story tells."""

from dataclasses import dataclass
from enum import StrEnum

from verifier.exhibit.judgement import Judgement
from verifier.replay.rounds import RoundDetail


class Reason(StrEnum):
    """Why a document was due to Bob, or not."""

    UNKNOWN = "unknown"  # while the round is open
    ORDERED = "ordered"  # without a report of Alice's, everything is due
    CERTAIN = "certain"  # by the rule, whatever the coins
    COIN = "drawn by coin"
    LATE = "late claim"  # counts as drawn
    COMPELLED = "compelled"
    NOT_DRAWN = "not drawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A document's way through its round. None stands for what did not happen, or does not show."""

    round: int
    position: int
    size: int
    label: bool | None  # Alice's
    threshold: int | None  # a rank
    claimed: bool  # as privileged
    late: bool  # and only after the report
    basis: str | None
    upheld: bool | None  # by the court, in camera
    camera_entry: int | None
    reason: Reason
    certain: str | None  # why it was due whatever the coins
    coin: int | None
    chance: int | None
    compelled_at: int | None
    wave: int | None
    shown_entry: int | None
    bob: bool | None
    bob_entry: int | None
    unread: bool
    ruling: bool | None
    ruling_entry: int | None


def course(judgement: Judgement) -> Course | None:
    """The way of an exhibit's document, if it was reviewed and the round breaks no rule."""
    detail, position = judgement.detail, judgement.position
    if detail is None or position is None or judgement.opening is None:
        return None
    wave = next((number for number, each in enumerate(detail.waves) if position in each), None)
    answered = wave is not None and wave < len(detail.labelled_in) and position in detail.bob
    examined = detail.examined
    return Course(
        round=detail.number,
        position=position,
        size=detail.size,
        label=detail.report.labels[position - 1] if detail.report else None,
        threshold=examined.threshold if examined and detail.report else None,
        claimed=position in detail.claims or position in detail.late or position in detail.camera_in,
        late=position in detail.late,
        basis=detail.claims.get(position),
        upheld=position in detail.withheld if position in detail.camera_in else None,
        camera_entry=detail.camera_in.get(position),
        reason=_reason(detail, position),
        certain=detail.certain.get(position),
        coin=detail.coins[position - 1] if detail.coins else None,
        chance=examined.chances.get(position) if examined else None,
        compelled_at=examined.compelled_at if examined else None,
        wave=None if wave is None else wave + 1,
        shown_entry=None if wave is None else detail.shown_in[wave],
        bob=detail.bob.get(position),
        bob_entry=detail.labelled_in[wave] if answered and wave is not None else None,
        unread=position in detail.unread,
        ruling=detail.rulings.get(position),
        ruling_entry=detail.ruled_in.get(position),
    )


def _reason(detail: RoundDetail, position: int) -> Reason:
    examined = detail.examined
    if not detail.reported:
        return Reason.ORDERED
    if examined is None:
        return Reason.UNKNOWN
    if position in detail.certain:
        return Reason.CERTAIN
    if position in examined.drawn:
        by_coin = detail.coins[position - 1] < examined.chances[position]
        return Reason.COIN if by_coin else Reason.LATE
    return Reason.NOT_DRAWN if examined.compelled_at is None else Reason.COMPELLED
