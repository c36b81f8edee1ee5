"""Excel files: every sheet, also those that somebody hid, and everything that hangs at them."""

import pytest

from protocol.sources.formats.cellformats import is_date_format, moment, plain_number
from protocol.sources.formats.xlsx import EXTRACTOR
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause
from tests.support.officefiles import Links, cells, element, package, read, real_files, xlsx

UNREAD = {"protectedFile.xlsx": Cause.ENCRYPTED}
TWO_SHEETS = '<x:sheet name="A" r:id="rId2" state="{}"/><x:sheet name="B" r:id="rId1"/>'


def lines(content: bytes) -> list[str]:
    """The text after the heading of the first sheet."""
    found = read(EXTRACTOR, content, "a.xlsx").text.split("\n")
    assert found[0] == "Sheet First:"
    return found[1:]


def cell(value: str, attributes: str = "") -> str:
    return f"<x:c {attributes}><x:v>{value}</x:v></x:c>"


def both_sheets(state: str) -> Extracted:
    second = element("x:worksheet", f"<x:sheetData>{cells(cell('2'))}</x:sheetData>")
    content = xlsx(cells(cell("1")), sheets=TWO_SHEETS.format(state), parts={"xl/worksheets/sheet2.xml": second})
    return read(EXTRACTOR, content)


# Sheets and cells


@pytest.mark.parametrize(
    ("state", "told"), [("visible", ""), ("hidden", " (hidden)"), ("veryHidden", " (very hidden)")]
)
def test_sheets_come_in_their_order_with_their_names_and_hidden_ones_are_marked(state: str, told: str) -> None:
    assert both_sheets(state).text == f"Sheet A{told}:\n2\nSheet B:\n1"


def test_a_sheet_that_the_workbook_does_not_list_is_read() -> None:
    second = element("x:worksheet", f"<x:sheetData>{cells(cell('2'))}</x:sheetData>")
    content = xlsx(cells(cell("1")), parts={"xl/worksheets/sheet2.xml": second})
    assert lines(content) == ["1", "Sheet that is not in the workbook:", "2"]


def test_hidden_rows_and_columns_are_read() -> None:
    rows = f'<x:cols><x:col min="1" max="1" hidden="1"/></x:cols><x:row hidden="1">{cell("5")}</x:row>'
    assert lines(xlsx(rows)) == ["5"]


def test_shared_strings_are_taken_without_their_pronunciation() -> None:
    strings = element(
        "x:sst",
        "<x:si><x:t>plain</x:t></x:si><x:si><x:r><x:t>in </x:t></x:r><x:r><x:t>pieces</x:t></x:r>"
        "<x:rPh><x:t>spoken</x:t></x:rPh></x:si>",
    )
    rows = cells(cell("1", 't="s"'), cell("0", 't="s"'), cell("9", 't="s"'), cell("x", 't="s"'))
    assert lines(xlsx(rows, parts={"xl/sharedStrings.xml": strings})) == ["in pieces\tplain"]


def test_inline_strings_logical_values_errors_and_results_are_taken() -> None:
    inline = '<x:c t="inlineStr"><x:is><x:r><x:t>here</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:is></x:c>'
    rows = cells(
        inline, cell("1", 't="b"'), cell("#N/A", 't="e"'), cell("text", 't="str"'), cell("2020-01-01", 't="d"')
    )
    assert lines(xlsx(rows)) == ["here\tTRUE\t#N/A\ttext\t2020-01-01"]


def test_a_formula_is_shown_by_its_value_or_as_it_is_if_no_value_was_kept() -> None:
    rows = cells("<x:c><x:f>A1+1</x:f><x:v>3</x:v></x:c>", "<x:c><x:f>SUM(B1:B9)</x:f></x:c>")
    assert lines(xlsx(rows)) == ["3\t=SUM(B1:B9)"]


def test_the_lines_of_a_cell_stay_in_one_line() -> None:
    assert lines(xlsx(cells(cell("one\ntwo", 't="str"'), cell("3")))) == ["one two\t3"]


# Dates and numbers


def styles(code: str) -> str:
    xfs = '<x:cellStyleXfs><x:xf numFmtId="14"/></x:cellStyleXfs><x:cellXfs><x:xf numFmtId="0"/><x:xf numFmtId="{}"/>'
    formats = f'<x:numFmts><x:numFmt numFmtId="164" formatCode="{code}"/></x:numFmts>'
    return element("x:styleSheet", formats + xfs.format(164 if code else 14) + "</x:cellXfs>")


def test_a_number_is_a_date_where_its_style_says_so() -> None:
    rows = cells(cell("43831", 's="1"'), cell("43831", 's="0"'), cell("43831.75", 's="1"'))
    assert lines(xlsx(rows, parts={"xl/styles.xml": styles("")})) == ["2020-01-01\t43831\t2020-01-01 18:00:00"]


def test_dates_may_be_counted_from_1904() -> None:
    content = xlsx(
        cells(cell("1", 's="1"')), parts={"xl/styles.xml": styles("")}, workbook='<x:workbookPr date1904="1"/>'
    )
    assert lines(content) == ["1904-01-02"]


@pytest.mark.parametrize(
    ("code", "is_date"),
    [
        *(("yyyy-mm-dd", True), ("[h]:mm:ss", True), ("d. mmm", True), ("[$-407]d. mmmm yyyy", True)),
        *(("General", False), ("0.00", False), ('0 "days"', False), ("[Red]0", False), ("#,##0 \\d", False)),
        *(('0;"my"', False), ("", False), ('"' * 999, False)),
    ],
)
def test_a_format_is_one_of_dates_if_it_names_days_or_hours(code: str, *, is_date: bool) -> None:
    assert is_date_format(code) == is_date


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        *(("1", "1900-01-01"), ("59", "1900-02-28"), ("61", "1900-03-01"), ("0.5", "12:00:00")),
        *(("-1", "-1"), ("1E400", "1E400"), ("NaN", "NaN"), ("x", "x"), ("9999999999", "9999999999"), ("", "")),
        ("2958465", "9999-12-31"),
    ],
)
def test_stored_numbers_become_dates_within_what_a_spreadsheet_knows(stored: str, shown: str) -> None:
    assert moment(stored, since_1904=False) == shown


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        *(("19.989999999999998", "19.99"), ("2.5000000000000001E-2", "0.025"), ("5", "5"), ("-0.1", "-0.1")),
        *(("1234567890123451", "1234567890123451"), ("1.2345678901234509E+15", "1234567890123451")),
        *(("1E+300", "1E+300"), ("1E-300", "1E-300"), ("0", "0"), ("0.0", "0.0"), ("1E+999", "1E+999"), ("x", "x")),
    ],
)
def test_numbers_are_shown_in_the_fewest_digits_that_say_the_same(stored: str, shown: str) -> None:
    assert plain_number(stored) == shown


# What hangs at a sheet


def test_comments_are_told_with_cell_and_author() -> None:
    authors = "<x:authors><x:author>Ann</x:author><x:author>Bob</x:author></x:authors>"
    comment = (
        '<x:comment ref="B2" authorId="1"><x:text><x:r><x:t>why</x:t></x:r><x:r><x:t>?</x:t></x:r></x:text></x:comment>'
    )
    parts: dict[str, str | bytes] = {
        "xl/comments1.xml": element("x:comments", f"{authors}<x:commentList>{comment}</x:commentList>")
    }
    content = xlsx("", links={"rId1": ("comments", "../comments1.xml")}, parts=parts)
    assert lines(content) == ["Comments:", "B2 Bob: why?"]


def test_threaded_comments_are_taken_and_their_copies_for_old_programs_are_not() -> None:
    old = '<x:comment ref="A1"><x:text><x:t>[Threaded comment] Your version of Excel</x:t></x:text></x:comment>'
    new = '<tc:threadedComment ref="A1" personId="{1}"><tc:text>really?</tc:text></tc:threadedComment>'
    answer = '<tc:threadedComment ref="A1" personId="{2}"><tc:text>yes</tc:text></tc:threadedComment>'
    persons = '<tc:person displayName="Ann" id="{1}"/>'
    links: Links = {
        "rId1": ("comments", "../comments1.xml"),
        "rId2": ("threadedComment", "../threadedComments/threadedComment1.xml"),
    }
    parts: dict[str, str | bytes] = {
        "xl/comments1.xml": element("x:comments", f"<x:commentList>{old}</x:commentList>"),
        "xl/threadedComments/threadedComment1.xml": element("tc:ThreadedComments", new + answer),
        "xl/persons/person.xml": element("tc:personList", persons),
    }
    assert lines(xlsx("", links=links, parts=parts)) == ["Comments:", "A1 Ann: really?", "A1 yes"]


def test_text_boxes_and_charts_are_read() -> None:
    drawing = "<xdr:sp><xdr:txBody><a:p><a:r><a:t>boxed</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
    chart = "<c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title>"
    series = "<c:tx><c:v>a</c:v></c:tx><c:tx><c:v>a</c:v></c:tx>"
    links: Links = {"rId1": ("drawing", "../drawings/drawing1.xml"), "rId2": ("vmlDrawing", "../drawings/old.vml")}
    parts: dict[str, str | bytes] = {
        "xl/drawings/drawing1.xml": element("xdr:wsDr", drawing),
        "xl/drawings/_rels/drawing1.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="r" Type="x/chart" Target="/xl/charts/chart1.xml"/></Relationships>',
        "xl/charts/chart1.xml": element("c:chartSpace", chart + series),
        "xl/drawings/old.vml": "<xml><v:shape><v:textbox><div>press<br>me</div></v:textbox></v:shape><v:textbox>",
    }
    content = xlsx("", links=links, parts=parts)
    assert lines(content) == ["Drawings:", "boxed", "Chart:", "Sales", "a", "Text boxes:", "press", "me"]


def test_headers_and_footers_are_taken_without_their_codes() -> None:
    header = "&amp;L&amp;&quot;Arial,Bold&quot;&amp;12Privileged &amp;&amp; secret&amp;R&amp;D"
    after = f"<x:headerFooter><x:oddHeader>{header}</x:oddHeader><x:evenHeader>{header}</x:evenHeader></x:headerFooter>"
    assert lines(xlsx("", after=after)) == ["Headers and footers:", "Privileged & secret"]


def test_what_a_pivot_table_keeps_of_a_source_that_is_gone_is_taken() -> None:
    items = '<x:sharedItems><x:s v="deleted client"/><x:s v="5"/><x:n v="7"/></x:sharedItems>'
    parts: dict[str, str | bytes] = {
        "xl/pivotCache/pivotCacheDefinition1.xml": element("x:pivotCacheDefinition", items)
    }
    assert lines(xlsx(cells(cell("5")), parts=parts)) == ["5", "Data of pivot tables:", "deleted client"]


def test_a_link_of_a_cell_is_told() -> None:
    content = xlsx(cells(cell("1")), links={"rId1": ("hyperlink", "https://example.org")})
    assert lines(content) == ["1", "Links:", "https://example.org"]


# Broken ones


def test_a_sheet_that_is_missing_is_noted() -> None:
    found = read(EXTRACTOR, xlsx("", sheets='<x:sheet name="gone" r:id="rId77"/>'))
    assert (Cause.UNREAD_PART, "the sheet 'gone' is missing") in found.notes


def test_a_sheet_that_is_cut_is_read_as_far_as_it_goes() -> None:
    cut = element("x:worksheet", f"<x:sheetData>{cells(cell('1'))}{cells(cell('2'))}</x:sheetData>")[:-40]
    found = read(EXTRACTOR, xlsx("", parts={"xl/worksheets/sheet1.xml": cut}))
    assert found.text == "Sheet First:\n1\n2"
    assert found.notes[0][0] == Cause.UNREAD_PART


def test_a_binary_workbook_is_told_with_what_to_do() -> None:
    file = File(name="a.xlsb", content=package("xl/workbook.bin", {"xl/workbook.bin": b"\x83\x01"}))
    assert EXTRACTOR.recognises(file)
    with pytest.raises(Unextractable, match="save it as .xlsx") as refused:
        EXTRACTOR.extract(file)
    assert refused.value.cause == Cause.NEEDS_TOOL


def test_a_long_string_that_is_used_very_often_is_too_large() -> None:
    strings = element("x:sst", f"<x:si><x:t>{'x' * 1_000_000}</x:t></x:si>")
    rows = cells(*[cell("0", 't="s"')] * 100)
    with pytest.raises(Unextractable, match="its text is longer than") as refused:
        read(EXTRACTOR, xlsx(rows, parts={"xl/sharedStrings.xml": strings}))
    assert refused.value.cause == Cause.TOO_LARGE


# Real ones


def test_real_excel_files_are_read_or_told_with_the_reason() -> None:
    for path in real_files(".xlsx"):
        file = File(name=path.name, content=path.read_bytes())
        assert EXTRACTOR.recognises(file), path.name
        try:
            assert EXTRACTOR.extract(file).text, path.name
        except Unextractable as refused:
            assert refused.cause == UNREAD.get(path.name), path.name


def test_the_files_inside_a_real_workbook_come_out_with_their_names() -> None:
    path = next(path for path in real_files(".xlsx") if path.name == "testWPSAttachment.xlsx")
    children = read(EXTRACTOR, path.read_bytes()).children
    assert {"TXT.txt", "PDF.pdf", "XML.xml"} <= {child.name for child in children}
    assert next(child for child in children if child.name == "PDF.pdf").content.startswith(b"%PDF")
