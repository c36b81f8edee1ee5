"""`run` carries a matter through a mailbox: who must answer finds the question, and who has answered gets a receipt."""

import threading
import time
from collections.abc import Callable

import pytest

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.box import sealing
from protocol.exchange import answer_file
from protocol.exchange.at_work import AtWork
from protocol.exchange.keeping import Keep
from protocol.operating import loop
from protocol.operating.asking import Asker
from tests.support.exchange_cases import Table
from tests.support.operated import Operated


def test_whoever_must_answer_finds_the_question_and_nobody_else_does(table: Table) -> None:
    table.open()
    operated = Operated(table)
    operated.go()
    assert operated.asked() == {Role.ALICE: "agreed-for-alice", Role.BOB: "agreed-for-bob"}


def test_a_whole_matter_goes_through_the_mailbox(table: Table) -> None:
    table.open(rounds=1)
    operated = Operated(table)
    for _ in range(40):
        standing = operated.go().standing
        if standing.over:
            break
        for role in operated.asked():
            operated.answer(role)
    assert standing.over
    assert operated.asked() == {}
    assert "disclosure" in operated.kinds()
    assert operated.kinds().count("closed") == 1


def test_an_accepted_answer_gets_a_signed_receipt_with_its_entry(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    answer = operated.answer(Role.ALICE)
    assert operated.receipt(Role.ALICE, answer) is None
    operated.go()
    receipt = operated.receipt(Role.ALICE, answer)
    assert receipt is not None
    assert (receipt.outcome, receipt.role) == ("accepted", Role.ALICE)
    assert receipt.entry is not None
    assert operated.kinds()[receipt.entry] == "report"


def test_a_question_is_taken_away_once_it_is_answered(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    (before,) = operated.names(Role.ALICE)
    operated.answer(Role.ALICE)
    operated.go()
    assert before not in operated.names(Role.ALICE)


def test_whoever_has_a_receipt_does_not_find_the_question_any_more(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    posted = operated.answer(Role.ALICE)
    with operated.run().opened() as at:
        at._take()  # and nothing after it
        assert operated.receipt(Role.ALICE, posted) is not None
        assert operated.names(Role.ALICE) == []


def test_a_question_that_is_there_is_not_written_again(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    (name,) = operated.names(Role.ALICE)
    with operated.box.question(operated.matter, Role.ALICE, name) as stream:
        before = stream.read()
    operated.go()
    assert operated.names(Role.ALICE) == [name]
    with operated.box.question(operated.matter, Role.ALICE, name) as stream:
        assert stream.read() == before


def test_an_answer_posted_twice_is_on_record_once_and_both_get_the_same_entry(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    data = answer_file.encode(operated.truthful(Role.ALICE))
    first, second = operated.post(Role.ALICE, data), operated.post(Role.ALICE, data)
    operated.go()
    receipts = [operated.receipt(Role.ALICE, each) for each in (first, second)]
    assert [each and (each.outcome, each.entry) for each in receipts] == [("accepted", receipts[0].entry)] * 2  # type: ignore[union-attr]
    assert operated.kinds().count("report") == 1


@pytest.mark.parametrize("data", [b"", b"{}", b'{"answer":', b'{"objection":{}}', b'{"signature":"00"}', b"\xff" * 100])
def test_what_is_no_answer_is_refused_with_the_reason_and_changes_nothing(reporting: Table, data: bytes) -> None:
    operated = Operated(reporting)
    operated.go()
    before = operated.record()
    posted = operated.post(Role.ALICE, data)
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"
    assert "refused: " in receipt.words
    assert operated.record() == before


def test_an_answer_that_was_damaged_in_the_mailbox_can_be_sent_again(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    sealed = sealing.sealed(answer_file.encode(operated.truthful(Role.ALICE)), reporting.keys[Role.TRENT].public)

    def sent() -> Digest:
        incoming = operated.box.incoming(operated.matter, Role.ALICE)
        incoming.write(sealed)
        answer, new = incoming.placed()
        incoming.close()
        assert new
        return answer

    posted = sent()
    (path,) = operated.box.root.rglob(f"{posted.hex()}.sealed")
    path.write_bytes(sealed[:-1])
    operated.go()
    assert operated.receipt(Role.ALICE, posted) is None
    assert not operated.box.has(operated.matter, Role.ALICE, posted)
    (said,) = [line for line in operated.said if "damaged" in line]
    assert str(operated.box.root) not in said
    assert sent() == posted
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "accepted"


def test_an_answer_that_is_sealed_for_another_key_is_refused(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    incoming = operated.box.incoming(operated.matter, Role.ALICE)
    incoming.write(sealing.sealed(b"{}", reporting.keys[Role.BOB].public))
    posted, _ = incoming.placed()
    incoming.close()
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"


def test_an_answer_that_another_party_posts_is_refused(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    posted = operated.post(Role.BOB, answer_file.encode(operated.truthful(Role.ALICE)))
    operated.go()
    receipt = operated.receipt(Role.BOB, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"
    assert "report" not in operated.kinds()[-1]


def test_bytes_that_are_not_sealed_for_trent_are_refused(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    incoming = operated.box.incoming(operated.matter, Role.ALICE)
    incoming.write(b"not sealed at all")
    posted, _ = incoming.placed()
    incoming.close()
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "refused"


def test_an_answer_that_came_by_mail_and_was_accepted_by_the_command_goes_on_in_the_mailbox(reporting: Table) -> None:
    operated = Operated(reporting)
    operated.go()
    reporting.accept(operated.truthful(Role.ALICE))
    operated.go()
    assert "report" not in operated.asked().get(Role.ALICE, "")


def test_other_commands_say_that_run_has_the_matter(reporting: Table) -> None:
    operated = Operated(reporting)
    with operated.run().opened(), pytest.raises(AtWork, match="tallystick run"):
        reporting.office()


def test_a_second_run_is_refused(reporting: Table) -> None:
    operated = Operated(reporting)
    with operated.run().opened(), pytest.raises(Refused, match="tallystick run"), operated.run().opened():
        pass


def test_the_office_opens_again_when_run_has_ended(reporting: Table) -> None:
    Operated(reporting).go()
    with reporting.office() as office:
        assert office.state.size


def _fails(*_: object) -> None:
    raise Refused("the disk is full")


def test_an_answer_is_not_refused_because_the_disk_is_full(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.open()
    operated = Operated(table)
    operated.go()
    posted = operated.answer(Role.ALICE)
    with monkeypatch.context() as patched:
        patched.setattr(Keep, "deposit", _fails)
        with pytest.raises(Refused, match="the disk is full"):
            operated.go()
    assert operated.receipt(Role.ALICE, posted) is None
    operated.go()
    receipt = operated.receipt(Role.ALICE, posted)
    assert receipt is not None
    assert receipt.outcome == "accepted"


def test_trouble_after_the_start_is_told_and_tried_again(reporting: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "PAUSE", 0.02)
    operated = Operated(reporting)
    run = operated.run()
    thread = threading.Thread(target=run.forever, daemon=True)
    thread.start()
    _until(lambda: bool(run.standing.asked))
    with monkeypatch.context() as patched:
        patched.setattr(Asker, "fill", _fails)
        operated.answer(Role.ALICE)
        _until(lambda: "the disk is full" in run.standing.trouble)
        with pytest.raises(Refused, match="nothing was done: the disk is full"):
            run.order(lambda _: None)
    _until(lambda: not run.standing.trouble)
    _until(lambda: "report" not in operated.asked().get(Role.ALICE, ""))
    run.stop()
    thread.join(90)
    assert not thread.is_alive()


def test_trouble_at_the_start_ends_the_program(reporting: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asker, "fill", _fails)
    with pytest.raises(Refused, match="the disk is full"):
        Operated(reporting).run().forever()


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
