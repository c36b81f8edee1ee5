"""Walks through the tokens of RTF and sorts its text: body, notes, comments, headers, fields, objects."""

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from protocol.sources.formats.charsets import exactly
from protocol.sources.formats.rtftokens import CHARSETS, Sort, Token, page_codec
from protocol.sources.formats.rtfwords import ASIDES, DESTINATIONS, FIELDS, PROPERTIES, SHAPES, SPECIAL, SYMBOLS, Kind
from protocol.sources.formats.story import MAX_TEXT, field_target, in_one_line
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause

MAX_GROUPS = 1000
"""Groups inside each other."""
_NOT_HEX = re.compile(rb"[^0-9A-Fa-f]")
_TIME = {"yr": 4, "mo": 2, "dy": 2, "hr": 2, "min": 2, "sec": 2}
_SILENT = (Kind.SKIPPED, Kind.FONTS, Kind.TIME, Kind.OBJECT_DATA)
_MARKS = {"deleted": "deleted", "revised": "inserted"}


@dataclass(slots=True)
class _Stream:
    """Text that belongs together: the body, a note, the instruction of a field."""

    pieces: list[str] = field(default_factory=list)
    mark: str = ""
    held: list[str] = field(default_factory=list)
    """Text boxes, until the paragraph ends."""

    def say(self, text: str, mark: str = "") -> None:
        """Add text; a change between text and deleted text is marked."""
        if mark != self.mark:
            self.pieces.append(("]" if self.mark else "") + (f"[{mark}: " if mark else ""))
            self.mark = mark
        self.pieces.append(text)
        if text == "\n" and self.held:
            self.pieces += [f"{box}\n" for box in self.held]
            self.held = []

    def text(self) -> str:
        """All of it."""
        self.say("\n" if self.held else "")
        return "".join(self.pieces)


@dataclass(slots=True, kw_only=True)
class _Group:
    """What holds until a brace closes: where text goes, in which font, and how it is marked."""

    stream: _Stream
    kind: Kind = Kind.BODY
    name: str = ""
    """The word that made it a kind of its own; nothing for groups that only change the look."""
    font: int = -1
    fallback: int = 1
    """Characters after a \\u that say the same for old programs."""
    mark: str = ""
    is_ignorable: bool = False
    is_fresh: bool = True


class RtfReader:
    """The state of reading. `take` gets each token, and `finish` comes after the last one."""

    def __init__(self) -> None:
        self.main = _Stream()
        self.group = _Group(stream=self.main)
        self.stack: list[_Group] = []
        self.codec = "cp1252"
        self.fonts: dict[int, str] = {}
        self.default_font = -1
        self.raw = bytearray()
        self.skip = 0
        self.length = 0
        self.targets: list[str] = []
        self.commentator = self.shape_property = self.object_name = ""
        self.data = bytearray()
        self.info: dict[str, str] = {}
        self.times: dict[str, dict[str, int]] = {}
        headings = (*dict.fromkeys(ASIDES.values()), "Properties")
        self.asides: dict[str, list[str]] = {heading: [] for heading in headings}
        self.objects: list[tuple[str, bytes]] = []
        self.pictures = 0
        self.undecodable: set[str] = set()
        self.has_begun = self.has_ended = self.is_cut = False

    def take(self, token: Token) -> None:
        """The next token."""
        if self.has_ended:
            return
        if token.sort is Sort.BYTES:
            self.characters(token.raw)
            return
        self.flush()
        if token.sort is Sort.WORD:
            self.skip = 0
            self.word(token.word, token.number)
        elif token.sort is Sort.SYMBOL:
            self.symbol(token.word)
        elif token.sort is Sort.OPEN:
            self.open()
        elif token.sort is Sort.CLOSE:
            self.close()
        elif self.group.kind is Kind.OBJECT_DATA:
            self.data += binascii.hexlify(token.raw)

    def finish(self) -> None:
        """After the last token: close what is still open."""
        self.flush()
        self.is_cut = bool(self.stack) and not self.has_ended
        while self.stack:
            self.close()

    def fields(self) -> dict[str, str]:
        """Title, author, subject, and when it was last changed, as far as it says so."""
        found = {name: self.info[name] for name in FIELDS if self.info.get(name)}
        for time in (self.times.get("revtim", {}), self.times.get("creatim", {})):
            year, month, day, *clock = (f"{time.get(part, 0):0{width}}" for part, width in _TIME.items())
            is_date = 1900 < int(year) < 3000 and 1 <= int(month) <= 12 and 1 <= int(day) <= 31
            if is_date and all(part < "60" and len(part) == 2 for part in clock):
                found.setdefault("date", f"{year}-{month}-{day}T{':'.join(clock)}")
        return found

    def characters(self, raw: bytes) -> None:
        """Bytes of text; those that only repeat a Unicode character for old programs are dropped."""
        dropped = min(self.skip, len(raw))
        self.skip -= dropped
        self.group.is_fresh = False
        if self.group.kind is Kind.OBJECT_DATA:
            self.data += raw
        elif self.group.kind not in _SILENT:
            self.raw += raw[dropped:]

    def flush(self) -> None:
        """Decode the bytes that came until now, in the encoding of their font."""
        if not self.raw:
            return
        text = None
        for encoding in (self.fonts.get(self.group.font, "") or self.codec, self.codec):
            if text is None:
                text = exactly(self.raw, encoding)
        if text is None:
            self.undecodable.add(self.codec)
            text = self.raw.decode(self.codec, "replace")
        self.raw.clear()
        self.say(text)

    def say(self, text: str) -> None:
        """Text goes to where the group belongs."""
        self.length += len(text)
        if self.length > MAX_TEXT:
            raise Unextractable(Cause.TOO_LARGE, f"its text is longer than {MAX_TEXT} characters")
        if self.group.kind not in _SILENT:
            self.group.stream.say(text, self.group.mark)

    def open(self) -> None:
        """A brace opens."""
        if len(self.stack) >= MAX_GROUPS:
            raise Unextractable(Cause.TOO_DEEP, f"more than {MAX_GROUPS} groups are inside each other")
        self.skip = 0
        self.stack.append(self.group)
        group = self.group
        self.group = _Group(
            stream=group.stream, kind=group.kind, font=group.font, fallback=group.fallback, mark=group.mark
        )

    def close(self) -> None:
        """A brace closes: what the group collected is put where it belongs."""
        self.skip = 0
        if not self.stack:
            return
        ended, self.group = self.group, self.stack.pop()
        self.has_ended = self.has_begun and not self.stack
        if ended.name == "field":
            target = self.targets.pop()
            self.say(f" <{target}>" if target else "")
        elif ended.name and (end := _ENDS.get(ended.kind)):
            end(self, ended)

    def symbol(self, symbol: str) -> None:
        """A control symbol."""
        if symbol == "*":
            self.group.is_ignorable = True
        elif symbol in SYMBOLS and self.skip:
            self.skip -= 1
        elif symbol in SYMBOLS:
            self.say(SYMBOLS[symbol])

    def word(self, word: str, number: int | None) -> None:
        """A control word: the beginning of a kind of group, a sign, or a property."""
        group = self.group
        is_first, group.is_fresh = group.is_fresh, False
        if word in SPECIAL:
            self.say(SPECIAL[word])
        elif word == "u" and number is not None:
            self.say(chr(number % 65536) if number < 65536 else chr(number) if number < 0x110000 else "\ufffd")
            self.skip = group.fallback
        elif word == "ud" and self.stack and self.stack[-1].name == "upr":
            outside = self.stack[-2] if len(self.stack) > 1 else group  # the same as before it, in Unicode
            self.group = replace(outside, name="", is_ignorable=False, is_fresh=False)
        elif group.kind is Kind.SKIPPED:
            pass
        elif word in DESTINATIONS and (is_first or len(self.stack) > 1):
            self.destination(word)
        elif is_first and group.is_ignorable:
            group.kind = Kind.SKIPPED
        else:
            self.property(word, number)

    def destination(self, word: str) -> None:
        """The group is of a kind of its own, with text of its own."""
        kind, group = DESTINATIONS[word], self.group
        if kind is Kind.FIELD:
            group.name = word
            self.targets.append("")
        elif kind is not Kind.BODY:
            group.kind, group.name, group.stream, group.mark = kind, word, _Stream(), ""
            group.font = -1 if kind is Kind.INFO else group.font
            self.pictures += word == "pict"
            if kind is Kind.OBJECT_DATA:
                self.data.clear()

    def property(self, word: str, number: int | None) -> None:
        """What a word says about the text that follows, the document or a font."""
        group = self.group
        if word == "rtf":
            self.has_begun = True
        elif word == "uc":
            group.fallback = min(max(number or 0, 0), 100)
        elif word == "f" and number is not None:
            group.font = number
        elif word == "plain":
            group.font, group.mark = self.default_font, ""
        elif word == "deff" and number is not None:
            self.default_font = group.font = number
        elif word in ("fcharset", "cpg") and group.kind is Kind.FONTS and number is not None:
            found = CHARSETS.get(number, "") if word == "fcharset" else page_codec(number)
            self.fonts[group.font] = found or self.fonts.get(group.font, "")
        elif word == "ansicpg" and number is not None:
            self.codec = page_codec(number) or self.codec
        elif word in ("mac", "pc", "pca"):
            self.codec = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[word]
        elif word in _MARKS:
            group.mark = "" if number == 0 else _MARKS[word]
        elif word in _TIME and group.kind is Kind.TIME:
            self.times.setdefault(group.name, {})[word] = number or 0

    def end_aside(self, ended: _Group) -> None:
        """A note, a comment, a header."""
        heading = ASIDES[ended.name]
        text = ended.stream.text().strip()
        if text and heading == "Comments" and self.commentator:
            text = f"{self.commentator}: {text}"
        if text:
            self.asides[heading].append(text)

    def end_box(self, ended: _Group) -> None:
        """A text box."""
        if text := ended.stream.text().strip():
            self.length += len(text)  # boxes inside each other are copied each time
            self.group.stream.held.append(text)

    def end_small(self, ended: _Group) -> None:
        """A property of the document, a shape or an object, the instruction of a field, or who wrote a comment."""
        text = in_one_line(ended.stream.text())
        if ended.kind is Kind.INSTRUCTION and self.targets:
            self.targets[-1] = field_target(text) or self.targets[-1]
        elif ended.kind is Kind.COMMENTATOR:
            self.commentator = text
        elif ended.kind is Kind.OBJECT_NAME:
            self.object_name = text
        elif ended.kind is Kind.SHAPE_NAME:
            self.shape_property = text
        elif ended.kind is Kind.SHAPE_VALUE and self.shape_property in SHAPES and text:
            self.group.stream.held.append(f"[{SHAPES[self.shape_property]}{text}]")
        elif ended.name in PROPERTIES and text:
            self.asides["Properties"].append(f"{PROPERTIES[ended.name]}: {text}")
        elif ended.kind is Kind.INFO:
            self.info.setdefault(ended.name, text)

    def end_object(self, _: _Group) -> None:
        """The bytes of an embedded object, which are written as hexadecimal digits."""
        digits = _NOT_HEX.sub(b"", self.data)
        self.objects.append((self.object_name, bytes.fromhex(digits[: len(digits) & ~1].decode("ascii"))))
        self.object_name = ""
        self.data.clear()


_SMALL = (
    *(Kind.INSTRUCTION, Kind.COMMENTATOR, Kind.OBJECT_NAME),
    *(Kind.SHAPE_NAME, Kind.SHAPE_VALUE, Kind.INFO),
)
_ENDS: dict[Kind, Callable[[RtfReader, _Group], None]] = {
    Kind.ASIDE: RtfReader.end_aside,
    Kind.BOX: RtfReader.end_box,
    Kind.OBJECT_DATA: RtfReader.end_object,
    **dict.fromkeys(_SMALL, RtfReader.end_small),
}
