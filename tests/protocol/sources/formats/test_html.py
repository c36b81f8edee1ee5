"""Web pages: what a reader would see, in the encoding that the page really has."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats.html import EXTRACTOR
from protocol.sources.formats.markup import html_text
from protocol.sources.parts import Extracted, File
from protocol.sources.problems import Cause
from tests.support.officefiles import read, real_files

GREETING = (
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043a\u0430\u043a \u0434\u0435\u043b\u0430 \u0443 \u0442\u0435\u0431\u044f?"
)


def page(content: bytes | str, declared: str = "", name: str = "a.html") -> Extracted:
    return read(EXTRACTOR, content.encode() if isinstance(content, str) else content, name, declared)


# What is seen


def test_scripts_styles_and_comments_are_left_out() -> None:
    found = page("<html><style>p{}</style><script>x<y</script><!-- no --><p>yes</p><noscript>also</noscript></html>")
    assert found.text == "yes\nalso"


def test_the_title_is_a_field_and_text() -> None:
    found = page("<html><head><title> A &amp;\n B </title></head><body>c</body></html>")
    assert found.fields == {"title": "A & B"}
    assert found.text.split("\n") == ["A &", "B", "c"]


def test_titles_alternative_texts_and_filled_in_forms_are_taken() -> None:
    found = page(
        '<html><img alt="a cat"><abbr title="in full">i.f.</abbr><input value="typed"><input type=hidden value=no>'
        "<input type=password value=no><textarea>written</textarea><select><option>chosen</select>"
    )
    assert found.text.split("\n") == ["[a cat]", "[in full]", "i.f.", "[typed]", "written", "chosen"]


def test_what_attributes_say_is_left_out_of_mail() -> None:
    assert html_text('<img alt="a cat">') == ""


def test_attributes_inside_scripts_say_nothing() -> None:
    assert html_text("<script title='no'><img alt='no'></script>a", with_attributes=True) == "a"


# Encodings


@pytest.mark.parametrize(
    ("charset", "head", "declared"),
    [
        ("koi8-r", '<meta charset="koi8-r">', ""),
        ("cp1251", '<META http-equiv="Content-Type" content="text/html; charset=windows-1251">', ""),
        ("cp1251", "", "text/html; charset=windows-1251"),
        ("utf-8", '<meta charset="iso-8859-1">', ""),
        ("utf-8-sig", "", ""),
        ("utf-16", '<meta charset="utf-8">', ""),
        ("utf-16-le", "", ""),
        ("utf-32", "", ""),
        ("iso8859-5", '<?xml version="1.0" encoding="ISO-8859-5"?>', ""),
    ],
)
def test_the_encoding_is_what_its_bytes_or_its_declaration_say(charset: str, head: str, declared: str) -> None:
    found = page(f"{head}<html><p>{GREETING}</p></html>".encode(charset), declared)
    assert found.text == GREETING
    assert not found.notes
    assert found.options.startswith("encoding ")


def test_a_wrong_declaration_is_noted_and_the_encoding_is_guessed() -> None:
    text = " ".join([GREETING] * 5)
    found = page(f'<html><meta charset="utf-8"><p>{text}</p></html>'.encode("cp1251"))
    assert found.text == text
    assert found.notes[0][0] == Cause.UNDECODABLE
    assert "guessed: cp1251" in found.notes[0][1]
    assert "charset-normalizer" in found.options


@pytest.mark.parametrize("charset", ["", "nonsense", "undefined", "idna", "base64", "\xff", "x" * 5000])
def test_a_charset_that_nobody_knows_counts_for_nothing(charset: str) -> None:
    assert page(f'<html><meta charset="{charset}">touch\u00e9').text == "touch\u00e9"


# What is recognised


@pytest.mark.parametrize(
    "content",
    [
        *(b"<html>", b" <!DOCTYPE html><p>", b"<!-- a --><?xml version='1.0'?>\n<HTML xmlns='x'>", b"<body class=a>"),
        *("<html>".encode("utf-16"), b"\xef\xbb\xbf<head>"),
    ],
)
def test_a_page_is_recognised_by_how_it_begins(content: bytes) -> None:
    assert EXTRACTOR.recognises(File(name="unknown", content=content))


@pytest.mark.parametrize(
    ("name", "declared", "content", "is_page"),
    [
        *(("a.html", "", b"<div>x</div>", True), ("a", "text/html; charset=x", b"<p>x", True)),
        *(
            ("a.txt", "", b"<div>x</div>", False),
            ("a.html", "", b"no tags", False),
            ("a.html", "", b"\0\1<html>", False),
        ),
        *(("a.txt", "", b"<?xml version='1.0'?><data/>", False), ("a.txt", "", b"see <html>", False)),
    ],
)
def test_a_piece_of_a_page_is_recognised_by_its_name_or_type(
    name: str, declared: str, content: bytes, *, is_page: bool
) -> None:
    assert EXTRACTOR.recognises(File(name=name, declared=declared, content=content)) == is_page


# Hostile ones


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<!--",
        "<p ",
        "<a b=",
        "&",
        "<!",
        "<![",
        "<?",
        "</",
        "<title>",
        "<meta ",
        "<img alt='x'>",
        "<?xml ",
        '"',
        "<!-- -->",
    ],
)
def test_any_repeated_piece_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    started = time.process_time()
    page("<html>" + piece * 100_000)
    assert time.process_time() - started < 20


@settings(deadline=None, max_examples=100)
@given(st.text("<>!-/?[]&;#x0= \"'ahtmlmetitle\ud800", max_size=60) | st.binary(max_size=60))
def test_any_page_gives_a_text_that_can_be_stored(inner: str | bytes) -> None:
    content = inner if isinstance(inner, bytes) else inner.encode("utf-8", "surrogatepass")
    file = File(name="a.html", content=b"<html>" + content)
    EXTRACTOR.recognises(file)
    found = EXTRACTOR.extract(file)
    found.text.encode()
    assert all(value.encode() for value in found.fields.values())


# Real ones


def test_real_pages_are_read() -> None:
    for path in real_files(".html"):
        assert page(path.read_bytes(), name=path.name).text, path.name


@pytest.mark.parametrize(
    ("name", "encoding", "text"),
    [
        ("testArabicMisleadingCharset.html", "cp1256", "\u0642\u0631\u064a\u0629"),
        ("testHTMLNoisyMetaEncoding_3.html", "iso8859-6", "\u0648\u0623\u0639\u0631\u0628"),
        ("testHTML_charset_utf16le.html", "utf-16", "Title"),
    ],
)
def test_real_pages_are_read_in_their_encoding(name: str, encoding: str, text: str) -> None:
    path = next(path for path in real_files(".html") if path.name == name)
    found = page(path.read_bytes())
    assert text in found.text
    assert found.options.startswith(f"encoding {encoding}")
