"""The lists of labels and of rulings."""

from datetime import UTC, datetime

from protocol.lists.documents import LABEL, reviewed, ruled
from protocol.lists.record import Recorded, Ruling, control_number, seat
from protocol.lists.table import Table
from protocol.matter.rounds import Round, Sort

_PLACE = (("control number", 16), ("round", 8), ("position", 10))


def labels(found: Recorded) -> Table:
    """Every reviewed document with all labels; a name only where the audience may know it."""
    rows = [
        (
            control_number(each.seat),
            each.seat.round,
            each.seat.position,
            each.name,
            each.alice,
            each.bob,
            "; ".join(each.court),
            each.settled,
            each.shown,
            each.withheld,
            each.why,
        )
        for each in reviewed(found)
    ]
    columns = (
        *_PLACE,
        ("document", 40),
        ("Alice", 16),
        ("Bob", 16),
        ("the court", 24),
        ("settled label", 16),
        ("shown to Bob", 14),
        ("withheld", 32),
        ("why it was due to Bob", 32),
    )
    return Table(title="Labels", columns=columns, rows=list(rows))


def rulings(found: Recorded) -> Table:
    """Every ruling of the court: on a label in dispute, on a claim of privilege, on a label in camera."""
    columns = (
        *_PLACE,
        ("document", 40),
        ("question", 28),
        ("Alice", 16),
        ("Bob", 16),
        ("basis or class", 48),
        ("ruling", 18),
        ("reason", 48),
        ("entry", 8),
        ("ruled on", 12),
    )
    return Table(title="Rulings", columns=columns, rows=[_ruling(found, each) for each in found.rulings])


def _ruling(found: Recorded, ruling: Ruling) -> tuple[str | int, ...]:
    review = found.state.rounds[ruling.round - 1]
    return (
        control_number(seat(review, ruling.position)),
        ruling.round,
        ruling.position,
        found.name(review, ruling.position),
        _question(review, ruling),
        _alice(found, review, ruling.position),
        LABEL[review.bob[ruling.position]] if ruling.kind == "rulings" else "",
        _basis(found, review, ruling),
        ruled(review, ruling),
        found.reason(ruling),
        ruling.entry,
        datetime.fromtimestamp(ruling.time, UTC).date().isoformat(),
    )


def _question(review: Round, ruling: Ruling) -> str:
    if ruling.kind == "rulings":
        return "dispute: is it responsive?"
    if ruling.kind == "returned":
        return "claw-back: is it privileged?"
    if ruling.parts:
        return "in camera: are parts privileged?"
    return "in camera: is it responsive?" if review.judged(ruling.position) else "in camera: is it privileged?"


def _alice(found: Recorded, review: Round, position: int) -> str:
    """What Alice said of a document before the court was asked, if the audience may know it."""
    if review.sort is Sort.ESCALATION and review.report_entry >= 0:
        return "given up" if position in review.given_up else LABEL[False]
    label = found.label(review, position)
    return "" if label is None else LABEL[label]


def _basis(found: Recorded, review: Round, ruling: Ruling) -> str:
    """What Alice claims for a position, as far as the audience may know it."""
    match ruling.kind:
        case "privilege":
            said = found.basis(review.privilege.claimed.get(ruling.position))
        case "returned":
            said = found.basis(found.state.clawbacks.bases.get(ruling.place))
        case _:
            return ""
    if not isinstance(said, dict):
        return said or ""
    return f"class {said['class']}" if "class" in said else str(said["basis"])
