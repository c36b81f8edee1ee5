"""A question through the room, to an answer that Trent accepts: the same as with the command."""

import json
import re
from pathlib import Path

import pytest

from ledger.errors import LedgerError
from ledger.roles import Role
from protocol.exchange import answer_file
from tests.support.asgi import Answer, Browser
from tests.support.exchange_cases import Table
from tests.support.rooms import answer_of, browser_of, mark, only, room_of


def decide(browser: Browser, name: str, **cells: object) -> Answer:
    return browser.fetch(f"/q/{name}/cells", {"cells": {key.replace("_", "/"): value for key, value in cells.items()}})


def signed(browser: Browser, name: str, **fields: str) -> Answer:
    page = browser.get(f"/q/{name}/sign")
    return browser.post(f"/q/{name}/sign", mark=mark(page), **fields)


def labelled(browser: Browser, table: Table, name: str) -> None:
    """Label every document truthfully."""
    for line in browser.get(f"/q/{name}/state").json["lines"]:
        assert decide(browser, name, **{f"label_{line['position']}": line["name"] in table.responsive}).status == 200


def test_a_report_is_labelled_and_signed_and_accepted(table: Table) -> None:
    (question,) = table.questions().values()
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    name = only(room, "report")
    assert "Label the documents" in browser.get("/").text
    assert browser.get(f"/q/{name}/state").json["lacking"] == 8
    labelled(browser, table, name)
    assert browser.get(f"/q/{name}/state").json["lacking"] == 0
    page = browser.get(f"/q/{name}/sign").text
    assert "You are about to sign" in page
    assert "What Jo Smith (Bob) will see" in page
    assert "<summary>8 documents, one by one</summary>" in page
    assert signed(browser, name).status == 303
    receipt = browser.get(f"/q/{name}/receipt.txt")
    assert "SHA-256 of the answer" in receipt.text
    assert (receipt.header("content-disposition") or "").startswith("attachment")
    table.accept(answer_file.read(answer_of(table, question)))
    assert table.until(Role.BOB, "labels")


def test_the_room_signs_the_same_bytes_as_the_command(table: Table, tmp_path: Path) -> None:
    (question,) = table.questions().values()
    other = table.copied(tmp_path / "other")
    said = other.truthful(Role.ALICE, question)
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    labelled(browser, table, only(room, "report"))
    signed(browser, only(room, "report"))
    assert answer_file.read(answer_of(table, question)) == said


def test_nothing_is_signed_while_something_is_missing(table: Table) -> None:
    (question,) = table.questions().values()
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    name = only(room, "report")
    decide(browser, name, label_1=True)
    page = browser.get(f"/q/{name}/sign")
    assert "Something is missing" in page.text
    assert "7 things must be decided" in page.text
    assert browser.post(f"/q/{name}/sign", mark="0" * 64).status == 409
    assert not answer_of(table, question).exists()


def test_only_what_was_shown_is_signed(table: Table) -> None:
    """Somebody changes a label in another window, after the page was shown."""
    (question,) = table.questions().values()
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    name = only(room, "report")
    labelled(browser, table, name)
    shown = mark(browser.get(f"/q/{name}/sign"))
    before = browser.get(f"/q/{name}/state").json["cells"]["label/1"]
    decide(browser, name, label_1=not before)
    refused = browser.post(f"/q/{name}/sign", mark=shown)
    assert refused.status == 409
    assert "something has changed since this was shown" in refused.text
    assert not answer_of(table, question).exists()
    assert all(each.kind != "report" for each in table.memory_of(Role.ALICE).answers)


def test_what_is_shown_before_the_signature_binds_nobody(table: Table) -> None:
    """Alice looks at the page, changes her mind, looks again, and signs: her link is given once, for the last words."""
    (question,) = table.questions().values()
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    name = only(room, "report")
    for label in (True, False, True):
        decide(browser, name, **{f"label_{place}": label for place in range(1, 9)})
        assert browser.get(f"/q/{name}/sign").status == 200
    assert signed(browser, name).status == 303
    table.accept(answer_file.read(answer_of(table, question)))


def test_labels_of_bob_with_a_reason(table: Table) -> None:
    question = table.until(Role.BOB, "labels")
    room = room_of(table, Role.BOB)
    browser = browser_of(room)
    name = only(room, "labels")
    labelled(browser, table, name)
    position = min(room.ready(name).ready.documents)
    decide(browser, name, **{f"reason_{position}": "It speaks of swaps."})
    assert "It speaks of swaps." in browser.get(f"/q/{name}/sign").text
    assert signed(browser, name).status == 303
    table.accept(answer_file.read(answer_of(table, question)))


def test_bob_is_not_told_what_alice_says(table: Table) -> None:
    """Neither in the list nor beside a document."""
    table.until(Role.BOB, "labels")
    room = room_of(table, Role.BOB)
    browser = browser_of(room)
    name = only(room, "labels")
    pages = [browser.get(f"/q/{name}").text, browser.get(f"/q/{name}/state").text]
    pages += [browser.get(f"/q/{name}/document/{each}").text for each in room.ready(name).ready.documents]
    sealed = "Sealed for Acme Corp. (Alice), Jo Smith (Bob) and the court."  # what he writes himself
    assert sealed in pages[0]
    assert not any("Alice" in re.sub("(?s)<footer.*", "", page.replace(sealed, "")) for page in pages)


def test_the_court_sees_both_sides(table: Table) -> None:
    question = table.until(Role.BOB, "labels")
    form = table.filled(question, lambda name: "no" if name in table.responsive else "yes")
    table.accept(table.said(Role.BOB, question, "--labels", str(form)))
    question = table.until(Role.COURT, "rulings")
    room = room_of(table, Role.COURT)
    browser = browser_of(room)
    name = only(room, "rulings")
    page = browser.get(f"/q/{name}/document/{min(room.ready(name).ready.documents)}").text
    assert "Acme Corp. (Alice)" in page
    assert "Jo Smith (Bob)" in page
    labelled(browser, table, name)
    assert signed(browser, name).status == 303
    table.accept(answer_file.read(answer_of(table, question)))


def test_an_answer_survives_a_crash_between_signing_and_sending(table: Table) -> None:
    (question,) = table.questions().values()
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    labelled(browser, table, only(room, "report"))
    signed(browser, only(room, "report"))
    answer = answer_of(table, question).read_bytes()
    answer_of(table, question).unlink()
    again = room_of(table, Role.ALICE)
    again.look_around()
    assert answer_of(table, question).read_bytes() == answer


def test_another_answer_must_withdraw_the_first(table: Table) -> None:
    question = table.until(Role.BOB, "labels")
    room = room_of(table, Role.BOB)
    browser = browser_of(room)
    name = only(room, "labels")
    labelled(browser, table, name)
    signed(browser, name)
    position = min(room.ready(name).ready.documents)
    decide(browser, name, **{f"label_{position}": False})
    decide(browser, name, **{f"reason_{position}": "changed"})
    refused = browser.get(f"/q/{name}/sign")
    assert refused.status == 409
    assert "you gave a different answer to this question before" in refused.text
    assert "To withdraw it, press the button below" in refused.text
    assert f'/q/{name}/sign?replace">Withdraw the earlier answer' in refused.text
    page = browser.get(f"/q/{name}/sign?replace")
    assert "Withdrawn" in page.text
    assert browser.post(f"/q/{name}/sign", mark=mark(page), replacing="yes").status == 303
    second = question.parent / "answers" / f"{question.stem}-2.answer"
    table.accept(answer_file.read(second))


def test_links_are_given_by_themselves_only_if_the_person_says_so(table: Table) -> None:
    question = table.until(Role.BOB, "link")
    room = room_of(table, Role.BOB)
    browser = browser_of(room)
    browser.get("/")
    assert not answer_of(table, question).exists()
    assert browser.post("/links", links="yes").status == 303
    browser.get("/")
    table.accept(answer_file.read(answer_of(table, question)))
    assert room_of(table, Role.BOB).settings.links


def test_nothing_but_links_is_answered_by_itself(table: Table) -> None:
    table.until(Role.BOB, "labels")
    room = room_of(table, Role.BOB)
    browser = browser_of(room)
    browser.post("/links", links="yes")
    browser.get("/")
    assert only(room, "labels")


def test_a_question_that_was_changed_is_refused_in_words(table: Table) -> None:
    (question,) = table.questions().values()
    next((question / "documents").iterdir()).write_text("something else")
    room = room_of(table, Role.ALICE)
    page = browser_of(room).get(f"/q/{only(room, 'report')}")
    assert page.status == 409
    assert "was changed after Trent wrote it" in page.text


@pytest.mark.parametrize(
    "cells",
    [
        {"label/99": True},
        {"label/1": "yes"},
        {"label/0": True},
        {"other/1": True},
        {"parts/1": ["a"]},
        {"parts/1": [-1]},
        {"threshold": True},
        {"alike/1": True},
        {"basis/1": 5},
    ],
)
def test_a_cell_that_the_question_does_not_have_is_refused(table: Table, cells: dict[str, object]) -> None:
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    name = only(room, "report")
    answer = browser.fetch(f"/q/{name}/cells", {"cells": cells})
    assert answer.status == 409
    assert answer.json["error"]
    assert browser.get(f"/q/{name}/state").json["cells"] == {}


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"cells": 5}', b"\xff"])
def test_a_body_that_is_no_step_is_refused(table: Table, body: bytes) -> None:
    room = room_of(table, Role.ALICE)
    browser = browser_of(room)
    answer = browser.ask("POST", f"/q/{only(room, 'report')}/cells", browser.sending, body)
    assert (answer.status, "load it again" in answer.text) == (409, True)


def test_another_partys_questions_are_not_in_the_list(table: Table) -> None:
    room = room_of(table, Role.BOB)
    assert all(each.request and each.request.role is Role.BOB for each in room.items())
    with pytest.raises(LedgerError):
        room.ready(only(room_of(table, Role.ALICE), "report"))


def test_an_unknown_question_is_a_page_in_words(table: Table) -> None:
    browser = browser_of(room_of(table, Role.ALICE))
    for path in ("/q/none", "/q/none/sign", "/q/none/receipt"):
        assert browser.get(path).status == 409
    assert json.loads(browser.get("/q/none/state").text)["error"]
