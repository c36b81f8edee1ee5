"""The zip file that Word and Excel files are: parts in XML, without a clock, so that the same content gives the same
bytes.
"""

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

from ledger import plain

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a zip file can state
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def packed(parts: Mapping[str, str]) -> bytes:
    """A package of these parts, each XML without its declaration, by their names in it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, xml in parts.items():
            info = zipfile.ZipInfo(name, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, _DECLARATION + xml)
    return stream.getvalue()


def types(parts: Mapping[str, str]) -> str:
    """The list of the parts' content types, which every package has."""
    listed = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    default = "application/vnd.openxmlformats-package.relationships+xml"
    return f'<Types xmlns="{_TYPES}"><Default Extension="rels" ContentType="{default}"/>{listed}</Types>'


def relations(targets: Mapping[str, str]) -> str:
    """What a part refers to: its targets, each by the kind of relation; they are named r1, r2 and so on."""
    listed = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for number, (target, kind) in enumerate(targets.items(), start=1)
    )
    return f'<Relationships xmlns="{_RELATIONS}">{listed}</Relationships>'


def text(words: str) -> str:
    """A text in XML, which can hold no control character."""
    return escape(plain.harmless(words).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))
