"""Which encoding a text has: what its first bytes say, what somebody declares, or what its bytes look like.

The order is that of certainty: a byte order mark, the zero bytes of UTF-16, UTF-8 if it is valid UTF-8 (chance does
not produce that), a declaration, and at last a guess. A declaration that does not fit is not followed.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from charset_normalizer import from_bytes

DETECTOR = f"charset-normalizer {version('charset-normalizer')}"

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "koi8_r", "cp866"),
    *("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr", "mac_roman"),
]
"""The encodings that people used before Unicode; the detector knows many more, and takes short texts for them."""
_ESCAPED = {b"\x1b$B": "iso2022_jp", b"\x1b$@": "iso2022_jp", b"\x1b(J": "iso2022_jp", b"\x1b$)C": "iso2022_kr"}
_NOT_FOR_TEXT = {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Codecs of Python that are not charsets of files: some are slow, some warn, some depend on the machine."""
_WIDER = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
"""What programs mean when they declare these."""
_SAMPLE = 32 * 1024
_LEAST = 8
"""Bytes beyond ASCII below which the detector has too little to go by; then it is taken as Windows-1252."""
_FEW_ZEROS = 20
_STRETCH = 4000
_OTHER = re.compile(rb"[\x80-\xff]")
_ASCII = re.compile(rb"[\x00-\x7f]")
_BEYOND_ASCII = bytes(range(128, 256))
_DECLARED = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:+-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text, the encoding that was taken, and whether and how it had to be guessed or repaired."""

    text: str
    encoding: str
    note: str = ""
    used_detector: bool = False


def decoded(content: bytes, declared: str = "") -> Decoded:
    """The text of bytes; `declared` is a charset that somebody states, or nothing."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _read(content, encoding)
    if wide := without_mark(content):
        return _read(content, wide)
    for mark, encoding in _ESCAPED.items():
        if mark in content[: 2**20] and content.isascii() and (found := exactly(content, encoding)) is not None:
            return Decoded(text=found, encoding=encoding)
    if (found := exactly(content, "utf-8")) is not None and codec(declared) not in ("utf-7", "hz"):
        return Decoded(text=found, encoding="ascii" if content.isascii() else "utf-8")
    named = codec(declared)
    if named and not named.startswith(("utf-16", "utf-32")):
        named = _WIDER.get(named, named)
        if (found := exactly(content, named)) is not None:
            return Decoded(text=found, encoding=named)
        if named == "utf-8" and _is_nearly_utf8(content):
            return _read(content, named)
    return _guessed(content, declared)


def declared_charset(media_type: str) -> str:
    """The charset of a Content-Type, if it states one."""
    found = _DECLARED.search(media_type[:2000])
    return found[1] if found else ""


def without_mark(content: bytes) -> str:
    """UTF-16 or UTF-32 without a byte order mark, by where the zero bytes of its Latin letters and spaces are."""
    start = content[:_SAMPLE]
    if len(content) % 2 or len(content) < 4 or b"\0" not in start:
        return ""
    zeros = [start[place::4].count(0) for place in range(4)]
    quarter = max(len(start) // 4, 1)
    if len(content) % 4 == 0 and quarter > 1:
        for top, next_to_it, low, encoding in ((3, 2, 0, "utf-32-le"), (0, 1, 3, "utf-32-be")):
            is_wide = zeros[top] == quarter and zeros[next_to_it] * 2 >= quarter and zeros[low] * 2 <= quarter
            if is_wide and exactly(content, encoding) is not None:
                return encoding
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    half = len(start) // 2
    for many, few, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if many * 5 >= half and few * _FEW_ZEROS <= many and exactly(content, encoding) is not None:
            return encoding
    return ""


@lru_cache(maxsize=1000)
def codec(charset: str) -> str:
    """Python's name of a charset that turns bytes into text, or nothing."""
    try:
        name = codecs.lookup(charset.strip()).name
        bytes(4).decode(name, "replace")
    except (LookupError, ValueError):  # unknown, not a name at all, or a codec that is not for text
        return ""
    return "" if name in _NOT_FOR_TEXT else name


def exactly(content: bytes | bytearray, encoding: str) -> str | None:
    """The text, if every byte of it fits the encoding."""
    try:
        return content.decode(encoding)
    except ValueError:
        return None


def _read(content: bytes, encoding: str) -> Decoded:
    """The text in an encoding that is known, with U+FFFD for what does not fit."""
    try:
        return Decoded(text=content.decode(encoding), encoding=encoding.removesuffix("-sig"))
    except UnicodeDecodeError as error:
        note = f"byte {error.start} is not {encoding}; what does not fit became U+FFFD"
        return Decoded(text=content.decode(encoding, "replace"), encoding=encoding.removesuffix("-sig"), note=note)


def _is_nearly_utf8(content: bytes) -> bool:
    """Whether most letters beyond ASCII are valid UTF-8, so that a few bytes were damaged or a text was cut."""
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - bad - len(content.translate(None, delete=_BEYOND_ASCII))
    return bad * 10 <= good


def _sample(content: bytes) -> bytes:
    """Lines, or stretches of them, that have something beyond ASCII."""
    lines: list[bytes] = []
    size = place = 0
    while size < _SAMPLE and (other := _OTHER.search(content, place)):
        start = max(content.rfind(b"\n", place, other.start()) + 1, other.start() - 200, place)
        end = content.find(b"\n", other.start(), other.start() + _STRETCH)
        if end < 0:  # cut where no letter of several bytes is cut
            ascii_byte = _ASCII.search(content, other.start() + _STRETCH, other.start() + 2 * _STRETCH)
            end = ascii_byte.start() if ascii_byte else other.start() + _STRETCH
        lines.append(content[start:end])
        size += end - start
        place = end
    return b"\n".join(lines)


def _guessed(content: bytes, declared: str) -> Decoded:
    """By the detector, from lines that have something beyond ASCII."""
    if _is_nearly_utf8(content):
        return _read(content, "utf-8")
    sample = _sample(content)
    is_short = sum(byte > 127 for byte in sample) < _LEAST
    best = None if is_short else from_bytes(sample, cp_isolation=_CANDIDATES, enable_fallback=False).best()
    encoding = best.encoding if best else "cp1252"
    wrong = f"it is not {declared[:40]}, as it says; " if declared else ""
    note = f"{wrong}its encoding was guessed: {encoding}"
    if (text := exactly(content, encoding)) is None:
        wide = {"shift_jis": "cp932", "big5": "cp950", "euc_kr": "cp949"}.get(encoding, encoding)
        if (text := exactly(content, wide)) is None:
            text = content.decode(wide, "replace")
            note += "; what does not fit became U+FFFD"
        encoding = wide
    return Decoded(text=text, encoding=encoding, note=note, used_detector=best is not None)
