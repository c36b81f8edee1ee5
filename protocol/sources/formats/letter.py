"""A message of Outlook as a mail: the one form in which all mail is read.

Neither a .msg nor a mailbox of Outlook keeps the mail that was sent. It is written again here, always in the same
way, so that equal properties give equal bytes:

- the transport headers where Outlook kept them, without those of MIME; then From, To, Cc, Bcc, Date, Subject and
  Message-ID, where the transport headers lack them, from the properties; a date in UTC;
- the body as plain text and as HTML, whichever there are; if there is neither, the RTF;
- what else Outlook says of a contact, a task or an appointment, as lines before the plain text;
- each attachment in base64, a message in a message in the same form as this one;
- line feeds as line ends, UTF-8 throughout, and boundaries that are hashes of what they separate.

What could not be read of it stands in a header of our own, `X-Tallystick-Unread`, which becomes a note; the names of
pictures that a body in RTF shows stand in `X-Tallystick-Pictures`.
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from hashlib import sha256
from urllib.parse import quote

from protocol.sources.formats import mapi
from protocol.sources.formats.lzfu import decompressed
from protocol.sources.formats.mail import PICTURES, UNREAD
from protocol.sources.formats.mapi import Properties
from protocol.sources.formats.outlook_items import described

_RECIPIENTS = {1: "To", 2: "Cc", 3: "Bcc"}
_HEADER = re.compile(r"^([!-9;-~]+)[ \t]*:[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE)
_OWN = re.compile(r"(?:content-.*|mime-version|x-tallystick-.*)", re.IGNORECASE)
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file in a message of Outlook."""

    name: str
    content: bytes
    declared: str = ""
    cid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message of Outlook."""

    properties: Properties
    recipients: tuple[Properties, ...] = ()
    attachments: tuple[Attached, ...] = ()
    unread: tuple[str, ...] = ()
    """What could not be read of it."""


def written(letter: Letter) -> bytes:
    """The message as a mail."""
    body = _body(letter.properties)
    if letter.attachments:
        body = _multipart("mixed", [body, *(_attachment(each) for each in letter.attachments)])
    headers = [*_headers(letter), *(f"{UNREAD}: {_line(each)}" for each in letter.unread)]
    if shown := _shown_in_rtf(letter):
        headers.append(f"{PICTURES}: {shown}")
    return "".join(f"{header}\n" for header in headers).encode("utf-8", "replace") + body


def attached(properties: Properties, content: bytes | None) -> Attached:
    """An attachment from its properties; a message that is attached has its content from elsewhere."""
    text = properties.text
    name = text(mapi.ATTACH_LONG_FILENAME) or text(mapi.ATTACH_FILENAME) or text(mapi.DISPLAY_NAME)
    if content is not None:
        return Attached(name=name if name.lower().endswith(".eml") else f"{name}.eml", content=content, declared=MAIL)
    declared, cid = text(mapi.ATTACH_MIME_TAG), text(mapi.ATTACH_CONTENT_ID)
    return Attached(name=name, content=properties.raw(mapi.ATTACH_DATA), declared=declared, cid=cid)


MAIL = "message/rfc822"


def _headers(letter: Letter) -> Iterable[str]:
    """The headers that Outlook kept, and those that it keeps as properties."""
    kept = letter.properties.text(mapi.TRANSPORT_HEADERS).replace("\r\n", "\n").replace("\r", "\n")
    known = set()
    for header in _HEADER.finditer(kept):
        if not _OWN.fullmatch(header[1]):
            known.add(header[1].lower())
            yield header[0]
    for name, value in _from_properties(letter):
        if name.lower() not in known and value:
            yield f"{name}: {value}"


def _from_properties(letter: Letter) -> Iterable[tuple[str, str]]:
    properties = letter.properties
    yield "From", _sender(properties)
    shown = {"To": mapi.DISPLAY_TO, "Cc": mapi.DISPLAY_CC, "Bcc": mapi.DISPLAY_BCC}
    for number, name in _RECIPIENTS.items():
        listed = [_person(each) for each in letter.recipients if each.number(mapi.RECIPIENT_TYPE) == number]
        yield name, ", ".join(each for each in listed if each) or _line(properties.text(shown[name]))
    yield "Date", _date(properties.moment(mapi.CLIENT_SUBMIT_TIME) or properties.moment(mapi.DELIVERY_TIME))
    yield "Subject", _line(subject_text(properties))
    yield "Message-ID", _line(properties.text(mapi.MESSAGE_ID))


def _sender(properties: Properties) -> str:
    """Who wrote it: on behalf of whom it was sent, or who sent it."""
    text = properties.text
    name = text(mapi.SENT_REPRESENTING_NAME) or text(mapi.SENDER_NAME)
    smtp = text(mapi.SENT_REPRESENTING_SMTP_ADDRESS) or text(mapi.SENDER_SMTP_ADDRESS)
    return _named(name, smtp or text(mapi.SENT_REPRESENTING_ADDRESS) or text(mapi.SENDER_ADDRESS))


def _person(recipient: Properties) -> str:
    text = recipient.text
    return _named(text(mapi.DISPLAY_NAME), text(mapi.SMTP_ADDRESS) or text(mapi.EMAIL_ADDRESS))


def _named(name: str, address: str) -> str:
    """As in a header of a mail; quoted, so that a comma in a name separates nobody."""
    name, address = _line(name).replace('"', "'").replace("\\", "/"), _line(address)
    if not address or address == name.strip("'"):
        return address or (f'"{name}"' if set(name) & set(",;<>:@") else name)
    return f'"{name}" <{address}>' if name else f"<{address}>"


def subject_text(properties: Properties) -> str:
    """The subject. Mailboxes of Outlook write two characters before it: a mark, and the length of its prefix."""
    subject = properties.text(mapi.SUBJECT)
    return subject[2:] if subject.startswith("\x01") else subject


def _date(moment: datetime | None) -> str:
    return format_datetime(moment) if moment else ""


def _body(properties: Properties) -> bytes:
    """The texts of the message, as one part."""
    plain = properties.text(mapi.BODY)
    html = properties.text(mapi.HTML)
    more = "".join(f"{name}: {value}\n" for name, value in described(properties))
    if not plain.strip() and not html.strip():
        rtf = decompressed(properties.raw(mapi.RTF_COMPRESSED))
        parts = [_part("text/rtf", rtf)] if rtf else [_text("text/plain", plain)]
        return _multipart("mixed", [_text("text/plain", more), *parts]) if more else parts[0]
    parts = [_text("text/plain", more + plain)] if more or plain.strip() else []
    parts += [_text("text/html", html)] if html.strip() else []
    return _multipart("alternative", parts) if len(parts) > 1 else parts[0]


def _shown_in_rtf(letter: Letter) -> str:
    """The pictures that a body in RTF shows, where it stands for HTML that Outlook did not keep."""
    cids = [each.cid for each in letter.attachments if each.cid and not set(each.cid) & set(" \t\r\n")]
    if not cids or letter.properties.text(mapi.HTML).strip():
        return ""
    rtf = decompressed(letter.properties.raw(mapi.RTF_COMPRESSED))
    return " ".join(cid for cid in cids if b"cid:" + cid.encode("utf-8", "replace") in rtf)


def _text(kind: str, text: str) -> bytes:
    raw = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace")
    return f"Content-Type: {kind}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n".encode() + raw


def _part(kind: str, content: bytes, *more: str) -> bytes:
    headers = "".join(f"{line}\n" for line in (f"Content-Type: {kind}", *more, "Content-Transfer-Encoding: base64"))
    return headers.encode("utf-8", "replace") + b"\n" + base64.encodebytes(content)


def _attachment(each: Attached) -> bytes:
    kind = found[0] if (found := _TYPE.fullmatch(each.declared)) else "application/octet-stream"
    name = quote(each.name.encode("utf-8", "replace"), safe="")
    headers = [f"Content-Disposition: attachment; filename*=UTF-8''{name}"]
    headers += [f"Content-ID: <{_line(each.cid)}>"] if each.cid else []
    return _part(kind, each.content, *headers)


def _multipart(kind: str, parts: list[bytes]) -> bytes:
    """Parts with a line between them that none of them can hold."""
    boundary = "tallystick-" + sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()[:40]
    line = f"--{boundary}\n".encode()
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode()
    return head + b"".join(line + part + b"\n" for part in parts) + f"--{boundary}--\n".encode()


def _line(text: str) -> str:
    """A value in one line."""
    return " ".join(text.split())
