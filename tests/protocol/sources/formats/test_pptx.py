"""PowerPoint files: slides as they are shown, and what is behind, under and beside them."""

import pytest

from protocol.sources.formats.pptx import EXTRACTOR
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from tests.support.officefiles import Links, element, pptx, read, real_files, relationships, shape, slide

WITHOUT_TEXT = {"testPPT_embeddedMP3.pptx"}


def text(slides: list[str], links: Links | None = None, parts: dict[str, str | bytes] | None = None) -> str:
    return read(EXTRACTOR, pptx(slides, links, parts), "a.pptx").text


# Slides


def test_slides_come_in_the_order_of_the_presentation() -> None:
    # the presentation of the tests lists them backwards
    assert text([slide(shape("last")), slide(shape("first"))]) == "Slide 1:\nfirst\nSlide 2:\nlast"


def test_a_hidden_slide_is_marked() -> None:
    assert text([slide(shape("secret"), 'show="0"')]) == "Slide 1 (hidden):\nsecret"


def test_a_slide_that_was_taken_out_of_the_presentation_is_read() -> None:
    parts: dict[str, str | bytes] = {"ppt/slides/slide9.xml": slide(shape("removed"))}
    assert text([slide(shape("a"))], parts=parts) == "Slide 1:\na\nSlide that is not in the presentation:\nremoved"


def test_a_slide_without_text_says_nothing() -> None:
    assert text([slide("<p:pic/>")]) == ""


def test_groups_and_placeholders_with_text_are_read() -> None:
    typed = shape("typed", about='<p:ph type="body"/>')
    inner = f"<p:grpSp>{shape('in a group', 'two lines')}</p:grpSp>{typed}"
    assert text([slide(inner)]) == "Slide 1:\nin a group\ntwo lines\ntyped"


def test_the_row_of_a_table_is_a_line() -> None:
    def cell(said: str) -> str:
        return f"<a:tc><a:txBody><a:p><a:r><a:t>{said}</a:t></a:r></a:p></a:txBody></a:tc>"

    table = (
        f"<p:graphicFrame><a:tbl><a:tr>{cell('a')}{cell('b')}</a:tr><a:tr>{cell('c')}</a:tr></a:tbl></p:graphicFrame>"
    )
    assert text([slide(table)]) == "Slide 1:\na\tb\nc"


def test_the_number_of_a_slide_is_no_text_and_other_fields_are() -> None:
    fields = '<a:fld type="slidenum"><a:t>7</a:t></a:fld><a:fld type="datetime1"><a:t>1/2/2020</a:t></a:fld>'
    assert text([slide(f"<p:sp><p:txBody><a:p>{fields}</a:p></p:txBody></p:sp>")]) == "Slide 1:\n1/2/2020"


def test_shapes_written_for_new_and_old_programs_are_taken_once() -> None:
    both = f"<mc:Choice>{shape('art')}</mc:Choice><mc:Fallback>{shape('art')}</mc:Fallback>"
    assert text([slide(f"<mc:AlternateContent>{both}</mc:AlternateContent>")]) == "Slide 1:\nart"


def test_alternative_texts_are_taken() -> None:
    assert text([slide('<p:pic><p:cNvPr name="x" descr="a cat"/></p:pic>')]) == "Slide 1:\n[alt text: a cat]"


# What hangs at a slide


def test_notes_diagrams_and_charts_follow_their_slide() -> None:
    links: Links = {
        "rId1": ("notesSlide", "../notesSlides/notesSlide1.xml"),
        "rId2": ("diagramData", "../diagrams/data1.xml"),
        "rId3": ("diagramDrawing", "../diagrams/drawing1.xml"),
        "rId4": ("chart", "../charts/chart1.xml"),
    }
    point = "<dgm:pt><dgm:t><a:p><a:r><a:t>step</a:t></a:r></a:p></dgm:t></dgm:pt>"
    chart = "<c:title><a:p><a:r><a:t>Growth</a:t></a:r></a:p></c:title>"
    parts: dict[str, str | bytes] = {
        "ppt/notesSlides/notesSlide1.xml": element("p:notes", shape("do not say this")),
        "ppt/diagrams/data1.xml": element("dgm:dataModel", point),
        "ppt/diagrams/drawing1.xml": element("dgm:drawing", "<a:p><a:r><a:t>step</a:t></a:r></a:p>"),
        "ppt/charts/chart1.xml": element("c:chartSpace", chart),
    }
    found = text([slide(shape("a"))], links, parts)
    assert found == "Slide 1:\na\nChart:\nGrowth\nDiagram:\nstep\nNotes:\ndo not say this"


def test_old_comments_are_told_with_their_authors() -> None:
    comments = '<p:cm authorId="3"><p:text>no way</p:text></p:cm><p:cm authorId="9"><p:text>?</p:text></p:cm>'
    parts: dict[str, str | bytes] = {
        "ppt/comments/comment1.xml": element("p:cmLst", comments),
        "ppt/commentAuthors.xml": element("p:cmAuthorLst", '<p:cmAuthor id="3" name="Eve"/>'),
    }
    found = text([slide("")], {"rId1": ("comments", "../comments/comment1.xml")}, parts)
    assert found == "Slide 1:\nComments:\nEve: no way\n?"


def test_modern_comments_and_their_answers_are_told_with_their_authors() -> None:
    def body(said: str) -> str:
        return f"<p188:txBody><a:p><a:r><a:t>{said}</a:t></a:r></a:p></p188:txBody>"

    reply = f'<p188:replyLst><p188:reply authorId="{{B}}">{body("yes")}</p188:reply></p188:replyLst>'
    parts: dict[str, str | bytes] = {
        "ppt/comments/modernComment_1.xml": element(
            "p188:cmLst", f'<p188:cm authorId="{{A}}">{reply}{body("sure?")}</p188:cm>'
        ),
        "ppt/authors.xml": element(
            "p188:authorLst", '<p188:author id="{A}" name="Ann"/><p188:author id="{B}" name="Bob"/>'
        ),
    }
    found = text([slide("")], {"rId1": ("comments", "../comments/modernComment_1.xml")}, parts)
    assert found == "Slide 1:\nComments:\nBob: yes\nAnn: sure?"


def test_backgrounds_give_their_own_text_once_and_not_that_of_their_placeholders() -> None:
    prompt = shape("Click to edit", about='<p:ph type="title"/>')
    parts: dict[str, str | bytes] = {
        "ppt/slideLayouts/slideLayout1.xml": element("p:sldLayout", prompt + shape("CONFIDENTIAL")),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relationships(
            {"rId1": ("slideMaster", "../slideMasters/slideMaster1.xml")}
        ),
        "ppt/slideMasters/slideMaster1.xml": element("p:sldMaster", prompt + shape("ACME")),
    }
    found = text([slide(shape("a"))], {"rId1": ("slideLayout", "../slideLayouts/slideLayout1.xml")}, parts)
    assert found == "Slide 1:\na\nBackground:\nCONFIDENTIAL\nBackground:\nACME"


# Broken ones


def test_a_slide_that_is_missing_or_broken_is_noted() -> None:
    found = read(EXTRACTOR, pptx([slide(shape("a")), "<p:sld"]))
    assert "Slide 2:\na" in found.text
    assert [cause for cause, _ in found.notes] == [Cause.UNREAD_PART]


def test_relationships_that_lead_in_circles_end() -> None:
    parts: dict[str, str | bytes] = {
        "ppt/notesSlides/notesSlide1.xml": element("p:notes", shape("note")),
        "ppt/notesSlides/_rels/notesSlide1.xml.rels": relationships({"rId1": ("slide", "../slides/slide1.xml")}),
    }
    links: Links = {"rId1": ("notesSlide", "../notesSlides/notesSlide1.xml"), "rId2": ("notesSlide", "slide1.xml")}
    assert "note" in text([slide(shape("a"))], links, parts)


def test_a_presentation_that_is_no_xml_is_damaged() -> None:
    with pytest.raises(Unextractable, match="ppt/presentation.xml") as refused:
        text([], parts={"ppt/presentation.xml": "<p:presentation"})
    assert refused.value.cause == Cause.DAMAGED


# Real ones


def test_real_presentations_are_read() -> None:
    for path in real_files(".pptx"):
        file = File(name=path.name, content=path.read_bytes())
        assert EXTRACTOR.recognises(file), path.name
        assert bool(EXTRACTOR.extract(file).text) == (path.name not in WITHOUT_TEXT), path.name


def test_the_parts_of_a_real_presentation_are_all_there() -> None:
    path = next(path for path in real_files(".pptx") if path.name == "testPPT_various2.pptx")
    found = read(EXTRACTOR, path.read_bytes()).text
    for part in (
        "Slide 9 (hidden)",
        "Timothy Allison: Slide2Comment",
        "SLIDE3ChartTitle",
        "SmartList1",
        "MASTERTEXTBOX",
    ):
        assert part in found
