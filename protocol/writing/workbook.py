"""A table as an Excel file (.xlsx) of one sheet: a row of headings that stays in sight and is printed on each page.

All texts are inline and marked as texts, so that no program takes one for a formula, a number or a date.
"""

from collections.abc import Iterable, Iterator, Sequence

from ledger.errors import Refused
from protocol.writing import package

Cell = str | int
"""What a cell holds; an empty text is an empty cell."""

MOST_ROWS = 2**20
"""The most rows of a sheet, headings included."""
LONGEST_CELL = 2**15 - 1
"""The most characters of a cell."""

_CUT = " … (cut here: a spreadsheet's cell holds no more)"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}">'
    '<fonts count="2"><font><sz val="10"/><name val="Arial"/></font>'
    '<font><b/><sz val="10"/><name val="Arial"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">'
    '<alignment vertical="top" wrapText="1"/></xf>'
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>'
    "</styleSheet>"
)
_TEXT, _HEADING = 1, 2  # styles of cells


def workbook(title: str, columns: Sequence[tuple[str, int]], rows: Sequence[Sequence[Cell]]) -> bytes:
    """The file; `columns` has the heading and the width of each in characters."""
    if len(rows) >= MOST_ROWS:
        raise Refused(f"a spreadsheet holds {MOST_ROWS - 1} rows, and the table has {len(rows)}; write it as .csv")
    parts = {
        "xl/workbook.xml": _book(title, columns, len(rows)),
        "xl/worksheets/sheet1.xml": "".join(_sheet(columns, rows)),
        "xl/styles.xml": _STYLES,
    }
    kinds = dict(zip(parts, (f"{_KIND}.{each}+xml" for each in ("sheet.main", "worksheet", "styles")), strict=True))
    return package.packed(
        {
            "[Content_Types].xml": package.types(kinds),
            "_rels/.rels": package.relations({"xl/workbook.xml": "officeDocument"}),
            "xl/_rels/workbook.xml.rels": package.relations(
                {"worksheets/sheet1.xml": "worksheet", "styles.xml": "styles"}
            ),
            **parts,
        }
    )


def _book(title: str, columns: Sequence[tuple[str, int]], rows: int) -> str:
    """The workbook: its sheet, and the row that every printed page repeats."""
    name = package.text(title)
    quoted = name.replace("'", "''")
    area = f"'{quoted}'!$A$1:${_letters(len(columns) - 1)}${rows + 1}"
    return (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets><sheet name="{name}" sheetId="1" r:id="r1"/></sheets>'
        f'<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">{area}</definedName>'
        f'<definedName name="_xlnm.Print_Titles" localSheetId="0">\'{quoted}\'!$1:$1</definedName></definedNames>'
        "</workbook>"
    )


def _sheet(columns: Sequence[tuple[str, int]], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    yield f'<worksheet xmlns="{_MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews>'
    yield '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
    yield "</sheetView></sheetViews><cols>"
    for number, (_, width) in enumerate(columns, start=1):
        yield f'<col min="{number}" max="{number}" width="{width}" customWidth="1"/>'
    yield "</cols><sheetData>"
    last = 0
    for last, row in enumerate([[name for name, _ in columns], *rows], start=1):
        yield f'<row r="{last}">'
        yield from (_cell(cell, f"{_letters(place)}{last}", heading=last == 1) for place, cell in enumerate(row))
        yield "</row>"
    yield f'</sheetData><autoFilter ref="A1:{_letters(len(columns) - 1)}{last}"/>'
    yield '<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>'


def _cell(cell: Cell, place: str, *, heading: bool) -> str:
    if isinstance(cell, int):
        return f'<c r="{place}"><v>{cell}</v></c>'
    if not cell:
        return ""
    if len(cell) > LONGEST_CELL:
        cell = cell[: LONGEST_CELL - len(_CUT)] + _CUT
    style = _HEADING if heading else _TEXT
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{package.text(cell)}</t></is></c>'


def _letters(place: int) -> str:
    """The letters of a column: A to Z, AA, AB and so on, counted from 0."""
    found = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        found = chr(ord("A") + letter) + found
    return found
