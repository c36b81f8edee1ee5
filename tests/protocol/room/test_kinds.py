"""Every kind of question that the command answers, through the room, to an answer that Trent accepts."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.rules.terms import ClassTerms
from tests.support import small_corpus
from tests.support.exchange_cases import Table
from tests.support.forging.questions import signed_again
from tests.support.rooms import browser_of, only, room_of, sitting

BASIS = "Advice of counsel"
LOOK: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.0001", "target": "0.95", "every": 1, "limit": "1", "batch": 30, "rounds": 1,
    "query": "",
}  # fmt: skip
CLASSES: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.9999", "classes": ClassTerms(names=("medical", "personnel"), share="0.05"),
}  # fmt: skip


@pytest.fixture
def blank(tmp_path: Path, reporting: Table) -> Table:
    """Keys and a corpus, and no matter yet."""
    folder = tmp_path / "blank"
    folder.mkdir()
    return Table(folder=folder, corpus=reporting.corpus)


@pytest.fixture
def family(tmp_path: Path) -> Table:
    """A matter about a mail with attachments and two other documents. Alice is asked for her report."""
    documents = [replace(each, labels=("responsive",)) for each in small_corpus.DOCUMENTS[-3:]]
    made = Table(folder=tmp_path, corpus=small_corpus.make(tmp_path / "corpus", documents))
    made.begin(rounds=1, batch=len(documents), protocol="reveal-all", query="")
    return made


def test_the_terms_are_read_and_signed_with_candidates_and_deposited(blank: Table) -> None:
    blank.open()
    for role, question in blank.questions().items():
        before = sitting(blank, role, question)
        page = before.get().text
        assert "These are its terms" in page
        assert "Confirm the other fingerprints by telephone" in page
        assert ("Names of counsel" in page) is (role is Role.ALICE)
        if role is Role.ALICE:
            asked = before.browser.post(f"/q/{before.id}/decide", candidates="Jane Roe\n# a comment\nRoe & Partners")
            assert asked.header("location") == f"/q/{before.id}/sign"
            assert "2 names and terms" in before.get("/sign").text
        before.accepted()
    (question,) = blank.questions().values()
    sitting(blank, Role.COURT, question).accepted()
    assert blank.questions()


def test_terms_are_never_signed_by_themselves(blank: Table) -> None:
    """Nothing has to be decided to sign them, and still it is a decision."""
    blank.open()
    before = sitting(blank, Role.BOB, blank.questions()[Role.BOB])
    before.browser.post("/links", links="yes")
    before.browser.get("/")
    assert only(before.room, "agreed") == before.id


def test_candidates_of_which_nothing_can_be_found_are_refused_in_words(blank: Table) -> None:
    blank.open()
    before = sitting(blank, Role.ALICE, blank.questions()[Role.ALICE])
    before.browser.post(f"/q/{before.id}/decide", candidates="?!")
    refused = before.get("/sign")
    assert (refused.status, "neither a letter nor a digit" in refused.text) == (409, True)


def test_a_threshold_with_the_labels_above_it(blank: Table) -> None:
    blank.begin(protocol="classifier")
    before = sitting(blank, Role.ALICE, blank.until(Role.ALICE, "report"))
    assert before.missing[-1] == "None: the threshold: a rank from 0 to 8"
    before.decide({"threshold": 3})
    assert len(before.missing) == 3
    before.decide({f"label/{place}": True for place in (1, 2, 3)})
    assert before.missing == []
    page = before.get("/sign").text
    assert "the top 3; nothing is said of the documents below" in page
    assert "of 8 for certain" in page
    before.accepted()
    for wrong in (-1, 9):
        assert "threshold" in before.decide({"threshold": wrong}).text


def test_privilege_with_a_basis_and_the_ruling_in_camera(table: Table) -> None:
    question = table.until(Role.ALICE, "report")
    alice = sitting(table, Role.ALICE, question)
    alice.label()
    alice.decide({f"label/{place}": True for place in alice.documents})
    alice.decide({"basis/1": BASIS, "basis/2": BASIS})
    page = alice.get("/sign").text
    assert "you claim it for 2 documents" in page
    assert "the court rules on 2 of them, which you claim as privileged" in page
    alice.accepted()
    camera = sitting(table, Role.COURT, table.until(Role.COURT, "privilege"))
    page = camera.get().text
    assert "<strong>IN CAMERA</strong>" in page
    assert "<title>IN CAMERA" in page
    first, second = camera.documents
    shown = re.search(r"camera-facts.*?</dl>", camera.get(f"/document/{first}").text, re.DOTALL)
    assert shown
    stated = re.findall(r"<dt>(.*?)</dt><dd>(?:<bdi>)?(.*?)<", shown[0])
    assert [name for name, _ in stated] == ["From", "To", "Date", "Claimed basis"]
    assert stated[-1] == ("Claimed basis", BASIS)
    assert camera.get(f"/document/{second}").text.count("<dt>From</dt>") == 1
    assert camera.missing == [f"{place}: upheld or overruled?" for place in (first, second)]
    camera.decide({f"upheld/{first}": True, f"upheld/{second}": False, f"reason/{first}": "It is advice."})
    assert "sealed for Acme Corp. (Alice) and the court" in camera.get("/sign").text
    camera.accepted()


def test_no_other_page_says_in_camera(table: Table) -> None:
    before = sitting(table, Role.ALICE, table.until(Role.ALICE, "report"))
    assert "IN CAMERA" not in before.get().text


def test_a_claim_for_parts_and_the_ruling_on_them(family: Table) -> None:
    alice = sitting(family, Role.ALICE, family.until(Role.ALICE, "report"))
    place = next(place for place, name in alice.documents.items() if name == "offer.eml")
    page = alice.get(f"/document/{place}").text
    assert page.count(f'data-list="parts/{place}"') == len(small_corpus.FAMILY.parts)
    alice.decide({f"label/{each}": True for each in alice.documents})
    alice.decide({f"basis/{place}": BASIS, f"parts/{place}": [1]})
    assert "for parts only" in alice.get("/sign").text
    alice.accepted()
    camera = sitting(family, Role.COURT, family.until(Role.COURT, "privilege"))
    page = camera.get(f"/document/{place}").text
    assert page.count(f'data-list="kept/{place}"') == 1
    assert camera.missing == [f"{place}: which of the claimed parts are upheld?"]
    camera.decide({f"kept/{place}": [1]})
    assert camera.missing == [f"{place}: is the document responsive, its privileged parts included?"]
    camera.decide({f"label/{place}": True})
    assert camera.missing == []
    camera.accepted()
    bob = sitting(family, Role.BOB, family.until(Role.BOB, "labels"))
    assert "Withheld as privileged, by ruling of the court" in bob.get(f"/document/{place}").text


def test_a_ruling_that_upholds_no_part_needs_no_label(family: Table) -> None:
    alice = sitting(family, Role.ALICE, family.until(Role.ALICE, "report"))
    place = next(place for place, name in alice.documents.items() if name == "offer.eml")
    alice.decide({f"label/{each}": True for each in alice.documents})
    alice.decide({f"basis/{place}": BASIS, f"parts/{place}": [1]})
    alice.accepted()
    camera = sitting(family, Role.COURT, family.until(Role.COURT, "privilege"))
    camera.decide({f"kept/{place}": []})
    assert camera.missing == []
    camera.accepted()


def test_a_sensitive_class_and_the_courts_label(blank: Table) -> None:
    blank.begin(**CLASSES)
    alice = sitting(blank, Role.ALICE, blank.until(Role.ALICE, "report"))
    alice.decide({f"label/{each}": False for each in alice.documents})
    alice.decide({"class/1": "medical", "class/2": "personnel"})
    assert "2 of these go to the court instead of Jo Smith if" in alice.get("/sign").text
    alice.decide({"basis/1": BASIS})
    assert alice.missing == ["1: it is claimed as privileged, and has a class: choose one of the two"]
    alice.decide({"basis/1": None})
    alice.accepted()
    camera = sitting(blank, Role.COURT, blank.until(Role.COURT, "privilege"))
    assert camera.missing == [f"{place}: responsive or not?" for place in camera.documents]
    camera.decide({f"label/{place}": True for place in camera.documents})
    camera.accepted()


def test_a_second_look_shows_the_texts_of_the_earlier_question(blank: Table) -> None:
    blank.begin(**LOOK)
    question = blank.until(Role.ALICE, "look")
    alice = sitting(blank, Role.ALICE, question)
    first = min(alice.documents)
    page = alice.get(f"/document/{first}").text
    assert "From:" in page
    assert "is not at hand" not in page
    assert alice.missing == []
    alice.decide({f"give/{first}": True})
    assert f"that you give up 1 of {len(alice.documents)}" in alice.get("/sign").text
    alice.accepted()


def test_a_late_claim(table: Table) -> None:
    table.accept(table.truthful(Role.ALICE, table.until(Role.ALICE, "report")))
    table.accept(table.said(Role.BOB, table.until(Role.BOB, "link")))
    with table.office() as office:
        office.desk.late()
    alice = sitting(table, Role.ALICE, table.questions()[Role.ALICE])
    assert "that nothing further is claimed" in alice.get("/sign").text
    alice.decide({f"basis/{min(alice.documents)}": BASIS})
    assert "you claim it for 1 document" in alice.get("/sign").text
    alice.accepted()


def test_what_bob_was_shown_is_asked_back_and_returned(table: Table) -> None:
    bob = sitting(table, Role.BOB, table.until(Role.BOB, "labels"))
    bob.label()
    bob.accepted()
    with table.office() as office:
        office.desk.clawback()
    alice = sitting(table, Role.ALICE, table.questions()[Role.ALICE])
    alice.decide({"basis/1": BASIS})
    assert "that you ask back 1 of" in alice.get("/sign").text
    alice.accepted()
    court = sitting(table, Role.COURT, table.questions()[Role.COURT])
    assert BASIS in court.get("/document/1").text
    court.decide({"upheld/1": True})
    court.accepted()


def test_an_order_on_silence_shows_what_both_decisions_mean(table: Table) -> None:
    table.until(Role.ALICE, "report")
    with table.office() as office:
        office.default(Role.ALICE)
    court = sitting(table, Role.COURT, table.questions()[Role.COURT])
    page = court.get().text
    assert "<h1>T. Neutral (Trent) asks" in page
    assert "by another way than through T. Neutral whether it has refused the question" in page
    assert "--objection" not in page
    assert "Grant it" in page
    assert "must answer as before" in page
    assert "Something is missing" in court.get("/sign").text
    assert court.browser.post(f"/q/{court.id}/decide", choice="grant").status == 303
    assert court.accepted().answer.statement.content["granted"] is True  # type: ignore[union-attr]


def test_an_objection_that_the_court_was_given_is_shown_before_it_signs(table: Table) -> None:
    question = table.until(Role.ALICE, "report")
    forged = signed_again(table, question, {"documents/0001-r9-other.txt": b"something"})
    refused = table.answer(Role.ALICE, forged)
    assert refused.exit_code == 1
    (objection,) = table.out.parent.glob("*-objection.json")
    with table.office() as office:
        office.default(Role.ALICE)
    court = sitting(table, Role.COURT, table.questions()[Role.COURT])
    url = f"/q/{court.id}/objections"
    assert court.browser.ask("POST", url, court.browser.sending, b"no objection").status == 409
    assert court.browser.ask("POST", url, court.browser.sending, objection.read_bytes()).status == 200
    again = sitting(table, Role.COURT, court.question)  # the program was stopped and started
    assert "Added. Its reason:" in again.get().text
    assert again.browser.ask("POST", url, again.browser.sending, objection.read_bytes()).status == 200
    assert again.get().text.count("Added. Its reason:") == 1
    again.browser.post(f"/q/{court.id}/decide", choice="deny")
    assert "OBJECTION" in again.get("/sign").text
    again.accepted()


def test_a_new_key(table: Table) -> None:
    key = SigningKey.generate()
    (table.folder / "new").mkdir()
    write_keys(table.folder / "new" / "bob.key", key, Role.BOB, None)
    with table.office() as office:
        office.desk.rekey(Role.BOB, key.public)
    court = sitting(table, Role.COURT, table.questions()[Role.COURT])
    assert "a new key for Jo Smith (Bob)" in court.get().text
    court.browser.post(f"/q/{court.id}/decide", choice="grant")
    court.accepted()


def test_an_amendment_is_accepted_by_all(table: Table) -> None:
    while Role.ALICE not in (asked := table.questions()) or "report" not in asked[Role.ALICE].name:
        table.accept(table.truthful(*next(iter(asked.items()))))
    table.accept(table.truthful(Role.ALICE, asked[Role.ALICE]))
    for role, question in table.questions().items():
        table.accept(table.truthful(role, question))
    with table.office() as office:
        office.amend(3, stop=False, limit=None)
    for role, question in table.questions().items():
        each = sitting(table, role, question)
        assert "3 rounds in all, instead of 2" in each.get().text
        each.browser.post(f"/q/{each.id}/decide", choice="accept")
        each.accepted()


@pytest.mark.slow
def test_the_end_is_verified_and_signed(table: Table) -> None:
    while asked := table.questions():
        for role, question in asked.items():
            table.accept(table.truthful(role, question))
    with table.office() as office:
        office.close()
    for role, question in table.questions().items():
        each = sitting(table, role, question)
        assert "NOT CLOSED, since the end is not signed yet" in each.get("/sign").text
        each.accepted()
    assert not table.questions()


def test_a_question_at_fault_can_be_objected_to(table: Table) -> None:
    question = table.until(Role.ALICE, "report")
    forged = signed_again(table, question, {"documents/0001-r9-other.txt": b"something"})
    folder = table.folder / "inbox"
    folder.mkdir()
    forged.rename(folder / forged.name)
    room = room_of(table, Role.ALICE, folder)
    browser = browser_of(room)
    name = only(room, "report")
    page = browser.get(f"/q/{name}")
    assert "This question is at fault" in page.text
    assert not list(folder.glob("answers/*objection*"))
    assert browser.get(f"/q/{name}/sign").status == 409
    done = browser.post(f"/q/{name}/object")
    assert "The objection is signed" in done.text
    assert len(list((folder / "answers").glob("*-objection.json"))) == 1


def test_a_lost_memory_must_be_said(table: Table) -> None:
    import shutil

    with table.office():
        pass
    question = table.questions(everything=True)[Role.ALICE]
    shutil.rmtree(table.folder / "alice" / "alice.key.memory")
    before = sitting(table, Role.ALICE, question)
    page = before.get()
    assert page.status == 409
    assert "The memory is lost" in page.text
    assert before.browser.post(f"/q/{before.id}/forgotten").status == 303
    assert before.get().status == 200
