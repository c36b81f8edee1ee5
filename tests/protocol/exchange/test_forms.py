"""Forms that ask for more than labels: sensitive classes, what the court reads alone, and a second look."""

import csv
import io
from dataclasses import replace

import pytest

from protocol.exchange import filenames, forms, pages
from protocol.exchange.errors import BadForm
from protocol.exchange.filenames import ListedDocument
from protocol.matter.decisions import Decisions
from protocol.parties.view import Document
from tests.protocol.exchange.test_spreadsheet import asked, documents, listed, saved

CLASSES = ("medical", "personnel")
THREE = ["one.txt", "two.txt", "three.txt"]


def rows_of(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def claims_form(classes: tuple[str, ...] = CLASSES) -> list[list[str]]:
    return rows_of(forms.blank(asked("report"), documents(THREE), classes)[filenames.CLAIMS])


def test_a_report_has_a_column_for_classes_only_if_the_terms_name_some() -> None:
    assert claims_form()[0] == ["position", "document", "file", "basis", "class"]
    assert claims_form(())[0] == ["position", "document", "file", "basis"]


def test_a_class_and_a_basis_are_read_from_one_form() -> None:
    rows = claims_form()
    rows[1][3], rows[2][4] = "advice of counsel", " Personnel "
    form = forms.Form(name="p.csv", data=saved(rows))
    found = forms.read(Decisions(), forms.Forms(claims=form), listed(THREE), CLASSES)
    assert (found.claims, found.classes) == ({1: "advice of counsel"}, {2: "personnel"})


def test_a_form_without_a_class_decides_on_none() -> None:
    rows = claims_form()
    rows[2][3] = "advice"
    form = forms.Form(name="p.csv", data=saved(rows))
    found = forms.read(Decisions(), forms.Forms(claims=form), listed(THREE), CLASSES)
    assert (found.claims, found.classes) == ({2: "advice"}, None)


def test_a_form_with_classes_alone_claims_no_privilege() -> None:
    rows = claims_form()
    rows[2][4] = "medical"
    form = forms.Form(name="p.csv", data=saved(rows))
    found = forms.read(Decisions(), forms.Forms(claims=form), listed(THREE), CLASSES)
    assert (found.claims, found.classes) == (None, {2: "medical"})


@pytest.mark.parametrize(
    ("basis", "sensitive", "known", "reason"),
    [
        ("advice", "medical", CLASSES, "it has a basis and a class"),
        ("", "secret", CLASSES, "'secret' is not a class; those of the terms are medical, personnel"),
        ("", "medical", (), "'medical' is not a class; none can be given in this answer"),
    ],
)
def test_a_class_that_is_not_clear_is_refused(basis: str, sensitive: str, known: tuple[str, ...], reason: str) -> None:
    rows = claims_form()
    rows[3][3], rows[3][4] = basis, sensitive
    form = forms.Form(name="p.csv", data=saved(rows))
    with pytest.raises(BadForm, match=reason):
        forms.read(Decisions(), forms.Forms(claims=form), listed(THREE), known)


def for_the_court(bases: list[object]) -> tuple[list[list[str]], dict[int, Document]]:
    """The form of a camera in which Alice claims this, and the documents that it is about."""
    shown, asked_about = [], listed(THREE[: len(bases)])
    for document, basis in zip(documents(THREE[: len(bases)]), bases, strict=True):
        note, judged = pages.in_camera(basis)
        shown.append(replace(document, note=note, judged=judged))
        asked_about[document.position] = replace(asked_about[document.position], note=note, judged=judged)
    return rows_of(forms.blank(asked("privilege"), shown)[filenames.LABELS]), asked_about


def test_the_court_sees_for_each_document_what_it_is_asked() -> None:
    rows, _ = for_the_court(["advice", {"class": "medical"}, None])
    assert rows[0] == ["position", "document", "file", "basis", "upheld", "responsive", "reason"]
    assert [row[3:] for row in rows[1:]] == [
        ["advice", "", "not asked", ""],
        ["class medical: is it responsive?", "not asked", "", ""],
        ["is it responsive?", "not asked", "", ""],
    ]


def test_what_the_court_finds_responsive_is_not_upheld_so_that_bob_gets_it() -> None:
    rows, about = for_the_court(["advice", {"class": "medical"}, None])
    rows[1][4], rows[2][5], rows[3][5] = "yes", "yes", "no"
    assert forms.upheld(saved(rows), "labels.csv", about) == {1: True, 2: False, 3: True}


def test_a_court_that_is_asked_one_thing_gets_one_column() -> None:
    assert for_the_court(["advice"])[0][0][4:] == ["upheld", "reason"]
    assert for_the_court([None, {"class": "medical"}])[0][0][4:] == ["responsive", "reason"]


def test_a_ruling_in_the_wrong_column_is_refused() -> None:
    rows, about = for_the_court(["advice", None])
    rows[1][5] = "no"
    with pytest.raises(BadForm, match="the court is not asked about 'responsive' here, but about 'upheld'"):
        forms.upheld(saved(rows), "labels.csv", about)


def test_a_ruling_that_is_missing_is_named() -> None:
    rows, about = for_the_court(["advice", None])
    rows[1][4] = "yes"
    with pytest.raises(BadForm, match=r"row 3 \(position 2\): the column 'responsive' is empty"):
        forms.upheld(saved(rows), "labels.csv", about)


def test_a_reason_is_optional_and_stands_beside_its_ruling() -> None:
    rows, about = for_the_court(["advice", "work product", None])
    rows[1][6], rows[3][6] = "  It is advice. ", ""
    assert forms.reasons(saved(rows), "labels.csv", about) == {1: "It is advice."}
    without = [row[:-1] for row in rows]
    assert forms.reasons(saved(without), "labels.csv", about) == {}


def test_a_reason_of_another_question_is_refused() -> None:
    rows, about = for_the_court(["advice"])
    rows[1][2], rows[1][5] = "documents/0001-r9-other.txt", "why"
    with pytest.raises(BadForm, match="This is the form of another round"):
        forms.reasons(saved(rows), "labels.csv", about)


def withheld(count: int) -> list[ListedDocument]:
    return [
        ListedDocument(position=place, name=f"m{place}.eml", round=1 + place // 3, place=place * 2)
        for place in range(1, count + 1)
    ]


def of_a_look(count: int) -> tuple[list[list[str]], dict[int, Document]]:
    made = withheld(count)
    about = {each.position: Document(name=each.name, file=each.file) for each in made}
    return rows_of(forms.withheld(made)[filenames.WITHHELD]), about


def test_a_second_look_lists_each_document_with_the_file_that_alice_has() -> None:
    rows, _ = of_a_look(3)
    assert rows[0] == ["position", "document", "file", "round", "give up"]
    assert rows[3] == ["3", "m3.eml", "documents/0006-r2-m3.eml", "2", ""]


def test_only_rows_that_say_yes_are_given_up() -> None:
    rows, about = of_a_look(5)
    rows[2][4], rows[4][4], rows[5][4] = "yes", "no", "X"
    assert forms.given_up(saved(rows), "withheld.csv", about) == {2, 5}
    assert forms.given_up(saved(of_a_look(5)[0]), "withheld.csv", about) == frozenset()
    assert forms.given_up(saved([rows[0], rows[2]]), "withheld.csv", about) == {2}


@pytest.mark.parametrize(
    ("column", "said", "reason"),
    [
        (4, "perhaps", "the column 'give up' says 'perhaps'; write yes or no"),
        (0, "9", "position 9 was not asked about"),
        (2, "documents/0002-r1-m1.eml", "another round, or its rows were shifted"),
    ],
)
def test_a_second_look_that_is_not_clear_is_refused(column: int, said: str, reason: str) -> None:
    rows, about = of_a_look(3)
    rows[2][column] = said
    with pytest.raises(BadForm, match=reason):
        forms.given_up(saved(rows), "withheld.csv", about)


def test_the_page_of_a_second_look_leads_to_every_round() -> None:
    made = withheld(4)
    page = pages.listing(asked("look"), made, "Smith v. Acme", "All mail.")[filenames.INDEX].decode()
    for each in made:
        assert each.file in page
        assert f'href="#round-{each.round}"' in page
        assert f'id="round-{each.round}"' in page
    assert "4 withheld documents" in page
    assert "All mail." in page


def test_thousands_of_withheld_documents_fit_on_a_page() -> None:
    page = pages.listing(asked("look"), withheld(20_000), "case")[filenames.INDEX]
    assert len(page) < 4_000_000
