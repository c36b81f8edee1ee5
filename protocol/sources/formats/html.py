"""Web pages (.html, .xhtml): what a reader would see, what stands for pictures, and what forms were filled with."""

import re

from protocol.sources.formats.charsets import codec, declared_charset, decoded
from protocol.sources.formats.markup import html_text, page_title
from protocol.sources.formats.ooxml import TOOL
from protocol.sources.formats.plaintext import decoding, is_text
from protocol.sources.parts import Extracted, Extractor, File
from protocol.sources.text import replace_surrogates

KIND = "html"
_SUFFIXES = (".html", ".htm", ".xhtml", ".xht", ".shtml")
_TYPES = ("text/html", "application/xhtml+xml")
_LOOKED_AT = 64 * 1024
_BEGINS = re.compile(r"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\s*(?:<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->)")
_ANY_TAG = re.compile(r"<[A-Za-z!/][^<>]*>")
_META = re.compile(r"<meta\s[^<>]*>", re.IGNORECASE)
_XML = re.compile(r"<\?xml[^<>]{0,200}encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{1,40})")


def _recognises(file: File) -> bool:
    """By how it begins, or by its name or declared type if there is any tag in it."""
    if not is_text(file.content):
        return False
    start = decoded(file.content[:_LOOKED_AT]).text
    place = 0
    while passed := _BEFORE.match(start, place):
        place = passed.end()
    is_said = file.name.lower().endswith(_SUFFIXES) or file.declared.lower().strip().startswith(_TYPES)
    return bool(_BEGINS.match(start, place)) or (is_said and bool(_ANY_TAG.search(start)))


def _extract(file: File) -> Extracted:
    read = decoded(file.content, _charset(file))
    option, notes = decoding(read)
    markup = replace_surrogates(read.text)[0]
    title = page_title(markup)
    text = html_text(markup, with_attributes=True)
    fields = {"title": title} if title else {}
    return Extracted(kind=KIND, text=replace_surrogates(text)[0], tool=TOOL, options=option, fields=fields, notes=notes)


def _charset(file: File) -> str:
    """The charset that the carrier or the page itself declares; a name that nobody knows counts for nothing."""
    start = file.content[:_LOOKED_AT].decode("latin-1")
    declared = [declared_charset(file.declared)]
    declared += [declared_charset(tag[0]) for tag in _META.finditer(start)]
    declared += [found[1] for found in _XML.finditer(start)]
    return next((name for name in declared if codec(name)), "")


EXTRACTOR = Extractor(
    name=KIND,
    described="web pages (.html, .htm, .xhtml)",
    recognises=_recognises,
    extract=_extract,
)
