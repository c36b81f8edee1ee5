"""The structure of a mail: its headers, its parts, and their bytes and texts as they were before they were sent.

Mail is often broken, sometimes on purpose, so this module reads the structure itself instead of using a parser that
expects the standard. Each function takes time in proportion to what it is given.
"""

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from itertools import islice

from protocol.sources.parts import Note
from protocol.sources.problems import Cause
from protocol.sources.text import decode_declared, decode_text

MAX_PARTS = 1000
MAX_NOTES = 20
MAX_PARAMETERS = 2000
"""A longer header of a part is cut: the library's reader of parameters takes quadratic time."""

_ENVELOPE = re.compile(rb">?From [^\n]*\n")
_HEADER = re.compile(rb"([!-9;-~]+)[ \t]*:[ \t]*(.*(?:\r?\n[ \t].*)*)(?:\r?\n|\Z)")
_NEWLINE = re.compile(rb"\r?\n")
_ENCODED_WORD = re.compile(r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_ENCODED_WORDS = re.compile(r"(?<=\?=)[ \t]+(?==\?)")
_UUENCODED = re.compile(
    r"^begin [0-7]{3,4} ([^\r\n]{1,255})\r?\n"
    r"(?:M[ -`]{60,61}\r?\n)*"  # full lines
    r"[ -L`][ -`]*\r?\n(?:[ `]\r?\n)?end[ \t]*\r?$",
    re.MULTILINE,
)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A message or a part of one: its headers by lowercase name, and the bytes after them."""

    headers: dict[str, list[bytes]]
    body: bytes


def message(raw: bytes) -> Part:
    """Headers and body of a message; some programs leave the line of the envelope before them."""
    envelope = _ENVELOPE.match(raw)
    return part(raw[envelope.end() :] if envelope else raw)


def part(raw: bytes) -> Part:
    """Headers and body of a part; the headers end before the first line that is none."""
    place = 0
    headers: dict[str, list[bytes]] = {}
    while header := _HEADER.match(raw, place):
        headers.setdefault(header[1].decode("ascii").lower(), []).append(header[2])
        place = header.end()
    empty_line = _NEWLINE.match(raw, place)
    return Part(headers=headers, body=raw[empty_line.end() if empty_line else place :])


def about(part: Part, default: str) -> Message:
    """What a part's headers say of its kind, for the library to read."""
    value = _NEWLINE.sub(b"", part.headers.get("content-type", [default.encode()])[0])
    told = Message()
    told["Content-Type"] = decode_text(value[:MAX_PARAMETERS])[0]
    if disposition := part.headers.get("content-disposition"):
        told["Content-Disposition"] = decode_text(_NEWLINE.sub(b"", disposition[0])[:MAX_PARAMETERS])[0]
    return told


def split(body: bytes, boundary: bytes) -> tuple[list[Part], bool]:
    """The parts between the lines of a boundary, up to the line that closes them or the end; and whether it closes.

    Of more than MAX_PARTS, the last one holds all the others.
    """
    if not boundary:
        return [], True
    line = re.compile(rb"(?:\A|\r?\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\Z|(?=\r?\n))")
    lines = list(islice(line.finditer(body), MAX_PARTS))
    closing = next((place for place, found in enumerate(lines) if found[1]), None)
    opening = lines[:closing]
    ends = [found.start() for found in lines[1:]] + [len(body)]
    parts = [
        part(_NEWLINE.sub(b"", body[found.end() : end], count=1)) for found, end in zip(opening, ends, strict=False)
    ]
    return parts, closing is not None


@dataclass(slots=True)
class Decoder:
    """Reads headers and bodies of one mail, and remembers once each thing that was wrong with them."""

    notes: list[Note] = field(default_factory=list)

    def note(self, cause: Cause, detail: str) -> None:
        """Remember what was wrong, once; an empty detail is nothing wrong."""
        if detail and (cause, detail) not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append((cause, detail))

    def header(self, part: Part, name: str) -> str:
        """All values of a header, decoded, in one line; empty if there is none."""
        return ", ".join(value for raw in part.headers.get(name.lower(), ()) if (value := self._value(name, raw)))

    def _value(self, name: str, raw: bytes) -> str:
        text, note = decode_text(_NEWLINE.sub(b"", raw))
        self.note(Cause.UNDECODABLE, note and f"{name}: {note}")
        return " ".join(self.encoded_words(text).split())

    def encoded_words(self, text: str) -> str:
        """A header's text with RFC 2047's encoded words decoded; a character may be cut between two of them."""
        text = _BETWEEN_ENCODED_WORDS.sub("", text)
        return "".join(self._decoded_words(text))

    def _decoded_words(self, text: str) -> Iterator[str]:
        raw, charset, end = bytearray(), "", 0
        for word in _ENCODED_WORD.finditer(text):
            if word.start() > end or word[1].lower() != charset:
                yield self.charset_text(bytes(raw), charset)
                yield text[end : word.start()]
                raw, charset = bytearray(), word[1].lower()
            encoded = word[3].encode("utf-8", "surrogatepass")
            raw += self._from_base64(encoded) if word[2] in "bB" else binascii.a2b_qp(encoded, header=True)
            end = word.end()
        yield self.charset_text(bytes(raw), charset)
        yield text[end:]

    def charset_text(self, raw: bytes, charset: str) -> str:
        """Bytes of a declared charset as text."""
        text, note = decode_declared(raw, charset)
        self.note(Cause.UNDECODABLE, note)
        return text

    def transferred(self, part: Part) -> bytes:
        """A part's bytes before they were encoded for sending."""
        encoding = part.headers.get("content-transfer-encoding", [b""])[0].strip().lower()
        if encoding == b"base64":
            return self._from_base64(part.body)
        if encoding in (b"x-uuencode", b"uuencode", b"x-uue"):
            return self._from_uuencode(part.body)
        return binascii.a2b_qp(part.body) if encoding == b"quoted-printable" else part.body

    def _from_base64(self, encoded: bytes) -> bytes:
        """As much as can be decoded of base64 that may have been cut."""
        try:
            return binascii.a2b_base64(encoded)
        except binascii.Error as error:
            self.note(Cause.BROKEN_MAIL, f"damaged base64 ({error})")
            clean = _NOT_BASE64.sub(b"", encoded)
            return binascii.a2b_base64(clean[: len(clean) - (len(clean) % 4 == 1)] + b"==")

    def uuencoded(self, text: str) -> tuple[str, list[tuple[str, bytes]]]:
        """A text without the files that old programs put into it, and these files with their names."""
        found = list(islice(_UUENCODED.finditer(text), MAX_PARTS))
        files = [(each[1].strip(), self._from_uuencode(each[0].encode("utf-8", "replace"))) for each in found]
        return (_UUENCODED.sub("", text, count=MAX_PARTS), files) if files else (text, [])

    def _from_uuencode(self, encoded: bytes) -> bytes:
        """The bytes of the lines between `begin` and `end`; those of a damaged line are lost, and that is noted."""
        lines = encoded.splitlines()
        begun = next((number for number, line in enumerate(lines) if line.startswith(b"begin ")), -1)
        decoded = bytearray()
        for line in lines[begun + 1 :]:
            if line.strip() == b"end":
                break
            try:
                decoded += binascii.a2b_uu(line)
            except binascii.Error as error:
                self.note(Cause.BROKEN_MAIL, f"damaged uuencode ({error})")
        return bytes(decoded)
