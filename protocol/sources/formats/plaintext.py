"""Text files of all kinds: notes, logs, tables, source code, JSON, XML. The last format that is tried."""

from protocol.sources.formats.charsets import DETECTOR, Decoded, declared_charset, decoded, without_mark
from protocol.sources.formats.ooxml import TOOL
from protocol.sources.parts import Extracted, Extractor, File, Note
from protocol.sources.problems import Cause
from protocol.sources.text import replace_surrogates

KIND = "text"
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff")
_USUAL = bytes(sorted({*range(32, 127), *range(128, 256), *b"\t\n\v\f\r\b\x1a\x1b"}))
"""Bytes that text has: everything but control characters; among those, a few are usual."""
_START = 4096
_FEW = 200
"""In text, at most one of so many bytes is an unusual control character."""
_KOREAN, _SHIFTS = b"\x1b$)C", b"\x0e\x0f"
"""ISO-2022-KR goes to other letters and back with two control characters, after it has said so."""


def is_text(content: bytes) -> bool:
    """Whether bytes are text in some encoding: no zero bytes besides those of UTF-16, and few control characters."""
    if content.startswith(_MARKS) or without_mark(content):
        wide = decoded(content).text
        return _is_clean(wide.encode("utf-8", "replace")) and wide.count("\ufffd") * _FEW <= len(wide)
    return _is_clean(content.translate(None, delete=_SHIFTS) if _KOREAN in content[:_START] else content)


def _is_clean(content: bytes) -> bool:
    unusual = content.translate(None, delete=_USUAL)
    return b"\0" not in unusual and len(unusual) * _FEW <= len(content)


def decoding(read: Decoded) -> tuple[str, tuple[Note, ...]]:
    """The option that names the encoding, and the note if it was guessed or did not fit."""
    option = f"encoding {read.encoding}" + (f", found by {DETECTOR}" if read.used_detector else "")
    return option, ((Cause.UNDECODABLE, read.note),) if read.note else ()


def _extract(file: File) -> Extracted:
    read = decoded(file.content, declared_charset(file.declared))
    option, notes = decoding(read)
    text, repaired = replace_surrogates(read.text.replace("\r\n", "\n").replace("\r", "\n"))
    if repaired:
        notes = (*notes, (Cause.UNDECODABLE, repaired))
    return Extracted(kind=KIND, text=text, tool=TOOL, options=option, notes=notes)


EXTRACTOR = Extractor(
    name=KIND,
    described="plain text of any encoding (.txt, .log, .csv, .json, .xml, source code)",
    recognises=lambda file: is_text(file.content),
    extract=_extract,
)
