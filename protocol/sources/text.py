"""Text from bytes whose encoding may be unknown or wrong. Nothing here raises an error, whatever the bytes are.

Each function returns the text, and a note of what was done to get it, which is empty if nothing had to be done.
"""

import codecs
from functools import lru_cache

_NO_CHARSETS = {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Codecs of Python that are not charsets of mail: some are slow, some warn, some depend on the machine."""


def decode_text(raw: bytes) -> tuple[str, str]:
    """The text of bytes of unknown encoding: UTF-8 if they are valid UTF-8."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace"), "read as UTF-16, as its first two bytes say"
    try:
        return raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is not UTF-8"
    try:
        return raw.decode("cp1252"), f"{place}; read as Windows-1252"
    except UnicodeDecodeError:
        return raw.decode("latin-1"), f"{place}; read as ISO 8859-1"


def decode_declared(raw: bytes, charset: str) -> tuple[str, str]:
    """The text of bytes whose declared encoding may be right or wrong."""
    codec = _codec(charset)
    if codec in ("ascii", "utf-8", ""):
        text, note = decode_text(raw)
        return (
            text,
            note if codec or not charset else f"the unknown charset {charset[:40]!r}; {note or 'read as UTF-8'}",
        )
    try:
        return raw.decode(codec), ""
    except UnicodeDecodeError as error:
        return raw.decode(codec, "replace"), f"not all of it is {codec} ({error.reason}); the rest became U+FFFD"


def replace_bad_utf8(raw: bytes) -> tuple[str, str]:
    """The text of bytes that should be UTF-8, with U+FFFD in place of invalid bytes."""
    try:
        return raw.decode(), ""
    except UnicodeDecodeError as error:
        return raw.decode(errors="replace"), f"byte {error.start} is not UTF-8; it became U+FFFD"


def replace_surrogates(text: str) -> tuple[str, str]:
    """The text with U+FFFD for lone surrogates, which JSON can spell and UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole, f"character {error.start} is a lone surrogate; it became U+FFFD"
    return text, ""


@lru_cache(maxsize=1000)
def _codec(charset: str) -> str:
    """Python's name of a charset that turns bytes into text, or an empty text."""
    try:
        name = codecs.lookup(charset).name
        bytes(4).decode(name, "replace")
    except (LookupError, ValueError):  # unknown, not a name at all, or a codec that is not for text
        return ""
    return "" if name in _NO_CHARSETS else name
