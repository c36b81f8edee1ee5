"""Privilege for a part, from Alice's form to Bob's page: what each fills in, is shown, and can be led to sign."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Role
from protocol.corpus import leaves
from protocol.exchange import answer_file, filenames, forms, pages
from protocol.exchange.errors import BadForm
from protocol.exchange.filenames import ShownDocument
from protocol.matter.decisions import Decisions
from protocol.parties import parts
from protocol.parties.errors import NotAnswered
from protocol.parties.reply import Reply
from protocol.parties.view import Document
from tests.protocol.exchange.test_families import position, seated
from tests.protocol.exchange.test_spreadsheet import asked, saved
from tests.support import shown, small_corpus
from tests.support.exchange_cases import Table
from tests.support.forging.questions import given, refused, signed_again

OFFER = Document(name="offer.eml", file="documents/0001-r2-offer.eml", parts=("offer.eml", "a.zip", "b.pdf"))


def family() -> ShownDocument:
    whole = (shown.part("offer.eml", "see"), shown.part("a.zip", parent=0), shown.part("b.pdf", parent=1))
    return ShownDocument(position=1, name="offer.eml", parts=whole)


def rows_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def read_claims(basis: str, said: str, document: Document = OFFER) -> Decisions:
    rows = rows_of(forms.blank(asked("report"), [family()])[filenames.CLAIMS])
    at = {name: place for place, name in enumerate(rows[0])}
    rows[1][at["basis"]], rows[1][at["parts"]] = basis, said
    return forms.read(Decisions(), forms.Forms(claims=forms.Form(name="p.csv", data=saved(rows))), {1: document})


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("", None),
        ("all", None),
        ("1", {1: (1,)}),
        ("2;1", {1: (1, 2)}),
        ("0, 2", {1: (0, 2)}),
        ("1 and 2", {1: (1, 2)}),
        ("2;2", {1: (2,)}),
    ],
)
def test_alice_names_parts_by_their_numbers(said: str, found: dict[int, tuple[int, ...]] | None) -> None:
    decided = read_claims("advice", said)
    assert (decided.claims, decided.claimed_parts) == ({1: "advice"}, found)


@pytest.mark.parametrize(
    ("basis", "said", "reason"),
    [
        ("advice", "3", "row 2: '3' is not one of the parts: the document has parts 0 to 2"),
        ("advice", "b.pdf", "'b.pdf' is not one of the parts"),
        ("advice", "1-2", "such as 1;2"),
        ("advice", "²", "is not one of the parts"),
        ("advice", "0;1;2", "names every part of the document. Leave it blank"),
        ("", "1", "p.csv claims nothing: no row has a basis"),
    ],
)
def test_a_cell_with_other_parts_is_refused(basis: str, said: str, reason: str) -> None:
    with pytest.raises(BadForm, match=reason):
        read_claims(basis, said)


def test_parts_of_what_is_put_into_a_class_and_not_claimed_are_refused() -> None:
    rows = rows_of(forms.blank(asked("report"), [family()], ["personal"])[filenames.CLAIMS])
    at = {name: place for place, name in enumerate(rows[0])}
    rows[1][at["class"]], rows[1][at["parts"]] = "personal", "1"
    given = forms.Forms(claims=forms.Form(name="p.csv", data=saved(rows)))
    with pytest.raises(BadForm, match=r"row 2 \(position 1\): it names parts and no basis"):
        forms.read(Decisions(), given, {1: OFFER}, ["personal"])


def test_of_a_document_with_one_part_no_part_can_be_claimed() -> None:
    with pytest.raises(BadForm, match="it has one part"):
        read_claims("advice", "1", replace(OFFER, parts=("offer.eml",)))
    with pytest.raises(BadForm, match="names every part"):
        read_claims("advice", "0", replace(OFFER, parts=("offer.eml",)))


def test_the_column_is_there_only_if_some_document_has_parts() -> None:
    plain = ShownDocument(position=1, name="a.txt", parts=(shown.part("a.txt"),))
    assert "parts" not in rows_of(forms.blank(asked("report"), [plain])[filenames.CLAIMS])[0]
    assert "parts" in rows_of(forms.blank(asked("claim"), [plain, family()])[filenames.CLAIMS])[0]


CLAIM = {"basis": "advice", "parts": [1, 2]}


def read_rulings(upheld: str, responsive: str, claim: Any = CLAIM) -> Decisions:
    note, judged = pages.in_camera(claim)
    claimed = tuple(claim["parts"])
    form = forms.blank(asked("privilege"), [replace(family(), note=note, judged=judged, claimed=claimed)])
    rows = rows_of(form[filenames.LABELS])
    assert rows[0][-4:] == ["basis", "parts upheld", "responsive", "reason"]
    assert rows[1][-4] == "claimed for parts 1, 2 only: advice. If a part is upheld: is the document responsive?"
    rows[1][-3:-1] = [upheld, responsive]
    about = {1: replace(OFFER, note=note, judged=judged, claimed=claimed)}
    return forms.read(Decisions(), forms.Forms(upheld=forms.Form(name="l.csv", data=saved(rows))), about)


@pytest.mark.parametrize(
    ("said", "responsive", "upheld", "found"),
    [
        ("all", "yes", False, {1: (1, 2)}),
        ("Yes", "no", True, {1: (1, 2)}),
        ("2", "yes", False, {1: (2,)}),
        ("1; 2", "no", True, {1: (1, 2)}),
        ("none", "", False, None),
        ("no", "", False, None),
    ],
)
def test_the_court_says_which_parts_it_upholds_and_whether_the_document_is_responsive(
    said: str, responsive: str, *, upheld: bool, found: dict[int, tuple[int, ...]] | None
) -> None:
    decided = read_rulings(said, responsive)
    assert (decided.upheld, decided.upheld_parts) == ({1: upheld}, found)


@pytest.mark.parametrize(
    ("said", "responsive", "reason"),
    [
        ("", "yes", "the column 'parts upheld' is empty; write the parts, such as 1;2, or all, or none"),
        ("0", "yes", "'0' is not one of the parts: claimed here is 1, 2"),
        ("1;3", "yes", "'3' is not one of the parts"),
        ("1", "", "the column 'responsive' is empty"),
        ("1", "perhaps", "the column 'responsive' says 'perhaps'"),
        ("none", "yes", "no part is upheld, so Bob gets all of the document and labels it. Leave 'responsive' empty"),
    ],
)
def test_a_ruling_on_parts_that_is_not_clear_is_refused(said: str, responsive: str, reason: str) -> None:
    with pytest.raises(BadForm, match=reason):
        read_rulings(said, responsive)


@pytest.mark.parametrize(
    ("decided", "reason"),
    [
        (Decisions(claimed_parts={1: (3,)}), "names part 3, but the document has 3 parts, counted from 0"),
        (Decisions(claimed_parts={1: (0, 1, 2)}), "names parts 0, 1, 2, but the document has 3 parts"),
        (Decisions(upheld={1: True}, upheld_parts={1: (0,)}), "Alice claims parts 1, 2"),
        (Decisions(upheld={1: True}), "The ruling upholds no part"),
    ],
)
def test_nobody_signs_what_would_be_held_against_them(decided: Decisions, reason: str) -> None:
    with pytest.raises(NotAnswered, match=reason):
        parts.check({1: replace(OFFER, claimed=(1, 2))}, decided)


def test_of_what_holds_a_withheld_part_only_the_text_is_handed_over() -> None:
    parents = [None, 0, 1, 0, 2]
    assert leaves.around(parents, [2]) == {0, 1}
    assert leaves.around(parents, [4]) == {0, 1, 2}
    assert leaves.around(parents, [0]) == set()
    assert leaves.around(parents, [3, 1]) == {0}
    assert leaves.around(parents, [9]) == set()


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return seated(tmp_path)


def fill(table: Table, question: Path, form: str, cells: dict[str, str], others: dict[str, str] | None = None) -> str:
    """The form with these cells in the row of the family, and these in all others."""
    rows = list(csv.DictReader((question / form).read_text("utf-8-sig").splitlines()))
    for row in rows:
        row |= cells if row["document"] == "offer.eml" else (others or {})
    path = table.folder / f"filled-{form}"
    path.write_bytes(saved([list(rows[0]), *(list(row.values()) for row in rows)]))
    return str(path)


def signed(table: Table, role: Role, question: Path, *options: str) -> tuple[str, Reply]:
    """What a party is shown before it signs, and its answer."""
    result = table.answer(role, question, *options)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split()), answer_file.read(table.out)


def test_a_part_is_claimed_upheld_and_kept_from_bob_who_gets_the_others(table: Table) -> None:
    question = table.until(Role.ALICE, "report")
    assert '"parts"' in (question / "README.txt").read_text()
    claims = fill(table, question, "privilege.csv", {"basis": "advice", "parts": "2"})
    labels = str(table.filled(question, lambda _: "no"))
    told, answer = signed(table, Role.ALICE, question, "--labels", labels, "--privilege", claims)
    assert "you claim it for 1 document, all for parts only" in told
    assert "advice (part 2 (prices.pdf) only)" in told
    table.accept(answer)

    camera = table.until(Role.COURT, "privilege")
    place = f"{position(table, camera):04d}"
    assert '"parts upheld"' in (camera / "README.txt").read_text()
    assert "Claimed as privileged." in (camera / "pages" / f"{place}.html").read_text()
    assert len(list((camera / "documents").iterdir())) == 4
    ruling = fill(table, camera, "labels.csv", {"parts upheld": "all", "responsive": "yes"})
    told, answer = signed(table, Role.COURT, camera, "--upheld", ruling)
    assert "part 2 (prices.pdf) withheld as privileged, and responsive" in told
    table.accept(answer)

    wave = table.until(Role.BOB, "labels")
    names = {each.name for each in (wave / "documents").iterdir() if each.name.startswith(place)}
    assert names == {f"{place}-r1-offer-eml.txt", f"{place}-1-r1-offer-zip.txt", f"{place}-3-r1-Prufung.txt"}
    everything = b"".join(each.read_bytes() for each in wave.rglob("*") if each.is_file())
    assert b"prices of gas" not in everything
    assert b"%PDF" not in everything
    assert small_corpus.FAMILY.parts[0].content not in everything  # the mail, which may hold the part
    assert small_corpus.FAMILY.parts[0].text.encode() in everything
    page = (wave / "pages" / f"{place}.html").read_text()
    assert 'class="deep-2"><a href="#part-2">Part 2: <bdi>withheld as privileged</bdi></a>' in page
    assert "Withheld as privileged, by ruling of the court." in page
    table.accept(table.said(Role.BOB, wave, "--labels", str(table.filled(wave, lambda _: "no"))))
    assert table.questions() == {}  # nothing is disputed: the court has labelled the family


def test_bobs_client_refuses_files_of_what_is_withheld_or_holds_it(table: Table) -> None:
    question = table.until(Role.ALICE, "report")
    claims = fill(table, question, "privilege.csv", {"basis": "advice", "parts": "2"})
    labels = str(table.filled(question, lambda _: "yes"))
    table.accept(table.said(Role.ALICE, question, "--labels", labels, "--privilege", claims))
    camera = table.until(Role.COURT, "privilege")
    ruling = fill(table, camera, "labels.csv", {"parts upheld": "2", "responsive": "yes"})
    table.accept(table.said(Role.COURT, camera, "--upheld", ruling))
    wave = table.until(Role.BOB, "labels")
    place = f"{position(table, wave):04d}"
    mail, pdf = small_corpus.FAMILY.parts[0], small_corpus.FAMILY.parts[2]
    text = f"documents/{place}-r1-offer-eml.txt"
    assert (wave / text).read_bytes() == mail.text.encode()
    cases: list[tuple[dict[str, bytes | None], str]] = [
        ({f"documents/{place}-2-r1-prices-pdf.txt": pdf.content}, "does not hold exactly the parts"),
        ({text: mail.content}, f"{text}, or its text, is not the document"),
        ({text: None, f"documents/{place}-r1-offer.eml": mail.content}, "is not the file of the document"),
    ]
    for changed, reason in cases:
        assert reason in refused(table, Role.BOB, signed_again(table, wave, changed), *given(table, wave)), changed
