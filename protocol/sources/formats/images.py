"""Pictures by themselves (TIFF, PNG, JPEG, …): documents with no text, until a program recognises it (`ocr`)."""

import re

from protocol.sources.parts import Extracted, Extractor, File
from protocol.sources.problems import Cause

NAME = "image"
REMEDY = "if ocrmypdf is not installed, install it and build again"

_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
    (b"II+\0", "tif"),
    (b"MM\0+", "tif"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
)
_WEBP = re.compile(rb"RIFF.{4}WEBP", re.DOTALL)
_BITMAP = re.compile(rb"BM.{4}\0\0\0\0.{4}[\x0c\x28\x6c\x7c]\0\0\0", re.DOTALL)


def suffix(content: bytes) -> str:
    """What kind of picture it is, as the ending of a name; empty for anything else."""
    start = content[:64]
    if _WEBP.match(start):
        return "webp"
    if _BITMAP.match(start):
        return "bmp"
    return next((each for mark, each in _STARTS if start.startswith(mark)), "")


def extract(file: File) -> Extracted:
    """A picture, without text."""
    kind = suffix(file.content)
    note = (Cause.NO_TEXT_LAYER, f"a picture ({kind}), whose text is not recognised; {REMEDY}")
    return Extracted(kind=NAME, text="", tool="tallystick", options=kind, notes=(note,))


EXTRACTOR = Extractor(
    name=NAME,
    described="a picture (.tif, .png, .jpg, …); its text needs ocrmypdf",
    recognises=lambda file: bool(suffix(file.content)),
    extract=extract,
)
