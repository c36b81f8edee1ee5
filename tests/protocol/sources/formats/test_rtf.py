"""Rich text: what people wrote, in whatever encoding and group it stands."""

import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats.rtf import EXTRACTOR
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause
from tests.support.officefiles import read, real_files

WITHOUT_TEXT = {"testBinControlWord.rtf", "test_list_override.rtf"}
FONTS = b"{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}{\\f2\\fcharset128 C;}{\\f3\\cpg1253 D;}}"


def rtf(body: bytes, head: bytes = b"\\ansi\\ansicpg1252\\deff0") -> Extracted:
    return read(EXTRACTOR, b"{\\rtf1" + head + FONTS + body + b"}", "a.rtf")


def text(body: bytes) -> str:
    return rtf(body).text


# Text and encodings


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b" a\\par b\\line c\\tab d", "a\nb\nc\td"),
        (b" con\r\ntract", "contract"),
        (b"\\b bo\\b0 ld", "bold"),
        (b" {gr}{oup}ed", "grouped"),
        (b" \\{a\\}\\\\b\\~c\\_d\\-e", "{a}\\b\xa0c\u2011de"),
        (b" touch\\'e9 \\'80", "touch\u00e9 \u20ac"),
        (b"\\f1 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", "\u041f\u0440\u0438\u0432\u0435\u0442"),
        (b"\\f2 \\'83\\'5e\\'83C", "\u30bf\u30a4"),
        (b"\\f3 \\'e1", "\u03b1"),
        (b"{\\f1 \\'cf}\\'cf", "\u041f\u00cf"),
        (b"\\f1\\plain \\'cf", "\u00cf"),
        (b"\\u8364?a", "\u20aca"),
        (b"\\uc2\\u8364 xxa", "\u20aca"),
        (b"\\uc0\\u8364 a", "\u20aca"),
        (b"\\u8364\\'80a", "\u20aca"),
        (b"{\\uc2\\u8364 xx}\\u8364 xa", "\u20ac\u20aca"),
        (b"\\u-10179?\\u-8704?", "\U0001f600"),
        (b"\\emdash\\ldblquote a\\rdblquote", "\u2014\u201ca\u201d"),
        (b"\\trowd a\\cell b\\cell\\row c\\cell\\row", "a\tb\nc"),
        (b"{\\v hidden}", "hidden"),
        (b"{\\pntext 1.\\tab}item", "1.\titem"),
        (b"{\\upr{ansi}{\\*\\ud{unicode \\u8364?}}}", "unicode \u20ac"),
        (b"{\\*\\unknown no}yes{\\stylesheet no}{\\*\\pn no}", "yes"),
        (b"{\\pict\\bin4 }{\\\\}yes", "yes"),
        (b"{\\shpinst{\\sp{\\sn wzDescription}{\\sv a cat}}{\\sp{\\sn x}{\\sv no}}}a", "a\n[alt text: a cat]"),
    ],
)
def test_words_signs_and_encodings_are_read(body: bytes, expected: str) -> None:
    assert text(body) == expected


def test_the_code_page_of_the_document_holds_where_no_font_says_otherwise() -> None:
    found = rtf(b"\\f9 \\'e8", b"\\ansi\\ansicpg1250")
    assert found.text == "\u010d"
    assert found.options == "code page cp1250"


def test_an_unknown_code_page_is_read_as_windows_1252() -> None:
    assert rtf(b"\\f9 \\'e9", b"\\ansi\\ansicpg99999").text == "\u00e9"


def test_bytes_that_do_not_fit_are_noted() -> None:
    found = rtf(b"\\f9 a\\'81b", b"\\ansi\\ansicpg1252")
    assert found.text == "a\ufffdb"
    assert found.notes[0][0] == Cause.UNDECODABLE


def test_half_a_pair_is_noted_and_a_whole_one_is_not() -> None:
    assert rtf(b"\\u-10179?x").notes[0][0] == Cause.UNDECODABLE
    assert not rtf(b"\\u-10179?\\u-8704?").notes


# Other places


def test_notes_comments_headers_and_footers_come_after_the_body() -> None:
    found = text(
        b" body{\\footnote below}{\\*\\atnauthor Eve}{\\*\\annotation why?}{\\header top}{\\headerf top}{\\footer end}"
    )
    assert found.split("\n") == [
        *("body", "Footnotes:", "below", "Comments:", "Eve: why?", "Header:", "top", "Footer:", "end")
    ]


def test_a_text_box_follows_after_the_paragraph_and_is_taken_once() -> None:
    box = b"{\\shp{\\*\\shpinst{\\shptxt boxed\\par}}{\\shprslt{\\*\\do{\\dptxbxtext boxed}}}}"
    assert text(b" con" + box + b"tract\\par next") == "contract\nboxed\nnext"


def test_deleted_and_inserted_text_is_marked() -> None:
    assert text(b" the {\\deleted old}{\\revised new} price") == "the [deleted: old][inserted: new] price"


def test_a_link_gives_its_result_and_its_target() -> None:
    linked = b'{\\field{\\*\\fldinst HYPERLINK "http://x.example"}{\\fldrslt here}}'
    page = b"{\\field{\\*\\fldinst PAGE}{\\fldrslt 7}}"
    assert text(linked + b" and " + page) == "here <http://x.example> and 7"


def test_title_author_and_date_are_fields() -> None:
    found = rtf(
        b"{\\info{\\title T\\'e9}{\\author Ann}{\\operator x}{\\doccomm look}"
        b"{\\revtim\\yr2020\\mo2\\dy3\\hr4\\min5}{\\creatim\\yr2019\\mo1\\dy1}}a"
    )
    assert found.fields == {"title": "T\u00e9", "author": "Ann", "date": "2020-02-03T04:05:00"}
    assert found.text == "a\nProperties:\nComments: look"


@pytest.mark.parametrize(
    "time_of", [b"\\yr0\\mo2\\dy3", b"\\yr2020\\mo13\\dy3", b"\\yr2020\\mo2\\dy3\\hr99", b"\\yr-5"]
)
def test_a_date_that_is_none_is_no_field(time_of: bytes) -> None:
    assert not rtf(b"{\\info{\\revtim" + time_of + b"}}a").fields


def test_a_title_is_in_the_code_page_of_the_document_and_not_in_that_of_a_font() -> None:
    assert rtf(b"{\\info{\\title \\'e8}}a", b"\\ansi\\ansicpg1250\\deff1").fields == {"title": "\u010d"}


def ole(name: bytes, native: bytes) -> bytes:
    texts = b"".join(struct.pack("<I", len(each)) + each for each in (name + b"\0", b"", b""))
    return struct.pack("<II", 0x501, 2) + texts + struct.pack("<I", len(native)) + native


def packaged(content: bytes) -> bytes:
    body = b"\x02\x00note.txt\0C:\\note.txt\0" + struct.pack("<HHI", 0, 3, 2) + b"p\0"
    return body + struct.pack("<I", len(content)) + content


@pytest.mark.parametrize(
    ("data", "name", "content"),
    [
        (ole(b"Package", packaged(b"hello")), "note.txt", b"hello"),
        (ole(b"AcroExch", b"%PDF-1.4"), "object1.pdf", b"%PDF-1.4"),
    ],
)
def test_an_embedded_file_is_inside_and_what_it_shows_is_text(data: bytes, name: str, content: bytes) -> None:
    digits = data.hex().encode()
    body = b"{\\object{\\*\\objclass x}{\\*\\objdata " + digits[:20] + b"\r\n" + digits[20:] + b"}{\\result icon}}"
    found = rtf(body)
    assert found.text == "icon"
    assert [(child.name, child.content) for child in found.children] == [(name, content)]


def test_an_embedded_file_may_be_written_as_bytes() -> None:
    data = ole(b"Package", packaged(b"{}\\"))
    found = rtf(b"{\\object{\\*\\objdata\\bin" + str(len(data)).encode() + b" " + data + b"}}a")
    assert found.text == "a"
    assert found.children[0].content == b"{}\\"


@pytest.mark.parametrize("data", [b"", b"\1\5\0\0", b"\1\5\0\0\1\0\0\0link", ole(b"Package", b""), b"\xff" * 40])
def test_an_object_that_holds_nothing_is_no_file(data: bytes) -> None:
    assert not rtf(b"{\\object{\\*\\objdata " + data.hex().encode() + b"}}a").children


def test_pictures_are_counted_once() -> None:
    found = rtf(b"{\\*\\shppict{\\pict\\pngblip 00ff}}{\\nonshppict{\\pict\\wmetafile8 00}}a")
    assert found.notes == ((Cause.UNREAD_PART, "1 picture: words in pictures were not read"),)


# Broken ones


def test_a_file_that_was_cut_is_read_as_far_as_it_goes_and_noted() -> None:
    found = read(EXTRACTOR, b"{\\rtf1 a {\\footnote b")
    assert found.text == "a\nFootnotes:\nb"
    assert "cut short" in found.notes[0][1]


def test_what_follows_after_the_last_group_is_not_text() -> None:
    assert read(EXTRACTOR, b"{\\rtf1 a}}} junk").text == "a"


def test_a_word_out_of_place_does_not_hide_the_rest() -> None:
    assert text(b" a \\pict b") == "a b"


@pytest.mark.parametrize(
    "body",
    [b"{" * 900, b"}" * 100_000, b"\\u99999999999", b"\\bin99999999999 x", b"\\bin-5 x", b"\\'zz\\'", b"\\", b"{\\*"],
)
def test_odd_files_are_read(body: bytes) -> None:
    read(EXTRACTOR, b"{\\rtf1 a" + body)


def test_groups_nested_too_deeply_are_refused() -> None:
    with pytest.raises(Unextractable) as refused:
        read(EXTRACTOR, b"{\\rtf1" + b"{" * 200_000)
    assert refused.value.cause == Cause.TOO_DEEP


@pytest.mark.parametrize(
    "body",
    [
        b"\\'e9" * 100_000,
        b"{\\b x}" * 50_000,
        b"\\u8364?" * 60_000,
        b"{\\footnote x}" * 30_000,
        b"\\f0 a\\f1 b" * 30_000,
    ],
)
def test_large_files_are_read_in_time_that_grows_with_their_size(body: bytes) -> None:
    started = time.process_time()
    rtf(body)
    assert time.process_time() - started < 20


PIECES = st.sampled_from(
    [
        *(
            b"{",
            b"}",
            b"\\par ",
            b"\\'e9",
            b"\\u-10179?",
            b"{\\*\\fldinst HYPERLINK x}",
            b"{\\field",
            b"\\bin3 ",
            b"\\uc9 ",
        ),
        *(
            b"{\\fonttbl{\\f0\\fcharset128 x;}}",
            b"\\f0 ",
            b"{\\*\\objdata 0105",
            b"{\\upr",
            b"{\\*\\ud",
            b"\\deleted ",
            b"{\\sv",
        ),
        *(
            b"{\\info{\\title ",
            b"{\\revtim\\yr2020",
            b"{\\footnote ",
            b"{\\shptxt ",
            b"\\plain",
            b"\\ansicpg932 ",
            b"text",
        ),
    ]
)


@settings(deadline=None, max_examples=100)
@given(st.lists(PIECES | st.binary(max_size=6), max_size=40).map(b"".join))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        read(EXTRACTOR, b"{\\rtf" + body)
    except Unextractable as refused:
        assert refused.detail


# Real ones


def test_real_files_are_read() -> None:
    for path in real_files(".rtf"):
        found = read(EXTRACTOR, path.read_bytes(), path.name)
        assert bool(found.text) == (path.name not in WITHOUT_TEXT), path.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("testRTF-ms932.rtf", "\u3053\u3093\u306b\u3061\u306f"),
        ("testRTFVarious.rtf", "\U00010332\U0001033f\U00010344\U00010339\U00010343\U0001033a"),
        ("testRTFVarious.rtf", "This is the footer text."),
        ("testComment.rtf", "Michael McCandless: "),
        ("testRTFBoldPlain.rtf", "Header:"),
    ],
)
def test_what_a_simpler_reader_misses_in_real_files_is_there(name: str, expected: str) -> None:
    path = next(path for path in real_files(".rtf") if path.name == name)
    assert expected in read(EXTRACTOR, path.read_bytes()).text


def test_other_files_are_not_recognised() -> None:
    for content in (b"", b"rtf", b"{rtf", b"x{\\rtf1 a}"):
        assert not EXTRACTOR.recognises(File(name="a.rtf", content=content))
