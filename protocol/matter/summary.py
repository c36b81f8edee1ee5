"""A matter's numbers for people and scripts. Nothing here goes into a transcript."""

from pathlib import Path
from typing import Any

from ledger import records
from ledger.errors import Damaged
from ledger.matterreader import MatterReader
from protocol.matter import fold, turn
from protocol.matter.kind import Entry
from protocol.matter.kinds import claims
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.matter.values import Outcome
from protocol.rules.terms import probability


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
        "reviewed": each.size,
        "responsive": outcome.truth.responsive if outcome.truth else None,
        "revealed": len(each.settled),
        "found": each.found,
        "nrd": len(each.settled) - each.found,
        "recall": _ratio(seen, simulation.responsive) if simulation else None,
        "threshold_rank": outcome.threshold,
        "report_error": outcome.error,
        "sampled": outcome.sampled,
        "compelled": outcome.compelled,
        "disputes": len(each.rulings),
        "withheld": len(each.privilege.withheld),
        "unread": len(each.unread),
        "near_cut": each.near_cut,
    }


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
