"""How long a wave waits before Bob is shown it: time in which Alice can still ask for late claims.

The wait is no rule of the record. It is counted for each wave once, from the first moment at which the wave could have
gone out, whatever comes in between. That moment is kept on disk, so a restart neither shortens nor repeats it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ledger import records
from ledger.errors import Damaged, LedgerError
from ledger.records import Natural, Record
from protocol.matter.state import Matter
from protocol.parties import memory

DAY = 86_400
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": DAY}
_FILE = "hold.json"


def seconds(text: str) -> int:
    """A length of time as it is written on the command line: 90s, 30m, 12h, 1d, or 0. Raises `ValueError`."""
    found = re.fullmatch(r"([0-9]{1,6})([smhd]?)", text.strip().lower())
    if found is None or (not found[2] and int(found[1])):
        raise ValueError(f"{text!r} is not a length of time: write 90s, 30m, 12h or 1d, or 0 for none")
    return int(found[1]) * _UNITS[found[2] or "s"]


class Held(Record, frozen=True, kw_only=True):
    """The wave that waits, or that has waited last."""

    released: bool  # Trent has let it go before its time
    round: Natural
    since: Natural  # by Trent's clock
    wave: Natural  # of its round, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The wait of one matter's waves, kept beside Trent's key."""

    folder: Path
    length: int  # in seconds
    clock: Callable[[], int]

    def until(self, state: Matter) -> int | None:
        """When the wave that is next may go out; None if it may go now. The first call begins its wait."""
        if not self.length:
            return None
        held, now = self._held(state), self.clock()
        end = held.since + self.length
        return None if held.released or now >= end else end

    def release(self, state: Matter) -> None:
        """Let the wave that waits go now."""
        held = self._held(state)
        self._write(Held(released=True, round=held.round, since=held.since, wave=held.wave))

    def _held(self, state: Matter) -> Held:
        current = state.current
        if current is None:
            raise RuntimeError("no round is open, so no wave can wait")
        place, now = (current.number, len(current.waves) + 1), self.clock()
        found = self._read()
        if found is None or (found.round, found.wave) != place:
            found = Held(released=False, round=place[0], since=now, wave=place[1])
            self._write(found)
        elif found.since > now:  # the clock was put back: nobody waits longer than the hold
            found = Held(released=found.released, round=found.round, since=now, wave=found.wave)
            self._write(found)
        return found

    def _read(self) -> Held | None:
        data = memory.read(self.folder / _FILE)
        if not data:
            return None
        try:
            return records.decode(Held, data.rstrip(b"\n"))
        except LedgerError as error:
            raise Damaged(f"{self.folder / _FILE} is damaged ({error}); remove it, and the wait begins again") from None

    def _write(self, held: Held) -> None:
        memory.write(self.folder / _FILE, records.encode(held) + b"\n")
