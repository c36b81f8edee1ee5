"""What a room keeps from happening by itself or without a word: news, and faults that only the signature shows."""

from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.exchange import filenames, objection_file
from tests.support.exchange_cases import Table
from tests.support.forging.questions import signed_again
from tests.support.rooms import answer_of, browser_of, only, room_of, sitting

pytestmark = pytest.mark.slow


@pytest.fixture
def clawed_back(tmp_path: Path, _table: Table) -> Table:
    """A matter in which the court lets Alice claw back a document, before Bob's next link."""
    table = _table.copied(tmp_path / "table")
    table.begin(rounds=2)
    table.accept(table.truthful(Role.BOB, table.until(Role.BOB, "labels")))
    with table.office() as office:
        office.desk.clawback()
    alice = sitting(table, Role.ALICE, table.questions()[Role.ALICE])
    alice.decide({"basis/1": "Advice of counsel"})
    alice.accepted()
    court = sitting(table, Role.COURT, table.questions()[Role.COURT])
    court.decide({"upheld/1": True})
    court.accepted()
    return table


def test_a_link_that_brings_news_is_not_given_by_itself(clawed_back: Table) -> None:
    question = clawed_back.until(Role.BOB, "link")
    room = room_of(clawed_back, Role.BOB, question.parent)
    browser = browser_of(room)
    browser.post("/links", links="yes")
    assert "it brings news that you should read first" in browser.get("/").text
    assert not answer_of(clawed_back, question).exists()
    assert "CLAWED BACK" in browser.get(f"/q/{only(room, 'link')}/sign").text
    sitting(clawed_back, Role.BOB, question).accepted()


def test_what_only_the_signature_shows_can_be_objected_to(table: Table) -> None:
    """The question to sign the end comes without the party's copy."""
    while asked := table.questions():
        for role, each in asked.items():
            table.accept(table.truthful(role, each))
    with table.office() as office:
        office.close()
    bare = signed_again(table, table.questions()[Role.BOB], {filenames.COPY: None})
    bob = sitting(table, Role.BOB, bare)
    page = bob.get("/sign")
    assert page.status == 409
    assert "does not hold your copy of it" in page.text
    assert "Sign the objection" in page.text
    assert bob.browser.post(f"/q/{bob.id}/object").status == 200
    (found,) = bare.parent.rglob("*-objection.json")
    assert "does not hold your copy" in objection_file.read(found).objection.reason
