"""What a person reads before answering is what is proven, whatever Trent signs."""

import csv
import html
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from ledger import canonical
from ledger.roles import Role
from protocol.exchange import filenames
from protocol.sources.source import SourceDocument
from tests.support import small_corpus
from tests.support.exchange_cases import Table
from tests.support.forging.questions import given, package, refused, shown, signed_again


def test_a_page_that_shows_another_text_than_the_proven_one_is_refused(labelling: Table) -> None:
    path = labelling.until(Role.BOB, "labels")
    with labelling.office() as office:
        current, asked = office.state.rounds[-1], office.state.awaits[Role.BOB].question
    documents = shown(labelling, current.places, current.waves[-1], text="Lunch at noon?")
    forged = package(labelling, Role.BOB, "labels", asked, 1, documents)
    said = refused(labelling, Role.BOB, forged, "--labels", str(labelling.filled(forged)))
    assert "or its text, is not the document that the matter has committed to" in said
    pages = {name: (forged / name).read_bytes() for name in ("index.html", f"pages/{current.waves[-1][0]:04d}.html")}
    for name, page in pages.items():
        said = refused(labelling, Role.BOB, signed_again(labelling, path, {name: page}), *given(labelling, path))
        assert f"{name} does not show what is proven" in said
    labelling.accept(labelling.truthful(Role.BOB, path))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pages/more.html", "pages/more.html does not show what is proven"),
        ("texts/0099.txt", "texts/0099.txt does not show what is proven"),
        ("READ-ME-FIRST.html", "a question has no file READ-ME-FIRST.html"),
        ("documents/abc.txt", "documents/abc.txt does not have a position of its own"),
        ("documents/0001-r1-again.txt", "does not have a position of its own"),
    ],
)
def test_files_that_no_question_has_are_refused(reporting: Table, name: str, reason: str) -> None:
    path = reporting.until(Role.ALICE, "report")
    forged = signed_again(reporting, path, {name: b"x"})
    assert reason in refused(reporting, Role.ALICE, forged, *given(reporting, path))


def test_a_page_that_is_missing_is_missed(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    forged = signed_again(reporting, path, {"pages/0001.html": None})
    assert "pages/0001.html is missing" in refused(reporting, Role.ALICE, forged, *given(reporting, path))


def test_alice_labels_no_document_that_is_not_in_the_corpus(reporting: Table) -> None:
    """Her batch has no proofs in the record: nobody else may see them yet."""
    path = reporting.until(Role.ALICE, "report")
    file = min((path / "documents").iterdir())
    page = path / "pages" / "0001.html"
    text = file.read_bytes()
    changed = {f"documents/{file.name}": b"another", "pages/0001.html": page.read_bytes().replace(text, b"another")}
    said = refused(reporting, Role.ALICE, signed_again(reporting, path, changed), *given(reporting, path))
    assert "is not the document that the matter has committed to at position 1" in said
    for data in (None, b'{"path":"","proofs":{}}'):
        said = refused(
            reporting, Role.ALICE, signed_again(reporting, path, {filenames.PROOFS: data}), *given(reporting, path)
        )
        assert "the document at position 1 comes without a proof" in said
    for data in (
        b"[]",
        b"{}",
        b'{"path":"","proofs":[]}',
        b'{"more":1,"path":"","proofs":{}}',
        b'{"path":"","proofs":{"x":1}}',
    ):
        said = refused(
            reporting, Role.ALICE, signed_again(reporting, path, {filenames.PROOFS: data}), *given(reporting, path)
        )
        assert "proofs.json does not hold proofs" in said


def test_a_path_that_is_not_the_documents_is_refused(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    value = json.loads((path / filenames.PROOFS).read_bytes())
    for changed in (value["path"][64:], value["path"][:-64], value["path"] + "00" * 32, "00" * 32, None):
        data = canonical.encode(value | {"path": changed})
        forged = signed_again(reporting, path, {filenames.PROOFS: data})
        said = refused(reporting, Role.ALICE, forged, *given(reporting, path))
        assert "the proofs of these documents do not lead to what the matter has committed to" in said


def test_a_name_in_a_zip_cannot_steer_the_terminal(drawing: Table) -> None:
    path = drawing.folder / "steering.zip"
    name = "a\x1b[2JSigned. Send answer\u202e"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(name, "x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            packed.writestr(name, "x")
    said = refused(drawing, Role.BOB, path)
    assert "a\ufffd[2JSigned. Send answer\ufffd has a name with characters that cannot be seen" in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_whatever_documents_are_like_all_can_read_and_prove_them(tmp_path: Path) -> None:
    """Mail, scans, other encodings, empty and long ones; with the basis of a claim, and a dispute, beside them."""
    documents = [replace(each, labels=("responsive",)) for each in small_corpus.DOCUMENTS]
    table = Table(folder=tmp_path, corpus=small_corpus.make(tmp_path / "corpus", documents))
    table.begin(rounds=1, batch=len(documents), protocol="reveal-all", query="")
    asked = table.until(Role.ALICE, "report")
    texts = {path.name for path in (asked / "texts").iterdir()}
    parts = [part for each in documents for part in each.parts]
    assert len(texts) == sum(part.content != part.text.encode() for part in parts) == 9
    claims = table.filled(
        asked,
        lambda name: "<b>advice</b>\u202e; =1" if name == "scan.pdf" else "",
        column="basis",
        form="privilege.csv",
    )
    labels = str(table.filled(asked, lambda _: "yes"))
    table.accept(table.said(Role.ALICE, asked, "--labels", labels, "--privilege", str(claims)))
    camera = table.until(Role.COURT, "privilege")
    upheld = table.filled(camera, lambda _: "no", column="upheld")
    table.accept(table.said(Role.COURT, camera, "--upheld", str(upheld)))
    wave = table.until(Role.BOB, "labels")
    assert {path.name for path in (wave / "texts").iterdir()} == texts
    table.accept(table.said(Role.BOB, wave, "--labels", str(table.filled(wave, lambda _: "no"))))
    dispute = table.until(Role.COURT, "rulings")
    assert (
        b"Acme Corp. (Alice) holds it responsive, Jo Smith (Bob) not responsive"
        in (dispute / "pages" / "0001.html").read_bytes()
    )
    table.accept(table.said(Role.COURT, dispute, "--labels", str(table.filled(dispute, lambda _: "yes"))))
    assert table.questions() == {}


def test_a_document_that_would_run_when_it_is_opened_is_read_as_text(tmp_path: Path) -> None:
    """Attack: `.html`, `.hta`, `.js`, `.url` and others from the corpus, in the package of an honest Trent."""
    names = [
        f"memo.{each}" for each in ("html", "XHTML", "hta", "js", "url", "lnk", "svg", "vbs", "exe", "docm", "com")
    ]
    script = "<!DOCTYPE html><script>alert({})</script>"
    documents = [
        SourceDocument.of_one(
            name=name, content=script.format(name).encode(), text=script.format(name), labels=("responsive",)
        )
        for name in (*names, "Memo.html", "CON", "con.txt", "nul.eml", "memo.txt. ", "memo\uff0ehtml")
    ]
    table = Table(folder=tmp_path, corpus=small_corpus.make(tmp_path / "corpus", documents))
    table.begin(rounds=1, batch=len(documents), protocol="reveal-all", query="")
    asked = table.until(Role.ALICE, "report")
    files = sorted(path.name for path in (asked / "documents").iterdir())
    assert len(files) == len({each.casefold() for each in files}) == len(documents)
    assert all(each.endswith((".txt", ".eml")) and each.count(".") == 1 for each in files)
    for row in csv.DictReader((asked / "labels.csv").read_text("utf-8-sig").splitlines()):
        content = (asked / row["file"]).read_text()
        assert content == script.format(row["document"].removeprefix("'"))
        page = (asked / "pages" / f"{int(row['position']):04d}.html").read_text()
        assert html.escape(content) in page
        assert "<script" not in page
    table.accept(table.truthful(Role.ALICE, asked))
    wave = table.until(Role.BOB, "labels")
    assert sorted(path.name for path in (wave / "documents").iterdir()) == files
    table.accept(table.truthful(Role.BOB, wave))
