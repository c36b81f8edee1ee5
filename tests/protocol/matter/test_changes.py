"""New keys by the court's order, and changes that all parties sign."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger import checkpoints
from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.kinds import claims
from protocol.simulation.run import EPOCH, Run
from tests.support import answers
from tests.support.matters import contents, court_copy, refusal, resigned, run_until, start

NEW, OTHER = SigningKey(bytes(range(32))), SigningKey(bytes(range(1, 33)))
OLD_AND_NEW = pytest.mark.parametrize(("role", "kind"), [(Role.BOB, "labels"), (Role.ALICE, "report")])


def rekeyed(run: Run, role: Role, *, granted: bool = True) -> None:
    """The court is asked for a new key, and answers."""
    run.desk.rekey(role, NEW.public)
    run.desk.accept(answers.rekeyed(run.court, granted))


def next_key(run: Run, role: Role) -> None:
    """The new key speaks for its party, which is asked again."""
    run.parties[role].key = NEW
    assert run.advance()


@OLD_AND_NEW
def test_an_open_question_is_void_and_the_new_key_is_asked_again(
    small_corpus: Corpus, tmp_path: Path, role: Role, kind: str
) -> None:
    for name in ("at once", "again"):
        with start(small_corpus, tmp_path / name) as run:
            held = run_until(run, role, kind)
            rekeyed(run, role)
            with refusal(run, "has granted .* a new key since, which must answer the question that Trent asks again"):
                run.desk.accept(held)
            if name == "at once":
                next_key(run, role)
                run.run()
        if name == "again":
            with start(small_corpus, tmp_path / name) as run:
                assert run.state.void.keys() == {role}
                next_key(run, role)
                assert run.state.awaits[role].kind == kind
                with refusal(run, "a new key since"):
                    run.desk.accept(resigned(run, held))
                run.run()
    assert court_copy(tmp_path / "at once") == court_copy(tmp_path / "again")
    read = summary.read(tmp_path / "again")
    assert read.keys == read.opening.keys | {role: NEW.public}
    assert read.skipped == (role is Role.ALICE)


def test_trent_does_nothing_but_ask_again_while_a_question_is_void(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "labels")
        rekeyed(run, Role.BOB)
        for refused in (lambda: run.desk.amend(2), run.desk.late, run.desk.conclude):
            with refusal(run, "others must answer first: Trent must ask again for Bob's labels"):
                refused()
        with refusal(run, "Bob is not in default"):
            run.desk.default(Role.BOB, run.desk.log.history.head)
        next_key(run, Role.BOB)
        run.desk.default(Role.BOB, run.desk.log.history.head)


def test_one_party_is_asked_again_while_another_still_owes_its_answer(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.ALICE, "link")
        assert run.state.awaits.keys() == {Role.ALICE, Role.BOB}
        rekeyed(run, Role.ALICE)
        next_key(run, Role.ALICE)
        assert run.state.awaits.keys() == {Role.ALICE, Role.BOB}
        assert run.state.skipped == 0
        run.run()
        assert run.state.concluded


def test_each_new_key_of_alice_while_she_owes_a_report_skips_a_draw_for_all_three(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        held = run_until(run, Role.ALICE, "report")
        before = run.state.draws
        rekeyed(run, Role.ALICE)
        run.desk.rekey(Role.ALICE, OTHER.public)
        run.desk.accept(answers.rekeyed(run.court, True))
        assert (run.state.draws, run.state.skipped) == (before + 2, 2)
        run.alice.key = OTHER
        assert run.advance()
        report = run.alice.answer()
        assert report.signed.statement.content["draw"] == before + 3 == held.signed.statement.content["draw"] + 2
        run.desk.accept(report)
        assert run.bob.answer().signed.statement.content["draw"] == before + 3
        run.run()
        assert run.state.concluded
        draws = [each["draw"] for each in contents(tmp_path / "matter", "closed")]
        assert draws == sorted(set(draws))
        assert draws[0] == before + 3


def test_no_draw_is_skipped_for_bob_a_seed_draw_or_a_report_on_record(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "link")
        rekeyed(run, Role.BOB)
        next_key(run, Role.BOB)
        run_until(run, Role.BOB, "link")
        run.step()
        held = run_until(run, Role.BOB, "link")
        run.desk.rekey(Role.ALICE, OTHER.public)
        run.desk.accept(answers.rekeyed(run.court, True))
        run.alice.key = OTHER
        assert run.state.skipped == 0
        run.desk.accept(held)


def test_a_key_of_alice_that_costs_a_draw_is_refused_if_there_is_none_to_spare(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with start(small_corpus, tmp_path / "matter", rounds=128) as run:
        assert run.state.free_draws == run.state.terms.draws - 256
        run_until(run, Role.ALICE, "report")
        assert run.state.free_draws == run.state.terms.draws - 256  # one is spent, one is owed
        run.state.draws += run.state.free_draws
        with refusal(run, "costs one draw, and the terms have none to spare"):
            run.desk.rekey(Role.ALICE, NEW.public)
        run.desk.rekey(Role.BOB, NEW.public)


@OLD_AND_NEW
def test_denied_the_old_key_stays(small_corpus: Corpus, tmp_path: Path, role: Role, kind: str) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        held = run_until(run, role, kind)
        rekeyed(run, role, granted=False)
        old, run.parties[role].key = run.parties[role].key, NEW
        with refusal(run, "not signed by the key"):
            run.desk.accept(resigned(run, held))
        run.parties[role].key = old
        run.desk.accept(held)
        run.run()
        assert run.state.keys == run.state.opening.keys


def test_a_new_key_may_come_while_nobody_must_answer(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        while not run.state.closed:
            run.step()
        rekeyed(run, Role.ALICE)
        run.alice.key = NEW
        run.run()
        assert run.state.concluded


def test_evidence_is_signed_by_the_key_of_the_answer_on_record_while_that_is_in_force(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    """An old key may be in anybody's hands, and a new one never answered the question."""
    with start(small_corpus, tmp_path / "matter") as run:
        first = run_until(run, Role.BOB, "labels")
        run.step()
        labels = [not label for label in first.signed.statement.content["labels"]]
        second = resigned(run, first, content={"labels": labels})
        run.desk.keep_as_evidence(second.signed, run.trent.seal)
        while run.state.awaits:
            run.step()
        rekeyed(run, Role.BOB)
        for _ in ("the former key", "the new key"):
            with refusal(run, "Bob got a new key since the answer of entry"):
                run.desk.keep_as_evidence(second.signed, run.trent.seal)
            run.bob.key = NEW
            second = resigned(run, second)


def test_an_earlier_checkpoint_is_cosigned_by_the_key_of_its_time(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with start(small_corpus, path) as run:
        run_until(run, Role.BOB, "labels")
        log = run.desk.log
        log.checkpoint()
        earlier, size = log.history.state(), log.history.size
        old = run.bob.key
        rekeyed(run, Role.BOB)
        with pytest.raises(Refused, match="not Bob's signature of the checkpoint"):
            log.cosign(size, Role.BOB, checkpoints.cosign(earlier, Role.BOB, NEW, EPOCH))
        log.cosign(size, Role.BOB, checkpoints.cosign(earlier, Role.BOB, old, EPOCH))
        log.checkpoint()
        now = log.history.state()
        with pytest.raises(Refused, match="not Bob's signature of the checkpoint"):
            log.cosign(now.size, Role.BOB, checkpoints.cosign(now, Role.BOB, old, EPOCH))
        log.cosign(now.size, Role.BOB, checkpoints.cosign(now, Role.BOB, NEW, EPOCH))
    reader = MatterReader(path)
    assert list(reader)
    assert reader.checkpoints == [(size, [Role.BOB, Role.TRENT]), (now.size, [Role.BOB, Role.TRENT])]


@pytest.mark.parametrize(
    ("role", "key", "reason"),
    [
        (Role.COURT, lambda run: NEW, "court's key is never replaced"),
        (Role.TRENT, lambda run: NEW, "Trent's key is never replaced"),
        (Role.BOB, lambda run: run.plan.key(Role.BOB), "already belongs to a party"),
        (Role.BOB, lambda run: run.plan.key(Role.ALICE), "already belongs to a party"),
        (Role.ALICE, lambda run: run.plan.key(Role.TRENT), "already belongs to a party"),
    ],
)
def test_a_key_that_may_not_be_given_is_not_proposed(
    small_corpus: Corpus, tmp_path: Path, role: Role, key: Callable[[Run], SigningKey], reason: str
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "labels")
        with refusal(run, reason):
            run.desk.rekey(role, key(run).public)


def test_no_new_key_before_all_have_signed_or_while_the_court_must_answer(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        for _ in range(3):
            with refusal(run, "others must answer first"):
                run.desk.rekey(Role.BOB, NEW.public)
            run.step()
        run_until(run, Role.COURT, "rulings")
        with refusal(run, "others must answer first"):
            run.desk.rekey(Role.BOB, NEW.public)


@pytest.mark.parametrize("changed", [{"role": "alice"}, {"key": SigningKey(bytes(32)).public.hex()}, {"granted": 1}])
def test_the_court_grants_the_key_that_it_was_asked_for(
    small_corpus: Corpus, tmp_path: Path, changed: dict[str, Any]
) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        run_until(run, Role.BOB, "labels")
        run.desk.rekey(Role.BOB, NEW.public)
        right = answers.rekeyed(run.court, True)
        with refusal(run, "court's rekeyed"):
            run.desk.accept(resigned(run, right, content=right.signed.statement.content | changed))
        run.desk.accept(right)


def vote(run: Run, rounds: int, **votes: bool) -> None:
    """All are asked for another number of rounds; who does not say otherwise accepts."""
    run.desk.amend(rounds)
    for role in (Role.COURT, Role.BOB, Role.ALICE):
        run.desk.accept(answers.amended(run.parties[role], votes.get(role, True)))


@pytest.mark.parametrize(("rounds", "held"), [(1, 1), (2, 2), (4, 4)])
def test_the_rounds_that_all_accept_are_held(small_corpus: Corpus, tmp_path: Path, rounds: int, held: int) -> None:
    for name in ("at once", "again"):
        with start(small_corpus, tmp_path / name) as run:
            while not run.state.closed:
                run.step()
            vote(run, rounds)
            if name == "at once":
                run.run()
        if name == "again":
            with start(small_corpus, tmp_path / name) as run:
                run.run()
        assert run.state.concluded
        assert len(claims.claims(run.state).rounds) == held
        assert run.state.opening.terms.rounds == 3
    assert court_copy(tmp_path / "at once") == court_copy(tmp_path / "again")


@pytest.mark.parametrize("role", [Role.ALICE, Role.BOB, Role.COURT])
def test_one_who_rejects_is_enough(small_corpus: Corpus, tmp_path: Path, role: Role) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        while not run.state.closed:
            run.step()
        vote(run, 1, **{role: False})
        assert run.state.terms == run.state.opening.terms
        run.run()
        assert run.state.concluded
        assert len(claims.claims(run.state).rounds) == 3


@pytest.mark.parametrize("role", [Role.ALICE, Role.BOB])
def test_who_is_silent_does_not_accept(small_corpus: Corpus, tmp_path: Path, role: Role) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        while not run.state.closed:
            run.step()
        run.desk.amend(1)
        for other in {Role.ALICE, Role.BOB, Role.COURT} - {role}:
            run.desk.accept(answers.amended(run.parties[other], True))
        run.desk.default(role, run.desk.log.history.head)
        run.desk.accept(answers.order(run.court, True))
        assert run.state.amendment is None
        assert run.state.terms.rounds == 3
        run.run()
        assert len(run.state.rounds) == 3


def test_an_amendment_is_not_in_force_before_all_have_answered(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        while not run.state.closed:
            run.step()
        run.desk.amend(1)
        run.desk.accept(answers.amended(run.alice, True))
        run.desk.accept(answers.amended(run.bob, True))
        assert run.state.terms.rounds == 3
        assert not run.advance()
        run.desk.accept(answers.amended(run.court, True))
        assert run.state.terms.rounds == 1


def test_the_last_round_may_be_followed_by_more_until_the_claims_are_made(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter", rounds=1) as run:
        while not run.state.closed:
            run.step()
        vote(run, 2)
        vote(run, 3)
        run.run()
        assert len(run.state.rounds) == 3
        with refusal(run, "may not come here"):
            run.desk.amend(4)


def test_amendments_have_limits(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "matter") as run:
        with refusal(run, "others must answer first"):
            run.desk.amend(4)
        run_until(run, Role.ALICE, "link")
        with refusal(run, "others must answer first"):
            run.desk.amend(4)
        while len(run.state.closed) < 2:
            run.step()
        for rounds, reason in ((3, "3 rounds are agreed on already"), (1, "only 2 to 256"), (257, "only 2 to 256")):
            with refusal(run, reason):
                run.desk.amend(rounds)
        vote(run, 256)
        vote(run, 2)


def test_a_round_that_has_begun_is_held(small_corpus: Corpus, tmp_path: Path) -> None:
    """A draw begins one, and so does a batch."""
    with start(small_corpus, tmp_path / "matter", query="", batch=1) as run:
        while not run.state.closed:
            run.step()
        run_until(run, Role.BOB, "link")
        run.step()
        assert run.state.begun == 2
        with refusal(run, "only 2 to 256"):
            run.desk.amend(1)
        vote(run, 2)
        run.run()
        assert len(run.state.rounds) == 2
