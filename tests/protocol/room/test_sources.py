"""Where questions come from, and where answers go."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.box import notices, sealing
from protocol.box.client import Letter, Place, Waiting
from protocol.box.errors import NotThere
from protocol.box.notices import SignedReceipt
from protocol.errors import ProtocolError
from protocol.exchange import answer_file, objection_file, question_file
from protocol.parties import wish
from protocol.parties.errors import BadQuestion
from protocol.room import mailbox
from protocol.room.mailbox import BoxSource
from protocol.room.room import Room
from protocol.room.sources import FolderSource, SingleSource
from tests.support.asgi import Browser
from tests.support.exchange_cases import Table
from tests.support.forging.questions import signed_again
from tests.support.rooms import browser_of, mark, only


def test_folders_and_zips_are_questions_and_everything_else_is_not(table: Table, tmp_path: Path) -> None:
    (question,) = table.questions().values()
    folder = tmp_path / "inbox"
    folder.mkdir()
    (folder / "notes.txt").write_text("hello")
    (folder / "holiday.zip").write_bytes(b"PK\x03\x04 nothing")
    (folder / "empty").mkdir()
    assert FolderSource(folder).waiting() == []
    shutil.copytree(question, folder / question.name)
    (found,) = FolderSource(folder).waiting()
    assert found.title == "Round 1: Label the documents"
    assert FolderSource(folder, Role.BOB).waiting() == []


def test_a_question_that_was_sent_twice_is_one(table: Table, tmp_path: Path) -> None:
    (question,) = table.questions().values()
    folder = tmp_path / "inbox"
    for name in ("first", "second"):
        shutil.copytree(question, folder / name)
    assert len(FolderSource(folder).waiting()) == 1


def test_an_answer_is_written_once_and_never_overwritten(table: Table, tmp_path: Path) -> None:
    (question,) = table.questions().values()
    source = FolderSource(question.parent, Role.ALICE)
    (name,) = [each.id for each in source.waiting() if "Label" in each.title]
    for answer in (b"one", b"one", b"two", b"two", b"one"):
        source.send(name, answer)
    written = sorted(path.name for path in (question.parent / "answers").iterdir())
    assert written == [f"{question.stem}-2.answer", f"{question.stem}.answer"]


def test_a_single_question_has_its_answer_beside_it(table: Table) -> None:
    (question,) = table.questions().values()
    source = SingleSource(question)
    (found,) = source.waiting()
    source.send(found.id, b"answer")
    assert (question.parent / f"{question.stem}.answer").read_bytes() == b"answer"


def test_what_is_no_question_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"nothing")
    with pytest.raises(BadQuestion):
        SingleSource(tmp_path / "x.zip")
    with pytest.raises(Refused, match="is not a folder"):
        FolderSource(tmp_path / "x.zip")


@dataclass
class FakeBox:
    """A mailbox without a network: `cut` cuts it."""

    origin: str = "https://trent.example"
    listed: dict[Waiting, Path] = field(default_factory=dict)
    letters: dict[Digest, bytes] = field(default_factory=dict)
    said: dict[Digest, SignedReceipt] = field(default_factory=dict)
    cut: bool = False

    def _reach(self) -> None:
        if self.cut:
            raise ProtocolError("https://trent.example cannot be reached")

    def questions(self) -> list[Waiting]:
        self._reach()
        return list(self.listed)

    def fetch(self, waiting: Waiting, out: Path) -> None:
        self._reach()
        shutil.copy(self.listed[waiting], out)

    def send(self, place: Place, letter: Letter) -> None:
        self._reach()
        self.letters[letter.answer] = letter.data

    def receipt(self, place: Place, answer: Digest, trent: PublicKey) -> SignedReceipt | None:
        self._reach()
        if answer not in self.letters:
            raise NotThere("no such answer")
        return self.said.get(answer)


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> FakeBox:
    monkeypatch.setattr(mailbox, "EVERY", 0.0)
    return FakeBox()


def posted(table: Table, box: FakeBox, tmp_path: Path) -> None:
    """What Trent asks now, in the mailbox."""
    with table.office() as office:
        from protocol.exchange import run

        for each in run.questions(office, table.corpus, tmp_path / "packed", packed=True, everything=True):
            asked = question_file.read_request(each.path)
            place = Place(matter=asked.matter, role=asked.role)
            evil = Waiting(place=place, name="../../evil", size=1, sha256=Digest(bytes(32)), put=1_700_000_000)
            box.listed[evil] = each.path


def room(table: Table, box: FakeBox) -> Room:
    def made(*_: object) -> BoxSource:
        return BoxSource(box, table.key_file(Role.ALICE))

    return Room(table.key_file(Role.ALICE), made)


def test_a_question_from_the_mailbox_is_answered_into_it(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    browser = browser_of(alice)
    name = only(alice, "report")
    browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": False for place in range(1, 9)}})
    box.cut = True
    assert browser.post(f"/q/{name}/sign", mark=mark(browser.get(f"/q/{name}/sign"))).status == 303
    assert "could not be sent yet" in browser.get(f"/q/{name}/receipt").text
    assert box.letters == {}
    assert "cannot be reached" in browser.get("/").text
    again = room(table, box)  # the program was stopped, and the network is still cut
    assert [each.answered for each in again.items()] == [True]
    box.cut = False
    again.look_around()
    again.look_around()
    assert len(box.letters) == 1
    (letter,) = box.letters
    trent = table.keys[Role.TRENT]
    reply = answer_file.decode(sealing.unsealed(box.letters[letter], trent), "the letter")
    assert "has not read it yet" in again.items()[0].receipt
    table.accept(reply)
    words = "accepted: the report of round 1, entry 9 of the record"
    box.said[letter] = notices.receipt(trent, reply.matter, Role.ALICE, letter, accepted=True, words=words, entry=9)
    assert again.items()[0].receipt == "Accepted: the report of round 1, entry 9 of the record"
    box.cut = True
    kept = room(table, box)
    assert kept.items()[0].receipt == "Accepted: the report of round 1, entry 9 of the record"
    given = browser_of(kept).get(f"/q/{name}/receipt.json").body
    assert notices.read_receipt(given, "the file", trent.public).receipt.entry == 9


def test_what_was_answered_can_be_removed_from_this_computer(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    browser = browser_of(alice)
    name = only(alice, "report")
    (matter,) = alice.wishing()
    assert "no question that was answered" in browser.get("/settings").text
    browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": False for place in range(1, 9)}})
    browser.post(f"/q/{name}/sign", mark=mark(browser.get(f"/q/{name}/sign")))
    assert "no question that was answered" in browser.get("/settings").text  # Trent has not taken it
    trent, (letter,) = table.keys[Role.TRENT], box.letters
    box.said[letter] = notices.receipt(trent, matter, Role.ALICE, letter, accepted=True, words="accepted", entry=9)
    browser.get("/")
    assert "1 answered question" in browser.get("/settings").text
    assert browser.post(f"/remove/{matter.hex()}").status == 303
    assert list(table.folder.rglob("mail/*.zip")) == []
    assert list(table.folder.rglob("mail/*.receipt"))
    assert list(table.folder.rglob("receipts/*.txt"))
    box.listed.clear()
    assert alice.items() == []
    assert browser.post("/remove/nothing").status == 409


def _reported(table: Table, box: FakeBox, tmp_path: Path) -> tuple[Room, Browser, str]:
    """Alice's room, after she has signed and sent her report."""
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    browser = browser_of(alice)
    name = only(alice, "report")
    browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": False for place in range(1, 9)}})
    assert browser.post(f"/q/{name}/sign", mark=mark(browser.get(f"/q/{name}/sign"))).status == 303
    return alice, browser, name


def test_an_answer_that_trent_refused_waits_and_is_sealed_anew(table: Table, box: FakeBox, tmp_path: Path) -> None:
    alice, browser, name = _reported(table, box, tmp_path)
    trent, (first,) = table.keys[Role.TRENT], box.letters
    (matter,) = alice.wishing()
    refused = notices.receipt(trent, matter, Role.ALICE, first, accepted=False, words="refused: damaged", entry=None)
    box.said[first] = refused
    assert [each.answered for each in alice.items()] == [False]
    assert "Your answer was not taken. Refused: damaged" in browser.get("/").text
    room(table, box).look_around()  # a new start sends nothing again by itself
    assert list(box.letters) == [first]
    assert browser.post(f"/q/{name}/sign", mark=mark(browser.get(f"/q/{name}/sign"))).status == 303
    _, second = box.letters
    box.said[second] = notices.receipt(
        trent, matter, Role.ALICE, second, accepted=False, words="refused: x", entry=None
    )
    assert [each.answered for each in alice.items()] == [False]
    assert browser.post(f"/q/{name}/sign", mark=mark(browser.get(f"/q/{name}/sign"))).status == 303
    assert len(box.letters) == 3
    assert sealing.unsealed(box.letters[first], trent) == sealing.unsealed(box.letters[second], trent)
    assert [each.answered for each in alice.items()] == [True]
    assert "no question that was answered" in browser.get("/settings").text


def test_the_button_that_signs_may_be_pressed_twice(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    browser = browser_of(alice)
    name = only(alice, "report")
    browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": False for place in range(1, 9)}})
    shown = mark(browser.get(f"/q/{name}/sign"))
    assert [browser.post(f"/q/{name}/sign", mark=shown).status for _ in range(2)] == [303, 303]
    assert len(box.letters) == 1


def test_a_report_that_was_sent_stands_in_a_room_with_a_folder_too(table: Table, box: FakeBox, tmp_path: Path) -> None:
    _reported(table, box, tmp_path)
    folder = tmp_path / "by-mail"
    folder.mkdir()
    shutil.copy(next(iter(box.listed.values())), folder)
    other = Room(table.key_file(Role.ALICE), lambda *_: FolderSource(folder))
    ((name,), browser) = [each.waiting.id for each in other.items()], browser_of(other)
    browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": True for place in range(1, 9)}})
    assert "was sent, so it must stand" in browser.get(f"/q/{name}/sign?replace").text


def test_a_question_that_cannot_be_fetched_hides_no_other(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    ((good, path),) = box.listed.items()
    bad = Waiting(place=good.place, name="a", size=1, sha256=Digest(bytes(32)), put=1)
    box.listed = {bad: tmp_path / "missing", good: path}
    alice = room(table, box)
    assert len(alice.items()) == 1
    assert "missing" in browser_of(alice).get("/").text


def test_after_a_withdrawal_the_folder_names_the_new_file(table: Table, tmp_path: Path) -> None:
    (question,) = table.questions().values()
    alice = Room(table.key_file(Role.ALICE), lambda *_: FolderSource(question.parent, Role.ALICE))
    browser, name = browser_of(alice), only(alice, "report")
    for label, how in ((False, ""), (True, "?replace")):
        browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": label for place in range(1, 9)}})
        replacing = {"replacing": "yes"} if how else {}
        shown = mark(browser.get(f"/q/{name}/sign{how}"))
        assert browser.post(f"/q/{name}/sign{how}", mark=shown, **replacing).status == 303
    assert f"Send {question.stem}-2.answer" in browser.get(f"/q/{name}/receipt").text


def test_a_report_that_was_sent_cannot_be_withdrawn(table: Table, box: FakeBox, tmp_path: Path) -> None:
    _, browser, name = _reported(table, box, tmp_path)
    browser.fetch(f"/q/{name}/cells", {"cells": {"label/1": True}})
    offered = browser.get(f"/q/{name}/sign")
    assert offered.status == 409
    assert "sign?replace" not in offered.text
    assert "was sent, so it must stand" in browser.get(f"/q/{name}/sign?replace").text
    assert "was sent, so it must stand" in browser.post(f"/q/{name}/sign?replace", mark="x", replacing="yes").text
    assert len(box.letters) == 1


def test_an_objection_goes_into_the_mailbox_too(table: Table, box: FakeBox, tmp_path: Path) -> None:
    question = table.until(Role.ALICE, "report")
    forged = signed_again(table, question, {"documents/0001-r9-other.txt": b"something"})
    asked = question_file.read_request(forged)
    place = Place(matter=asked.matter, role=asked.role)
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", forged))
    box.listed[Waiting(place=place, name="x", size=1, sha256=Digest(bytes(32)), put=1)] = packed
    alice = room(table, box)
    browser = browser_of(alice)
    name = only(alice, "report")
    done = browser.post(f"/q/{name}/object")
    assert "It was sent to Trent, through https://trent.example." in done.text
    (letter,) = box.letters.values()
    found = objection_file.decode(sealing.unsealed(letter, table.keys[Role.TRENT]), "the letter")
    assert found.objection.role is Role.ALICE
    box.cut = True
    assert "could not be sent to Trent" in browser.post(f"/q/{name}/object").text


def test_a_mailbox_that_lost_a_letter_gets_the_same_one_again(table: Table, box: FakeBox, tmp_path: Path) -> None:
    alice, *_ = _reported(table, box, tmp_path)
    before = dict(box.letters)
    box.letters.clear()
    alice.items()
    assert box.letters == before


def test_a_question_that_trent_took_back_is_not_asked_any_more(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    assert len(alice.items()) == 1
    box.listed.clear()
    assert alice.items() == []


def test_nothing_that_the_mailbox_says_becomes_the_name_of_a_file(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    room(table, box).items()
    assert not list(table.folder.rglob("*evil*"))


def test_alice_asks_for_late_claims_and_for_documents_back_through_the_mailbox(
    table: Table, box: FakeBox, tmp_path: Path
) -> None:
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    browser = browser_of(alice)
    browser.get("/")
    (matter,) = alice.wishing()
    for wanted, words in (("late", "Late claims of privilege"), ("clawback", "Documents back from Bob")):
        assert words in browser.get("/").text
        assert "The wish is no part of the record" in browser.get(f"/wish/{wanted}/{matter.hex()}").text
        assert "Signed, and left in Trent" in browser.post(f"/wish/{wanted}/{matter.hex()}").text
        (letter,) = box.letters.values()
        found = wish.read(sealing.unsealed(letter, table.keys[Role.TRENT]), matter, table.keys[Role.ALICE].public)
        assert found.wanted == wanted
        box.letters.clear()
    assert browser.post(f"/wish/anything/{matter.hex()}").status == 409
    assert browser.post(f"/wish/late/{'00' * 32}").status == 409
    assert box.letters == {}
