"""PDF: the text of all pages in order, then comments and form fields, with attached files as files of their own.

A form feed ends each page, so that a reader of the text still knows where the pages were. Text outside the visible
part of a page counts as well. After the pages come the notes that people wrote on them, what was filled into forms,
and the words of stamps and signatures, since none of these is part of a page. A PDF that was scanned has no text: that
is noted, with the remedy.
"""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pypdfium2
import pypdfium2.raw as pdfium

from protocol.sources.formats import pdfmarks
from protocol.sources.formats.mailfields import looks_like_mail
from protocol.sources.parts import Extracted, Extractor, File, Note, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.text import replace_surrogates

MAX_PAGES = 20_000
MAX_TEXT = 2**26
"""Characters of all pages."""
MAX_NOTES = 20
TOOL = f"pypdfium2 {pypdfium2.PYPDFIUM_INFO.version}, PDFium {pypdfium2.PDFIUM_INFO.version}"
SCANNED = "has no text, only pictures; if ocrmypdf is not installed, install it and build again"

logging.getLogger("pypdfium2").setLevel(logging.ERROR)  # it warns of forms that are read in another way here

_START = 1024
_WORD = re.compile("[0-9A-Za-z\x80-\U0010ffff]")
_BROKEN_WORD = re.compile("[\ufffe\x02]\r?\n?")
"""What PDFium writes for a hyphen at the end of a line."""
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?")
_OWN = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 33>>stream
BT /F 12 Tf 9 9 Td (words) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
"""
_SCAN_DEPTH = 3
_MAX_OBJECTS = 1000


def extract(file: File) -> Extracted:
    """What is in a PDF; `Unextractable` if it is encrypted, damaged, or has too many pages."""
    try:
        with warnings.catch_warnings(action="ignore"), closing(_opened(file.content)) as document:
            return _read(document)
    except Unextractable:
        raise
    except Exception as error:  # the library raises all kinds of errors on damaged files
        raise Unextractable(Cause.DAMAGED, f"the PDF cannot be read ({_words(error)}); get another copy") from None


def prepare() -> None:
    """Let the library set itself up with a PDF of our own, so that no process has to do it for each file."""
    extract(File(name="", content=_OWN))


def _opened(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            detail = "the PDF is protected; ask its owner for the password and a copy without it"
            raise Unextractable(Cause.ENCRYPTED, detail) from None
        raise Unextractable(Cause.DAMAGED, f"the PDF cannot be read ({_words(error)}); get another copy") from None


def _read(document: pypdfium2.PdfDocument) -> Extracted:
    if document.get_formtype() != pdfium.FORMTYPE_NONE:
        document.init_forms()
    pages = len(document)
    if pages > MAX_PAGES:
        detail = f"the PDF says that it has {pages} pages, more than {MAX_PAGES}; split it"
        raise Unextractable(Cause.TOO_LARGE, detail)
    marks = pdfmarks.Marks()
    notes: list[Note] = []
    texts, scans = [], []
    left = MAX_TEXT
    for number in range(pages):
        try:
            text, is_scan = _page(document, number, marks)
        except pypdfium2.PdfiumError as error:
            text, is_scan = "", False
            notes.append((Cause.UNREAD_PART, f"page {number + 1}: {_words(error)}"))
        texts.append(text)
        scans += [number + 1] if is_scan else []
        left -= len(text)
        if left < 0:
            raise Unextractable(Cause.TOO_LARGE, f"the PDF has more than {MAX_TEXT} characters; split it")
    if pages and len(notes) == pages:
        raise Unextractable(Cause.DAMAGED, f"none of its {pages} pages can be read; get another copy")
    pdfmarks.document_marks(document, marks)
    notes += _about_scans(scans, pages)
    notes += [(Cause.UNREAD_PART, detail) for detail in marks.unread]
    return Extracted(
        kind="pdf",
        text=_joined(texts, marks),
        tool=TOOL,
        options="all text of each page, a form feed after each; then comments, form fields and stamps",
        fields=_fields(document),
        children=tuple(marks.files),
        notes=_limited(notes),
        pages=pages,
    )


def _page(document: pypdfium2.PdfDocument, number: int, marks: pdfmarks.Marks) -> tuple[str, bool]:
    """The text of a page, and whether it is a picture of one; what is marked on it is collected."""
    with closing(document.get_page(number)) as page:
        text = _text(page)
        pdfmarks.page_marks(document, page, number + 1, marks)
        is_scan = not _WORD.search(text) and _has_picture(page)
        is_flattened = pdfmarks.flattened(document, page)
    if is_flattened:
        with closing(document.get_page(number)) as page:
            pdfmarks.add_drawn(number + 1, _text(page), text, marks)
    return text, is_scan


def _text(page: pypdfium2.PdfPage) -> str:
    with closing(page.get_textpage()) as textpage:
        raw = textpage.get_text_range(errors="surrogatepass")
    return _BROKEN_WORD.sub("", raw).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _has_picture(page: pypdfium2.PdfPage) -> bool:
    kinds = [pdfium.FPDF_PAGEOBJ_IMAGE]
    for number, _ in enumerate(page.get_objects(filter=kinds, max_depth=_SCAN_DEPTH)):
        return number < _MAX_OBJECTS
    return False


def _about_scans(scans: list[int], pages: int) -> Iterator[Note]:
    if len(scans) == pages and pages:
        yield Cause.NO_TEXT_LAYER, f"the PDF {SCANNED}"
    elif scans:
        shown = ", ".join(map(str, scans[:10])) + (", …" if len(scans) > 10 else "")
        yield Cause.NO_TEXT_LAYER, f"{len(scans)} of {pages} pages ({shown}): each {SCANNED}"


def _joined(texts: list[str], marks: pdfmarks.Marks) -> str:
    text = "".join(f"{page.rstrip()}\n\f" for page in texts)
    sections = [
        ("Comments", marks.comments),
        ("Form fields", marks.filled),
        ("Stamps and signatures", marks.drawn),
        ("Form", marks.form),
    ]
    text += "".join(f"{title}\n" + "\n".join(lines) + "\n" for title, lines in sections if lines)
    return replace_surrogates(text)[0]


def _limited(notes: list[Note]) -> tuple[Note, ...]:
    left_out = len(notes) - MAX_NOTES
    more = [(Cause.UNREAD_PART, f"and {left_out} more")] if left_out > 0 else []
    return (*notes[:MAX_NOTES], *more)


def _fields(document: pypdfium2.PdfDocument) -> dict[str, str]:
    told = document.get_metadata_dict(skip_empty=True)
    date = _iso_date(told.get("ModDate", "")) or _iso_date(told.get("CreationDate", ""))
    named = {"title": told.get("Title", ""), "author": told.get("Author", ""), "date": date}
    return {name: replace_surrogates(" ".join(value.split()))[0] for name, value in named.items() if value.strip()}


def _iso_date(value: str) -> str:
    """A date of PDF as ISO 8601; empty if it cannot be read."""
    found = _DATE.match(value.strip())
    if not found:
        return ""
    parts = zip(found.groups()[:6], "011000", strict=True)
    year, month, day, hour, minute, second = (int(part or default) for part, default in parts)
    offset = timedelta(hours=int(found[9] or 0), minutes=int(found[10] or 0)) * (-1 if found[8] == "-" else 1)
    try:
        zone = timezone(offset) if found[7] or found[8] else None
        return datetime(year, month, day, hour, minute, second, tzinfo=zone).isoformat()
    except ValueError:
        return ""


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _recognises(file: File) -> bool:
    """By the mark, which some programs do not write at the very beginning. A mail may speak of it, or hold a PDF."""
    place = file.content.find(b"%PDF-", 0, _START)
    return place == 0 or (place > 0 and b" obj" in file.content and not looks_like_mail(file))


EXTRACTOR = Extractor(
    name="pdf",
    described="PDF (.pdf)",
    recognises=_recognises,
    extract=extract,
)
