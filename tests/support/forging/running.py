"""A simulated matter in which one party cheats and nobody stops it.

Trent's program checks every entry before it counts, his own included. A cheating Trent would not: here the state
takes whatever the log holds, and the log holds whatever its chain allows. All other parties stay as they are.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ledger import entries, records
from ledger.copies import write_copy
from ledger.entries import Addition, SignedStatement, Statement
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal
from protocol.matter import kinds
from protocol.matter.asking import Answer
from protocol.matter.desk import Desk, Listener
from protocol.matter.fold import Checked
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS
from protocol.matter.state import Matter
from protocol.rules.base import Examiner
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run
from tests.support.matters import of_its_rule

Change = Callable[["CheatingRun", Addition], Addition | None]


class Ended(Exception):
    """Nobody can go on from the entry that was just added."""


class LooseDesk(Desk):
    """A desk at which nobody checks anything, and a cheater changes what is added, under a rule of its choice."""

    run: "CheatingRun"  # whose desk it is: each has a class of its own

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener)
        self.run.desk = self

    def checked(self, addition: Addition) -> Checked:
        entry = Entry.added(addition, self.state.size)
        kind = KINDS[entry.statement.kind]
        return Checked(kind=kind, content=records.from_value(kind.record, entry.statement.content), entry=entry)

    def _store(
        self,
        addition: Addition,
        checked: Checked,
        keep: Callable[[], object] = lambda: None,
        signed: SignedStatement | None = None,
    ) -> None:
        changed = self.run.changed(addition)
        if changed is not None and self.run.last:
            self.log.append([changed])
            self.log.close()
            raise Ended
        super()._store(changed or addition, self.checked(changed or addition), keep, signed)
        if addition.statement.kind == "open":
            self.state.rule = self.run.bend(self.state.rule, self.state)


class CheatingRun(Run):
    """A run whose additions a cheater changes on their way into the log."""

    def __init__(
        self,
        corpus: Corpus,
        plan: Simulated,
        path: Path,
        *,
        change: Change = lambda _, addition: None,
        last: bool = False,
        bend: Callable[[Examiner, Matter], Examiner] = lambda rule, _: rule,
        choose: Callable[[Cal], None] = lambda _: None,
    ) -> None:
        self.cheated = 0
        self.corpus = corpus
        self.bend, self.last = bend, last
        self._change, self._choose = change, choose
        self.desk_class = type("OwnDesk", (LooseDesk,), {"run": self})
        super().__init__(corpus, plan, path)

    def _open(self, path: Path) -> Desk:
        self._choose(self._cal)
        return super()._open(path)

    def changed(self, addition: Addition) -> Addition | None:
        """The addition as the cheater wants it, if it is the one that the cheater waits for."""
        found = self._change(self, addition)
        self.cheated += found is not None
        return found

    def step(self) -> bool:
        """One more entry; answers are logged as they come, without a check."""
        if not self.state.awaits:
            return super().step()
        self.desk.add(kinds.by_party(self.answer()))
        return True

    def answer(self) -> Answer:
        """What the first of those who must answer says."""
        return self.parties[min(self.state.awaits)].answer()

    def says(self, kind: str, content: records.Record) -> Addition:
        """An entry of Trent's own that belongs to no round, whether it may come now or not."""
        return self.trent.says(self.state, KINDS[kind], content, 0)

    def move(self) -> Addition | None:
        """What Trent would add now."""
        return self.trent.move(self.state, self.desk.attachment)

    def resigned(self, addition: Addition, **fields: Any) -> Addition:
        """The addition with other words, signed by its author again if that is a party."""
        said: Statement = msgspec.structs.replace(addition.statement, **fields)
        if said.author is Role.TRENT:
            return replace(addition, statement=said)
        signed: SignedStatement = entries.sign_statement(self.parties[said.author].key, said)
        return replace(addition, statement=said, signature=signed.signature)

    def saying(self, addition: Addition, **content: Any) -> Addition:
        """The addition with other content."""
        return self.resigned(addition, content=addition.statement.content | content)

    def sealing(self, addition: Addition, field: str, values: list[Any]) -> Addition:
        """The addition with other values in one sealed field."""
        said = addition.statement
        sealed, openings = self.plan.seal(said.author).close(
            f"cheat/{said.round}/{said.kind}", {field: (said.sealed[field].audiences, values)}
        )
        kept = tuple(each for each in addition.openings if each.field != field)
        changed = self.resigned(addition, sealed=said.sealed | sealed)
        return replace(changed, openings=tuple(sorted((*kept, *openings), key=lambda each: (each.field, each.index))))


def play(
    corpus: Corpus, played: Simulated, path: Path, *, course: type[CheatingRun] = CheatingRun, **cheat: Any
) -> bool:
    """A matter to its end, or as far as anyone can go; whether somebody cheated."""
    cheated = True
    with suppress(Ended), course(corpus, played, path, **cheat) as run:
        run.run()
        cheated = run.cheated > 0
    return cheated


def plan(corpus: Corpus, *, seed: str = "1", players: dict[str, str] | None = None, **agreed: Any) -> Simulated:
    """A simulation over a small corpus, with truthful parties unless others are named."""
    cast = {"alice": "truthful", "bob": "truthful", "court": "right"} | (players or {})
    return simulation.plan(corpus, of_its_rule(agreed), label="responsive", seed=seed, **cast)


def cut(matter: Path, played: Simulated, audience: Audience, out: Path) -> Path:
    """A copy, signed by the matter's own Trent."""
    with Store.open(matter) as store:
        write_copy(store, audience, played.key(Role.TRENT), out)
    return out
