"""Word files: every text that somebody wrote, showed, hid or deleted is in the text."""

import pytest

from protocol.sources.formats.docx import EXTRACTOR
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause
from tests.support.officefiles import Links, docx, element, paragraph, read, real_files

UNREAD = {"protected_normal_case.docx": Cause.ENCRYPTED, "testWORD_truncated.docx": Cause.DAMAGED}
WITHOUT_TEXT = {"2exe.docx"}


def word(body: str, links: Links | None = None, parts: dict[str, str | bytes] | None = None) -> Extracted:
    return read(EXTRACTOR, docx(body, links, parts), "a.docx")


def run(text: str, tag: str = "w:t") -> str:
    return f"<w:r><{tag}>{text}</{tag}></w:r>"


# The body


def test_paragraphs_are_lines_and_runs_are_joined() -> None:
    body = f"<w:p>{run('con')}{run('tract')}</w:p>{paragraph('second')}"
    assert word(body).text == "contract\nsecond"


def test_a_tab_and_a_break_separate_words() -> None:
    body = "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>"
    assert word(body).text == "a\tb\nc-d"


def test_a_tab_stop_of_a_style_is_no_text() -> None:
    assert word(f'<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>{run("a")}</w:p>').text == "a"


def test_the_row_of_a_table_is_a_line() -> None:
    def cell(text: str) -> str:
        return f"<w:tc>{paragraph(text)}</w:tc>"

    table = f"<w:tbl><w:tr>{cell('a')}{cell('b')}</w:tr><w:tr>{cell('c')}{cell('d')}</w:tr></w:tbl>"
    assert word(table).text == "a\tb\nc\td"


def test_hidden_text_is_taken() -> None:
    assert word("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>").text == "hidden"


def test_the_text_of_a_content_control_is_taken() -> None:
    assert word(f"<w:sdt><w:sdtContent>{paragraph('chosen')}</w:sdtContent></w:sdt>").text == "chosen"


def test_the_text_of_a_formula_is_taken() -> None:
    assert word("<w:p><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></w:p>").text == "E=mc"


def test_strict_files_are_read_too() -> None:
    body = (
        '<d:document xmlns:d="http://purl.oclc.org/ooxml/wordprocessingml/main">'
        "<d:body><d:p><d:r><d:t>strict</d:t></d:r></d:p></d:body></d:document>"
    )
    assert word("", parts={"word/document.xml": body}).text == "strict"


def test_numbers_of_lists_are_written_out() -> None:
    numbering = element(
        "w:numbering",
        '<w:abstractNum w:abstractNumId="0">'
        '<w:lvl w:ilvl="0"><w:start w:val="2"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %1."/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1(%2)"/></w:lvl>'
        '</w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num>',
    )

    def item(level: int, text: str) -> str:
        about = f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="7"/></w:numPr></w:pPr>'
        return f"<w:p>{about}{run(text)}</w:p>"

    body = item(0, "one") + item(1, "two") + item(1, "three") + item(0, "four") + item(1, "five")
    text = word(body, {"rId1": ("numbering", "numbering.xml")}, {"word/numbering.xml": numbering}).text
    assert text == "Article II. one\nII(a) two\nII(b) three\nArticle III. four\nIII(a) five"


# Text boxes


BOX = "<w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>"


def test_a_text_box_follows_after_the_paragraph_and_cuts_no_word() -> None:
    body = f"<w:p>{run('con')}<w:r><w:pict>{BOX}</w:pict></w:r>{run('tract')}</w:p>{paragraph('next')}"
    assert word(body).text == "contract\nin the box\nnext"


def test_a_text_box_written_for_new_and_old_programs_is_taken_once() -> None:
    both = f"<mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent>"
    assert word(f"<w:p>{run('before')}<w:r>{both}</w:r></w:p>").text == "before\nin the box"


def test_what_only_old_programs_show_is_taken_too() -> None:
    other = BOX.replace("in the box", "something else")
    both = f"<mc:AlternateContent><mc:Choice>{BOX}</mc:Choice><mc:Fallback>{other}</mc:Fallback></mc:AlternateContent>"
    assert word(f"<w:p><w:r>{both}</w:r></w:p>").text == "in the box\nsomething else"


def test_alternative_texts_and_ornamental_text_are_taken() -> None:
    body = '<w:p><w:r><wp:docPr name="x" descr="a cat"/><v:textpath string="DRAFT"/></w:r></w:p>'
    assert word(body).text == "[alt text: a cat]\n[DRAFT]"


# Changes, fields and links


def test_deleted_and_inserted_text_is_marked_with_who_did_it() -> None:
    deleted = f'<w:del w:author="Bob" w:date="2020-01-02T03:04:05Z">{run("old", "w:delText")}</w:del>'
    body = f'<w:p>{run("the ")}{deleted}<w:ins w:author="Al">{run("new")}</w:ins>{run(" price")}</w:p>'
    assert word(body).text == "the [deleted by Bob, 2020-01-02: old][inserted by Al: new] price"


def test_moved_text_is_at_both_places() -> None:
    body = f"<w:p><w:moveFrom>{run('x')}</w:moveFrom></w:p><w:p><w:moveTo>{run('x')}</w:moveTo></w:p>"
    assert word(body).text == "[moved away: x]\n[moved here: x]"


def test_the_mark_of_an_inserted_paragraph_alone_says_nothing() -> None:
    assert word(f'<w:p><w:pPr><w:rPr><w:ins w:author="A"/></w:rPr></w:pPr>{run("a")}</w:p>').text == "a"


def test_a_link_says_where_it_leads() -> None:
    body = f'<w:p><w:hyperlink r:id="rId5">{run("here")}</w:hyperlink></w:p>'
    assert word(body, {"rId5": ("hyperlink", "https://example.org/a")}).text == "here <https://example.org/a>"


def test_a_field_gives_its_result_and_its_target_but_no_instruction() -> None:
    def char(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    def field(code: str, result: str) -> str:
        return f"{char('begin')}{run(code, 'w:instrText')}{char('separate')}{run(result)}{char('end')}"

    linked = field(' HYPERLINK "http://x.example" ', "link")
    page, inner = field(" PAGEREF _Toc1 \\h ", "7"), field(' HYPERLINK \\l "_Toc1" ', "inner")
    assert word(f"<w:p>{linked}</w:p><w:p>{page}</w:p><w:p>{inner}</w:p>").text == "link <http://x.example>\n7\ninner"


def test_a_simple_field_gives_its_result() -> None:
    assert word(f'<w:p><w:fldSimple w:instr="AUTHOR">{run("Jane")}</w:fldSimple></w:p>').text == "Jane"


def test_a_choice_in_a_form_is_taken() -> None:
    entries = '<w:result w:val="1"/><w:listEntry w:val="no"/><w:listEntry w:val="yes"/>'
    body = f"<w:p><w:r><w:fldChar><w:ffData><w:ddList>{entries}</w:ddList></w:ffData></w:fldChar></w:r></w:p>"
    assert word(body).text == "yes"


def test_links_that_the_text_does_not_mention_stand_at_the_end() -> None:
    links: Links = {"rId1": ("subDocument", "http://example.org/chapter.docx")}
    assert word(paragraph("a"), links).text == "a\nLinks:\nhttp://example.org/chapter.docx"


# Other parts


def test_notes_comments_headers_and_footers_come_after_the_body() -> None:
    links: Links = {
        "rId1": ("footnotes", "footnotes.xml"),
        "rId2": ("endnotes", "endnotes.xml"),
        "rId3": ("comments", "comments.xml"),
        "rId4": ("header", "header1.xml"),
        "rId5": ("footer", "footer1.xml"),
        "rId6": ("header", "header2.xml"),
    }
    parts: dict[str, str | bytes] = {
        "word/footnotes.xml": element("w:footnotes", f'<w:footnote w:id="1">{paragraph("below")}</w:footnote>'),
        "word/endnotes.xml": element("w:endnotes", f'<w:endnote w:id="2">{paragraph("at the end")}</w:endnote>'),
        "word/comments.xml": element(
            "w:comments", f'<w:comment w:id="3" w:author="Eve">{paragraph("why?")}</w:comment>'
        ),
        "word/header1.xml": element("w:hdr", paragraph("secret")),
        "word/header2.xml": element("w:hdr", paragraph("secret")),
        "word/footer1.xml": element("w:ftr", paragraph("page")),
    }
    body = '<w:p><w:r><w:t>text</w:t><w:footnoteReference w:id="1"/><w:commentReference w:id="3"/></w:r></w:p>'
    assert word(body, links, parts).text.split("\n") == [
        *("text[1][3]", "Footnotes:", "[1] below", "Endnotes:", "[2] at the end"),
        *("Comments:", "[3] by Eve: why?", "Header:", "secret", "Footer:", "page"),
    ]


def test_a_page_that_stands_in_for_a_part_of_the_text_is_taken_as_text() -> None:
    links: Links = {"rId9": ("aFChunk", "chunk.html")}
    parts: dict[str, str | bytes] = {"word/chunk.html": "<html><body><p>from <b>HTML</b></p></body></html>"}
    found = word('<w:altChunk r:id="rId9"/>', links, parts)
    assert found.text == "from HTML"
    assert not found.children


def test_any_other_file_that_stands_in_for_a_part_of_the_text_is_a_file_inside() -> None:
    found = word('<w:altChunk r:id="rId9"/>', {"rId9": ("aFChunk", "chunk.rtf")}, {"word/chunk.rtf": b"{\\rtf1 x}"})
    assert [(child.name, child.content) for child in found.children] == [("chunk.rtf", b"{\\rtf1 x}")]


def test_diagrams_and_charts_are_read() -> None:
    links: Links = {"rId1": ("diagramData", "diagrams/data1.xml"), "rId2": ("chart", "charts/chart1.xml")}
    points = "<dgm:pt><dgm:t><a:p><a:r><a:t>step</a:t></a:r></a:p></dgm:t></dgm:pt>"
    chart = (
        "<c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:cat><c:strRef><c:strCache>"
        "<c:pt><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:cat><c:numCache><c:pt><c:v>5</c:v></c:pt></c:numCache>"
    )
    parts: dict[str, str | bytes] = {
        "word/diagrams/data1.xml": element("dgm:dataModel", points),
        "word/charts/chart1.xml": element("c:chartSpace", chart),
    }
    assert word("", links, parts).text == "Chart:\nSales\nNorth\nDiagram:\nstep"


def test_properties_are_fields_and_those_that_people_added_are_text() -> None:
    core = (
        "<dc:title>The deal</dc:title><dc:creator>Ann</dc:creator><cp:keywords>secret</cp:keywords>"
        "<dcterms:modified>2020-02-03T04:05:06Z</dcterms:modified><dcterms:created>2019-01-01</dcterms:created>"
    )
    custom = '<op:property name="Matter"><op:lpwstr>4711</op:lpwstr></op:property>'
    parts: dict[str, str | bytes] = {
        "docProps/core.xml": element("cp:coreProperties", core),
        "docProps/custom.xml": element("op:Properties", custom),
    }
    found = word(paragraph("a"), parts=parts)
    assert found.fields == {"title": "The deal", "author": "Ann", "date": "2020-02-03T04:05:06Z"}
    assert found.text == "a\nProperties:\nKeywords: secret\nMatter: 4711"


def test_a_date_that_is_none_is_no_field() -> None:
    core = element("cp:coreProperties", "<dcterms:modified>yesterday</dcterms:modified>")
    assert not word(paragraph("a"), parts={"docProps/core.xml": core}).fields


def test_embedded_files_are_inside_and_pictures_are_counted() -> None:
    parts: dict[str, str | bytes] = {
        "word/embeddings/sheet10.xlsx": b"ten",
        "word/embeddings/sheet9.xlsx": b"nine",
        "word/media/image1.png": b"png",
        "word/media/sound.mp3": b"mp3",
    }
    found = word(paragraph("a"), parts=parts)
    assert [(child.name, child.content) for child in found.children] == [
        *(("sheet9.xlsx", b"nine"), ("sheet10.xlsx", b"ten"), ("sound.mp3", b"mp3"))
    ]
    assert found.notes == ((Cause.UNREAD_PART, "1 picture: words in pictures were not read"),)


# Broken ones


def test_a_part_that_is_broken_is_noted_and_the_others_are_read() -> None:
    links: Links = {"rId1": ("footnotes", "footnotes.xml"), "rId2": ("header", "header1.xml")}
    parts: dict[str, str | bytes] = {
        "word/footnotes.xml": element("w:footnotes", f'<w:footnote w:id="1">{paragraph("kept")}</w:footnote>')[:-14],
        "word/header1.xml": element("w:hdr", paragraph("header")),
    }
    found = word(paragraph("body"), links, parts)
    assert found.text == "body\nFootnotes:\n[1] kept\nHeader:\nheader"
    assert [cause for cause, _ in found.notes] == [Cause.UNREAD_PART]
    assert "word/footnotes.xml" in found.notes[0][1]


@pytest.mark.parametrize("body", ["", "<w:p>", "</w:body></w:document>", "\0", "<w:p>&unknown;</w:p>"])
def test_a_main_part_that_is_not_xml_is_damaged(body: str) -> None:
    broken = element("w:document", body)[: -len("</w:document>")]
    with pytest.raises(Unextractable, match="word/document.xml: it is not well-formed XML") as refused:
        word("", parts={"word/document.xml": broken})
    assert refused.value.cause == Cause.DAMAGED


def test_a_file_without_its_main_part_is_damaged() -> None:
    file = File(name="a.docx", content=docx("")[:200])
    assert EXTRACTOR.recognises(file)
    with pytest.raises(Unextractable, match="cut or damaged"):
        EXTRACTOR.extract(file)


# Real ones


def test_real_word_files_are_read_or_told_with_the_reason() -> None:
    for path in real_files(".docx"):
        file = File(name=path.name, content=path.read_bytes())
        assert EXTRACTOR.recognises(file), path.name
        try:
            found = EXTRACTOR.extract(file)
        except Unextractable as refused:
            assert refused.cause == UNREAD.get(path.name), path.name
            continue
        assert path.name not in UNREAD
        assert bool(found.text) == (path.name not in WITHOUT_TEXT), path.name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("testWORD_missing_text.docx", "Footer:\n2"),
        ("testWORD_sdtInTextBox.docx", "rich-text-content-control_inside-text-box"),
        ("testAltChunkHTML.docx", "emphasized word"),
        ("testFrameset.docx", "http://example.com/malicious.html"),
        ("testWORD_override_list_numbering.docx", "2.18.ii 2.18.ii"),
        ("testWORD_endnote_table.docx", "endnote"),
        ("headerPic.docx", "alt text: DOZOR"),
    ],
)
def test_what_other_readers_miss_in_real_word_files_is_there(name: str, text: str) -> None:
    path = next(path for path in real_files(".docx") if path.name == name)
    assert text in read(EXTRACTOR, path.read_bytes(), name).text
