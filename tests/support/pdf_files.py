"""PDFs, as small as they can be."""

import zlib
from collections.abc import Sequence

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
IMAGE = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>"
    b"stream\n\x80\nendstream"
)


def pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """A PDF with these objects, of which the first is the catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, table)
    return bytes(out)


def stream(content: bytes, head: bytes = b"") -> bytes:
    packed = zlib.compress(content)
    return b"<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (head, len(packed), packed)


def shown(text: str, *, y: int = 700) -> bytes:
    """What draws a line of text."""
    escaped = text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return b"BT /F 12 Tf 50 %d Td (%s) Tj ET\n" % (y, escaped)


def pages(
    *contents: bytes, page: bytes = b"", catalogue: bytes = b"", more: Sequence[bytes] = (), trailer: bytes = b""
) -> bytes:
    """A PDF with a page for each content. Object 3 is the font, 4 a picture; those of `more` start with 5."""
    first = 5 + len(more)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(contents)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(contents), kids),
        FONT,
        IMAGE,
        *more,
    ]
    for number, content in enumerate(contents):
        resources = b"/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>"
        box = b"/MediaBox[0 0 612 792]"
        objects.append(
            b"<</Type/Page/Parent 2 0 R%s%s%s/Contents %d 0 R>>" % (box, resources, page, first + 2 * number + 1)
        )
        objects.append(stream(content))
    return pdf(objects, trailer)
