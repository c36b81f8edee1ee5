"""A matter's numbers for people and scripts. Nothing here goes into a transcript."""

from pathlib import Path
from typing import Any

from ledger import records
from ledger.errors import Damaged
from ledger.matterreader import MatterReader
from protocol.matter import fold, turn, validation_rows
from protocol.matter.kind import Entry
from protocol.matter.kinds import claims
from protocol.matter.kinds.claims import CollectionCertificate, ReviewedCertificate
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.matter.values import Outcome
from protocol.rules.terms import probability

REVIEWED_ONLY = (
    "Documents that were never reviewed, what the court withheld as privileged, and what never entered the collection."
)
COLLECTION_ONLY = (
    "What the court withheld as privileged, what never entered the collection, and text that could not be extracted."
)


def read(path: Path) -> Matter:
    """A stored matter, checked and told to a new state."""
    state = Matter()
    for opened in MatterReader(path):
        fold.follow(state, Entry.stored(opened))
    if not state.size:
        raise Damaged(
            f"{path} has no entries: the matter was never opened, or the file was copied without its -wal file"
        )
    return state


def summary(state: Matter) -> dict[str, Any]:
    """Totals over the closed rounds, and a row for each."""
    simulation = state.opening.simulation
    stated = claims.claims(state)
    seen = stated.truth.revealed if stated.truth else None
    return {
        "matter": state.number.hex(),
        "protocol": state.terms.protocol,
        "simulation": records.to_value(simulation) if simulation else None,
        "waiting": turn.waiting(state),
        "documents": state.opening.corpus.documents,
        "responsive": simulation.responsive if simulation else None,
        "reviewed": stated.reviewed,
        "revealed": stated.revealed,
        "found": stated.found,
        "nrd": stated.nrd,
        "recall": _ratio(seen, simulation.responsive) if simulation and seen is not None else None,
        "disputes": stated.disputes,
        "alice_errors": stated.alice_errors,
        "privileged": stated.privileged,
        "clawed_back": stated.clawed_back,
        "defaults": stated.defaults,
        "ended": stated.ended if state.over else None,
        "in_camera": stated.in_camera,
        "certificates": {
            "reviewed": _certificate(stated.certificates.reviewed, REVIEWED_ONLY),
            "collection": _certificate(stated.certificates.collection, COLLECTION_ONLY)
            | {"unreviewed": stated.certificates.collection.unreviewed},
        },
        "validations": validation_rows.rows(state),
        "guarantee": stated.guarantee,
        "rounds": _rows(state),
    }


def _certificate(stated: ReviewedCertificate | CollectionCertificate, leaves_aside: str) -> dict[str, Any]:
    at_most = stated.at_most
    return {
        "target": None if stated.target is None else float(probability("target", stated.target)),
        "reached": stated.reached,
        "recall_at_least": None if at_most is None else _ratio(stated.found, stated.found + at_most),
        "confidence": float(1 - probability("doubt", stated.doubt)),
        "at_most": at_most,
        "assumes": stated.assumes,
        "does_not_cover": leaves_aside,
    }


def _rows(state: Matter) -> list[dict[str, Any]]:
    rows = []
    seen = 0
    for each, outcome in state.closed:
        seen += outcome.truth.revealed if outcome.truth else 0
        rows.append(_row(state, each, outcome, seen))
    return rows


def _row(state: Matter, each: Round, outcome: Outcome, seen: int) -> dict[str, Any]:
    """One round: its own counts, and `recall` over the whole corpus up to its end."""
    simulation = state.opening.simulation
    return {
        "round": each.number,
        "sort": str(each.sort),
        "reviewed": each.size,
        "responsive": outcome.truth.responsive if outcome.truth else None,
        "revealed": len(each.disclosed),
        "found": each.found,
        "nrd": len(each.disclosed) - each.found,
        "recall": _ratio(seen, simulation.responsive) if simulation else None,
        "threshold_rank": outcome.threshold,
        "report_error": outcome.error,
        "sampled": outcome.sampled,
        "compelled": outcome.compelled,
        "disputes": len(each.rulings),
        "privileged": len(each.privilege.withheld),
        "unread": len(each.unread),
        "near_cut": each.near_cut,
    }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
