"""A matter's numbers for people and scripts. Nothing here goes into a transcript."""

from pathlib import Path
from typing import Any

from ledger import records
from ledger.entries import OpenedEntry
from ledger.errors import Damaged
from ledger.matterreader import MatterReader
from protocol.matter import claims, turns
from protocol.matter.rounds import Round
from protocol.matter.state import MatterState, Told
from protocol.matter.statements import Closed
from protocol.rules.terms import probability


def read(path: Path) -> MatterState:
    """A stored matter, checked and told to a new state."""
    state = MatterState()
    for opened in MatterReader(path):
        state.tell(told(opened))
    if not state.size:
        raise Damaged(f"{path}: the matter has no entries: it was never opened, or its -wal file was left behind")
    return state


def told(opened: OpenedEntry) -> Told:
    """A stored entry for a state."""
    body = opened.entry.body
    return Told(
        sequence=body.sequence,
        hash=opened.hash,
        statement=body.statement,
        openings=opened.openings,
        asks=body.asks,
        releases=body.releases,
    )


def summary(state: MatterState) -> dict[str, Any]:
    """Totals over the closed rounds, and a row for each."""
    simulation = state.opening.simulation
    stated = claims.claims(state)
    seen = stated.truth.revealed if stated.truth else None
    return {
        "matter": state.matter.hex(),
        "protocol": state.terms.protocol,
        "simulation": records.to_value(simulation) if simulation else None,
        "waiting": turns.waiting(state),
        "documents": state.opening.corpus.documents,
        "responsive": simulation.responsive if simulation else None,
        "reviewed": stated.reviewed,
        "revealed": stated.revealed,
        "found": stated.found,
        "nrd": stated.nrd,
        "recall": _ratio(seen, simulation.responsive) if simulation and seen is not None else None,
        "disputes": stated.disputes,
        "alice_errors": stated.alice_errors,
        "withheld": stated.withheld,
        "defaults": stated.defaults,
        "hidden_bound": {
            "confidence": float(1 - probability("doubt", stated.hidden.doubt)),
            "at_most": stated.hidden.at_most,
            "recall_at_least": _ratio(stated.found, stated.found + stated.hidden.at_most),
            "assumes": stated.hidden.assumes,
        },
        "guarantee": stated.guarantee,
        "rounds": _rows(state),
    }


def _rows(state: MatterState) -> list[dict[str, Any]]:
    rows = []
    seen = 0
    for each, closed in state.closed:
        seen += closed.truth.revealed if closed.truth else 0
        rows.append(_row(state, each, closed, seen))
    return rows


def _row(state: MatterState, each: Round, closed: Closed, seen: int) -> dict[str, Any]:
    """One round: its own counts, and `recall` over the whole corpus up to its end."""
    simulation = state.opening.simulation
    return {
        "round": each.number,
        "reviewed": each.size,
        "responsive": closed.truth.responsive if closed.truth else None,
        "revealed": len(each.settled),
        "found": each.found,
        "nrd": len(each.settled) - each.found,
        "recall": _ratio(seen, simulation.responsive) if simulation else None,
        "threshold_rank": closed.threshold,
        "report_error": closed.error,
        "sampled": closed.sampled,
        "compelled": closed.compelled,
        "disputes": len(each.rulings),
        "withheld": len(each.privilege.withheld),
        "unread": len(each.unread),
        "near_cut": each.near_cut,
    }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
