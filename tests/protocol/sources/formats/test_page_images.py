"""Pictures of pages: one for each, no larger than they may be, and the same every time."""

import struct
import zlib

import pytest

from protocol.sources.formats.page_images import PageLimits, render
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause
from tests.support.pdf_files import pages, pdf, shown


def size(image: bytes) -> tuple[int, int]:
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def pixels(image: bytes) -> list[bytes]:
    """The rows of a picture, as a reader of PNG would undo what was done to them."""
    width, height = size(image)
    place, packed = 8, b""
    while place < len(image):
        (length,) = struct.unpack(">I", image[place : place + 4])
        name, data = image[place + 4 : place + 8], image[place + 8 : place + 8 + length]
        assert struct.unpack(">I", image[place + 8 + length :][:4]) == (zlib.crc32(name + data),)
        packed += data if name == b"IDAT" else b""
        place += 12 + length
    raw = zlib.decompress(packed)
    rows: list[bytes] = []
    for number in range(height):
        kind, row = raw[number * (width * 3 + 1)], raw[number * (width * 3 + 1) + 1 : (number + 1) * (width * 3 + 1)]
        assert kind in (0, 2)
        above = rows[-1] if kind == 2 else bytes(len(row))
        rows.append(bytes((one + other) % 256 for one, other in zip(row, above, strict=True)))
    assert len(raw) == height * (width * 3 + 1)
    return rows


def test_each_page_is_a_picture_of_a_hundred_pixels_an_inch() -> None:
    images = list(render(pages(shown("words"), b"")))
    assert [size(image) for image in images] == [(850, 1100), (850, 1100)]
    first, second = (set(b"".join(pixels(image))) for image in images)
    assert second == {255}
    assert min(first) < 50


def test_colours_are_in_their_order() -> None:
    red = next(render(pages(b"1 0 0 rg 0 0 612 792 re f")))
    assert pixels(red)[500][:3] == b"\xff\0\0"


def test_the_same_page_gives_the_same_bytes() -> None:
    raw = pages(shown("words"), shown("words"))
    first, second = render(raw)
    assert first == second
    assert list(render(raw)) == [first, second]


@pytest.mark.parametrize("box", [b"[0 0 20000 20000]", b"[0 0 99999999 1]", b"[0 0 1 99999999]", b"[0 0 1e30 1e30]"])
def test_a_page_that_is_too_large_is_made_smaller(box: bytes) -> None:
    raw = pages(b"").replace(b"/MediaBox[0 0 612 792]", b"/MediaBox" + box)
    (image,) = render(raw, PageLimits(page_pixels=10_000))
    width, height = size(image)
    assert width * height <= 10_000 + width + height


@pytest.mark.parametrize("box", [b"[0 0 0 0]", b"[9 9 1 1]", b"[]", b"[0 0 (a) 1]"])
def test_a_page_with_an_odd_size_is_a_picture_all_the_same(box: bytes) -> None:
    (image,) = render(pages(b"").replace(b"/MediaBox[0 0 612 792]", b"/MediaBox" + box))
    assert min(size(image)) >= 1


@pytest.mark.parametrize("limits", [PageLimits(pages=2), PageLimits(pixels=850 * 1100 + 1)])
def test_after_so_many_pages_or_pixels_it_ends_and_says_so(limits: PageLimits) -> None:
    images = render(pages(b"", b"", b""), limits)
    assert [size(next(images)), size(next(images))] == [(850, 1100)] * 2
    with pytest.raises(Unextractable, match="only of the first 2 pages of 3") as raised:
        next(images)
    assert raised.value.cause == Cause.TOO_LARGE


def test_a_page_that_cannot_be_read_is_a_white_pixel() -> None:
    raw = pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>", b"(no page)"])
    (image,) = render(raw)
    assert size(image) == (1, 1)


@pytest.mark.parametrize("raw", [b"", b"%PDF-1.7", b"words"])
def test_what_is_no_pdf_has_no_pictures(raw: bytes) -> None:
    with pytest.raises(Unextractable):
        list(render(raw))
