"""The folder BOX: every file whole or not at all, nothing replaced, and nothing done twice."""

import io
import os
import signal
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.box import sealing
from protocol.box.errors import BadBox, BadSeal, DamagedAnswer, NotThere
from protocol.box.filling import Arrived, Clerk
from protocol.box.layout import Mailbox, question_name
from tests.support.boxes import ENTRY, KEYS, MATTER, OTHER_MATTER, PUBLIC, STRANGER, TRENT, clerk, question
from tests.support.killing import _die_at


def post(box: Mailbox, data: bytes, role: Role = Role.BOB) -> tuple[Digest, bool]:
    incoming = box.incoming(MATTER, role)
    try:
        incoming.write(data[:3])
        incoming.write(data[3:])
        return incoming.placed()
    finally:
        incoming.close()


def visible(folder: Path) -> list[str]:
    """All files but the hidden ones."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")


def test_a_folder_with_other_files_is_no_mailbox(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("hello")
    with pytest.raises(BadBox, match="not a mailbox"):
        Mailbox.made(tmp_path)
    assert visible(tmp_path) == ["letter.txt"]


def test_a_mailbox_of_another_format_is_refused(tmp_path: Path) -> None:
    Mailbox.made(tmp_path)
    (tmp_path / "box.json").write_text('{"format":2}\n')
    with pytest.raises(BadBox, match="format"):
        Mailbox.opened(tmp_path)


def test_a_mailbox_is_made_once_and_found_again(tmp_path: Path) -> None:
    assert Mailbox.made(tmp_path / "a/b") == Mailbox.made(tmp_path / "a/b") == Mailbox.opened(tmp_path / "a/b")


def test_a_question_is_sealed_for_its_party_alone(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    name = question(held, Role.BOB, b"secret")
    assert name == f"1-report-for-bob-{ENTRY.hex()}"
    with held.box.question(MATTER, Role.BOB, name) as file:
        data = file.read()
    assert b"secret" not in data
    assert sealing.unsealed(data, KEYS[Role.BOB]) == b"secret"
    with pytest.raises(BadSeal):
        sealing.unsealed(data, KEYS[Role.ALICE])
    assert held.waiting(Role.ALICE) == []
    with pytest.raises(NotThere):
        held.box.question(MATTER, Role.ALICE, name)


def test_a_question_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    name = question(held, Role.BOB, b"first")
    before = (tmp_path / MATTER.hex() / "bob/questions" / f"{name}.sealed").read_bytes()
    assert question(held, Role.BOB, b"second") == name
    assert (tmp_path / MATTER.hex() / "bob/questions" / f"{name}.sealed").read_bytes() == before
    assert question(held, Role.BOB, b"second", entry=MATTER) != name
    assert len(held.waiting(Role.BOB)) == 2
    held.withdraw(Role.BOB, name)
    held.withdraw(Role.BOB, name)
    assert held.waiting(Role.BOB) == [question_name("1-report-for-bob", MATTER)]


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a.b", "A", "-a", "a" * 201, "a\n", "ä", "a\0"])
def test_a_name_that_leads_elsewhere_is_no_question(tmp_path: Path, name: str) -> None:
    held = clerk(tmp_path)
    with pytest.raises(NotThere):
        held.box.question(MATTER, Role.BOB, name)
    with pytest.raises(NotThere):
        held.box.put_question(MATTER, Role.BOB, name, io.BytesIO(b""), TRENT)


def test_a_question_may_come_from_a_file(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    (tmp_path / "package.zip").write_bytes(b"packed")
    name = held.put(Role.COURT, "order-for-court", ENTRY, tmp_path / "package.zip", PUBLIC[Role.COURT])
    with held.box.question(MATTER, Role.COURT, name) as file:
        assert sealing.unsealed(file.read(), KEYS[Role.COURT]) == b"packed"


def test_the_same_answer_twice_is_one_answer(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    data = sealing.sealed(b"my labels", TRENT)
    answer, new = post(held.box, data)
    assert new
    assert post(held.box, data) == (answer, False)
    assert held.arrived() == [Arrived(role=Role.BOB, answer=answer)]
    assert held.read(held.arrived()[0]) == b"my labels"


def test_the_same_answer_twice_at_the_same_time_is_one_answer(tmp_path: Path) -> None:
    box = clerk(tmp_path).box
    one, other = box.incoming(MATTER, Role.BOB), box.incoming(MATTER, Role.BOB)
    for each in (one, other):
        each.write(b"data")
    assert one.placed()[1]
    (answer,) = box.answers(MATTER, Role.BOB)
    assert box.answer(MATTER, Role.BOB, answer) == b"data", "it has its name, so it is whole"
    assert not other.placed()[1]
    one.close()
    other.close()
    assert len(box.answers(MATTER, Role.BOB)) == 1
    assert not list((tmp_path / MATTER.hex() / "bob/answers").glob(".*"))


def test_an_answer_that_was_broken_off_leaves_nothing(tmp_path: Path) -> None:
    box = clerk(tmp_path).box
    incoming = box.incoming(MATTER, Role.BOB)
    incoming.write(b"half of")
    assert box.answers(MATTER, Role.BOB) == []
    incoming.close()
    assert not list((tmp_path / MATTER.hex() / "bob/answers").iterdir())


def test_a_receipt_takes_the_answer_away_and_stands(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    data = sealing.sealed(b"my labels", TRENT)
    answer, _ = post(held.box, data)
    assert held.box.receipt(MATTER, Role.BOB, answer) is None
    held.accept(Arrived(role=Role.BOB, answer=answer), "labels", entry=4)
    first = held.box.receipt(MATTER, Role.BOB, answer)
    assert first is not None
    held.refuse(Arrived(role=Role.BOB, answer=answer), "no")
    assert held.box.receipt(MATTER, Role.BOB, answer) == first
    assert held.arrived() == []
    assert post(held.box, data) == (answer, False), "an answer that has a receipt does not come back"
    assert held.arrived() == []


def test_answers_come_in_the_order_in_which_they_were_sent(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    sent = [post(held.box, bytes([number]) * 10)[0] for number in range(5)]
    for number, answer in enumerate(sent):
        path = tmp_path / MATTER.hex() / "bob/answers" / f"{answer.hex()}.sealed"
        os.utime(path, ns=(number, number))
    assert [each.answer for each in held.arrived()] == sent


def test_an_answer_that_is_not_sealed_for_trent_or_was_damaged_is_told(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    post(held.box, sealing.sealed(b"x", STRANGER.public))
    (arrived,) = held.arrived()
    with pytest.raises(BadSeal, match="another key"):
        held.read(arrived)
    (tmp_path / MATTER.hex() / "bob/answers" / f"{arrived.answer.hex()}.sealed").write_bytes(b"y")
    with pytest.raises(BadBox, match="damaged"):
        held.read(arrived)
    held.refuse(arrived, "it cannot be read; send it again")
    assert held.arrived() == []


def test_a_damaged_answer_that_is_dropped_can_be_sent_again(tmp_path: Path) -> None:
    held, sealed = clerk(tmp_path), sealing.sealed(b"x", TRENT)
    post(held.box, sealed)
    (arrived,) = held.arrived()
    (tmp_path / MATTER.hex() / "bob/answers" / f"{arrived.answer.hex()}.sealed").write_bytes(sealed[:-1])
    with pytest.raises(DamagedAnswer):
        held.read(arrived)
    held.drop(arrived)
    assert held.arrived() == []
    assert not held.box.has(MATTER, Role.BOB, arrived.answer)
    post(held.box, sealed)
    assert held.read(arrived) == b"x"


def test_files_of_other_names_in_the_folder_are_no_questions_and_no_answers(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    for kind in ("questions", "answers"):
        folder = tmp_path / MATTER.hex() / "bob" / kind
        (folder / "notes.txt").write_bytes(b"")
        (folder / ".hidden.sealed").write_bytes(b"")
        (folder / "Upper.sealed").write_bytes(b"")
        (folder / "folder.sealed").mkdir()
        (folder / "link.sealed").symlink_to("/etc/passwd")
    assert held.waiting(Role.BOB) == []
    assert held.arrived() == []


def test_the_list_of_keys_is_replaced_when_a_key_changes(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    held.enrol(PUBLIC | {Role.BOB: STRANGER.public}, 9)
    found = held.box.parties(MATTER).parties
    assert (found.keys[Role.BOB], found.size) == (STRANGER.public, 9)
    with pytest.raises(NotThere):
        held.box.parties(OTHER_MATTER)
    assert held.box.matters() == [MATTER]


def test_a_disk_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    held = clerk(tmp_path)
    folder = tmp_path / MATTER.hex() / "bob/answers"
    folder.rmdir()
    with pytest.raises(Refused, match="cannot be written"):
        post(held.box, b"data")
    assert held.arrived() == []


def killed_at(step: int, action: Callable[[], object]) -> bool:
    """Whether a process that does this was killed right before its step on the disk."""
    child = os.fork()
    if not child:
        _die_at(step)
        try:
            action()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def fill(folder: Path) -> None:
    held = clerk(folder)
    question(held, Role.BOB, b"a question")
    held.enrol(PUBLIC, 2)


def answer_and_accept(folder: Path) -> None:
    held = Clerk(box=Mailbox.opened(folder), key=KEYS[Role.TRENT], matter=MATTER)
    if not held.box.has(MATTER, Role.BOB, Digest.parse(HASH)):
        post(held.box, b"an answer")
    held.enrol(PUBLIC, 1)
    for arrived in held.arrived():
        held.accept(arrived, "labels", entry=4)


HASH = sha256(b"an answer").hexdigest()


def test_a_process_that_fills_the_box_can_be_killed_at_any_step_and_go_on(tmp_path: Path) -> None:
    fill(tmp_path / "whole")
    for step in count(1):
        folder = tmp_path / str(step)
        if not killed_at(step, lambda folder=folder: fill(folder)):  # type: ignore[misc]
            break
        for name in visible(folder) if folder.exists() else ():
            assert (folder / name).stat().st_size == (tmp_path / "whole" / name).stat().st_size
        fill(folder)
        assert visible(folder) == visible(tmp_path / "whole")
        assert not list(folder.rglob(".*"))
    assert step > 10


def test_answers_and_receipts_survive_a_kill_at_any_step(tmp_path: Path) -> None:
    for step in count(1):
        folder = tmp_path / str(step)
        clerk(folder)
        if not killed_at(step, lambda folder=folder: answer_and_accept(folder)):  # type: ignore[misc]
            break
        Mailbox.opened(folder).sweep()
        answer_and_accept(folder)
        assert len(list((folder / MATTER.hex() / "bob/receipts").glob("*.json"))) == 1
        assert not list((folder / MATTER.hex() / "bob/answers").iterdir())
        assert not list(folder.rglob(".*"))
    assert step > 6
