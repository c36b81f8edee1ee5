"""RTF as tokens, and what its numbers for character sets mean. Linear in the size of the file, whatever it holds."""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from protocol.sources.formats.charsets import codec

_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})?[ ]?"  # a control word with its number
    rb"|\\'([0-9A-Fa-f]{2})"
    rb"|\\([^A-Za-z])"  # a control symbol
    rb"|([{}])"
    rb"|([^\\{}\r\n]+)"
    rb"|[\r\n]+|\\",
    re.DOTALL,
)

CHARSETS = {
    0: "cp1252",
    1: "",
    2: "cp1252",
    77: "mac_roman",
    78: "cp932",
    79: "cp949",
    80: "gb18030",
    81: "cp950",
    83: "mac_greek",
    84: "mac_turkish",
    85: "mac_cyrillic",
    88: "mac_latin2",
    89: "mac_cyrillic",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp437",
}
"""The codec of each number that \\fcharset may have; nothing for the document's own."""

_PAGES = {10000: "mac_roman", 10001: "cp932", 708: "cp864", 709: "cp864", 936: "gb18030", 1361: "johab", 65001: "utf-8"}


class Sort(Enum):
    """What a token is."""

    OPEN = "{"
    CLOSE = "}"
    WORD = "word"
    SYMBOL = "symbol"
    BYTES = "bytes"
    BINARY = "binary"


class Token(NamedTuple):
    """A piece of RTF: a control word with its number, or bytes."""

    sort: Sort
    word: str = ""
    number: int | None = None
    raw: bytes = b""


def tokens(content: bytes) -> Iterator[Token]:
    """The tokens of RTF; binary data is passed on without being looked at."""
    place = 0
    while found := _TOKEN.match(content, place):
        place = found.end()
        word, number, coded, symbol, brace, raw = found.groups()
        if raw is not None:
            yield Token(Sort.BYTES, raw=raw)
        elif word == b"bin":
            size = max(int(number or 0), 0)
            yield Token(Sort.BINARY, raw=content[place : place + size])
            place = min(place + size, len(content))
        elif word is not None:
            yield Token(Sort.WORD, word=word.decode("ascii"), number=None if number is None else int(number))
        elif coded is not None:
            yield Token(Sort.BYTES, word="'", raw=bytes.fromhex(coded.decode("ascii")))
        elif symbol is not None:
            yield Token(Sort.SYMBOL, word=symbol.decode("latin-1"))
        elif brace is not None:
            yield Token(Sort.OPEN if brace == b"{" else Sort.CLOSE)


def page_codec(number: int) -> str:
    """The codec of a Windows code page; nothing if there is none."""
    return _PAGES.get(number) or codec(f"cp{number}") or ""
