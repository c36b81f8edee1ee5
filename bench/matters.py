"""Long matters for measuring."""

from pathlib import Path

from ledger.entries import Addition
from ledger.log import Log
from ledger.roles import Audience, Role
from tests.support.builders import KEYS, add_round, logical_clock, opening_statement, says, seal

_ROUND = 4  # entries a round


def build(path: Path, entries: int) -> None:
    """A matter of rounds: a question, Alice's report, Bob's labels and a closing entry that releases openings."""
    with Log.create(path, KEYS[Role.TRENT], logical_clock()) as log:
        log.append([Addition(statement=opening_statement())])
        for number in range(1, entries // _ROUND + 1):
            add_round(log, number)
        log.checkpoint()


def build_quickly(path: Path, entries: int, batch: int = 1000) -> None:
    """A matter of Trent's entries with one sealed value each, many in a transaction."""
    with Log.create(path, KEYS[Role.TRENT], logical_clock()) as log:
        log.append([Addition(statement=opening_statement())])
        for start in range(1, entries, batch):
            log.append([trent_entry(number) for number in range(start, min(start + batch, entries))])
        log.checkpoint()


def trent_entry(number: int) -> Addition:
    """An entry of Trent's own, with a value that only the court may see."""
    sealed, openings = seal({"value": ((Audience.COURT,), [number])}, str(number))
    return Addition(statement=says(Role.TRENT, "note", content={"number": number}, sealed=sealed), openings=openings)
