"""Questions are checked in the background, once, and again if they have changed."""

import threading
from typing import cast

import pytest

from ledger.errors import Refused
from ledger.roles import Role
from protocol.room import questions
from protocol.room.desk import Desk
from protocol.room.desks import AT_ONCE, Desks
from tests.support.exchange_cases import Table
from tests.support.rooms import browser_of, only, room_of


def desk(number: int = 0) -> Desk:
    return cast("Desk", number)


def test_a_question_is_checked_once() -> None:
    opened: list[int] = []

    def opening() -> Desk:
        opened.append(1)
        return desk()

    desks = Desks()
    assert [desks.get("a", 1, opening) for _ in range(3)] == [desk()] * 3
    assert len(opened) == 1


def test_a_question_whose_package_has_changed_is_checked_again() -> None:
    desks = Desks()
    assert desks.get("a", 1, lambda: desk(1)) == desk(1)
    assert desks.get("a", 2, lambda: desk(2)) == desk(2)


def test_whoever_asks_meanwhile_is_told_and_whoever_waits_gets_it() -> None:
    go = threading.Event()

    def opening() -> Desk:
        go.wait(10)
        return desk(5)

    desks = Desks()
    assert not desks.begin("a", 1, opening, patience=0.01)
    go.set()
    assert desks.get("a", 1, opening) == desk(5)
    assert desks.begin("a", 1, opening)


def test_a_refusal_is_told_and_the_next_one_tries_again() -> None:
    def refusing() -> Desk:
        raise Refused("no")

    desks = Desks()
    with pytest.raises(Refused):
        desks.get("a", 1, refusing)
    assert desks.get("a", 1, lambda: desk(1)) == desk(1)


def test_only_some_stay_open() -> None:
    desks = Desks()
    for number in range(AT_ONCE + 1):
        desks.get(str(number), 1, lambda: desk(1))
    assert desks.get("0", 1, lambda: desk(2)) == desk(2)
    assert desks.get(str(AT_ONCE), 1, lambda: desk(2)) == desk(1)


def test_a_page_says_that_a_question_is_being_checked(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "PATIENCE", 0)
    room = room_of(table, Role.ALICE)
    go = threading.Event()
    room._desks._pool.submit(go.wait, 10)
    browser = browser_of(room)
    name = only(room, "report")
    try:
        assert "The question is being checked" in browser.get(f"/q/{name}").text
        assert browser.get(f"/q/{name}/checked").json == {"checked": False}
    finally:
        go.set()
    room.desk(name)
    assert browser.get(f"/q/{name}/checked").json == {"checked": True}
    assert "Your decision" in browser.get(f"/q/{name}").text


def test_what_waits_longest_is_checked_before_somebody_opens_it(table: Table) -> None:
    room = room_of(table, Role.ALICE)
    browser_of(room).get("/")
    assert list(room._desks._found) == [only(room, "report")]


def test_a_question_that_trent_corrects_is_checked_again(table: Table) -> None:
    (question,) = table.questions().values()
    document = next((question / "documents").iterdir())
    right, request = document.read_bytes(), (question / "question.json").read_bytes()
    room = room_of(table, Role.ALICE)
    browser, name = browser_of(room), only(room, "report")
    assert browser.get(f"/q/{name}").status == 200
    document.write_bytes(b"something else")
    (question / "question.json").write_bytes(request)  # written again, with another time
    assert browser.get(f"/q/{name}").status == 409
    document.write_bytes(right)
    assert browser.get(f"/q/{name}").status == 200
