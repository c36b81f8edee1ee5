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
from ledger.entries import CONFLICT, SignedStatement, Statement
from ledger.log import Addition
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal
from protocol.matter import terms
from protocol.matter.desk import Desk, Listener
from protocol.matter.handed import Answer
from protocol.matter.state import MatterState, Told
from protocol.matter.statements import CONTENTS, SHAPES, Kind
from protocol.matter.trent import Trent
from protocol.rules.base import Examiner
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run

Change = Callable[["CheatingRun", Addition], Addition | None]


class Ended(Exception):
    """Nobody can go on from the entry that was just added."""


class LooseState(MatterState):
    """A state that checks nothing, under a rule of the cheater's choice."""

    def __init__(self, bend: Callable[[Examiner, MatterState], Examiner]) -> None:
        super().__init__()
        self._bend = bend

    def tell(self, told: Told) -> None:
        super().tell(told)
        if told.statement.kind == Kind.OPEN:
            self.rule = self._bend(self.rule, self)

    def check(self, told: Told) -> Any:
        said = told.statement
        return None if said.kind == CONFLICT else records.from_value(CONTENTS[Kind(said.kind)], said.content)


class LooseDesk(Desk):
    """A desk at which nobody checks anything, and a cheater changes what is added."""

    run: "CheatingRun"  # whose desk it is: each has a class of its own

    def __init__(self, trent: Trent, listener: Listener) -> None:
        super().__init__(trent, listener)
        self.engine.state = LooseState(self.run.bend)
        self.run.desk = self

    def append(self, addition: Addition) -> None:
        changed = self.run.changed(addition)
        if changed is not None and self.run.last:
            self.log.append([changed])
            self.log.close()
            raise Ended
        super().append(changed or addition)

    def tell(self, told: Told) -> None:
        """As every desk, but that nobody looks whether the corpus is the one of the opening."""
        self.engine.state.tell(told)
        self._listener(told)


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
        bend: Callable[[Examiner, MatterState], Examiner] = lambda rule, _: rule,
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
        """One entry more; answers are logged as they come, without a check."""
        if not self.engine.asks:
            return super().step()
        answer = self.answer()
        said = answer.signed.statement
        self.append(
            Addition(
                statement=said,
                signature=answer.signed.signature,
                openings=answer.openings,
                asks=tuple(sorted(SHAPES[Kind(said.kind)].asks)),
            )
        )
        return True

    def answer(self) -> Answer:
        """What the first of those says who must answer."""
        return self.parties[min(self.engine.asks)].answer()

    def says(self, kind: Kind, content: records.Record) -> Addition:
        """An entry of Trent's own that belongs to no round, whether it may come now or not."""
        return self._trent.says(self.state, kind, content, 0)

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
    return simulation.plan(corpus, terms.terms(**agreed), label="responsive", seed=seed, **cast)


def cut(matter: Path, played: Simulated, audience: Audience, out: Path) -> Path:
    """A copy, signed by the matter's own Trent."""
    with Store.open(matter) as store:
        write_copy(store, audience, played.key(Role.TRENT), out)
    return out
