"""Plain text: in any encoding, with a word about which one was taken."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats.plaintext import EXTRACTOR
from protocol.sources.parts import Extracted, File
from protocol.sources.problems import Cause
from tests.support.officefiles import read, real_files

SAMPLES = {  # "This is a very important contract" in several languages
    "cp1252": "Gr\u00fc\u00dfe aus K\u00f6ln! Der Vertrag \u00fcber \u20ac 5 w\u00e4re f\u00fcr beide g\u00fcnstig.",
    "cp1251": "Это очень важный договор между нами.",
    "gb18030": "这是一份非常重要的合同,请仔细阅读。我们明天见面。",
    "cp932": "これはとても大切な契約書です。よく読んでください。",
}


def plain(content: bytes, declared: str = "", name: str = "a.txt") -> Extracted:
    return read(EXTRACTOR, content, name, declared)


# Encodings


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
)
@pytest.mark.parametrize(
    "text", ["plain words", "one\ntwo\n", "Gr\u00fc\u00dfe \u20ac", "smile \U0001f600 and more words"]
)
def test_unicode_is_read_with_and_without_its_mark(encoding: str, text: str) -> None:
    found = plain(text.encode(encoding))
    assert found.text == text
    assert not found.notes


def test_the_encoding_that_was_taken_is_told() -> None:
    assert plain(b"abc").options == "encoding ascii"
    assert plain("\u00e9".encode()).options == "encoding utf-8"
    assert plain("\u00e9".encode("koi8-r", "replace"), "text/plain; charset=koi8-r").options == "encoding ascii"


@pytest.mark.parametrize("encoding", SAMPLES)
def test_a_declared_encoding_is_taken(encoding: str) -> None:
    found = plain(SAMPLES[encoding].encode(encoding), f'text/plain; charset="{encoding}"')
    assert found.text == SAMPLES[encoding]
    assert not found.notes


@pytest.mark.parametrize("encoding", SAMPLES)
def test_an_encoding_that_nobody_declares_is_guessed_and_noted(encoding: str) -> None:
    found = plain("\n".join([SAMPLES[encoding]] * 4).encode(encoding))
    assert found.text == "\n".join([SAMPLES[encoding]] * 4)
    assert [cause for cause, _ in found.notes] == [Cause.UNDECODABLE]
    assert "guessed" in found.notes[0][1]
    assert "charset-normalizer" in found.options


def test_a_declaration_that_does_not_fit_is_not_followed() -> None:
    found = plain("touch\u00e9".encode("cp1252"), "text/plain; charset=utf-8")
    assert found.text == "touch\u00e9"
    assert found.notes[0][1] == "it is not utf-8, as it says; its encoding was guessed: cp1252"


def test_a_few_damaged_bytes_in_utf8_do_not_change_the_encoding() -> None:
    found = plain(("Gr\u00fc\u00dfe " * 20).encode() + b"\xff" + ("\u00e9" * 20).encode())
    assert found.text.count("\ufffd") == 1
    assert found.options == "encoding utf-8"
    assert found.notes[0][0] == Cause.UNDECODABLE


def test_japanese_mail_with_escapes_is_read() -> None:
    text = SAMPLES["cp932"]
    assert plain(text.encode("iso2022_jp")).text == text


def test_korean_mail_with_escapes_is_text_and_other_control_characters_are_not() -> None:
    text = "이것은 매우 중요한 계약입니다."
    raw = text.encode("iso2022_kr")
    assert EXTRACTOR.recognises(File(name="a", content=raw))
    assert plain(raw).text == text
    assert not EXTRACTOR.recognises(File(name="a", content=raw.replace(b"\x1b$)C", b"\x01\x01\x01\x01")))


def test_line_ends_become_one_sign() -> None:
    assert plain(b"a\r\nb\rc\n").text == "a\nb\nc\n"


# What is recognised


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"a", b"{}", b"<xml/>", b"a,b\n1,2\n", b"\x1b[1mbold\x1b[0m", b"page\x0cpage", b"dos\x1a", b"touch\xe9"),
        *("a".encode("utf-16"), b"x" * 1000 + b"\x07"),
    ],
)
def test_text_is_recognised_by_its_bytes(content: bytes) -> None:
    assert EXTRACTOR.recognises(File(name="a.bin", content=content))


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"\0",
            b"text\0text",
            b"\x89PNG\r\n\x1a\n\0\0",
            b"\x01\x02\x03",
            b"MZ\x90\0\x03",
            bytes(1000),
            b"\xff\xfe" + bytes(99),
        ),
        random.Random(1).randbytes(5000),
        b"\xff\xfe" + random.Random(2).randbytes(5000),
    ],
)
def test_other_bytes_are_no_text(content: bytes) -> None:
    assert not EXTRACTOR.recognises(File(name="a.txt", content=content))


# Anything


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=80), st.sampled_from(["", "utf-7", "utf-16", "hz", "idna", "cp65001", "nonsense", "utf-8"]))
def test_any_bytes_give_a_text_that_can_be_stored(content: bytes, charset: str) -> None:
    file = File(name="a.txt", content=content, declared=f"text/plain; charset={charset}")
    EXTRACTOR.recognises(file)
    EXTRACTOR.extract(file).text.encode()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_utf8_is_always_read_as_what_it_is(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert EXTRACTOR.extract(File(name="a", content=text.encode())).text == text


@pytest.mark.parametrize(
    "content", [b"\xe9" * 4_000_000, b"touch\xe9\n" * 800_000, b"a" * 10_000_000 + b"\xe9", b"\x80\xff" * 2_000_000]
)
def test_large_files_are_read_in_time_that_grows_with_their_size(content: bytes) -> None:
    started = time.process_time()
    EXTRACTOR.recognises(File(name="a", content=content))
    EXTRACTOR.extract(File(name="a", content=content))
    assert time.process_time() - started < 20


def test_the_same_bytes_give_the_same_text_again() -> None:
    content = SAMPLES["cp1251"].encode("cp1251")
    assert plain(content) == plain(content)


# Real ones


def test_real_texts_are_read() -> None:
    for path in real_files(".txt"):
        assert plain(path.read_bytes(), name=path.name).text, path.name


def test_a_real_text_in_windows_1252_is_read_as_such() -> None:
    path = next(path for path in real_files(".txt") if path.name == "testTXT_win-1252.txt")
    found = plain(path.read_bytes())
    assert "\u201csmart\u201d" in found.text or "\u2019" in found.text or "\u201c" in found.text
    assert "cp1252" in found.options
