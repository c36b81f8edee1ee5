r"""Opticon: which image shows which page. One line an image, seven fields, separated by commas:

    ACME000001,VOL001,IMAGES\0001\ACME000001.tif,Y,,,2
    ACME000002,VOL001,IMAGES\0001\ACME000002.tif,,,,

They are the image's key, the volume, the path, whether a document, a folder and a box begin here (`Y`), and on the
first page of a document the number of its pages.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ledger import reading
from ledger.plain import shown
from protocol.errors import BadSource, Unwritable
from protocol.loadfile import lines
from protocol.loadfile.lines import Flaw, FlawKind

FIELDS = ("image key", "volume", "path", "document break", "folder break", "box break", "page count")

_BREAKS = {"": False, "Y": True, "y": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """The image of one page."""

    key: str
    volume: str
    path: str
    document: bool
    """Whether a document begins with it."""
    folder: bool = False
    box: bool = False
    pages: int | None = None
    """The pages of the document that begins with it, where the load file says so."""


def read_images(path: Path, *, encoding: str | None = None) -> Iterator[tuple[int, Image] | Flaw]:
    """Every image with its line number, in order, and in its place every line that is none.

    A page count that does not fit the lines is a flaw of the line that states it.
    """
    counting: tuple[int, int] | None = None  # the line of the last page count, and the pages still to come
    try:
        with reading.opened(path) as stream:
            found = lines.find_encoding(path, stream, encoding)
            for line in lines.read_lines(path.name, stream, found):
                if isinstance(line, Flaw):
                    yield line
                    continue
                if line.text in ("", "\x1a"):
                    continue
                try:
                    image = _image(line.text)
                except _BadLine as error:
                    yield Flaw(file=path.name, line=line.number, kind=FlawKind.BAD_LINE, detail=str(error))
                    continue
                if image.document:
                    yield from _miscount(path, counting)
                    counting = None if image.pages is None else (line.number, image.pages)
                counting = counting and (counting[0], counting[1] - 1)
                yield line.number, image
            yield from _miscount(path, counting)
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror or error}") from None


class OptWriter:
    """Writes an image load file to a stream, one image at a time."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._line = 0

    def write(self, image: Image) -> None:
        """Write one image. Raises `Unwritable` if a text in it would be read back as another."""
        self._line += 1
        for name, text in zip(FIELDS, (image.key, image.volume, image.path), strict=False):
            if "," in text or not text.isprintable() or text != text.strip() or (name != "volume" and not text):
                raise Unwritable(f"line {self._line}: {shown(text)!r} cannot be the {name}")
        if image.pages is not None and not (image.document and image.pages > 0):
            raise Unwritable(f"line {self._line}: only the first page of a document has a page count, from 1 on")
        breaks = ("Y" if each else "" for each in (image.document, image.folder, image.box))
        pages = "" if image.pages is None else str(image.pages)
        self._stream.write((",".join([image.key, image.volume, image.path, *breaks, pages]) + "\r\n").encode())


class _BadLine(Exception):
    """Why a line is not an image."""


def _image(text: str) -> Image:
    fields = [each.strip() for each in text.split(",")]
    if len(fields) != len(FIELDS):
        raise _BadLine(f"{len(fields)} fields, where an image has {len(FIELDS)}: {', '.join(FIELDS)}")
    key, volume, path, *breaks, pages = fields
    for name, each in zip(FIELDS[3:6], breaks, strict=True):
        if each not in _BREAKS:
            raise _BadLine(f"the {name} is {shown(each)!r}: write Y or leave it empty")
    if not key or not path:
        raise _BadLine(f"the {'path' if key else 'image key'} is empty")
    if pages and not (pages.isascii() and pages.isdigit() and len(pages) < 10 and int(pages)):
        raise _BadLine(f"the page count is {shown(pages)!r}: write a whole number from 1 on, or leave it empty")
    document, folder, box = (_BREAKS[each] for each in breaks)
    return Image(
        key=key,
        volume=volume,
        path=path,
        document=document,
        folder=folder,
        box=box,
        pages=int(pages) if pages and document else None,
    )


def _miscount(path: Path, counting: tuple[int, int] | None) -> Iterator[Flaw]:
    """The flaw of a page count that the lines after it did not meet."""
    if counting is not None and counting[1]:
        line, left = counting
        detail = f"{abs(left)} pages {'fewer' if left > 0 else 'more'} follow than its page count says"
        yield Flaw(file=path.name, line=line, kind=FlawKind.BAD_IMAGE_LINE, detail=detail)
