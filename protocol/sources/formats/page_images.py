"""Pictures of a PDF's pages, for reading: made where strangers' files are read, so that no party has to open one.

Each page comes as a PNG of 100 pixels an inch, in colour. A page that is too large for that is made smaller. The PNG
is written here, row by row, without a library: it has no date and no other field, so equal pages give equal bytes
with the same versions of PDFium and zlib.
"""

import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause

SCALE = 100 / 72
_LARGEST_SIDE = 2**15
_CHANNELS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLimits:
    """What the pictures of one file may cost."""

    pages: int = 1000
    page_pixels: int = 4_000_000
    """Of one page: twice a page of A3."""
    pixels: int = 500_000_000
    """Of all pages."""


def render(content: bytes, limits: PageLimits | None = None) -> Iterator[bytes]:
    """A PNG of each page, in order. `Unextractable` if the PDF cannot be opened, or after the limit."""
    limits = limits or PageLimits()
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise Unextractable(Cause.DAMAGED, f"the PDF cannot be opened ({error})") from None
    with closing(document), warnings.catch_warnings(action="ignore"):
        if document.get_formtype() != pdfium.FORMTYPE_NONE:
            document.init_forms()
        left = limits.pixels
        for number in range(len(document)):
            if number == limits.pages or left <= 0:
                raise Unextractable(Cause.TOO_LARGE, f"pictures only of the first {number} pages of {len(document)}")
            width, height, image = _page(document, number, limits)
            left -= width * height
            yield image


def _page(document: pypdfium2.PdfDocument, number: int, limits: PageLimits) -> tuple[int, int, bytes]:
    """Width, height and picture of a page; a page that cannot be drawn is a white pixel."""
    try:
        with closing(document.get_page(number)) as page:
            scale = _scale(page.get_width(), page.get_height(), limits.page_pixels)
            with closing(page.render(scale=scale, rev_byteorder=True)) as bitmap:
                return bitmap.width, bitmap.height, _png(bitmap.width, bitmap.height, bitmap.stride, bitmap.buffer)
    except (pypdfium2.PdfiumError, ValueError, OverflowError, ZeroDivisionError):
        return 1, 1, _png(1, 1, _CHANNELS, b"\xff" * _CHANNELS)


def _scale(width: float, height: float, pixels: int) -> float:
    """The usual scale, or the one at which the page has so many pixels."""
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise ValueError("a page without a size")
    return min(SCALE, math.sqrt(pixels / (width * height)), _LARGEST_SIDE / max(width, height))


def _png(width: int, height: int, stride: int, pixels: bytes) -> bytes:
    """A picture of red, green and blue, eight bits each; a row like the one above is no difference."""
    rows = memoryview(bytes(pixels))
    packer = zlib.compressobj(6)
    packed = bytearray()
    above = b""
    for number in range(height):
        row = bytes(rows[number * stride : number * stride + width * _CHANNELS])
        if row == above:
            packed += packer.compress(b"\x02" + bytes(len(row)))
        else:
            packed += packer.compress(b"\0" + row)
        above = row
    packed += packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", bytes(packed)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
