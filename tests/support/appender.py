"""A process that appends until it is killed, and acknowledges each entry only when the log has.

    python -m tests.support.appender MATTER BATCH

Writes "SIZE HASH" for every append that has returned.
"""

import sys
from itertools import count
from pathlib import Path

from ledger.entries import Addition
from ledger.log import Log
from ledger.roles import Audience, Role
from tests.support.builders import KEYS, logical_clock, opening_statement, says, seal


def entry(number: int) -> Addition:
    """An entry with its own number in it, and something sealed."""
    sealed, openings = seal({"value": ((Audience.COURT,), [number])}, str(number))
    return Addition(statement=says(Role.TRENT, "note", content={"number": number}, sealed=sealed), openings=openings)


def main(path: Path, batch: int) -> None:
    """Append until killed."""
    trent = KEYS[Role.TRENT]
    log = Log.open(path, trent, logical_clock()) if path.exists() else Log.create(path, trent, logical_clock())
    if log.history.size == 0:
        log.append([Addition(statement=opening_statement())])
    for _ in count():
        size = log.history.size
        log.append([entry(number) for number in range(size, size + batch)])
        sys.stdout.write(f"{log.history.size} {log.history.head.hex()}\n")
        sys.stdout.flush()
        if log.history.size % 7 == 0:
            log.checkpoint()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
