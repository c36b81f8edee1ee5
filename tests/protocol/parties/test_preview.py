"""What people see: README.txt and the pages say what is asked and why, and the screen what is about to be signed."""

import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest

from ledger.keys import SigningKey, fingerprint
from ledger.roles import Role
from protocol.exchange import answer_file, pages
from protocol.parties.preview import DocumentRow, Preview
from tests.protocol.exchange.test_pages import asked, documents
from tests.support.exchange_cases import Table
from tests.support.real_matter import PROGRAMS


def readme(question: Path) -> str:
    return (question / "README.txt").read_bytes().decode().replace("\r\n", "\n")


@pytest.mark.parametrize("rarer", ["responsive", "not responsive"])
def test_the_labels_that_are_rarer_are_shown_one_by_one(reporting: Table, rarer: str) -> None:
    question = reporting.until(Role.ALICE, "report")
    names = [row.split(",")[1] for row in (question / "labels.csv").read_text("utf-8-sig").splitlines()[1:]]
    few = {name: position for position, name in enumerate(names, 1) if position in (2, 3)}
    filled = reporting.filled(question, lambda name: "yes" if (name in few) is (rarer == "responsive") else "no")
    said = reporting.answer(Role.ALICE, question, "--labels", str(filled), yes=False).output
    listed = re.findall(r"^ {19}(\d+), (.+)$", said, re.MULTILINE)
    assert listed == [(str(position), name) for name, position in few.items()]
    assert f"                 {rarer}:\n" in said
    assert "all others: " in said
    assert "  Privileged     none claimed" in said


def test_every_ruling_is_shown_with_its_document(reporting: Table) -> None:
    question = reporting.until(Role.BOB, "labels")
    lies = reporting.filled(question, lambda name: "no" if name in reporting.responsive else "yes")
    reporting.accept(reporting.said(Role.BOB, question, "--labels", str(lies)))
    rulings = reporting.until(Role.COURT, "rulings")
    said = reporting.answer(Role.COURT, rulings, "--labels", str(reporting.filled(rulings)), yes=False).output
    rows = [row.split(",") for row in (rulings / "labels.csv").read_text("utf-8-sig").splitlines()[1:]]
    assert rows
    for position, name, *_ in rows:
        ruled = "responsive" if name in reporting.responsive else "not responsive"
        assert f"                 {ruled}: {position}, {name}\n" in said
    assert "What the parties hold" in (rulings / "index.html").read_text()
    assert "Acme Corp. (Alice) holds it" in (rulings / "index.html").read_text()


@pytest.fixture
def in_camera(reporting: Table) -> Path:
    """The court must rule on a claim of privilege."""
    question = reporting.until(Role.ALICE, "report")
    claims = reporting.filled(question, lambda name: "Advice of counsel", "basis", "privilege.csv")
    labels = reporting.filled(question)
    reporting.accept(reporting.said(Role.ALICE, question, "--labels", str(labels), "--privilege", str(claims)))
    return reporting.until(Role.COURT, "privilege")


def test_every_ruling_on_privilege_is_shown_with_its_document(reporting: Table, in_camera: Path) -> None:
    rows = [row.split(",") for row in (in_camera / "labels.csv").read_text("utf-8-sig").splitlines()[1:]]
    filled = reporting.filled(in_camera, lambda name: "yes" if name == rows[0][1] else "no", "upheld")
    said = reporting.answer(Role.COURT, in_camera, "--upheld", str(filled), yes=False).output
    assert f"You rule       1 upheld, {len(rows) - 1} overruled" in said
    for number, (position, name, *_) in enumerate(rows):
        assert f"{'overruled' if number else 'upheld'}: {position}, {name}\n" in said


def test_in_camera_the_list_shows_the_basis_and_the_readme_whom_it_is_for(in_camera: Path) -> None:
    index = (in_camera / "index.html").read_text()
    assert "<th>Basis of the claim, or question</th>" in index
    assert "<td>Advice of counsel</td>" in index
    assert "for the court alone" in readme(in_camera)
    assert "delete this folder" in readme(in_camera)


def test_a_question_with_documents_says_what_is_responsive(reporting: Table) -> None:
    question = reporting.until(Role.ALICE, "report")
    words = (
        "What is responsive: the request for production\n    All documents about swaps,\n    and their attachments.\n"
    )
    assert words in readme(question)
    assert "All documents about swaps,\nand their attachments." in (question / "index.html").read_text()
    assert "threshold" not in readme(question)


def test_the_court_is_told_who_is_silent_and_what_an_order_brings(reporting: Table) -> None:
    question = reporting.until(Role.ALICE, "report")
    with reporting.office() as office:
        office.default(Role.ALICE)
    order = reporting.questions()[Role.COURT]
    assert question.exists()
    told = " ".join(readme(order).split())
    assert "T. Neutral says that Acme Corp. (Alice) has not answered." in told
    assert re.search(r"to say of each of the documents whether it is responsive \(round 1, entry \d+\)\.", told)
    assert "--grant: all these documents are shown to Jo Smith (Bob)" in told
    assert "--deny: Acme Corp. must answer as before." in told
    assert "--key court.key DECISION --out" in told
    pasted = reporting.answer(Role.COURT, order, "DECISION")
    assert pasted.exit_code == 2
    said = reporting.answer(Role.COURT, order, "--grant", yes=False).output
    assert "Then           all these documents are shown to Jo Smith (Bob)" in said
    said = reporting.answer(Role.COURT, order, "--deny", yes=False).output
    assert "Then           Acme Corp. must answer as before" in said


def test_the_court_is_told_whose_new_key_it_is_asked_for(reporting: Table) -> None:
    reporting.until(Role.ALICE, "report")
    new = SigningKey.generate().public
    with reporting.office() as office:
        office.desk.rekey(Role.ALICE, new)
    order = reporting.questions()[Role.COURT]
    told = " ".join(readme(order).split())
    assert f"T. Neutral asks for a new key for Acme Corp. (Alice). Its fingerprint is {fingerprint(new)}." in told
    assert "--grant: from then on the new key speaks for Acme Corp." in told
    assert " DECISION " in told
    said = reporting.answer(Role.COURT, order, "--grant", yes=False).output
    assert "Then           this key speaks for Acme Corp. and the former one no longer does" in said


def test_what_needs_no_reading_is_to_be_read_on_the_screen(table: Table) -> None:
    table.open()
    assert "Before you confirm, read what the program shows." in readme(table.questions()[Role.ALICE])


def test_the_list_shows_a_mails_subject() -> None:
    mail = "From: a@example.com\nTo: b@example.com\nSubject: Prepaid swaps\n\nSee the attachment."
    (index, *_) = pages.render(asked(), documents(mail, "Plain words\nand more."), "case").values()
    assert b"<td>Prepaid swaps | See the attachment.</td>" in index
    assert b"<td>Plain words and more.</td>" in index


def test_one_document_is_one_document() -> None:
    (index, *_) = pages.render(asked(), documents("x"), "case").values()
    assert b"round 1: 1 document<" in index


def test_an_answer_that_was_given_is_written_again_without_asking(table: Table) -> None:
    table.open()
    question = table.questions()[Role.ALICE]
    given = table.said(Role.ALICE, question)
    again = table.answer(Role.ALICE, question, yes=False)
    assert again.exit_code == 0
    assert "Written again." in again.output
    assert answer_file.read(table.out) == given


def test_one_file_of_a_question_is_not_the_question(table: Table) -> None:
    table.open()
    question = table.questions()[Role.ALICE]
    said = table.answer(Role.ALICE, question / "question.json")
    assert said.exit_code == 1
    assert f"give the folder that holds it, {question}" in said.output


def test_whoever_breaks_off_is_told_that_nothing_was_signed(table: Table) -> None:
    table.open()
    out = table.folder / "a.json"
    words: list[str | Path] = ["answer", table.questions()[Role.ALICE], "--key", table.key_file(Role.ALICE)]
    terminal, inner = pty.openpty()
    command = [PROGRAMS / "tallystick", *words, "--out", out]
    with subprocess.Popen(command, stdin=inner, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        shown = b""
        while b"Sign this?" not in shown and (more := process.stdout.read(1)):
            shown += more
        process.send_signal(signal.SIGINT)
        os.write(terminal, b"y\n")  # or a signal that comes just before the program waits for a key is seen only then
        shown += process.stdout.read()
    os.close(terminal)
    os.close(inner)
    assert process.returncode == 1, shown
    assert b"nothing was signed" in shown
    assert not out.exists()


@pytest.mark.parametrize(("number", "said"), [(1, "1 document"), (2, "2 documents")])
def test_one_document_is_one(number: int, said: str) -> None:
    rows = (DocumentRow(position=1, name="a", label="responsive"),) * number
    assert Preview(heading="", facts=(), documents=rows).total == said
