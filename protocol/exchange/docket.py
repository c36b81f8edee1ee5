"""A real matter's docket, for people and scripts: open questions, orders, keys, amendments, cosignatures."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger import records
from ledger.entries import OpenedEntry
from ledger.errors import Damaged
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Role
from protocol.exchange import tasks
from protocol.exchange.register import Register
from protocol.matter import course, fold
from protocol.matter.kind import Entry
from protocol.matter.kinds.order import Order
from protocol.matter.state import Amendment, Matter
from protocol.parties.question import proposed
from protocol.rules.terms import Terms


@dataclass(slots=True, kw_only=True)
class Docket:
    """A matter, read from its file."""

    state: Matter = field(default_factory=Matter)
    register: Register = field(default_factory=Register)
    cosigned: list[Role] = field(default_factory=list)
    head: Digest | None = None
    times: list[int] = field(default_factory=list)  # Trent's clock, by entry
    events: list[dict[str, Any]] = field(default_factory=list)

    def value(self) -> dict[str, Any]:
        """What `status` shows of a real matter besides its numbers."""
        caption = self.state.opening.caption
        return {
            "caption": None if caption is None else records.to_value(caption),
            "rounds_agreed": self.state.terms.rounds,
            "next": self._next(),
            "asked": list(self._asked()),
            "events": self.events,
            "cosigned": sorted(self.cosigned),
            "ended_without": [{"role": role, "entry": entry} for role, entry in sorted(self.state.excused.items())],
        }

    def _next(self) -> str | None:
        """What Trent begins next, if it is his turn between two rounds."""
        if self.state.concluded or not self.state.between:
            return None
        return course.following(self.state).name.lower()

    def _asked(self) -> Iterator[dict[str, Any]]:
        if self.head is None:
            return
        for task in tasks.tasks(self.state, self.register, self.head, self.cosigned):
            put = self.register.puts.get((task.role, task.entry))
            entry = len(self.times) - 1 if put is None else put.sequence
            yield {
                "role": task.role,
                "kind": task.kind,
                "round": task.round,
                "entry": entry,
                "since": self.times[entry],
                "sentence": tasks.sentence(task, self.state),
            }

    def tell(self, opened: OpenedEntry) -> None:
        """Take note of one entry."""
        body = opened.entry.body
        before, concluded = self.state.amendment, self.state.concluded
        terms = None if before is None else self.state.terms
        entry = Entry.stored(opened)
        checked = fold.check(self.state, entry)
        fold.tell(self.state, checked, opened.hash)
        self.register.tell(entry)
        self.head = opened.hash
        self.times.append(body.time)
        event = checked.kind.words.event
        words = "" if event is None else event(checked.content)
        if before is not None and terms is not None and self.state.amendment is None:
            words = _about_amendment(before, terms, self.state.terms)
        if concluded and isinstance(checked.content, Order):
            words = _about_the_end(checked.content)
        if words:
            self.events.append({"entry": body.sequence, "time": body.time, "what": words})


def _about_amendment(asked: Amendment, before: Terms, after: Terms) -> str:
    """What became of a proposal, once all have answered."""
    change = proposed({"rounds": asked.rounds, "limit": asked.limit}, before)
    if after == before:
        return f"{change}: not agreed"
    return f"{change}: {'agreed by all' if all(asked.accepted.values()) else 'ordered by the court'}"


def _about_the_end(order: Order) -> str:
    outcome = "ends without" if order.granted else "still waits for"
    return f"the court orders that the matter {outcome} {order.absent.called}'s signature"


def read(path: Path) -> Docket:
    """A stored matter, checked and told to a new docket."""
    found = Docket()
    reader = MatterReader(path)
    for opened in reader:
        found.tell(opened)
    if not found.state.size:
        raise Damaged(
            f"{path} has no entries: the matter was never opened, or the file was copied without its -wal file"
        )
    if reader.checkpoints and reader.checkpoints[-1][0] == found.state.size:
        found.cosigned = [role for role in reader.checkpoints[-1][1] if role is not Role.TRENT]
    return found
