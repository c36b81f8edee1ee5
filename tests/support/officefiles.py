"""Small office files for tests, written part by part, and real ones where they are at hand."""

import io
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from protocol.sources.parts import Extracted, Extractor, File

_OFFICE = "http://schemas.openxmlformats.org"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{address}"'
    for prefix, address in {
        "w": f"{_OFFICE}/wordprocessingml/2006/main",
        "x": f"{_OFFICE}/spreadsheetml/2006/main",
        "p": f"{_OFFICE}/presentationml/2006/main",
        "a": f"{_OFFICE}/drawingml/2006/main",
        "c": f"{_OFFICE}/drawingml/2006/chart",
        "dgm": f"{_OFFICE}/drawingml/2006/diagram",
        "xdr": f"{_OFFICE}/drawingml/2006/spreadsheetDrawing",
        "wp": f"{_OFFICE}/drawingml/2006/wordprocessingDrawing",
        "r": f"{_OFFICE}/officeDocument/2006/relationships",
        "m": f"{_OFFICE}/officeDocument/2006/math",
        "mc": f"{_OFFICE}/markup-compatibility/2006",
        "cp": f"{_OFFICE}/package/2006/metadata/core-properties",
        "op": f"{_OFFICE}/officeDocument/2006/custom-properties",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dcterms": "http://purl.org/dc/terms/",
        "v": "urn:schemas-microsoft-com:vml",
        "p188": "http://schemas.microsoft.com/office/powerpoint/2018/8/main",
        "tc": "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments",
    }.items()
)
BOMB = '<!DOCTYPE z [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>'
DATA = "intake"

Links = Mapping[str, tuple[str, str]]
"""Relationships by id: the last word of the type, and the target; an address with a colon is external."""


def element(tag: str, inner: str = "", attributes: str = "") -> str:
    """The root element of a part."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{tag} {NAMESPACES} {attributes}>{inner}</{tag}>'


def relationships(links: Links) -> str:
    """A part of relationships."""
    items = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for key, (kind, target) in links.items()
    )
    return f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">{items}</Relationships>'


def package(main: str, parts: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A package with its main part and whatever else is in it."""
    everything: dict[str, str | bytes] = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": relationships(
            {
                "rId1": ("officeDocument", main),
                "rId2": ("metadata/core-properties", "docProps/core.xml"),
                "rId3": ("custom-properties", "docProps/custom.xml"),
            }
        ),
        **parts,
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as zipped:
        for name, content in everything.items():
            zipped.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return written.getvalue()


def docx(body: str, links: Links | None = None, parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """A Word file with this body."""
    return package(
        "word/document.xml",
        {
            "word/document.xml": element("w:document", f"<w:body>{body}</w:body>"),
            "word/_rels/document.xml.rels": relationships(links or {}),
            **(parts or {}),
        },
    )


def paragraph(text: str) -> str:
    """A paragraph of a Word file."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def xlsx(
    rows: str,
    *,
    links: Links | None = None,
    parts: Mapping[str, str | bytes] | None = None,
    sheets: str = '<x:sheet name="First" r:id="rId1"/>',
    workbook: str = "",
    after: str = "",
) -> bytes:
    """An Excel file whose first sheet has these rows."""
    book: Links = {
        "rId1": ("worksheet", "worksheets/sheet1.xml"),
        "rId2": ("worksheet", "worksheets/sheet2.xml"),
        "rId3": ("sharedStrings", "sharedStrings.xml"),
        "rId4": ("styles", "styles.xml"),
        "rId5": ("person", "persons/person.xml"),
    }
    return package(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": element("x:workbook", f"{workbook}<x:sheets>{sheets}</x:sheets>"),
            "xl/_rels/workbook.xml.rels": relationships(book),
            "xl/worksheets/sheet1.xml": element("x:worksheet", f"<x:sheetData>{rows}</x:sheetData>{after}"),
            "xl/worksheets/_rels/sheet1.xml.rels": relationships(links or {}),
            **(parts or {}),
        },
    )


def cells(*items: str) -> str:
    """A row of cells."""
    return f"<x:row>{''.join(items)}</x:row>"


def pptx(slides: list[str], links: Links | None = None, parts: Mapping[str, str | bytes] | None = None) -> bytes:
    """A PowerPoint file with these slides; the links are those of the first one."""
    listed = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(len(slides), 0, -1))
    named: dict[str, tuple[str, str]] = {
        f"rId{n}": ("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)
    }
    named |= {"rId98": ("commentAuthors", "commentAuthors.xml"), "rId99": ("authors", "authors.xml")}
    return package(
        "ppt/presentation.xml",
        {
            "ppt/presentation.xml": element("p:presentation", f"<p:sldIdLst>{listed}</p:sldIdLst>"),
            "ppt/_rels/presentation.xml.rels": relationships(named),
            **{f"ppt/slides/slide{n}.xml": slide for n, slide in enumerate(slides, 1)},
            "ppt/slides/_rels/slide1.xml.rels": relationships(links or {}),
            **(parts or {}),
        },
    )


def shape(*lines: str, about: str = "") -> str:
    """A shape with these lines."""
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp><p:nvSpPr>{about}</p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def slide(inner: str, attributes: str = "") -> str:
    """A slide."""
    return element("p:sld", f"<p:cSld><p:spTree>{inner}</p:spTree></p:cSld>", attributes)


def read(extractor: Extractor, content: bytes, name: str = "file", declared: str = "") -> Extracted:
    """What an extractor makes of a file that it recognises."""
    file = File(name=name, content=content, declared=declared)
    assert extractor.recognises(file)
    extracted = extractor.extract(file)
    extracted.text.encode()  # it can be stored
    assert all(extracted.fields.values())
    return extracted


def real_files(*suffixes: str) -> list[Path]:
    """The real files of some formats; the test is skipped where they are not."""
    folder = os.environ.get("TALLYSTICK_DATA")
    if not folder or not (Path(folder) / DATA).is_dir():
        pytest.skip(f"{DATA} is not there: set TALLYSTICK_DATA to the folder that holds it")
    return sorted(path for path in (Path(folder) / DATA).iterdir() if path.suffix in suffixes)
