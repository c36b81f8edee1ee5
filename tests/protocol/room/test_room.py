"""The key, the settings, and what Bob will see."""

from pathlib import Path

import pytest

from ledger.errors import Refused
from ledger.keyfiles import write_keys
from ledger.roles import Role
from protocol.room import settings
from protocol.room.room import Room
from protocol.room.settings import Settings
from protocol.room.sources import FolderSource
from tests.support.exchange_cases import Table
from tests.support.rooms import answer_of, browser_of, mark, only, room_of, sitting

PASSPHRASE = "correct horse battery"


@pytest.fixture
def locked(table: Table) -> Room:
    """Alice's room, whose key has a passphrase."""
    table.questions()
    path = table.key_file(Role.ALICE)
    path.unlink()
    path.with_name(f"{path.name}.pub").unlink()
    write_keys(path, table.keys[Role.ALICE], Role.ALICE, PASSPHRASE.encode())
    return Room(path, lambda _, role: FolderSource(table.folder / "outbox", role))


def test_nothing_is_shown_before_the_key_is_unlocked(locked: Room) -> None:
    browser = browser_of(locked)
    assert "Unlock your key" in browser.get("/").text
    assert browser.get("/settings").status == 303
    assert browser.post("/unlock", passphrase="wrong").status == 403
    assert not locked.open
    assert browser.post("/unlock", passphrase=PASSPHRASE).status == 303
    assert "Label the documents" in browser.get("/").text


def labelled(locked: Room) -> tuple[str, dict[str, object]]:
    name = only(locked, "report")
    return name, {f"label/{place}": False for place in locked.ready(name).ready.documents}


def test_each_signature_asks_for_the_passphrase_again(locked: Room, table: Table) -> None:
    browser = browser_of(locked)
    browser.post("/unlock", passphrase=PASSPHRASE)
    name, cells = labelled(locked)
    browser.fetch(f"/q/{name}/cells", {"cells": cells})
    page = browser.get(f"/q/{name}/sign")
    assert 'name="passphrase"' in page.text
    for wrong in ({}, {"passphrase": "wrong"}):
        refused = browser.post(f"/q/{name}/sign", mark=mark(page), **wrong)
        assert refused.status == 403
    assert not list((table.folder / "outbox").glob("answers/*"))
    assert browser.post(f"/q/{name}/sign", mark=mark(page), passphrase=PASSPHRASE).status == 303
    assert locked.unlocked is False


def test_a_key_that_is_kept_unlocked_signs_without_asking(locked: Room) -> None:
    browser = browser_of(locked)
    browser.post("/unlock", passphrase=PASSPHRASE, keep="yes")
    name, cells = labelled(locked)
    browser.fetch(f"/q/{name}/cells", {"cells": cells})
    page = browser.get(f"/q/{name}/sign")
    assert 'name="passphrase"' not in page.text
    assert browser.post(f"/q/{name}/sign", mark=mark(page)).status == 303


def test_nothing_is_answered_by_itself_while_each_signature_needs_the_passphrase(table: Table) -> None:
    question = table.until(Role.BOB, "link")
    path = table.key_file(Role.BOB)
    path.unlink()
    path.with_name(f"{path.name}.pub").unlink()
    write_keys(path, table.keys[Role.BOB], Role.BOB, PASSPHRASE.encode())
    room = Room(path, lambda _, role: FolderSource(table.folder / "outbox", role))
    browser = browser_of(room)
    browser.post("/unlock", passphrase=PASSPHRASE)
    browser.post("/links", links="yes")
    assert "This waits: the key is not kept unlocked" in browser.get("/").text
    assert not answer_of(table, question).exists()


def test_choices_are_kept_beside_the_key_for_their_owner_alone(table: Table) -> None:
    browser = browser_of(room_of(table, Role.ALICE))
    keys = {f"key-{name}": key for name, key in Settings().keys.items()}
    answer = browser.post("/settings", **keys | {"key-responsive": "y", "bases": "Common interest\n\nCommon interest"})
    assert "Kept." in answer.text
    path = settings.path_of(table.key_file(Role.ALICE))
    assert path.stat().st_mode & 0o077 == 0
    chosen = room_of(table, Role.ALICE).settings
    assert (chosen.keys["responsive"], chosen.bases) == ("y", ("Common interest",))


@pytest.mark.parametrize(("name", "key"), [("responsive", "n"), ("responsive", ""), ("not", "ab"), ("not", " ")])
def test_a_key_that_cannot_be_used_is_refused_in_words(table: Table, name: str, key: str) -> None:
    browser = browser_of(room_of(table, Role.ALICE))
    keys = {f"key-{each}": usual for each, usual in Settings().keys.items()}
    refused = browser.post("/settings", **keys | {f"key-{name}": key, "bases": ""})
    assert refused.status == 409
    assert room_of(table, Role.ALICE).settings == Settings()


def test_settings_that_are_damaged_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.key.room.json").write_text("{")
    with pytest.raises(Refused, match="does not hold a room's settings"):
        settings.load(tmp_path / "a.key")


def test_what_bob_will_see_follows_from_the_labels(table: Table) -> None:
    alice = sitting(table, Role.ALICE, table.until(Role.ALICE, "report"))
    alice.decide({f"label/{place}": True for place in alice.documents})
    page = alice.get("/sign").text
    assert "8 of 8 for certain" in page
    assert "By chance" not in page
    alice.decide({f"label/{place}": False for place in alice.documents})
    page = alice.get("/sign").text
    assert "3 of 8 for certain" in page
    assert "coins draw each of the 5 others with a chance between 40.2 % and 80.5 %" in page
    assert "Jo Smith is shown the whole batch" in page


def test_nobody_is_told_what_bob_sees_of_an_answer_that_is_no_report(table: Table) -> None:
    bob = sitting(table, Role.BOB, table.until(Role.BOB, "labels"))
    bob.label()
    assert "What Jo Smith (Bob) will see" not in bob.get("/sign").text


def test_a_file_that_nobody_signed_is_named_before_the_signature(table: Table) -> None:
    question = table.until(Role.ALICE, "report")
    (question / "open-me.html").write_text("<script>")
    alice = sitting(table, Role.ALICE, question)
    alice.label()
    assert "open-me.html" in alice.get("/sign").text


def test_a_path_that_climbs_out_of_the_pages_finds_nothing(table: Table) -> None:
    browser = browser_of(room_of(table, Role.ALICE))
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/../../cli.py"):
        assert browser.get(path).status == 404, path
