"""A matter in which Trent's own entries break the rules is not gone on with: each is checked before it counts."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from ledger import entries
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.errors import OutOfTurn
from protocol.matter import summary
from protocol.matter.state import MatterState, Told
from protocol.matter.statements import Kind
from tests.support.forging.bent import Change, around, of, saying
from tests.support.matters import run_until, start


@pytest.fixture(scope="module")
def told(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """A whole matter with disputes, a second wave and models."""
    path = tmp_path_factory.mktemp("matter") / "matter"
    with start(small_corpus, path, players={"alice": "hiding:0.5:far", "bob": "truthful"}, batch=40, rounds=3) as run:
        run.run()
    return [summary.told(opened) for opened in MatterReader(path)]


def sealed_for_bob(name: str) -> Change:
    def change(state: MatterState, entry: Told) -> Told:
        sealed = entry.statement.sealed
        everyone = (Audience.ALICE, Audience.BOB, Audience.COURT)
        wider = sealed | {name: msgspec.structs.replace(sealed[name], audiences=everyone)}
        return replace(entry, statement=msgspec.structs.replace(entry.statement, sealed=wider))

    return change


def with_place(document: Callable[[MatterState, list[int]], int]) -> Change:
    """The batch with another document at its first position."""

    def change(state: MatterState, entry: Told) -> Told:
        known = [each.value["document"] for each in entry.openings if each.field == "documents"]
        first = entry.openings[0]
        value = first.value | {"document": document(state, known)}
        return replace(entry, openings=(msgspec.structs.replace(first, value=value), *entry.openings[1:]))

    return change


def wrong_link(state: MatterState, entry: Told) -> Told:
    return saying(link=bytes(32).hex())(state, entry)


BROKEN: list[tuple[str, Kind, Change]] = [
    ("comes while others must answer", Kind.LABELS, of(author=Role.TRENT, answers=None)),
    ("has no place here", Kind.BATCH, of(kind="note")),
    ("has no place here", Kind.BATCH, of(kind=Kind.OPEN)),
    ("it is of round 9", Kind.BATCH, of(round=9)),
    ("it asks Alice and Bob", Kind.BATCH, around(asks=(Role.ALICE, Role.BOB))),
    ("it asks nobody", Kind.DISCLOSURE, around(asks=())),
    ("'model' must be sealed for the court", Kind.BATCH, sealed_for_bob("model")),
    ("'documents' must be sealed for Alice and the court", Kind.BATCH, sealed_for_bob("documents")),
    ("for the second time", Kind.BATCH, with_place(lambda state, known: state.labelled()[0][0])),
    ("for the second time", Kind.BATCH, with_place(lambda state, known: known[1])),
    ("is not in the corpus", Kind.BATCH, with_place(lambda state, known: 10**6)),
    ("documents in a batch of 41", Kind.BATCH, saying(size=41)),
    ("drawn by coin while nothing can be learnt", Kind.BATCH, saying(drawn={"draw": 1, "link": bytes(32).hex()})),
    ("where draw 1 is due", Kind.DRAW, saying(draw=20)),
    ("positions of the batch, in order", Kind.DISCLOSURE, saying(positions=lambda found: found[::-1])),
    ("positions of the batch, in order", Kind.DISCLOSURE, saying(positions=lambda found: [*found, 41])),
    ("positions of the batch, in order", Kind.DISCLOSURE, saying(positions=[])),
    ("proofs for", Kind.DISCLOSURE, saying(positions=lambda found: found[:-1])),
    ("must release to Bob the places", Kind.DISCLOSURE, around(releases=())),
    ("with the openings of all that it seals", Kind.DISCLOSURE, around(openings=lambda found: found[:-1])),
    ("on which Alice and Bob disagree", Kind.DISPUTE, saying(positions=lambda found: [*found[:-1], found[-1] - 1])),
    ("on which Alice and Bob disagree", Kind.DISPUTE, saying(positions=[])),
    ("is not number", Kind.CLOSED, wrong_link),
    ("draw 99, where", Kind.CLOSED, saying(draw=99)),
    ("the round ends otherwise: responsive is", Kind.CLOSED, saying(responsive=[1])),
    ("the round ends otherwise: threshold is", Kind.CLOSED, saying(threshold=0)),
    ("the round ends otherwise: error is", Kind.CLOSED, saying(error=39)),
    ("the round ends otherwise: compelled is", Kind.CLOSED, saying(compelled=lambda found: not found)),
    ("the round ends otherwise: sampled is", Kind.CLOSED, saying(sampled=0)),
    ("must release Alice's report", Kind.CLOSED, around(releases=())),
    ("a simulation states the truth", Kind.CLOSED, saying(truth=None)),
    ("the entries say otherwise: found is", Kind.CLAIMS, saying(found=999)),
    ("the entries say otherwise: nrd is", Kind.CLAIMS, saying(nrd=0)),
    (
        "the entries say otherwise: hidden is",
        Kind.CLAIMS,
        saying(hidden=lambda found: found | {"at_most": found["at_most"] + 1}),
    ),
    ("it releases what it has no right to", Kind.CLAIMS, around(releases=lambda _: (object(),))),
    ("of the method", Kind.OPEN, saying(method=3)),
]


@pytest.mark.parametrize(("reason", "kind", "change"), BROKEN)
def test_a_broken_rule_is_told_and_changes_nothing(told: list[Told], reason: str, kind: Kind, change: Change) -> None:
    state = MatterState()
    pending = [entry for entry in told if entry.statement.kind == kind]
    chosen = pending[-1] if kind in (Kind.BATCH, Kind.CLOSED) else pending[0]
    for entry in told:
        if entry is chosen:
            break
        state.tell(entry)
    before = deepcopy(vars(state))
    with pytest.raises(LedgerError, match=reason):
        state.tell(change(state, chosen))
    assert vars(state) == before
    state.tell(chosen)


@pytest.mark.parametrize("kind", [Kind.LABELS, Kind.RULINGS, Kind.LINK, Kind.REPORT, Kind.AGREED])
def test_an_entry_left_out_is_missed(told: list[Told], kind: Kind) -> None:
    state = MatterState()
    chosen = next(entry for entry in told if entry.statement.kind == kind)
    with pytest.raises((OutOfTurn, LedgerError)):  # noqa: PT012 (where it is missed depends on the kind)
        for entry in told:
            if entry is not chosen:
                state.tell(replace(entry, sequence=state.size))


def test_disputes_that_never_reach_the_court_are_missed(told: list[Told]) -> None:
    state = MatterState()
    with pytest.raises(LedgerError, match="the court has not ruled on the positions"):  # noqa: PT012
        for entry in told:
            if entry.statement.kind not in (Kind.DISPUTE, Kind.RULINGS):
                state.tell(replace(entry, sequence=state.size))


def test_a_wave_that_the_coins_did_not_draw_is_found_when_the_round_closes(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    truthful = {"alice": "truthful", "bob": "truthful"}
    with start(small_corpus, tmp_path / "matter", players=truthful, rounds=1, batch=40) as run:
        run.run()
    state = MatterState()
    with pytest.raises(LedgerError, match="the rule discloses the positions"):  # noqa: PT012
        for opened in MatterReader(tmp_path / "matter"):
            entry = summary.told(opened)
            if entry.statement.kind == Kind.DISCLOSURE:
                wave = entry.statement.content["positions"][:-1]
                proofs = entry.statement.sealed["proofs"]
                cut = {"proofs": msgspec.structs.replace(proofs, commitments=proofs.commitments[:-1])}
                entry = saying(positions=wave)(state, of(sealed=cut)(state, entry))
                entry = replace(entry, openings=entry.openings[:-1], releases=state.rounds[-1].shown_to_bob(wave))
            if entry.statement.kind == Kind.LABELS:
                entry = saying(labels=lambda found: found[:-1])(state, entry)
            state.tell(entry)


def test_claims_may_not_come_before_the_rounds_are_held(told: list[Told]) -> None:
    state = MatterState()
    closes = [entry for entry in told if entry.statement.kind == Kind.CLOSED]
    for entry in told:
        state.tell(entry)
        if entry is closes[0]:
            break
    with pytest.raises(LedgerError, match="1 of 3 rounds were held"):
        state.tell(replace(told[-1], sequence=state.size))


def test_a_second_answer_is_kept_as_a_conflict_and_the_matter_goes_on(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with start(small_corpus, path) as run:
        first = run_until(run, Role.BOB, Kind.LABELS).signed
        run.step()
        content = {"labels": [not label for label in first.statement.content["labels"]]}
        second = entries.sign_statement(
            run.plan.key(Role.BOB), msgspec.structs.replace(first.statement, content=content)
        )
        with pytest.raises(OutOfTurn, match="has answered this question already"):
            run.engine.accept(second)
        run.append(run.engine.conflict(second))
        stranger = msgspec.structs.replace(second, statement=msgspec.structs.replace(first.statement, round=9))
        with pytest.raises(OutOfTurn, match="not signed by the key"):
            run.engine.conflict(stranger)
        with pytest.raises(OutOfTurn, match="there is no conflict"):
            run.engine.conflict(
                entries.sign_statement(
                    run.plan.key(Role.BOB), msgspec.structs.replace(first.statement, answers=Digest(bytes(32)))
                )
            )
    with start(small_corpus, path) as run:
        assert run.run().claims is not None
    kinds = [each.entry.body.statement.kind for each in MatterReader(path)]
    assert kinds.count(entries.CONFLICT) == 1


def test_no_party_gives_a_link_ahead_of_its_time_or_for_another_use(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.ALICE, Kind.LINK)
        for role in (Role.ALICE, Role.BOB):
            party = run.parties[role]
            asked = party.question
            assert asked is not None
            later = msgspec.structs.replace(asked.statement, content={"draw": 20})
            party.question = replace(asked, statement=later)
            with pytest.raises(Refused, match=f"{role.called} keeps the link of draw 20"):
                party.answer()
            party.question = asked
        run_until(run, Role.BOB, Kind.LINK)
        run.step()
        run_until(run, Role.BOB, Kind.LINK)
        bob = run.parties[Role.BOB]
        bob.answer()
        assert bob.question is not None
        other = msgspec.structs.replace(
            bob.question.statement, sealed={}
        )  # another report for the same draw: with it, Trent and Alice could try words until the coins please them
        bob.question = replace(bob.question, statement=other)
        with pytest.raises(Refused, match="for another use"):
            bob.answer()


def test_asked_again_about_the_same_batch_alice_says_the_same_words_and_about_another_she_keeps_her_link(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with start(small_corpus, tmp_path / "matter", players={"alice": "truthful"}) as run:
        first = run_until(run, Role.ALICE, Kind.REPORT)
        alice = run.parties[Role.ALICE]
        asked = alice.question
        assert asked is not None
        alice.question = replace(asked, hash=Digest(bytes(32)))
        again = alice.answer()
        assert entries.hash_words(again.signed.statement) == entries.hash_words(first.signed.statement)
        swapped = (asked.openings[1], asked.openings[0], *asked.openings[2:])
        alice.question = replace(asked, openings=swapped)
        with pytest.raises(Refused, match="for another use"):
            alice.answer()
