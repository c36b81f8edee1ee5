"""A whole matter in one program: it plays all parties, by the rules and with the signatures of a real one.

Everything derives from the seed and the terms, so the same simulation writes the same entries and copies, byte for
byte, however often it is interrupted: a new state and new parties are told what the file holds, and go on from there.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Self

from ledger import checkpoints, records
from ledger.entries import Addition
from ledger.errors import Refused
from ledger.hashing import integer, tagged_hash
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.learning.cal import Cal
from protocol.matter import trent
from protocol.matter.desk import Desk
from protocol.matter.kind import Entry
from protocol.matter.state import Matter
from protocol.matter.trent import Trent
from protocol.matter.values import Opened, Simulation
from protocol.parties.notices import Deliveries
from protocol.rules.terms import Terms
from protocol.simulation import strategies
from protocol.simulation.identity import Simulated
from protocol.simulation.parties import Alice, Bob, Court

EPOCH = 1_600_000_000
"""A simulation's clock starts here and ticks once for each entry."""


def plan(corpus: Corpus, terms: Terms, *, label: str, seed: str, alice: str, bob: str, court: str) -> Simulated:
    """A simulation whose parts fit together; raises `BadTerms` if they do not."""
    responsive = corpus.labels(label)
    if len(responsive) in (0, corpus.size):
        what = "no document" if not responsive else "every document"
        raise BadTerms(f"{what} of {corpus.path} carries the label {label!r}: there is nothing to find out")
    _sensitive(corpus, terms)
    strategies.alice(alice, b"")
    strategies.bob(bob, b"")
    strategies.court(court, b"")
    simulation = Simulation(
        alice=alice,
        bob=bob,
        court=court,
        label=label,
        responsive=len(responsive),
        seed=seed,
        truth=tagged_hash("truth", *map(integer, sorted(responsive))),
    )
    return Simulated(terms=terms, simulation=simulation, root=corpus.root)


class Run:
    """Trent's desk with the three parties around it. Use it as a context manager."""

    desk_class: type[Desk] = Desk

    def __init__(self, corpus: Corpus, plan: Simulated, path: Path, cluster: Executor | None = None) -> None:
        self.plan = plan
        self._corpus = corpus
        self._cal = Cal(corpus, cluster)
        truth = corpus.labels(plan.simulation.label)
        self.trent = Trent(
            corpus=corpus, cal=self._cal, seal=plan.seal(Role.TRENT), chain=plan.chain(Role.TRENT), truth=truth
        )
        self._deliveries = Deliveries()
        self.alice, self.bob, self.court = _cast(plan, truth.__contains__, _sensitive(corpus, plan.terms))
        self.parties: dict[Role, Alice | Bob | Court] = {
            Role.ALICE: self.alice,
            Role.BOB: self.bob,
            Role.COURT: self.court,
        }
        self.desk = self._open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.desk.log.close()

    @property
    def state(self) -> Matter:
        """Where the matter stands."""
        return self.desk.state

    def run(self, progress: Callable[[Matter], None] = lambda _: None) -> Matter:
        """Play to the end; `progress` is told the state as rounds close."""
        progress(self.state)
        while self.step():
            if self.state.current is None:
                progress(self.state)
        self.cosign()
        return self.state

    def step(self) -> bool:
        """Add one entry: a party's answer if one is due, otherwise Trent's move. False when nothing is left."""
        if self.state.awaits:
            self.desk.accept(self.parties[min(self.state.awaits)].answer())
            return True
        return self.advance()

    def advance(self) -> bool:
        """Make Trent's next move. False when there is nothing for him to add."""
        return self.desk.advance(self.trent)

    def cosign(self, without: tuple[Role, ...] = ()) -> None:
        """A checkpoint of the matter as it stands that Alice, Bob and the court have signed too, but for some."""
        log = self.desk.log
        size = log.history.size
        signed = {line.name for line in log.checkpoint().signatures} | {
            line.name for line in log.store.notes()[size].signatures
        }
        for role in checkpoints.COSIGNERS:
            line = checkpoints.cosign(log.history.state(), role, self.parties[role].key, EPOCH + size)
            if line.name not in signed and role not in without:
                log.cosign(size, role, line)

    def _open(self, path: Path) -> Desk:
        """The desk of a new matter, or of one that is continued, with at least its opening."""
        self._cal.check_query(self.plan.terms.query)
        key = self.plan.key(Role.TRENT)
        if not path.exists():
            return self.desk_class.create(path, key, _clock, self._opening(), self._deliver)
        desk = self.desk_class.open(path, key, _clock, self._resume)
        if not desk.state.size:
            desk.add(self._opening())
        return desk

    def _opening(self) -> Addition:
        return trent.opening(
            matter=self.plan.matter,
            corpus=self._corpus,
            agreed=self.plan.terms,
            keys={role: self.plan.key(role).public for role in Role},
            chain=self.plan.chain(Role.TRENT),
            seal=self.plan.seal(Role.TRENT),
            caption=None,
            simulation=self.plan.simulation,
        )

    def _resume(self, entry: Entry) -> None:
        if entry.statement.kind == "open":
            opening = records.from_value(Opened, entry.statement.content)
            self.trent.check(opening, entry.values("vocabulary")[0])
            if Simulated.of(opening) != self.plan:
                raise Refused("the matter there was simulated with other options; give those, or another --out")
        self._deliver(entry)

    def _deliver(self, entry: Entry) -> None:
        """Every party gets its part of an entry."""
        for audience, notice in self._deliveries.notices(entry).items():
            self.parties[Role(audience)].observe(notice)


def _clock(entries: int) -> int:
    return EPOCH + entries


def _sensitive(corpus: Corpus, terms: Terms) -> dict[int, str]:
    """The documents that belong into a class: those that carry its name as a label."""
    names = () if terms.classes is None else terms.classes.names
    return {document: name for name in names for document in corpus.labels(name)}


def _cast(plan: Simulated, reads: Callable[[int], bool], sensitive: Mapping[int, str]) -> tuple[Alice, Bob, Court]:
    chosen = plan.simulation
    return (
        Alice(
            plan.key(Role.ALICE),
            reads,
            plan.chain(Role.ALICE),
            plan.seal(Role.ALICE),
            strategies.alice(chosen.alice, plan.secret(Role.ALICE, "strategy")),
            sensitive,
        ),
        Bob(
            plan.key(Role.BOB),
            reads,
            plan.chain(Role.BOB),
            strategies.bob(chosen.bob, plan.secret(Role.BOB, "strategy")),
        ),
        Court(plan.key(Role.COURT), reads, strategies.court(chosen.court, plan.secret(Role.COURT, "strategy"))),
    )
