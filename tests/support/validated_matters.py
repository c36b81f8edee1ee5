"""Simulated matters with validations and sensitive classes, and what every one of them must pass."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from ledger.copies import write_copy
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.matter import fold, terms, validation_rows
from protocol.matter.kind import Entry
from protocol.matter.kinds import claims
from protocol.matter.kinds.claims import Claims
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import PLAYERS, small_terms, start
from verifier import passes
from verifier.verification import verify

EACH_ROUND: dict[str, Any] = {"every": 1, "yield": None, "show": "0.2", "hits": None}
IN_TWO = EACH_ROUND | {"review": "0.4", "show": "0.5"}

NEARLY_ALL = EACH_ROUND | {"show": "0.999"}
SPOT_CHECKS: dict[str, Any] = {"rounds": 1, "protocol": "spot-check", "rate": "0.01", "target": "0.01"}
"""One batch, of which hardly anything is drawn, and no escalation."""

FOLLOWED = ("awaits", "answered", "overtaken", "keys", "terms", "draws", "links", "defaults", "silence", "put_up")
NEW_KEY = SigningKey(b"a new key of somebody's in tests")


def begin(corpus: Corpus, path: Path, validation: dict[str, Any] | None = None, **changed: Any) -> Run:
    """A small matter that is validated, by default after each round in one stage."""
    agreed = terms.validation(**(EACH_ROUND if validation is None else validation))
    wanted: dict[str, Any] = {"rounds": 2, "validation": agreed}
    return start(corpus, path, **(wanted | changed))


def with_draws(corpus: Corpus, path: Path, draws: int, validation: dict[str, Any] | None = None, **changed: Any) -> Run:
    """The same with chains of another length."""
    agreed = terms.validation(**(EACH_ROUND if validation is None else validation))
    made: Any = small_terms(**({"rounds": 2, "validation": agreed} | changed))
    shorter = msgspec.structs.replace(made, draws=draws)
    terms.check(shorter)
    return Run(corpus, simulation.plan(corpus, shorter, label="responsive", seed="1", **PLAYERS), path)


def played(corpus: Corpus, path: Path, validation: dict[str, Any] | None = None, **changed: Any) -> Matter:
    """The same, played to its end and checked."""
    with begin(corpus, path, validation, **changed) as run:
        run.run()
    return consistent(path)


def consistent(path: Path) -> Matter:
    """The matter, which everybody can follow; the verifier accepts every copy, and estimates the same."""
    state, public, alice = Matter(), Matter(), Matter()
    for opened in MatterReader(path):
        told = Entry.stored(opened)
        sealed = replace(told, openings=None)
        fold.follow(state, told)
        fold.follow(public, sealed)
        fold.follow(alice, told if told.statement.author is Role.ALICE else sealed)
        for reader, name in product((public, alice), FOLLOWED):
            assert getattr(reader, name) == getattr(state, name), (told.sequence, name)
        assert [each.size for each in public.rounds] == [each.size for each in state.rounds]
    assert state.concluded == public.concluded == alice.concluded
    simulated = Simulated.of(state.opening)
    assert simulated is not None
    for audience in Audience:
        copy = path.with_suffix(f".{audience}.jsonl")
        with Store.open(path) as store:
            write_copy(store, audience, simulated.key(Role.TRENT), copy)
        verdict = verify(copy)
        assert (verdict.answer, verdict.findings) == ("verified", ()), audience
        if audience is Audience.COURT and not any(each.unread for each in state.rounds):
            assert passes.validations_value(verdict) == validation_rows.rows(state)
    return state


def stated(state: Matter) -> Claims:
    return claims.claims(state)


def sorts(state: Matter) -> str:
    """The sorts of the rounds by their first letters, such as `bvb`."""
    return "".join(each.sort[0] for each in state.rounds)


def validations(state: Matter) -> list[Round]:
    return [each for each in state.rounds if each.sort is Sort.VALIDATION]


def until_validation(run: Run) -> Round:
    """Go on until a validation is open, and Alice must answer it."""
    while not (run.state.current is not None and run.state.current.sort is Sort.VALIDATION):
        assert run.step(), "no validation has come"
    return run.state.current


def until_asked(run: Run, role: Role, kind: str) -> None:
    """Go on until this party is asked for this."""
    while not (role in run.state.awaits and run.state.awaits[role].kind == kind):
        assert run.step(), f"nobody asks {role} for {kind}"


def pass_over(run: Run, role: Role) -> None:
    """This party does not answer, and the court lets the matter go on."""
    owed = run.state.awaits[role].kind
    run.desk.default(role, run.desk.log.history.head)
    link = run.plan.chain(role).link(run.state.draws) if owed == "link" else None
    run.desk.accept(answers.order(run.court, True, link))


def new_key(run: Run, role: Role) -> None:
    """The court grants this party a new key, which then speaks for it."""
    run.desk.rekey(role, NEW_KEY.public)
    run.desk.accept(answers.rekeyed(run.court, True))
    run.parties[role].key = NEW_KEY


def report_claiming(run: Run, labels: list[bool], claimed: list[int]) -> None:
    """Alice reports, and claims these positions as privileged."""
    run.desk.accept(answers.report(run.alice, labels, None, dict.fromkeys(claimed, "Advice of counsel")))


def withheld_claim(run: Run) -> tuple[Round, int]:
    """Alice claims a document in her first report, and no coin draws it. Then a validation does: at which position."""
    until_asked(run, Role.ALICE, "report")
    truth = run.alice.truth
    claimed = truth.index(False) + 1
    report_claiming(run, truth, [claimed])
    current = until_validation(run)
    batch = run.state.rounds[0]
    assert claimed not in batch.looked_at
    place = current.places.index(batch.places[claimed - 1]) + 1
    assert place not in current.fresh
    return current, place
