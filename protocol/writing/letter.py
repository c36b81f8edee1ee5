"""A paper as a Word file (.docx): headings, numbered paragraphs, tables, and a mark at the top of each page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from protocol.writing import package

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_FONT = '<w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman" w:cs="Times New Roman"/>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a paper: a paragraph of some style, or a table if it has rows."""

    style: str = "Normal"  # or Title, Heading1, Quote, Item
    words: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


_STYLES = {
    "Normal": ('<w:spacing w:after="140" w:line="276" w:lineRule="auto"/>', '<w:sz w:val="24"/>'),
    "Title": ('<w:spacing w:before="120" w:after="240"/><w:jc w:val="center"/>', '<w:b/><w:sz w:val="28"/>'),
    "Heading1": ('<w:keepNext/><w:spacing w:before="280" w:after="120"/>', '<w:b/><w:sz w:val="24"/>'),
    "Quote": ('<w:spacing w:after="140"/><w:ind w:left="720" w:right="720"/>', '<w:sz w:val="24"/>'),
    "Item": ('<w:spacing w:after="80"/><w:ind w:left="720" w:hanging="360"/>', '<w:sz w:val="24"/>'),
    "Mark": ('<w:jc w:val="center"/>', '<w:b/><w:sz w:val="18"/>'),
}


def letter(blocks: Sequence[Block], mark: str) -> bytes:
    """The file; `mark` stands at the top of each page, and the page's number at its end."""
    parts = {
        "word/document.xml": _document(blocks),
        "word/styles.xml": _styles(),
        "word/header1.xml": f'<w:hdr xmlns:w="{_WORD}">{_paragraph("Mark", mark)}</w:hdr>',
        "word/footer1.xml": f'<w:ftr xmlns:w="{_WORD}">{_page_number()}</w:ftr>',
    }
    kinds = ("document.main", "styles", "header", "footer")
    return package.packed(
        {
            "[Content_Types].xml": package.types(
                {name: f"{_KIND}.{kind}+xml" for name, kind in zip(parts, kinds, strict=True)}
            ),
            "_rels/.rels": package.relations({"word/document.xml": "officeDocument"}),
            "word/_rels/document.xml.rels": package.relations(
                {"header1.xml": "header", "footer1.xml": "footer", "styles.xml": "styles"}
            ),
            **parts,
        }
    )


def _document(blocks: Sequence[Block]) -> str:
    body = "".join(_table(each.rows) if each.rows else _paragraph(each.style, each.words) for each in blocks)
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="r1"/><w:footerReference w:type="default" r:id="r2"/>'
        '<w:pgSz w:w="12240" w:h="15840"/>'
        '<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" '
        'w:gutter="0"/></w:sectPr>'
    )
    return f'<w:document xmlns:w="{_WORD}" xmlns:r="{_RELATED}"><w:body>{body}{section}</w:body></w:document>'


def _styles() -> str:
    made = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"{_DEFAULT if name == "Normal" else ""}><w:name w:val="{name}"/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{_FONT}{run}</w:rPr></w:style>"
        for name, (paragraph, run) in _STYLES.items()
    )
    return f'<w:styles xmlns:w="{_WORD}">{made}</w:styles>'


_DEFAULT = ' w:default="1"'


def _paragraph(style: str, words: str) -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{"".join(_runs(words))}</w:p>'


def _runs(words: str) -> Iterator[str]:
    for number, line in enumerate(words.split("\n")):
        yield f'<w:r>{"<w:br/>" if number else ""}<w:t xml:space="preserve">{package.text(line)}</w:t></w:r>'


def _page_number() -> str:
    """A field that Word fills in."""
    field = '<w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple>'
    return f'<w:p><w:pPr><w:pStyle w:val="Mark"/></w:pPr>{field}</w:p>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:color="999999"/>'
        for side in ("top", "left", "bottom", "right", "insideH", "insideV")
    )
    grid = '<w:gridCol w:w="4680"/>' * len(rows[0])
    made = "".join(f"<w:tr>{''.join(map(_cell, row))}</w:tr>" for row in rows)
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>{lines}</w:tblBorders></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{made}</w:tbl>{_paragraph('Normal', '')}"
    )


def _cell(words: str) -> str:
    return f"<w:tc>{_paragraph('Normal', words)}</w:tc>"
