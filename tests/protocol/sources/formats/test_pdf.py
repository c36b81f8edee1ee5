"""PDF: the text of all pages, what people wrote on them and filled in, and the files inside."""

import contextlib
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats.pdf import EXTRACTOR, MAX_PAGES, extract
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause
from tests.support.pdf_files import pages, pdf, shown, stream

PICTURE = b"q 600 0 0 700 0 0 cm /I Do Q\n"


def read(raw: bytes) -> Extracted:
    file = File(name="a.pdf", content=raw)
    assert EXTRACTOR.recognises(file)
    return extract(file)


def refused(raw: bytes) -> Cause:
    with pytest.raises(Unextractable) as raised:
        extract(File(name="a.pdf", content=raw))
    assert raised.value.detail
    return raised.value.cause


def test_a_form_feed_ends_each_page() -> None:
    got = read(pages(shown("one") + shown("more", y=600), b"", shown("three")))
    assert got.text == "one\nmore\n\f\n\fthree\n\f"
    assert got.pages == 3
    assert got.kind == "pdf"
    assert got.tool.startswith("pypdfium2 ")
    assert ", PDFium " in got.tool
    assert not got.notes


def test_text_outside_the_visible_part_of_a_page_counts() -> None:
    assert "hidden words" in read(pages(shown("hidden words", y=5000), page=b"/CropBox[0 0 9 9]")).text


def test_title_author_and_date_are_fields() -> None:
    info = b"<</Title(The plan)/Author(Ann \\(x\\))/ModDate(D:20240131090102-05'30')/CreationDate(D:2020)>>"
    got = read(pages(b"", more=[info], trailer=b"/Info 5 0 R"))
    assert got.fields == {"title": "The plan", "author": "Ann (x)", "date": "2024-01-31T09:01:02-05:30"}


@pytest.mark.parametrize(
    ("date", "iso"),
    [
        (b"D:2024", "2024-01-01T00:00:00"),
        (b"20240131", "2024-01-31T00:00:00"),
        (b"D:20240131090102Z", "2024-01-31T09:01:02+00:00"),
        (b"D:20240131090102Z00'00'", "2024-01-31T09:01:02+00:00"),
        (b"D:20241331", None),
        (b"D:20240131090102+99'99'", None),
        (b"yesterday", None),
        (b"", None),
    ],
)
def test_a_date_is_iso_8601_or_not_there(date: bytes, iso: str | None) -> None:
    got = read(pages(b"", more=[b"<</CreationDate(%s)>>" % date], trailer=b"/Info 5 0 R"))
    assert got.fields.get("date") == iso


def test_comments_come_after_the_pages_once_and_with_their_authors() -> None:
    note = b"<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents(is this true?)/T(Bob)>>"
    popup = b"<</Type/Annot/Subtype/Popup/Rect[0 0 9 9]/Contents(is this true?)>>"
    marked = b"<</Type/Annot/Subtype/Highlight/Rect[0 0 9 9]/F 2/Contents(hidden, but there)>>"
    got = read(pages(shown("words"), page=b"/Annots[5 0 R 6 0 R 7 0 R]", more=[note, popup, marked]))
    assert got.text == "words\n\fComments\nPage 1, Bob: is this true?\nPage 1: hidden, but there\n"


STAMP = b"<</Type/Annot/Subtype/%s/Rect[50 50 250 90]/AP<</N 6 0 R>>%s>>"
DRAWN = stream(
    shown("PRIVILEGED words", y=10), b"/Type/XObject/Subtype/Form/BBox[0 0 300 40]/Resources<</Font<</F 3 0 R>>>>"
)


@pytest.mark.parametrize(
    "mark",
    [
        STAMP % (b"Stamp", b""),
        STAMP % (b"FreeText", b""),
        STAMP % (b"Widget", b"/FT/Sig/T(signed)"),
        STAMP % (b"Watermark", b""),
    ],
)
def test_the_words_of_stamps_and_signatures_come_after_the_page(mark: bytes) -> None:
    got = read(pages(shown("words"), page=b"/Annots[5 0 R]", catalogue=b"/AcroForm<</Fields[]>>", more=[mark, DRAWN]))
    assert got.text == "words\n\fStamps and signatures\nPage 1: PRIVILEGED words\n"


@pytest.mark.parametrize(
    "mark", [STAMP % (b"Stamp", b"/Contents(PRIVILEGED words)"), STAMP % (b"Stamp", b"/F 2"), STAMP % (b"Link", b"")]
)
def test_a_stamp_whose_words_are_known_or_that_nobody_sees_is_not_repeated(mark: bytes) -> None:
    got = read(pages(shown("words"), page=b"/Annots[5 0 R]", more=[mark, DRAWN]))
    assert "Stamps" not in got.text


FORM = b"/AcroForm<</Fields[5 0 R 6 0 R 7 0 R 8 0 R]>>"
FIELDS = [
    b"<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ann)/Rect[0 0 9 9]>>",
    b"<</Type/Annot/Subtype/Widget/FT/Btn/T(agreed)/V/Yes/AS/Yes/AP<</N<</Yes 4 0 R>>>>/Rect[0 0 9 9]>>",
    b"<</Type/Annot/Subtype/Widget/FT/Ch/Ff 131072/T(colour)/Opt[[(1)(red)][(2)(blue)]]/V(2)/Rect[0 0 9 9]>>",
    b"<</Type/Annot/Subtype/Widget/FT/Tx/T(empty)/V()/Rect[0 0 9 9]>>",
]


def test_what_was_filled_into_a_form_comes_out_as_a_reader_sees_it() -> None:
    got = read(pages(b"", page=b"/Annots[5 0 R 6 0 R 7 0 R 8 0 R]", catalogue=FORM, more=FIELDS))
    assert got.text == "\n\fForm fields\nname: Ann\nagreed: Yes\ncolour: blue\n"


def test_a_form_in_xml_gives_its_text_and_no_script() -> None:
    template = stream(b"<template><text>Name &amp; place</text><script>x=1</script></template>")
    data = stream(b"<xfa:datasets><name>Ann</name></xfa:datasets>")
    form = b"/AcroForm<</Fields[]/XFA[(template) 5 0 R(datasets) 6 0 R]>>"
    got = read(pages(b"", catalogue=form, more=[template, data]))
    assert got.text == "\n\fForm\nName & place\nAnn\n"


def attachment(content: bytes, name: bytes = b"a.txt") -> list[bytes]:
    kind = b"/Type/EmbeddedFile/Subtype/text#2Fplain/Params<</Size %d>>" % len(content)
    return [b"<</Type/Filespec/F(%s)/UF(%s)/EF<</F 6 0 R>>>>" % (name, name), stream(content, kind)]


def test_attached_files_are_files() -> None:
    names = b"/Names<</EmbeddedFiles<</Names[(x) 5 0 R]>>>>"
    (child,) = read(pages(shown("words"), catalogue=names, more=attachment(b"attached"))).children
    assert (child.name, child.content, child.declared) == ("a.txt", b"attached", "text/plain")


def test_a_file_that_is_attached_to_a_page_is_a_file_once() -> None:
    names = b"/Names<</EmbeddedFiles<</Names[(x) 5 0 R]>>>>"
    pin = b"<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS 5 0 R>>"
    more = [*attachment(b"attached"), pin]
    got = read(pages(b"", page=b"/Annots[7 0 R]", catalogue=names, more=more))
    assert [child.content for child in got.children] == [b"attached"]


def test_an_attached_file_without_content_is_told() -> None:
    names = b"/Names<</EmbeddedFiles<</Names[(x) 5 0 R]>>>>"
    got = read(pages(b"", catalogue=names, more=[b"<</Type/Filespec/F(gone.txt)>>"]))
    assert got.notes == ((Cause.UNREAD_PART, "the attached file gone.txt has no content that can be read"),)


def test_a_scan_is_kept_without_text_and_told_with_the_remedy() -> None:
    got = read(pages(PICTURE, PICTURE))
    assert got.text.strip() == ""
    ((cause, detail),) = got.notes
    assert cause == Cause.NO_TEXT_LAYER
    assert "if ocrmypdf is not installed, install it" in detail


def test_pages_that_are_scans_among_others_are_told() -> None:
    ((cause, detail),) = read(pages(shown("words"), PICTURE, PICTURE + shown("words"), b"")).notes
    assert cause == Cause.NO_TEXT_LAYER
    assert detail.startswith("1 of 4 pages (2): ")


def test_an_empty_page_is_no_scan() -> None:
    assert not read(pages(b"", b"10 10 m 99 99 l S")).notes


ENCRYPTED = b"/Encrypt<</Filter/Standard/V 1/R 2/O(%s)/U(%s)/P -4>>/ID[(x)(x)]" % (b"o" * 32, b"u" * 32)


def test_a_protected_pdf_is_encrypted() -> None:
    assert refused(pages(shown("words"), trailer=ENCRYPTED)) == Cause.ENCRYPTED
    assert refused(pages(b"", trailer=ENCRYPTED.replace(b"Standard", b"Adobe.APS"))) == Cause.ENCRYPTED


@pytest.mark.parametrize("raw", [b"", b"%PDF-1.7", b"%PDF-1.7\n" + b"x" * 5000, pages(shown("words"))[:300]])
def test_a_damaged_pdf_is_damaged(raw: bytes) -> None:
    assert refused(raw) == Cause.DAMAGED


def test_a_pdf_of_which_no_page_can_be_read_is_damaged() -> None:
    raw = pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>", b"(no page)"])
    assert refused(raw) == Cause.DAMAGED


def test_a_damaged_page_is_told_and_the_others_count() -> None:
    raw = pages(shown("one"), shown("two")).replace(b"/Count 2/Kids[5 0 R 7 0 R]", b"/Count 3/Kids[5 0 R 7 0 R]")
    got = read(raw)
    assert got.text == "one\n\ftwo\n\f\n\f"
    assert [cause for cause, _ in got.notes] == [Cause.UNREAD_PART]


def many_pages(count: int, kids: int) -> bytes:
    listed = b"3 0 R " * kids
    return pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Count %d/Kids[%s]>>" % (count, listed),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        ]
    )


@pytest.mark.parametrize("kids", [1, 1_000_000])
def test_a_million_pages_are_too_many_and_refused_at_once(kids: int) -> None:
    start = time.process_time()
    assert refused(many_pages(1_000_000, kids)) == Cause.TOO_LARGE
    assert time.process_time() - start < 5


def test_pages_that_a_pdf_only_claims_to_have_cost_little() -> None:
    start = time.process_time()
    got = read(many_pages(MAX_PAGES, 1))
    assert time.process_time() - start < 5
    assert len(got.notes) <= 21


def test_pages_that_hold_each_other_are_read_or_refused() -> None:
    loop = pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>"])
    assert refused(loop) == Cause.DAMAGED


def test_a_bomb_of_content_is_read_or_refused() -> None:
    start = time.process_time()
    with contextlib.suppress(Unextractable):
        read(pages(b" " * 50_000_000 + shown("words")))
    assert time.process_time() - start < 20


@pytest.mark.parametrize("name", ["a.txt", "a.pdf"])
def test_what_does_not_say_that_it_is_a_pdf_is_none(name: str) -> None:
    assert not EXTRACTOR.recognises(File(name=name, content=b"words" * 300 + b"%PDF-1.7"))
    assert not EXTRACTOR.recognises(File(name=name, content=b"A PDF begins with %PDF-1.7 or so."))


def test_a_mail_that_holds_a_pdf_near_its_start_is_a_mail() -> None:
    raw = b"From: a@x\nTo: b@x\nSubject: one\nContent-Type: application/pdf\n\n" + pages(b"")
    assert not EXTRACTOR.recognises(File(name="a", content=raw))
    assert EXTRACTOR.recognises(File(name="a", content=b"some junk\n" + pages(b"")))


WHOLE = pages(
    shown("words"),
    PICTURE,
    page=b"/Annots[5 0 R 6 0 R 7 0 R 8 0 R]",
    catalogue=FORM,
    more=[*FIELDS, b"<</Title(x)>>"],
    trailer=b"/Info 9 0 R",
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=20), st.integers(0, 900))
def test_a_damaged_pdf_is_read_or_refused_and_the_same_again(changes: list[tuple[int, int]], cut: int) -> None:
    raw = bytearray(WHOLE)
    for place, value in changes:
        raw[place] = value
    file = File(name="a.pdf", content=bytes(raw[: len(raw) - cut if cut < 500 else len(raw)]))
    try:
        got = extract(file)
    except Unextractable:
        return
    got.text.encode()
    assert extract(file) == got


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with contextlib.suppress(Unextractable):
        extract(File(name="a.pdf", content=b"%PDF-1.7\n" + raw))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("testPDF.pdf", ["Tika - Content Analysis Toolkit"]),
        ("testPDFVarious.pdf", ["This is the header text.", "Row 2 Col 3", "This is a footnote."]),
        ("testPopupAnnotation.pdf", ["this is the note"]),
        ("testPDF_acroform3.pdf", ["aTextField: TIKA-1226", "aComboBox: comboItemB"]),
    ],
)
def test_real_pdfs_say_what_they_say_in_a_reader(name: str, words: list[str]) -> None:
    folder = os.environ.get("TALLYSTICK_DATA")
    path = Path(folder or "", "intake", name)
    if not folder or not path.exists():
        pytest.skip(f"{name} is not there: set TALLYSTICK_DATA to the folder that holds intake/{name}")
    text = extract(File(name=name, content=path.read_bytes())).text
    assert all(word in text for word in words)
