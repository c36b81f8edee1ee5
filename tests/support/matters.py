"""Simulated matters for tests, at any point of their course."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ledger import entries
from ledger.copies import write_copy
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.matter import summary, terms
from protocol.matter.asking import Answer
from protocol.matter.kind import Entry
from protocol.parties.notices import Deliveries, Notice
from protocol.rules import table
from protocol.rules.terms import Terms
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run
from tests.support.corpora import QUERY
from tests.support.scripted import ScriptedRun

SMALL: dict[str, Any] = {"protocol": "label", "rounds": 3, "batch": 20, "delta": "0.2", "k": 1, "query": QUERY}
PLAYERS = {"alice": "hiding:0.4:random", "bob": "careless:0.1", "court": "right"}


def small_terms(**changed: Any) -> Terms:
    """Terms of a small matter."""
    return of_its_rule(SMALL | changed)


def of_its_rule(given: dict[str, Any]) -> Terms:
    """These terms without the parameters that their rule does not have."""
    own = {each.name for each in table.named(given["protocol"]).parameters}
    idle = {each.name for each in table.parameters()} - own
    return terms.terms(**{name: value for name, value in given.items() if name not in idle})


def start(corpus: Corpus, path: Path, *, seed: str = "1", players: dict[str, str] | None = None, **changed: Any) -> Run:
    """A small matter with disputes in it, new or continued."""
    agreed = small_terms(**changed)
    plan = simulation.plan(corpus, agreed, label="responsive", seed=seed, **(PLAYERS | (players or {})))
    return Run(corpus, plan, path)


def eventful(corpus: Corpus, path: Path, *, protocol: str = "label", seed: str = "2") -> ScriptedRun:
    """A whole matter with privilege, silence, a new key and an amendment, closed and cosigned; see `tests.scripted`."""
    with start_eventful(corpus, path, protocol=protocol, seed=seed) as run:
        run.run()
    return run


def start_eventful(corpus: Corpus, path: Path, *, protocol: str = "label", seed: str = "2") -> ScriptedRun:
    """The same matter, new or continued."""
    agreed = small_terms(protocol=protocol, batch=12, delta="0.7")
    plan = simulation.plan(corpus, agreed, label="responsive", seed=seed, **PLAYERS)
    return ScriptedRun(corpus, plan, path)


def overheard(monkeypatch: pytest.MonkeyPatch) -> dict[Audience, set[tuple[str, str]]]:
    """By audience, field and salt of all openings that simulated parties are told from now on."""
    told: dict[Audience, set[tuple[str, str]]] = {audience: set() for audience in Audience}
    cut = Deliveries.notices

    def noted(deliveries: Deliveries, entry: Entry) -> dict[Audience, Notice]:
        found = cut(deliveries, entry)
        for audience, notice in found.items():
            told[audience] |= {(each.field, each.salt.hex()) for each in (*notice.openings, *notice.released)}
        return found

    monkeypatch.setattr(Deliveries, "notices", noted)
    return told


def run_until(run: Run, role: Role, kind: str) -> Answer:
    """Go on until this party is asked for this, and return the right answer without giving it."""
    while min(run.state.awaits, default=None) != role or run.state.awaits[role].kind != kind:
        assert run.step(), f"nobody asks {role} for {kind}"
    return run.parties[role].answer()


def stored(run: Run) -> list[tuple[bytes, Any]]:
    """All that the matter's file holds."""
    store = run.desk.log.store
    return [(each.body, each.openings) for each in store.entries(size=store.size())]


@contextmanager
def refusal(run: Run, reason: str) -> Iterator[None]:
    """What is done within is refused for this reason, and changes neither the state nor the file."""
    before = deepcopy(vars(run.state)), stored(run)
    with pytest.raises(OutOfTurn, match=reason):
        yield
    assert (vars(run.state), stored(run)) == before


def resigned(run: Run, answer: Answer, **fields: Any) -> Answer:
    """The answer with other words, signed by the key that its author has."""
    said = msgspec.structs.replace(answer.signed.statement, **fields)
    return replace(answer, signed=entries.sign_statement(run.parties[said.author].key, said))


def court_copy(path: Path) -> bytes:
    """The bytes of the court's copy."""
    copy = path.with_suffix(".court.jsonl")
    state = summary.read(path)
    played = Simulated.of(state.opening)
    assert played is not None
    with Store.open(path) as store:
        write_copy(store, Audience.COURT, played.key(Role.TRENT), copy)
    return copy.read_bytes()


def contents(path: Path, kind: str) -> list[dict[str, Any]]:
    """What the stored entries of one kind say, in order."""
    found = (opened.entry.body.statement for opened in MatterReader(path))
    return [said.content for said in found if said.kind == kind]
