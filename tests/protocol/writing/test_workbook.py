"""An Excel file of our own is one that other programs read, and none of its texts is taken for anything else."""

import csv
import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Refused
from protocol.sources.formats.xlsx import EXTRACTOR
from protocol.sources.parts import File
from protocol.writing import workbook
from protocol.writing.workbook import Cell

COLUMNS = (("control number", 16), ("author", 30), ("round", 8))
ROWS: list[tuple[Cell, ...]] = [
    ("R1-P1", 'Ann <ann@example.org> & "co"', 1),
    ("1-2", "=SUM(A1:A9)", 20),
    ("", "Ölpreis\u2028 \x0b]]>", 300),
]


def read_back(data: bytes) -> list[list[str]]:
    text = EXTRACTOR.extract(File(name="a.xlsx", content=data)).text
    heading, *lines = text.split("\n")
    assert heading == "Sheet List:"
    return [line.split("\t") for line in lines]


def test_our_own_reader_finds_every_cell() -> None:
    found = read_back(workbook.workbook("List", COLUMNS, ROWS))
    assert found[0] == [name for name, _ in COLUMNS]
    assert found[1] == ["R1-P1", 'Ann <ann@example.org> & "co"', "1"]
    assert found[2] == ["1-2", "=SUM(A1:A9)", "20"]


def test_the_same_table_gives_the_same_bytes() -> None:
    assert workbook.workbook("List", COLUMNS, ROWS) == workbook.workbook("List", COLUMNS, ROWS)


def test_a_text_is_neither_a_formula_nor_a_number() -> None:
    package = zipfile.ZipFile(io.BytesIO(workbook.workbook("List", COLUMNS, ROWS)))
    sheet = package.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert sheet.count('t="inlineStr"') == 3 + 5
    assert '<c r="C2"><v>1</v></c>' in sheet
    assert {info.date_time for info in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_title_with_quotation_marks_breaks_nothing() -> None:
    data = workbook.workbook("Bob's <list>", COLUMNS, ROWS)
    text = EXTRACTOR.extract(File(name="a.xlsx", content=data)).text
    assert text.startswith("Sheet Bob's <list>:")


def test_a_cell_that_is_too_long_is_cut_and_says_so() -> None:
    found = read_back(workbook.workbook("List", COLUMNS, [("R1-P1", "x" * 40_000, 1)]))
    assert len(found[1][1]) == workbook.LONGEST_CELL
    assert found[1][1].endswith("(cut here: a spreadsheet's cell holds no more)")


def test_more_rows_than_a_sheet_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    with pytest.raises(Refused, match=r"holds 2 rows, and the table has 3; write it as \.csv"):
        workbook.workbook("List", COLUMNS, ROWS)
    assert workbook.workbook("List", COLUMNS, ROWS[:2])


@pytest.mark.parametrize(("place", "letters"), [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA")])
def test_columns_are_lettered_as_in_a_spreadsheet(place: int, letters: str) -> None:
    assert workbook._letters(place) == letters


@given(st.text(max_size=40))
def test_any_text_makes_a_readable_file(words: str) -> None:
    found = read_back(workbook.workbook("List", (("a", 10), ("b", 10)), [(words, "end")]))
    assert found[1][-1] == "end"


@pytest.mark.slow
def test_libreoffice_opens_it_with_the_same_cells(tmp_path: Path) -> None:
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not installed")
    (tmp_path / "list.xlsx").write_bytes(workbook.workbook("List", COLUMNS, ROWS))
    home = f"-env:UserInstallation={(tmp_path / 'home').as_uri()}"
    command = [
        soffice,
        home,
        "--headless",
        "--convert-to",
        "csv:Text - txt - csv (StarCalc):44,34,76",  # with commas and quotation marks, in UTF-8
        "--outdir",
        str(tmp_path),
        str(tmp_path / "list.xlsx"),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with (tmp_path / "list.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.reader(file))
    assert found[0] == [name for name, _ in COLUMNS]
    assert found[2] == ["1-2", "=SUM(A1:A9)", "20"]
