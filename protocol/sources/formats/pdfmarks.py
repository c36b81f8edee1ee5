"""What a PDF holds beside the text of its pages: comments, filled-in forms, stamps, attached files, and XFA forms.

PDFium has no Python interface for most of it, so its C functions are called here, and nowhere else.
"""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pypdfium2
import pypdfium2.raw as pdfium

from protocol.sources.formats.markup import html_text
from protocol.sources.parts import File
from protocol.sources.text import decode_text, replace_surrogates

MAX_MARKS = 100_000
MAX_FILES = 10_000
MAX_LONG = 2**24
"""Bytes of one comment or value."""

_CHECKED = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
_CHOSEN = (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
_WITHOUT_WORDS = (
    pdfium.FPDF_ANNOT_LINK,
    pdfium.FPDF_ANNOT_POPUP,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_STRIKEOUT,
)
"""Marks that draw no words of their own."""
_MAX_OPTIONS = 10_000
_XFA = ("template", "datasets")


@dataclass(slots=True)
class Marks:
    """What was found so far."""

    comments: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    form: list[str] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def page_marks(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, number: int, marks: Marks) -> None:
    """Collect what is marked on a page."""
    seen = set()
    for _, annotation in _annotations(page):
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if len(marks.comments) + len(marks.filled) > MAX_MARKS:
            marks.unread += [] if marks.unread else [f"comments and fields after the first {MAX_MARKS}"]
            return
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            line = _filled(document, annotation)
            if line and line not in marks.filled[-10:]:  # buttons of one field repeat it
                marks.filled.append(line)
            continue
        if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            _attach(pdfium.FPDFAnnot_GetFileAttachment(annotation), document, marks)
        contents, author = _string(annotation, b"Contents"), _string(annotation, b"T")
        if contents and contents not in seen:  # the window of a comment repeats it
            seen.add(contents)
            marks.comments.append(f"Page {number}{', ' + author if author else ''}: {contents}")


def flattened(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> bool:
    """Draw stamps and signatures into the page, as a reader sees them; whether there were any.

    Fields whose values are known are taken off the page first. It has to be opened again for its text.
    """
    known = [
        number
        for number, each in _annotations(page)
        if pdfium.FPDFAnnot_GetSubtype(each) in _WITHOUT_WORDS or _filled(document, each)
    ]
    if len(known) == pdfium.FPDFPage_GetAnnotCount(page):
        return False
    for number in reversed(known):
        pdfium.FPDFPage_RemoveAnnot(page, number)
    return bool(pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS)


def add_drawn(number: int, text: str, before: str, marks: Marks) -> None:
    """Keep the lines of a flattened page's text that have a word that nothing else had: `before` is the page alone."""
    known = set("\n".join((before, *marks.comments, *marks.filled)).split())
    new = [line for line in text.split("\n") if not known.issuperset(line.split())]
    if len(marks.drawn) > MAX_MARKS:
        marks.unread += [] if marks.unread else [f"what is drawn over pages after the first {MAX_MARKS} lines"]
    elif new:
        marks.drawn += [f"Page {number}: {new[0]}", *new[1:]]


def document_marks(document: pypdfium2.PdfDocument, marks: Marks) -> None:
    """Collect the attached files and the XFA form of the document."""
    for number in range(min(document.count_attachments(), MAX_FILES)):
        _attach(pdfium.FPDFDoc_GetAttachment(document, number), document, marks)
    if document.count_attachments() > MAX_FILES:
        marks.unread.append(f"attached files after the first {MAX_FILES}")
    for number in range(min(pdfium.FPDF_GetXFAPacketCount(document), MAX_FILES)):
        name = _bytes(lambda *at, number=number: pdfium.FPDF_GetXFAPacketName(document, number, *at)).rstrip(b"\0")
        if name.decode("ascii", "replace") in _XFA:
            text = html_text(decode_text(_xfa_packet(document, number))[0])
            marks.form += [text] if text.strip() else []


def _annotations(page: pypdfium2.PdfPage) -> Iterator[tuple[int, pdfium.FPDF_ANNOTATION]]:
    for number in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        if annotation:
            try:
                yield number, annotation
            finally:
                pdfium.FPDFPage_CloseAnnot(annotation)


def _filled(document: pypdfium2.PdfDocument, annotation: pdfium.FPDF_ANNOTATION) -> str:
    """A field of a form and what is filled in; empty if nothing is."""
    form = document.formenv
    if not form or pdfium.FPDFAnnot_GetSubtype(annotation) != pdfium.FPDF_ANNOT_WIDGET:
        return ""
    name = _wide(lambda *at: pdfium.FPDFAnnot_GetFormFieldName(form, annotation, *at))
    value = _wide(lambda *at: pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, *at))
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _CHECKED:
        value = (value or "checked") if pdfium.FPDFAnnot_IsChecked(form, annotation) else ""
    elif kind in _CHOSEN:  # the value may be a code for what a reader sees
        value = ", ".join(_chosen(form, annotation)) or value
    return f"{name}: {value}" if value.strip() else ""


def _chosen(form: pypdfium2.PdfFormEnv, annotation: pdfium.FPDF_ANNOTATION) -> Iterator[str]:
    """What is chosen of a list, as a reader sees it."""
    for number in range(min(pdfium.FPDFAnnot_GetOptionCount(form, annotation), _MAX_OPTIONS)):
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, number):
            yield _wide(lambda *at, n=number: pdfium.FPDFAnnot_GetOptionLabel(form, annotation, n, *at))


def _attach(raw: pdfium.FPDF_ATTACHMENT, document: pypdfium2.PdfDocument, marks: Marks) -> None:
    """Keep an attached file; some attachments state a name and have no content."""
    if not raw or len(marks.files) == MAX_FILES:
        return
    attachment = pypdfium2.PdfAttachment(raw, document)
    number = len(marks.files) + 1
    try:
        name = replace_surrogates(attachment.get_name())[0].strip("\0") or f"attachment {number}"
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        name = f"attachment {number}"
    try:
        declared = replace_surrogates(attachment.get_subtype())[0]
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        declared = ""
    try:
        content = bytes(attachment.get_data())
    except pypdfium2.PdfiumError:
        marks.unread.append(f"the attached file {name} has no content that can be read")
        return
    if not any(each.name == name and each.content == content for each in marks.files):
        marks.files.append(File(name=name, content=content, declared=declared))


def _string(annotation: pdfium.FPDF_ANNOTATION, key: bytes) -> str:
    return _wide(lambda *at: pdfium.FPDFAnnot_GetStringValue(annotation, key, *at)).strip()


def _wide(get: Callable[..., int]) -> str:
    """A text from a function that writes UTF-16 into a buffer."""
    size = get(None, 0)
    if not 2 < size <= MAX_LONG:  # 2 is the zero at the end
        return ""
    buffer = (pdfium.FPDF_WCHAR * (size // 2))()
    get(buffer, size)
    text = bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
    return replace_surrogates(text.replace("\r\n", "\n").replace("\r", "\n"))[0]


def _bytes(get: Callable[..., int]) -> bytes:
    """The bytes from a function that writes them into a buffer."""
    size = get(None, 0)
    if not 0 < size <= MAX_LONG:
        return b""
    buffer = ctypes.create_string_buffer(size)
    get(buffer, size)
    return buffer.raw


def _xfa_packet(document: pypdfium2.PdfDocument, number: int) -> bytes:
    written = ctypes.c_ulong()
    return _bytes(
        lambda buffer, size: pdfium.FPDF_GetXFAPacketContent(document, number, buffer, size, written) and written.value
    )
