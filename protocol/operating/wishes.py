"""What Trent is to ask as soon as nobody must answer: late claims, claw-backs, amendments.

`run` begins the next round by itself, so the moment at which these may be asked is short. They wait here for it, on
disk. Before each is asked, the length of the record is kept with it: whoever is killed in between finds in the record
whether it was asked, and asks nothing twice.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from ledger import records
from ledger.entries import Body
from ledger.errors import Damaged, LedgerError
from ledger.hashing import Digest
from ledger.records import Natural, Record
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.exchange.office import Office
from protocol.matter import turn
from protocol.matter.kinds import KINDS
from protocol.parties import memory

_FILE = "wishes.json"

What = Literal["late", "clawback", "amend"]


class Wanted(Record, frozen=True, kw_only=True):
    """One of them."""

    by: Role  # who wants it: Alice, or Trent himself
    limit: str | None = None  # of an amendment, as are the next two
    number: Digest  # random; each is done once
    rounds: Natural | None = None
    round: Natural  # in which late claims were asked for
    since: Natural  # by Trent's clock
    stop: bool = False
    tried: Natural | None = None  # how long the record was right before it was asked
    what: What


class _Kept(Record, frozen=True, kw_only=True):
    known: tuple[Digest, ...] = ()  # the numbers of all that ever came
    waiting: tuple[Wanted, ...] = ()


CALLED = {
    "late": "the question for late claims of privilege",
    "clawback": "the question of what to claw back",
    "amend": "the proposal to amend the terms",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Those of one matter, kept beside Trent's key."""

    folder: Path

    @property
    def waiting(self) -> tuple[Wanted, ...]:
        """What is still to be asked, in the order in which it came."""
        return self._read().waiting

    def add(self, wanted: Wanted) -> bool:
        """Keep it. False if it came before, or if the same already waits."""
        kept = self._read()
        if wanted.number in kept.known or any(each.what == wanted.what for each in kept.waiting):
            return False
        self._write(_Kept(known=(*kept.known, wanted.number), waiting=(*kept.waiting, wanted)))
        return True

    def drop(self, number: Digest) -> None:
        """Do not ask it any more."""
        kept = self._read()
        left = tuple(each for each in kept.waiting if each.number != number)
        if left != kept.waiting:
            self._write(_Kept(known=kept.known, waiting=left))

    def grant(self, office: Office, say: Callable[[str], None]) -> bool:
        """Ask what can be asked now, if nobody must answer. Whether the record has grown."""
        for each in self.waiting:
            if each.tried is not None and _asked(office, each, each.tried):
                self.drop(each.number)
        for each in self.waiting:
            state = office.state
            if each.what == "late" and (state.current is None or state.current.number != each.round):
                say(f"Round {each.round} is closed: Alice was not asked for late claims any more.")
                self.drop(each.number)
                continue
            if state.concluded or not turn.is_free(state, KINDS[each.what]):
                continue
            self._replace(each, msgspec.structs.replace(each, tried=state.size))
            try:
                _ask(office, each)
            except OutOfTurn as error:
                if each.what == "late":  # the coins are not fixed yet
                    continue
                say(f"{CALLED[each.what].capitalize()} was not put: {error}")
                self.drop(each.number)
                continue
            self.drop(each.number)
            say(f"On record, entry {state.size - 1}: {CALLED[each.what]}.")
            return True
        return False

    def _replace(self, before: Wanted, after: Wanted) -> None:
        kept = self._read()
        self._write(_Kept(known=kept.known, waiting=tuple(after if each == before else each for each in kept.waiting)))

    def _read(self) -> _Kept:
        data = memory.read(self.folder / _FILE)
        if not data:
            return _Kept()
        try:
            return records.decode(_Kept, data.rstrip(b"\n"))
        except LedgerError as error:
            raise Damaged(
                f"{self.folder / _FILE} is damaged ({error}); remove it, and ask again for what was still to be asked"
            ) from None

    def _write(self, kept: _Kept) -> None:
        memory.write(self.folder / _FILE, records.encode(kept) + b"\n")


def _asked(office: Office, wanted: Wanted, place: int) -> bool:
    """Whether the entry at this place is the question: the process was killed right after it."""
    if office.state.size <= place:
        return False
    return records.decode(Body, office.log.store.body(place)).statement.kind == wanted.what


def _ask(office: Office, wanted: Wanted) -> None:
    match wanted.what:
        case "late":
            office.desk.late()
        case "clawback":
            office.desk.clawback()
        case "amend":
            office.amend(wanted.rounds, stop=wanted.stop, limit=wanted.limit)
