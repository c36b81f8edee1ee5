"""A matter in which everything happens goes on from every entry, and leaves what everyone may check."""

from collections import Counter
from pathlib import Path

import pytest

from ledger import records
from ledger.copies import write_copy
from ledger.examining import examine, open_reader
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.kinds import KINDS, claims
from tests.support import paper_rules
from tests.support.matters import court_copy, eventful, overheard, start_eventful
from tests.support.scripted import ScriptedRun, second_key

pytestmark = pytest.mark.slow  # goes on from every entry of whole matters

EVERY = pytest.mark.parametrize("protocol", paper_rules.NAMES)

LATER = {"clawback", "reclaim", "returned"}
"""Played in tests of their own."""


@EVERY
def test_it_has_every_kind_of_entry_and_adds_up(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    run = eventful(small_corpus, tmp_path / "matter", protocol=protocol)
    found = Counter(opened.entry.body.statement.kind for opened in MatterReader(tmp_path / "matter"))
    assert found.keys() == KINDS.keys() - {
        "conflict", *LATER, "escalation", "look", "validation", "call", "stamped", "logged",
    }  # fmt: skip
    one, two, three, four = run.state.rounds
    assert one.privilege.upheld == {1: True, 2: False}
    assert 1 not in one.disclosed
    assert 2 in one.disclosed
    assert two.privilege.upheld == {12: False}
    assert 12 in two.disclosed
    assert three.unread == set(three.waves[0])
    assert four.unreported
    assert run.state.terms.rounds == 4
    assert run.state.opening.terms.rounds == 3
    stated = claims.claims(run.state)
    assert (stated.defaults, stated.privileged) == (3, 1)
    assert [(each.privileged, each.unread) for each in stated.rounds] == [
        (1, 0),
        (0, 0),
        (0, len(three.unread)),
        (0, 0),
    ]
    assert stated.certificates.reviewed.at_most >= sum(each.unproven for each in run.state.evidence()) > 0
    shown = summary.summary(run.state)
    assert (shown["privileged"], shown["defaults"]) == (1, 3)
    assert [row["unread"] for row in shown["rounds"]] == [0, 0, len(three.unread), 0]


@EVERY
def test_it_goes_on_from_every_entry(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    eventful(small_corpus, tmp_path / "whole", protocol=protocol)
    steps = 0
    while True:  # one entry a process, as it were
        with start_eventful(small_corpus, tmp_path / "matter", protocol=protocol) as run:
            if not run.step():
                run.cosign()
                break
        steps += 1
    assert steps > 40
    assert court_copy(tmp_path / "matter") == court_copy(tmp_path / "whole")


def test_each_checkpoint_is_cosigned_by_the_keys_of_its_time(small_corpus: Corpus, tmp_path: Path) -> None:
    run = eventful(small_corpus, tmp_path / "matter")
    reader = MatterReader(tmp_path / "matter")
    assert len(list(reader)) == run.state.size
    assert [signers for _, signers in reader.checkpoints] == [list(Role)] * 2
    assert reader.history.keys == run.state.keys
    assert reader.history.keys[Role.BOB] == second_key(run.plan).public
    assert reader.history.keys_at(reader.checkpoints[0][0]) == run.state.opening.keys
    found = examine(open_reader(tmp_path / "matter"))
    assert found.cosigned == found.size


@EVERY
def test_every_party_is_told_what_its_copy_shows_and_no_more(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    told = overheard(monkeypatch)
    run = eventful(small_corpus, tmp_path / "matter", protocol=protocol)
    with Store.open(tmp_path / "matter") as store:
        for audience in Audience:
            copy = tmp_path / audience
            write_copy(store, audience, run.plan.key(Role.TRENT), copy)
            shown = {(each.field, each.salt.hex()) for opened in open_reader(copy) for each in opened.openings}
            assert told[audience] == shown
            assert examine(open_reader(copy)).size == run.state.size
    assert len({salt for field, salt in told[Audience.BOB] if field == "privilege"}) == 3


def test_bob_never_gets_the_place_or_the_proof_of_what_is_withheld(small_corpus: Corpus, tmp_path: Path) -> None:
    run = eventful(small_corpus, tmp_path / "matter")
    name = run.state.rounds[0].places[0].name
    with Store.open(tmp_path / "matter") as store:
        write_copy(store, Audience.BOB, run.plan.key(Role.TRENT), tmp_path / "bob")
        write_copy(store, Audience.ALICE, run.plan.key(Role.TRENT), tmp_path / "alice")
    assert name not in (tmp_path / "bob").read_text()
    assert name in (tmp_path / "alice").read_text()


def test_what_the_file_holds_gives_the_same_claims(small_corpus: Corpus, tmp_path: Path) -> None:
    run: ScriptedRun = eventful(small_corpus, tmp_path / "matter")
    read = summary.read(tmp_path / "matter")
    *_, last = MatterReader(tmp_path / "matter")
    assert records.from_value(claims.Claims, last.entry.body.statement.content) == claims.claims(read)
    assert read.keys == run.state.keys
