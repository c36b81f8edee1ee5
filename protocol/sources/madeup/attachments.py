"""Attachments: letters, tables and prints, written by hand so that the same text has the same bytes everywhere."""

import io
import textwrap
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from protocol.sources.madeup.draws import Draws
from protocol.sources.madeup.speech import Speech
from protocol.sources.madeup.subject import Subject

_SUFFIXES = (*(["docx"] * 10), *(["txt"] * 6), *(["pdf"] * 4))
_TYPES = {
    "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "txt": "text/plain",
}
_LINES = 44  # on a page
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DOCUMENT = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_CONTENT_TYPES = f"""<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Override PartName="/word/document.xml" ContentType="{_DOCUMENT}"/></Types>"""
_LINKS = f"""<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="{_RELATIONS}"><Relationship Id="rId1" Type="{_OFFICE}" Target="word/document.xml"/>\
</Relationships>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file of a mail."""

    name: str
    type: str
    content: bytes


def attached(about: Subject, speech: Speech, draws: Draws, *, pdf: bool) -> tuple[Attached, ...]:
    """One file or two about the subject."""
    names = draws.some(about.files, 2 if draws.one_in(5) else 1)
    return tuple(_file(about, name, speech, draws, pdf=pdf) for name in names)


def _file(about: Subject, name: str, speech: Speech, draws: Draws, *, pdf: bool) -> Attached:
    title = speech.spoken(name)
    suffix = "csv" if about.columns and draws.one_in(2) else draws.among(_SUFFIXES)
    if suffix == "pdf" and not pdf:
        suffix = "docx"
    if suffix == "csv":
        content = _table(about.columns, 3 + draws.below(9), speech)
    else:
        content = _WRITERS[suffix](title, _paragraphs(about, speech, draws))
    return Attached(name=f"{title}.{suffix}", type=_TYPES[suffix], content=content)


def _paragraphs(about: Subject, speech: Speech, draws: Draws) -> list[str]:
    said = [speech.spoken(each) for each in draws.some(about.sentences, 3 + draws.below(5))]
    return [" ".join(said[at : at + 2]) for at in range(0, len(said), 2)]


def _table(columns: str, rows: int, speech: Speech) -> bytes:
    heads, cells = zip(*(each.rsplit(" ", 1) for each in columns.split(",")), strict=True)
    made = [[speech.spoken(cell).replace(",", "") for cell in cells] for _ in range(rows)]
    return "".join(",".join(row) + "\r\n" for row in [heads, *made]).encode()


def _text(title: str, paragraphs: list[str]) -> bytes:
    return ("\r\n\r\n".join([title, *paragraphs]) + "\r\n").encode()


def _docx(title: str, paragraphs: list[str]) -> bytes:
    inner = "".join(f"<w:p><w:r><w:t>{_escaped(each)}</w:t></w:r></w:p>" for each in (title, *paragraphs))
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<w:document xmlns:w="{_WORD}"><w:body>{inner}</w:body></w:document>'
    )
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as zipped:  # not compressed: other versions of zlib compress otherwise
        for name, part in (
            ("[Content_Types].xml", _CONTENT_TYPES),
            ("_rels/.rels", _LINKS),
            ("word/document.xml", document),
        ):
            info = zipfile.ZipInfo(name)
            info.create_system = 3  # else the system that it is made on
            zipped.writestr(info, part)
    return written.getvalue()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _pdf(title: str, paragraphs: list[str]) -> bytes:
    """Pages with lines of Helvetica, and nothing else."""
    lines = [title, ""] + [line for each in paragraphs for line in [*textwrap.wrap(each, 80), ""]]
    pages = [lines[at : at + _LINES] for at in range(0, len(lines), _LINES)]
    numbers = [4 + 2 * number for number in range(len(pages))]  # of each page's object; its text is the next
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{number} 0 R' for number in numbers)}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in zip(numbers, pages, strict=True):
        shown = "\n".join(f"({_in_brackets(line)}) Tj T*" for line in page)
        stream = f"BT /F1 11 Tf 15 TL 72 740 Td\n{shown}\nET".encode()
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {number + 1} 0 R >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    written = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return written + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(written))
    )


def _in_brackets(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


_WRITERS: dict[str, Callable[[str, list[str]], bytes]] = {"docx": _docx, "pdf": _pdf, "txt": _text}
