"""What a mail says of itself: its fields, how a mail is recognised, and what its files are called."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime

from protocol.sources.formats.mime import Decoder, Part, message
from protocol.sources.parts import File
from protocol.sources.text import replace_surrogates

SHOWN_HEADERS = ("From", "To", "Cc", "Bcc", "Date", "Subject")
LONGEST_DATE = 200
UTC_OF_UNKNOWN_PLACE = "-0000"

_KNOWN = {
    *("bcc", "cc", "content-type", "date", "delivered-to", "from", "in-reply-to", "message-id", "mime-version"),
    *("received", "references", "reply-to", "return-path", "sender", "subject", "to", "x-mailer"),
}
_DECIDING = {"from", "message-id", "received", "return-path"}
_ENOUGH = 3
_START = 2**16
_SUFFIXES = (".eml", ".emlx", ".mht", ".mhtml")
_FIRST_LINE = re.compile(rb"(?:>?From [^\n]*\n)?[!-9;-~]{1,100}[ \t]*:")

_EXTENSIONS = {
    "application/msword": ".doc",
    "application/pdf": ".pdf",
    "application/rtf": ".rtf",
    "application/zip": ".zip",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/tiff": ".tif",
    "message/global": ".eml",
    "message/news": ".eml",
    "message/rfc822": ".eml",
    "text/calendar": ".ics",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
}


def looks_like_mail(file: File) -> bool:
    """By its first bytes, or by its name or declared type if it begins with a header."""
    declared = file.declared.partition(";")[0].strip().lower()
    is_said = declared in ("message/rfc822", "message/global", "message/news") or file.name.lower().endswith(_SUFFIXES)
    if is_said:
        return True
    if not _FIRST_LINE.match(file.content):
        return False
    names = message(file.content[:_START]).headers.keys()
    return len(names & _KNOWN) >= _ENOUGH and bool(names & _DECIDING)


def fields(mail: Part, decoder: Decoder) -> dict[str, str]:
    """The fields that a mail states, by the names of `protocol.sources.parts.FIELDS`."""
    told = {name.lower(): decoder.header(mail, name) for name in SHOWN_HEADERS}
    told["date"] = iso_date(told["date"])
    told["message_id"] = decoder.header(mail, "Message-ID")
    return {name: replace_surrogates(value)[0] for name, value in told.items() if value}


def iso_date(value: str) -> str:
    """A date of a mail as ISO 8601, with its offset if it states one; empty if it cannot be read."""
    try:
        moment = parsedate_to_datetime(value[:LONGEST_DATE])
    except (ValueError, OverflowError, IndexError, TypeError):  # the library raises these for odd dates
        return ""
    if moment.tzinfo is None and UTC_OF_UNKNOWN_PLACE in value:
        moment = moment.replace(tzinfo=UTC)
    return moment.isoformat()


def child_name(told: str, kind: str, number: int) -> str:
    """The name of a file in a mail: as the mail says or, where it does not, by its place and type."""
    return told if told.strip() else f"part {number}{_EXTENSIONS.get(kind, '')}"
