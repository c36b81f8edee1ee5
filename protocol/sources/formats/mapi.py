"""Outlook's properties (MAPI), as .msg, .pst and winmail.dat hold them: numbered values of a few types.

A text may be UTF-16, or in a code page that another property names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from protocol.sources.text import decode_declared

INTEGER_16, INTEGER_32, BOOLEAN, OBJECT, STRING_8, STRING, TIME, BINARY = 2, 3, 0xB, 0xD, 0x1E, 0x1F, 0x40, 0x102

MESSAGE_CLASS = 0x001A
SUBJECT = 0x0037
CLIENT_SUBMIT_TIME = 0x0039
SENT_REPRESENTING_NAME = 0x0042
SENT_REPRESENTING_ADDRESS = 0x0065
TRANSPORT_HEADERS = 0x007D
RECIPIENT_TYPE = 0x0C15
SENDER_NAME = 0x0C1A
SENDER_ADDRESS = 0x0C1F
DISPLAY_BCC, DISPLAY_CC, DISPLAY_TO = 0x0E02, 0x0E03, 0x0E04
DELIVERY_TIME = 0x0E06
BODY = 0x1000
RTF_COMPRESSED = 0x1009
HTML = 0x1013
MESSAGE_ID = 0x1035
DISPLAY_NAME = 0x3001
EMAIL_ADDRESS = 0x3003
ATTACH_DATA = 0x3701
ATTACH_FILENAME = 0x3704
ATTACH_METHOD = 0x3705
ATTACH_LONG_FILENAME = 0x3707
ATTACH_MIME_TAG = 0x370E
ATTACH_CONTENT_ID = 0x3712
SMTP_ADDRESS = 0x39FE
INTERNET_CODE_PAGE = 0x3FDE
MESSAGE_CODE_PAGE = 0x3FFD
SENDER_SMTP_ADDRESS = 0x5D01
SENT_REPRESENTING_SMTP_ADDRESS = 0x5D02

EMBEDDED_MESSAGE = 5
BY_REFERENCE = (2, 3, 4, 7)
"""Ways to attach a file: a message, or only the place where a file was."""

_CODE_PAGES = {
    1200: "utf-16-le",
    10000: "mac-roman",
    20127: "ascii",
    20866: "koi8-r",
    21866: "koi8-u",
    20932: "euc-jp",
    50220: "iso2022-jp",
    50221: "iso2022-jp-1",
    50222: "iso2022-jp",
    50225: "iso2022-kr",
    51932: "euc-jp",
    51936: "gb2312",
    51949: "euc-kr",
    52936: "hz",
    54936: "gb18030",
    65000: "utf-7",
    65001: "utf-8",
}
_FIRST_ISO, _LAST_ISO = 28591, 28606
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)

Values = Mapping[int, tuple[int, bytes]]
"""By number, the type and the bytes of each property."""


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties of a message, a recipient or an attachment; nothing here raises an error."""

    values: Values
    code_page: str = ""
    """In which texts are that are not Unicode, if these properties do not say it themselves."""

    def raw(self, number: int) -> bytes:
        """The bytes of a value that is no number, or none."""
        return self.values.get(number, (0, b""))[1]

    def text(self, number: int) -> str:
        """A text, or an empty one if there is none."""
        kind, raw = self.values.get(number, (0, b""))
        if kind == STRING:
            return raw[: len(raw) // 2 * 2].decode("utf-16-le", "replace").rstrip("\0")
        if kind == STRING_8 or (kind == BINARY and number in (HTML, BODY)):
            return decode_declared(raw, self.charset(number))[0].rstrip("\0")
        return ""

    def number(self, number: int) -> int | None:
        """A whole number, if there is one."""
        kind, raw = self.values.get(number, (0, b""))
        return int.from_bytes(raw[:4], "little") if kind in (INTEGER_16, INTEGER_32) else None

    def moment(self, number: int) -> datetime | None:
        """A time to the second, if there is one that a calendar has."""
        kind, raw = self.values.get(number, (0, b""))
        ticks = int.from_bytes(raw[:8], "little")
        if kind != TIME or not ticks:
            return None
        try:
            return _EPOCH + timedelta(seconds=ticks // 10_000_000)
        except OverflowError:
            return None

    def charset(self, number: int = 0) -> str:
        """The charset of texts that are not Unicode: bodies go by the one of the internet first."""
        first, second = MESSAGE_CODE_PAGE, INTERNET_CODE_PAGE
        if number in (BODY, HTML):
            first, second = second, first
        told = self.number(first) or self.number(second)
        return code_page(told) if told else self.code_page or "cp1252"


def code_page(number: int) -> str:
    """The name of Microsoft's code page in Python, as far as there is one."""
    if _FIRST_ISO <= number < _LAST_ISO:
        return f"iso8859-{number - _FIRST_ISO + 1}"
    return _CODE_PAGES.get(number, f"cp{number}")
