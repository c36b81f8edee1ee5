"""Pictures are documents without text; a program recognises it where it is installed."""

import pytest

from protocol.sources.formats import images, ocr
from protocol.sources.formats.page_images import render
from protocol.sources.formats.pdf import extract as extract_pdf
from protocol.sources.limits import Limits
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.programs import installed
from tests.support.pdf_files import pages, shown

KINDS = {
    "png": b"\x89PNG\r\n\x1a\n",
    "jpg": b"\xff\xd8\xff\xe0",
    "tif": b"II*\0",
    "gif": b"GIF89a",
    "bmp": b"BM\1\2\3\4\0\0\0\0\5\6\7\x08\x28\0\0\0",
    "webp": b"RIFF\1\2\3\4WEBP",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_kept_without_text_and_told_with_the_remedy(kind: str) -> None:
    file = File(name="a", content=KINDS[kind] + bytes(99))
    assert images.EXTRACTOR.recognises(file)
    got = images.extract(file)
    assert (got.kind, got.text, got.options) == ("image", "", kind)
    ((cause, detail),) = got.notes
    assert cause == Cause.NO_TEXT_LAYER
    assert "if ocrmypdf is not installed, install it" in detail


@pytest.mark.parametrize("content", [b"", b"BM words", b"GIF", b"RIFF1234WAVE", b"II", b"\xff\xd8"])
def test_what_is_no_picture_is_none(content: bytes) -> None:
    assert not images.EXTRACTOR.recognises(File(name="a.png", content=content))


def refused(content: bytes) -> Unextractable:
    with pytest.raises(Unextractable) as raised:
        ocr.convert(File(name="a", content=content), Limits())
    return raised.value


def test_a_program_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "installed", lambda _: None)
    error = refused(KINDS["tif"])
    assert error.cause == Cause.NEEDS_TOOL
    assert "if ocrmypdf is not installed, install it" in error.detail


@pytest.mark.parametrize("kind", ["gif", "bmp", "webp"])
def test_a_picture_that_the_program_does_not_take_is_told(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "installed", lambda _: "ocrmypdf")
    assert refused(KINDS[kind]).cause == Cause.NEEDS_TOOL


def test_a_program_that_makes_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "installed", lambda _: "ocrmypdf")
    monkeypatch.setattr(ocr, "run_program", lambda *_: {"other.pdf": b"x"})
    assert refused(KINDS["png"]).cause == Cause.DAMAGED


@pytest.mark.parametrize(("content", "how"), [(pages(b""), "--skip-text"), (KINDS["png"], "--image-dpi 300")])
def test_pages_that_have_text_keep_it(content: bytes, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "installed", lambda _: "ocrmypdf")
    monkeypatch.setattr(ocr, "run_program", lambda *_: {"output.pdf": b"made"})
    monkeypatch.setattr(ocr, "_version", lambda: "ocrmypdf 1")
    made = ocr.convert(File(name="a", content=content), Limits())
    assert (made.file.name, made.file.content, made.tool) == ("a.pdf", b"made", "ocrmypdf 1")
    assert how in made.options


def test_ocrmypdf_recognises_the_text_of_a_picture() -> None:
    if not installed("ocrmypdf"):
        pytest.skip("ocrmypdf is not installed")
    content = pages(shown("Scanned words").replace(b"/F 12 Tf", b"/F 48 Tf"))
    made = ocr.convert(File(name="a.png", content=next(render(content))), Limits())
    assert "Scanned words" in extract_pdf(made.file).text
    assert "tesseract" in made.tool
