"""What a party answers, and what it refuses to answer, from nothing but what it was shown."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ledger import entries
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.errors import Undecided
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry
from protocol.parties.notices import Deliveries, Notice
from protocol.parties.party import Party
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import refusal, run_until, start, start_eventful


def notices(path: Path, audience: Audience) -> list[Notice]:
    """All that this party was shown."""
    deliveries = Deliveries()
    return [deliveries.notices(Entry.stored(opened))[audience] for opened in MatterReader(path)]


def hash_of(answer: Answer) -> Digest:
    return entries.hash_statement(entries.encode_statement(answer.signed.statement))


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all"])
def test_a_party_knows_at_every_entry_what_it_must_answer(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    with start_eventful(small_corpus, tmp_path / "matter", protocol=protocol) as run:
        while True:
            asked = {role: party.question.hash for role, party in run.parties.items() if party.question}
            assert asked == {role: awaited.question for role, awaited in run.state.awaits.items()}
            if not run.step():
                break
        assert run.state.concluded


def anew(run: Run, path: Path) -> tuple[Party, Party, Party]:
    """The three parties, made from their secrets and what they were shown."""
    plan = run.plan
    alice = Party(Role.ALICE, plan.key(Role.ALICE), chain=plan.chain(Role.ALICE), seal=plan.seal(Role.ALICE))
    bob = Party(Role.BOB, plan.key(Role.BOB), chain=plan.chain(Role.BOB))
    court = Party(Role.COURT, plan.key(Role.COURT))
    for party, audience in ((alice, Audience.ALICE), (bob, Audience.BOB), (court, Audience.COURT)):
        for notice in notices(path, audience):
            party.observe(notice)
    return alice, bob, court


@pytest.mark.parametrize("protocol", ["label", "classifier"])
def test_made_anew_a_party_says_the_same_words(small_corpus: Corpus, tmp_path: Path, protocol: str) -> None:
    path = tmp_path / "matter"
    with start(small_corpus, path, protocol=protocol) as run:
        assert anew(run, path)[0].say() == run_until(run, Role.ALICE, "agreed")
        assert anew(run, path)[1].say() == run_until(run, Role.BOB, "agreed")
        held = run_until(run, Role.COURT, "deposited")
        assert anew(run, path)[2].say() == held
        held = run_until(run, Role.ALICE, "link")
        assert anew(run, path)[0].say() == held
        for _ in range(2):
            held = run_until(run, Role.ALICE, "report")
            (labels,) = [each.value for each in held.openings if each.field == "labels"]
            threshold = [each.value for each in held.openings if each.field == "threshold"]
            assert answers.report(anew(run, path)[0], labels, *threshold) == held
            held = run_until(run, Role.BOB, "link")
            assert anew(run, path)[1].say() == held
            held = run_until(run, Role.BOB, "labels")
            assert answers.label(anew(run, path)[1], held.signed.statement.content["labels"]) == held
            held = run_until(run, Role.COURT, "rulings")
            assert answers.label(anew(run, path)[2], held.signed.statement.content["labels"]) == held


def test_nothing_is_answered_that_was_not_asked(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "labels")
        unasked: list[Callable[[], Answer]] = [
            lambda: answers.report(run.alice, [True] * 20),
            run.alice.say,
            lambda: answers.claim(run.alice, {}),
            lambda: answers.label(run.court, [True]),
            lambda: answers.order(run.court, True),
            lambda: answers.amended(run.court, True),
        ]
        for answer in unasked:
            with pytest.raises(Refused, match="nothing is asked of"):
                answer()
        for otherwise in (Decisions(accepted=True), Decisions(claims={}), Decisions(labels={}, granted=True)):
            with pytest.raises(Refused, match="Bob is asked something else, by a 'disclosure'"):
                run.bob.say(otherwise)
        with pytest.raises(Undecided, match="nothing was decided about position"):
            run.bob.say()


@pytest.mark.parametrize("position", [0, 21, -1])
def test_privilege_is_claimed_for_positions_of_the_batch(small_corpus: Corpus, tmp_path: Path, position: int) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.ALICE, "report")
        with pytest.raises(Refused, match="by position, from 1 to 20"):
            answers.report(run.alice, [True] * 20, claims={position: "Advice"})


def test_alice_labels_the_documents_that_she_was_given_whatever_size_trent_states(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        first = run_until(run, Role.ALICE, "report")
        question = run.alice.question
        assert question is not None
        question.statement.content["size"] = 2**20
        second = answers.report(run.alice, [True] * 20, replaces=(hash_of(first),))
        assert [each.value for each in second.openings if each.field == "labels"] == [[True] * 20]


def test_alice_changes_her_report_only_by_withdrawing_the_one_before(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        first = run_until(run, Role.ALICE, "report")
        with pytest.raises(Refused, match="Alice keeps the link of draw 2"):
            answers.report(run.alice, [True] * 20)
        second = answers.report(run.alice, [True] * 20, replaces=(hash_of(first),))
        assert second.signed.statement.content["link"] == first.signed.statement.content["link"]
        assert second.signed.statement.replaces == (hash_of(first),)
        run.desk.accept(first)  # it was on its way already
        with refusal(run, "has answered this question already"):
            run.desk.accept(second)
        run.desk.keep_as_evidence(second.signed, run.trent.seal)
        run.run()
        assert [run.state.rounds[0].said.labels] == [tuple(each.value) for each in first.openings]


def test_the_second_report_stands_if_it_comes_first(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        first = run_until(run, Role.ALICE, "report")
        second = answers.report(run.alice, [True] * 20, replaces=(hash_of(first),))
        run.desk.accept(second)
        assert run.run().rounds[0].said.labels == (True,) * 20


def test_no_link_is_given_for_a_report_that_was_never_served(small_corpus: Corpus, tmp_path: Path) -> None:
    """Bob's question is Alice's report; another one for the same draw would let others try words against his link."""
    path = tmp_path / "matter"
    with start(small_corpus, path) as run:
        first = run_until(run, Role.ALICE, "report")
        report = answers.report(run.alice, [True] * 20, replaces=(hash_of(first),))
        run.desk.accept(first)
        _, bob, _ = anew(run, path)
        served = bob.question
        assert served is not None
        other = replace(served, statement=report.signed.statement)
        with pytest.raises(Refused, match="Bob keeps the link of draw 2"):
            bob.observe(other)
        bob.question = other
        with pytest.raises(Refused, match="Bob keeps the link of draw 2"):
            bob.say()
        bob.question = served
        run.desk.accept(bob.say())


def test_a_party_needs_neither_numbers_nor_a_database() -> None:
    """It runs on a law firm's machine, with the base installation."""
    code = (
        "import sys; import protocol.parties.party; "
        "heavy = ('numpy', 'scipy', 'sklearn', 'protocol.corpus.corpus', 'protocol.learning', 'ledger.store', "
        "'protocol.matter.trent', 'protocol.matter.desk'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout == "[]\n"
