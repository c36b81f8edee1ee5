"""Where questions come from, and where answers go."""

import shutil
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.errors import ProtocolError
from protocol.exchange import answer_file, question_file
from protocol.parties.errors import BadQuestion
from protocol.room import mailbox
from protocol.room.mailbox import BoxSource, Client
from protocol.room.room import Room
from protocol.room.sources import FolderSource, SingleSource
from tests.support.exchange_cases import Table
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


class NotThere(ProtocolError):
    pass


@dataclass(frozen=True, kw_only=True)
class Place:
    matter: Digest
    role: Role


@dataclass(frozen=True, kw_only=True)
class Listed:
    place: Place
    name: str
    sha256: Digest
    put: int
    path: Path


@dataclass(frozen=True)
class Letter:
    data: bytes

    @property
    def answer(self) -> Digest:
        return Digest(sha256(self.data).digest())


@dataclass(frozen=True)
class Said:
    outcome: str
    entry: int | None
    words: str


@dataclass
class FakeBox:
    """A mailbox without a network: `cut` cuts it."""

    origin: str = "https://trent.example"
    listed: list[Listed] = field(default_factory=list)
    letters: dict[Digest, bytes] = field(default_factory=dict)
    said: dict[Digest, Said] = field(default_factory=dict)
    cut: bool = False
    sealed: int = 0

    def _reach(self) -> None:
        if self.cut:
            raise ProtocolError("https://trent.example cannot be reached")

    def questions(self) -> list[Listed]:
        self._reach()
        return self.listed

    def fetch(self, waiting: Listed, out: Path) -> None:
        self._reach()
        shutil.copy(waiting.path, out)

    def send(self, place: Place, letter: Letter) -> None:
        self._reach()
        self.letters[letter.answer] = letter.data

    def receipt(self, place: Place, answer: Digest, trent: PublicKey) -> Said | None:
        self._reach()
        if answer not in self.letters:
            raise NotThere("no such answer")
        return self.said.get(answer)

    def seal(self, answer: bytes, trent: PublicKey) -> Letter:
        """Sealed anew each time, as the real one is."""
        self.sealed += 1
        return Letter(b"%d:" % self.sealed + answer)


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
            box.listed.append(
                Listed(place=place, name="../../evil", sha256=Digest(bytes(32)), put=1_700_000_000, path=each.path)
            )


def room(table: Table, box: FakeBox) -> Room:
    def made(*_: object) -> BoxSource:
        client = Client(
            box=box,
            seal=box.seal,
            letter=Letter,
            place=lambda matter, role: Place(matter=matter, role=role),
            missing=NotThere,
        )
        return BoxSource(client, table.key_file(Role.ALICE))

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
    reply = answer_file.decode(box.letters[letter].partition(b":")[2], "the letter")
    assert "has not read it yet" in again.items()[0].receipt
    table.accept(reply)
    box.said[letter] = Said("accepted", 9, "the report of round 1")
    assert again.items()[0].receipt == "Accepted as entry 9: the report of round 1"
    box.cut = True
    assert room(table, box).items()[0].receipt == "Accepted as entry 9: the report of round 1"


def test_a_mailbox_that_lost_a_letter_gets_the_same_one_again(table: Table, box: FakeBox, tmp_path: Path) -> None:
    table.questions()
    posted(table, box, tmp_path)
    alice = room(table, box)
    browser = browser_of(alice)
    name = only(alice, "report")
    browser.fetch(f"/q/{name}/cells", {"cells": {f"label/{place}": False for place in range(1, 9)}})
    browser.post(f"/q/{name}/sign", mark=mark(browser.get(f"/q/{name}/sign")))
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
