"""Simulated matters for tests, at any point of their course."""

from pathlib import Path
from typing import Any

from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.matter import summary, terms
from protocol.matter.statements import Kind
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.parties import Answer
from protocol.simulation.run import Run
from tests.corpora import QUERY

SMALL: dict[str, Any] = {"protocol": "label", "rounds": 3, "batch": 20, "delta": "0.2", "k": 1, "query": QUERY}
PLAYERS = {"alice": "hiding:0.4:random", "bob": "careless:0.1", "court": "right"}


def start(corpus: Corpus, path: Path, *, seed: str = "1", players: dict[str, str] | None = None, **changed: Any) -> Run:
    """A small matter with disputes in it, opened or gone on with."""
    agreed = terms.terms(**(SMALL | changed))
    plan = simulation.plan(corpus, agreed, label="responsive", seed=seed, **(PLAYERS | (players or {})))
    return Run(corpus, plan, path)


def run_until(run: Run, role: Role, kind: Kind) -> Answer:
    """Go on until this party is asked for this, and return the right answer without giving it."""
    while min(run.engine.asks, default=None) != role or run.engine.asks[role].kind != kind:
        assert run.step(), f"nobody asks {role} for {kind}"
    return run.parties[role].answer()


def court_copy(path: Path) -> bytes:
    """The bytes of the court's copy."""
    copy = path.with_suffix(".court.jsonl")
    state = summary.read(path)
    played = Simulated.of(state.opening)
    assert played is not None
    with Store.open(path) as store:
        write_copy(store, Audience.COURT, played.key(Role.TRENT), copy)
    return copy.read_bytes()
