"""Why something is not canonical JSON: a class for each reason, and a search for the first one and its place.

The search runs only after `canonical.decode` has refused, so that an error can say more than "invalid". It reads
byte by byte, slowly, so it gives up after MAX_EXPLAINED bytes.
"""

import re

from ledger.errors import LedgerError

MAX_DEPTH = 32
"""Objects and arrays within one another; more is refused before it can exhaust a stack."""

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""


MAX_EXPLAINED = 2**20
"""Beyond this many bytes the reason is not looked for."""


class NotCanonical(LedgerError):
    """Base: the value or the bytes are outside the one encoding. One subclass a cause."""


class FloatNumber(NotCanonical):
    """A number with a fraction or an exponent."""


class NotANumber(NotCanonical):
    """NaN or Infinity, which JSON does not have."""


class UnsafeInteger(NotCanonical):
    """An integer beyond 2^53 - 1 in size."""


class LoneSurrogate(NotCanonical):
    """Half of a UTF-16 pair, which no UTF-8 text can hold."""


class NonAsciiKey(NotCanonical):
    """An object key outside ASCII, for which languages sort differently."""


class TooDeep(NotCanonical):
    """More than MAX_DEPTH objects and arrays within one another."""


class NotJsonType(NotCanonical):
    """A Python value that has no place in the encoding."""


class DuplicateKey(NotCanonical):
    """An object holds one key twice."""


class UnsortedKeys(NotCanonical):
    """An object's keys are not in ascending order."""


class ByteOrderMark(NotCanonical):
    """The bytes begin with a byte order mark."""


class Blank(NotCanonical):
    """White space between the tokens."""


class TrailingBytes(NotCanonical):
    """Something follows the value."""


class Truncated(NotCanonical):
    """The bytes end within the value."""


class InvalidUtf8(NotCanonical):
    """The bytes are not UTF-8."""


class LongEscape(NotCanonical):
    """A character is escaped that has a shorter or plain form."""


class LongNumber(NotCanonical):
    """A number with leading zeros, a plus, or a minus before zero."""


class UnexpectedByte(NotCanonical):
    """A byte that no JSON has in this place."""


_BLANKS = b" \t\r\n"
_SHORT = {"b": 8, "t": 9, "n": 10, "f": 12, "r": 13, '"': 34, "\\": 92}
_NUMBER = re.compile(rb"[-+0-9.eE]+")
_INTEGER = re.compile(rb"-?(0|[1-9][0-9]*)")
_DIGITS = re.compile(rb"[-+]?[0-9]+")
_NOT_A_NUMBER = re.compile(rb"[-+]?(NaN|Infinity)")
_WORDS = (b"true", b"false", b"null")


def explain(data: bytes) -> NotCanonical:
    """The reason why `decode` refused `data`."""
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return ByteOrderMark("byte 0: a byte order mark; save the file as plain UTF-8")
    try:
        _Scanner(data[:MAX_EXPLAINED]).whole()
    except Truncated as reason:
        if len(data) <= MAX_EXPLAINED:
            return reason
    except NotCanonical as reason:
        return reason
    return NotCanonical(f"not canonical JSON, for a reason beyond byte {MAX_EXPLAINED}")


class _Scanner:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def whole(self) -> None:
        self.value(0)
        if self.at < len(self.data):
            self._refuse_blank()
            raise TrailingBytes(f"byte {self.at}: something follows the value")

    def value(self, depth: int) -> None:
        self._refuse_blank()
        first = self._peek()
        if first in b"{[":
            if depth == MAX_DEPTH:
                raise TooDeep(f"byte {self.at}: more than {MAX_DEPTH} objects and arrays deep")
            self.items(depth + 1, closing=b"}" if first == b"{" else b"]")
        elif first == b'"':
            self.string()
        elif match := _NOT_A_NUMBER.match(self.data, self.at):
            raise NotANumber(f"byte {self.at}: {match[0].decode()} is not a JSON number")
        elif match := _NUMBER.match(self.data, self.at):
            self.number(match[0])
        else:
            self.word()

    def items(self, depth: int, *, closing: bytes) -> None:
        """The inside of an object or array, up to and with its closing bracket."""
        self.at += 1
        seen: dict[str, None] = {}
        self._refuse_blank()
        if self._peek() == closing:
            self.at += 1
            return
        while True:
            if closing == b"}":
                self.key(seen)
            self.value(depth)
            self._refuse_blank()
            if self._take(b"," + closing) == closing:
                return

    def key(self, seen: dict[str, None]) -> None:
        """A key with its colon; `seen` holds the object's keys before it, in order."""
        self._refuse_blank()
        start = self.at
        if self._peek() != b'"':
            raise UnexpectedByte(f"byte {start}: an object key was expected")
        key = self.string()
        if not key.isascii():
            raise NonAsciiKey(f"byte {start}: the key {key!r} is not ASCII")
        if key in seen:
            raise DuplicateKey(f"byte {start}: the key {key!r} stands twice in one object")
        last = next(reversed(seen), "")
        if key < last:
            raise UnsortedKeys(f"byte {start}: the key {key!r} comes after {last!r}")
        seen[key] = None
        self._refuse_blank()
        self._take(b":")

    def string(self) -> str:
        """A string with its quotes; returns what it says."""
        self.at += 1
        text = ""
        while True:
            start = self.at
            while self._peek() not in b'"\\' and self.data[self.at] >= 0x20:
                self.at += 1
            text += self._utf8(start)
            if self._peek() == b'"':
                self.at += 1
                return text
            if self._peek() != b"\\":
                raise UnexpectedByte(f"byte {self.at}: a control character in a string")
            text += self.escape()

    def escape(self) -> str:
        start = self.at
        self.at += 1
        letter = self._peek().decode("latin-1")
        self.at += 1
        if letter in _SHORT:
            return chr(_SHORT[letter])
        if letter == "/":
            raise LongEscape(f"byte {start}: a slash needs no escape")
        digits = self.data[self.at : self.at + 4]
        if letter != "u" or not re.fullmatch(rb"[0-9a-fA-F]{4}", digits):
            raise UnexpectedByte(f"byte {start}: an escape that JSON does not have")
        code = int(digits, 16)
        if 0xD800 <= code < 0xE000:
            raise self._surrogate(start, code)
        if code >= 0x20 or code in _SHORT.values() or digits != digits.lower():
            raise LongEscape(f"byte {start}: \\u{digits.decode()} has a shorter form")
        self.at += 4
        return chr(code)

    def _surrogate(self, start: int, code: int) -> NotCanonical:
        low = re.compile(rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}").match(self.data, self.at + 4)
        if code < 0xDC00 and low:
            return LongEscape(f"byte {start}: an escaped pair; write the character itself")
        return LoneSurrogate(f"byte {start}: a lone surrogate")

    def _utf8(self, start: int) -> str:
        raw = self.data[start : self.at]
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            place = start + error.start
            if re.match(rb"\xed[\xa0-\xbf]", raw[error.start :]):
                raise LoneSurrogate(f"byte {place}: a lone surrogate") from None
            raise InvalidUtf8(f"byte {place}: not UTF-8") from None

    def number(self, literal: bytes) -> None:
        shown = literal[:40].decode()
        if not _DIGITS.fullmatch(literal):
            raise FloatNumber(f"byte {self.at}: {shown} is not an integer")
        if not _INTEGER.fullmatch(literal) or literal == b"-0":
            raise LongNumber(f"byte {self.at}: {shown} is not the shortest form of its number")
        if len(literal) > 17 or abs(int(literal)) > MAX_INTEGER:
            raise UnsafeInteger(f"byte {self.at}: {shown} is beyond 2^53 - 1")
        self.at += len(literal)

    def word(self) -> None:
        for word in _WORDS:
            if self.data.startswith(word, self.at):
                self.at += len(word)
                return
        rest = self.data[self.at :]
        if any(word.startswith(rest) for word in _WORDS):
            raise Truncated(f"byte {len(self.data)}: the bytes end within a value")
        raise UnexpectedByte(f"byte {self.at}: no JSON value begins like this")

    def _peek(self) -> bytes:
        if self.at >= len(self.data):
            raise Truncated(f"byte {len(self.data)}: the bytes end within a value")
        return self.data[self.at : self.at + 1]

    def _take(self, allowed: bytes) -> bytes:
        found = self._peek()
        if found not in allowed:
            expected = " or ".join(repr(chr(byte)) for byte in allowed)
            raise UnexpectedByte(f"byte {self.at}: {expected} was expected")
        self.at += 1
        return found

    def _refuse_blank(self) -> None:
        if self.at < len(self.data) and self.data[self.at] in _BLANKS:
            raise Blank(f"byte {self.at}: white space between tokens")
