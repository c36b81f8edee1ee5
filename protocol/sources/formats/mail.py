"""The text of an e-mail: the headers that matter, and the text parts of its body, decoded.

Mail is often broken, sometimes on purpose, so this module reads the structure itself instead of using a parser that
expects the standard. `mail_text` never raises an error, reads no byte more than `MAX_DEPTH` times, and notes what it
could not read properly. How text was extracted is recorded but never replayed, so that a better reader can replace
this one.
"""

import binascii
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from html.parser import HTMLParser
from itertools import islice

from protocol.sources.problems import Cause
from protocol.sources.text import decode_declared, decode_text, replace_surrogates

MAX_DEPTH = 20
MAX_PARTS = 1000
MAX_NOTES = 20
MAX_PARAMETERS = 2000
"""A longer header of a part is cut: the library's reader of parameters takes quadratic time."""

TOO_MANY = "too many parts, or parts nested too deeply; the last or innermost are taken as plain text"

EXTRACTION = (
    "e-mail: From, To, Cc, Date and Subject, and all parts of type text, decoded; HTML stripped of its tags, and "
    "left out where multipart/alternative has plain text"
)

SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")

_ENVELOPE = re.compile(rb">?From [^\n]*\n")
_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:[ \t]*(.*(?:\r?\n[ \t].*)*)(?:\r?\n|\Z)")
_NEWLINE = re.compile(rb"\r?\n")
_ENCODED_WORD = re.compile(r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_ENCODED_WORDS = re.compile(r"(?<=\?=)[ \t]+(?==\?)")
_WORD = re.compile("[0-9A-Za-z\x80-\U0010ffff]")

_UNSEEN = {"script", "style"}
_INLINE = {"a", "abbr", "b", "big", "em", "font", "i", "s", "small", "span", "strike", "strong", "sub", "sup", "u"}
"""Tags within words; around all others a word ends."""

_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailText:
    """What an e-mail says, what it calls itself, and what was wrong with it."""

    text: str
    message_id: str
    notes: tuple[tuple[Cause, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A message or a part of one: its headers by lowercase name, and the bytes after them."""

    headers: dict[str, list[bytes]]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    """A text part, decoded; markup is stripped only when it is known to be wanted."""

    text: str
    is_html: bool = False


def mail_text(raw: bytes) -> MailText:
    """The text of whatever these bytes are; all of them as text, if no e-mail can be seen in them."""
    reader = _Reader()
    try:
        message = _message(raw)
        if not message.headers:
            raise ValueError("it begins without a header")
        text = "\n".join(_plain(leaf) for leaf in reader.message(message, 0))
        message_id = reader.header(message, "Message-ID")
    except Exception as error:  # the library's readers of parameters and markup raise all kinds of errors
        reader.note(Cause.BROKEN_MAIL, f"{error or type(error).__name__}; all its bytes are taken as text")
        return MailText(text=decode_text(raw)[0], message_id="", notes=tuple(reader.notes))
    text, _ = replace_surrogates(text.replace("\r\n", "\n"))
    return MailText(text=text, message_id=replace_surrogates(message_id)[0], notes=tuple(reader.notes))


@dataclass(slots=True)
class _Reader:
    """Walks through one message, and remembers how far it went and what was wrong."""

    notes: list[tuple[Cause, str]] = field(default_factory=list)
    parts: int = 0

    def note(self, cause: Cause, detail: str) -> None:
        """Remember what was wrong, once."""
        if detail and (cause, detail) not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append((cause, detail))

    def message(self, message: _Part, depth: int) -> Iterator[_Leaf]:
        """The headers and then the text of a message."""
        lines = [f"{name}: {value}" for name in SHOWN_HEADERS if (value := self.header(message, name))]
        yield _Leaf(text="\n".join([*lines, ""]) if lines else "")
        yield from self.leaves(message, depth)

    def header(self, part: _Part, name: str) -> str:
        """All values of a header, decoded; empty if there is none."""
        decoded = []
        for value in part.headers.get(name.lower(), ()):
            text, note = decode_text(_NEWLINE.sub(b"", value))
            self.note(Cause.UNDECODABLE, note and f"{name}: {note}")
            decoded.append(self.encoded_words(text).strip())
        return ", ".join(decoded)

    def encoded_words(self, text: str) -> str:
        """A header's text with RFC 2047's encoded words decoded; a character may be cut between two of them."""
        text = _BETWEEN_ENCODED_WORDS.sub("", text)
        pieces, raw, charset, end = [], bytearray(), "", 0
        for word in _ENCODED_WORD.finditer(text):
            if word.start() > end or word[1].lower() != charset:
                pieces += [self.charset_text(bytes(raw), charset), text[end : word.start()]]
                raw, charset = bytearray(), word[1].lower()
            encoded = word[3].encode("utf-8", "surrogatepass")
            raw += self.from_base64(encoded) if word[2] in "bB" else binascii.a2b_qp(encoded, header=True)
            end = word.end()
        return "".join([*pieces, self.charset_text(bytes(raw), charset), text[end:]])

    def charset_text(self, raw: bytes, charset: str) -> str:
        """Bytes of a declared charset as text."""
        text, note = decode_declared(raw, charset)
        self.note(Cause.UNDECODABLE, note)
        return text

    def transferred(self, part: _Part) -> bytes:
        """A part's bytes before they were encoded for sending."""
        encoding = part.headers.get("content-transfer-encoding", [b""])[0].strip().lower()
        if encoding == b"base64":
            return self.from_base64(part.body)
        return binascii.a2b_qp(part.body) if encoding == b"quoted-printable" else part.body

    def from_base64(self, encoded: bytes) -> bytes:
        """As much as can be decoded of base64 that may have been cut."""
        try:
            return binascii.a2b_base64(encoded)
        except binascii.Error as error:
            self.note(Cause.BROKEN_MAIL, f"damaged base64 ({error})")
            clean = re.sub(rb"[^A-Za-z0-9+/]", b"", encoded)
            return binascii.a2b_base64(clean[: len(clean) - (len(clean) % 4 == 1)] + b"==")

    def leaves(self, part: _Part, depth: int, default: str = "text/plain") -> Iterator[_Leaf]:
        """The text parts at and below `part`; in the order of the message."""
        about = _about(part, default)
        main, kind = about.get_content_maintype(), about.get_content_type()
        is_message = kind in ("message/rfc822", "message/global")
        self.parts += 1
        if (is_message or main == "multipart") and (depth == MAX_DEPTH or self.parts > MAX_PARTS):
            self.note(Cause.BROKEN_MAIL, TOO_MANY)
            main, is_message = "text", False
        if main == "multipart":
            yield from self.multipart(part, about, depth)
        elif is_message:
            yield from self.message(_message(self.transferred(part)), depth + 1)
        elif main == "text":
            text = self.charset_text(self.transferred(part), about.get_content_charset() or "")
            yield _Leaf(text=text, is_html=kind == "text/html")
        else:
            described = f"{_file_name(about)} ({kind})".lstrip()
            self.note(Cause.UNREAD_PART, described)
            yield _Leaf(text=f"Attachment: {described}")

    def multipart(self, part: _Part, about: Message, depth: int) -> Iterator[_Leaf]:
        """The text below a multipart; where it offers the same in several forms, HTML only if nothing is plain."""
        kind = about.get_content_type()
        parts, is_closed = _split(part.body, (about.get_boundary() or "").encode("utf-8", "surrogatepass"))
        if not parts:
            self.note(Cause.BROKEN_MAIL, f"{kind} without its parts; taken as one text")
            parts = [_Part(headers={}, body=part.body)]
        elif not is_closed and len(parts) < MAX_PARTS:
            self.note(Cause.BROKEN_MAIL, f"{kind} ends before the line that closes it; it may have been cut short")
        if len(parts) == MAX_PARTS:  # the last one holds all the others
            self.note(Cause.BROKEN_MAIL, TOO_MANY)
            parts[-1] = _Part(headers={}, body=parts[-1].body)
        default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
        found = [leaf for inner in parts for leaf in self.leaves(inner, depth + 1, default)]
        plain = [leaf for leaf in found if not leaf.is_html]
        is_choice = kind == "multipart/alternative" and any(_WORD.search(leaf.text) for leaf in plain)
        yield from plain if is_choice else found


def _plain(leaf: _Leaf) -> str:
    return html_text(leaf.text) if leaf.is_html else leaf.text


def _message(raw: bytes) -> _Part:
    """Headers and body of a message; some programs leave the line of the envelope before them."""
    envelope = _ENVELOPE.match(raw)
    return _part(raw[envelope.end() :] if envelope else raw)


def _part(raw: bytes) -> _Part:
    """Headers and body of a part; the headers end before the first line that is none."""
    place = 0
    headers: dict[str, list[bytes]] = {}
    while header := _HEADER.match(raw, place):
        headers.setdefault(header[1].decode("ascii").lower(), []).append(header[2])
        place = header.end()
    empty_line = _NEWLINE.match(raw, place)
    return _Part(headers=headers, body=raw[empty_line.end() if empty_line else place :])


def _about(part: _Part, default: str) -> Message:
    """What a part's headers say of its kind, for the library to read."""
    value = _NEWLINE.sub(b"", part.headers.get("content-type", [default.encode()])[0])
    about = Message()
    about["Content-Type"] = decode_text(value[:MAX_PARAMETERS])[0]
    if disposition := part.headers.get("content-disposition"):
        about["Content-Disposition"] = decode_text(_NEWLINE.sub(b"", disposition[0])[:MAX_PARAMETERS])[0]
    return about


def _file_name(about: Message) -> str:
    """The name of an attachment, if it can be read."""
    try:
        return about.get_filename("")
    except Exception:  # the library's reader of parameters raises all kinds of errors
        return ""


def _split(body: bytes, boundary: bytes) -> tuple[list[_Part], bool]:
    """The parts between the lines of a boundary, up to the line that closes them or the end; and whether it closes."""
    if not boundary:
        return [], True
    line = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\Z|(?=\r?\n))")
    lines = list(islice(line.finditer(body), MAX_PARTS))
    closing = next((place for place, found in enumerate(lines) if found[1]), None)
    opening = lines[:closing]
    ends = [found.start() for found in lines[1:]] + [len(body)]
    parts = [
        _part(_NEWLINE.sub(b"", body[found.end() : end], count=1)) for found, end in zip(opening, ends, strict=False)
    ]
    return parts, closing is not None


class _Stripper(HTMLParser):
    """Collects what a reader would see."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.unseen = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the base's name
        if tag in _UNSEEN:
            self.unseen = tag
        elif tag not in _INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == self.unseen:
            self.unseen = ""
        if tag not in _INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.pieces.append(data)


def html_text(markup: str) -> str:
    """What a reader would see of it, without empty lines.

    The parser is fed once and never closed: what it waits for to the end, such as a comment that never ends, it
    would otherwise look for again at every later place. That rest is stripped more simply.
    """
    stripper = _Stripper()
    try:
        stripper.feed(markup)
        rest = "" if stripper.unseen else stripper.rawdata
    except AssertionError:  # how the parser refuses a declaration that it does not know
        stripper.pieces.clear()
        rest = markup
    stripper.pieces.append(html.unescape(_TAG.sub("\n", rest)))
    lines = (" ".join(line.split()) for line in "".join(stripper.pieces).split("\n"))
    return "\n".join(line for line in lines if line)
