"""A whole matter in one program: it plays all parties, by the rules and with the signatures of a real one.

Everything derives from the seed and the terms, so the same simulation writes the same entries and copies, byte for
byte, however often it is interrupted: what the file holds is told to a new engine and to new parties, and they go on.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Self

from ledger import checkpoints
from ledger.attachments import CHUNK
from ledger.entries import OpenedEntry
from ledger.errors import Refused
from ledger.hashing import Digest, integer, tagged_hash
from ledger.log import Addition, Log
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.learning.cal import Cal
from protocol.matter import statements, summary, trent
from protocol.matter.engine import Engine
from protocol.matter.state import MatterState, Told
from protocol.matter.trent import Trent
from protocol.simulation import strategies
from protocol.simulation.deliveries import Deliveries
from protocol.simulation.identity import Simulated
from protocol.simulation.parties import Alice, Bob, Court

EPOCH = 1_600_000_000
"""A simulation's clock starts here and ticks once an entry."""


def plan(
    corpus: Corpus, terms: statements.Terms, *, label: str, seed: str, alice: str, bob: str, court: str
) -> Simulated:
    """A simulation whose parts fit together, or `BadTerms`."""
    responsive = corpus.labels(label)
    if len(responsive) in (0, corpus.size):
        what = "no document" if not responsive else "every document"
        raise BadTerms(f"{what} of {corpus.path} carries the label {label!r}: there is nothing to find out")
    strategies.alice(alice, b"")
    strategies.bob(bob, b"")
    strategies.court(court, b"")
    simulation = statements.Simulation(
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
    """The engine with its log, Trent and the three parties. Use it as a context manager."""

    def __init__(self, corpus: Corpus, plan: Simulated, path: Path) -> None:
        self.plan = plan
        self._corpus = corpus
        self._cal = Cal(corpus)
        truth = corpus.labels(plan.simulation.label)
        self.engine = Engine(
            Trent(
                corpus=corpus,
                cal=self._cal,
                seal=plan.seal(Role.TRENT),
                chain=plan.chain(Role.TRENT),
                stored=self._stored,
                truth=truth,
            )
        )
        self._deliveries = Deliveries()
        self.parties = _cast(plan, truth.__contains__)
        self._log = self._open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()

    @property
    def state(self) -> MatterState:
        """Where the matter stands."""
        return self.engine.state

    def run(self, progress: Callable[[MatterState], None] = lambda _: None) -> MatterState:
        """Play to the end; `progress` is told the state as rounds close."""
        progress(self.state)
        while self.step():
            if self.state.current is None:
                progress(self.state)
        self._cosign()
        return self.state

    def step(self) -> bool:
        """Add one entry: a party's answer where one is awaited, else Trent's move. False when nothing is left."""
        if self.engine.asks:
            answer = self.parties[min(self.engine.asks)].answer()
            self.append(self.engine.accept(answer.signed, answer.openings))
            return True
        move = self.engine.move()
        if move is None:
            return False
        self.append(move)
        return True

    def _open(self, path: Path) -> Log:
        """The log of a new matter, or of one that goes on, with at least its opening."""
        self._cal.check_query(self.plan.terms.query)
        key = self.plan.key(Role.TRENT)
        exists = path.exists()
        self._log = Log.open(path, key, self._clock, self._resume) if exists else Log.create(path, key, self._clock)
        if not self.state.size:
            self.append(self._opening())
        return self._log

    def _opening(self) -> Addition:
        return trent.opening(
            matter=self.plan.matter,
            corpus=self._corpus,
            agreed=self.plan.terms,
            keys={role: self.plan.key(role).public for role in Role},
            chain=self.plan.chain(Role.TRENT),
            seal=self.plan.seal(Role.TRENT),
            simulation=self.plan.simulation,
        )

    def _clock(self) -> int:
        return EPOCH + self.state.size

    def _stored(self, digest: Digest) -> bytes:
        return b"".join(self._log.store.attachment(digest, CHUNK))

    def _resume(self, opened: OpenedEntry) -> None:
        self._tell(summary.told(opened))
        if Simulated.of(self.state.opening) != self.plan:
            raise Refused("the matter there was simulated with other options; give those, or another --out")

    def append(self, addition: Addition) -> None:
        """Add an entry, and tell it to the engine and the parties once it is on disk."""
        (digest,) = self._log.append([addition])
        openings = tuple(sorted(addition.openings, key=lambda each: (each.field, each.index)))
        self._tell(
            Told(
                sequence=self.state.size,
                hash=digest,
                statement=addition.statement,
                openings=openings,
                asks=addition.asks,
                releases=addition.releases,
            )
        )

    def _tell(self, told: Told) -> None:
        self.engine.tell(told)
        for audience, notice in self._deliveries.notices(told).items():
            self.parties[Role(audience)].observe(notice)

    def _cosign(self) -> None:
        """A checkpoint of the closed matter that Alice, Bob and the court have signed too."""
        log = self._log
        size = log.history.size
        signed = {line.name for line in log.checkpoint().signatures} | {
            line.name for line in log.store.notes()[size].signatures
        }
        for role in checkpoints.COSIGNERS:
            line = checkpoints.cosign(log.history.state(), role, self.plan.key(role), EPOCH + size)
            if line.name not in signed:
                log.cosign(size, role, line)


def _cast(plan: Simulated, reads: Callable[[int], bool]) -> dict[Role, Alice | Bob | Court]:
    chosen = plan.simulation
    return {
        Role.ALICE: Alice(
            plan.key(Role.ALICE),
            reads,
            plan.chain(Role.ALICE),
            plan.seal(Role.ALICE),
            strategies.alice(chosen.alice, plan.secret(Role.ALICE, "strategy")),
        ),
        Role.BOB: Bob(
            plan.key(Role.BOB),
            reads,
            plan.chain(Role.BOB),
            strategies.bob(chosen.bob, plan.secret(Role.BOB, "strategy")),
        ),
        Role.COURT: Court(
            plan.key(Role.COURT), reads, strategies.court(chosen.court, plan.secret(Role.COURT, "strategy"))
        ),
    }
