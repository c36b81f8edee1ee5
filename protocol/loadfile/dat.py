"""Concordance DAT: a table of documents, one a line, whose first line names the fields.

    þBEGBATESþ␔þCUSTODIANþ␔þSUBJECTþ

Fields are separated by 0x14 and stand between þ (0xFE). A newline in a field is written as ® (0xAE), and several
values in one field are separated by semicolons. Other programs use other characters for the same (`DIALECTS`).

A field that begins with the qualifier ends where a qualifier is followed by a separator or by the end of the line.
Two qualifiers inside it are one, and one that is followed by anything else is itself: names of people hold a þ too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from ledger import reading
from ledger.plain import shown
from protocol.errors import BadSource, Unwritable
from protocol.loadfile import lines
from protocol.loadfile.lines import Encoding, Flaw, FlawKind, Line

MULTIPLE = ";"
REPLACED = "\ufffd"
"""What stands for a character that a load file cannot hold."""

_BLANK = ("", "\x1a")  # MS-DOS ended its files with the second


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The characters that have a meaning in a load file."""

    separator: str
    qualifier: str
    newline: str = "\xae"


CONCORDANCE = Dialect(separator="\x14", qualifier="\xfe")
DIALECTS = {
    "concordance": CONCORDANCE,
    "comma": Dialect(separator=",", qualifier='"'),
    "pipe": Dialect(separator="|", qualifier="^"),
    "caret": Dialect(separator="^", qualifier="|"),
    "tab": Dialect(separator="\t", qualifier='"'),
    "semicolon": Dialect(separator=";", qualifier='"'),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The values of one document, in the order of the field names."""

    line: int
    start: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dat:
    """A load file whose first line has been read."""

    path: Path
    encoding: Encoding
    dialect: Dialect
    names: tuple[str, ...]

    def rows(self, progress: Callable[[int], None] = lambda _: None) -> Iterator[Row | Flaw]:
        """Every document, and in its place every line that is none. `progress` is told how many bytes were read."""
        unclosed = 0  # the line that ended within a field, if the lines since then have been no documents
        with reading.opened(self.path) as stream:
            found = lines.read_lines(self.path.name, stream, self.encoding)
            next(found, None)
            for line in found:
                if isinstance(line, Flaw):
                    yield line
                    continue
                if line.number % 256 == 0:
                    progress(line.start)
                if line.text in _BLANK:
                    continue
                try:
                    yield self._row(line)
                    unclosed = 0
                except _BadLine as error:
                    detail = str(error)
                    if unclosed:
                        detail = f"it seems to continue line {unclosed}, which a stray newline cut short: {detail}"
                    elif isinstance(error, _Unclosed):
                        unclosed = line.number
                    yield Flaw(file=self.path.name, line=line.number, kind=FlawKind.BAD_LINE, detail=detail)
            progress(stream.tell())

    def row_at(self, stream: IO[bytes], start: int, number: int) -> Row:
        """A document that `rows` has given before, read again from its place."""
        raw = lines.read_line(stream, start, self.encoding)
        line = lines.decoded(self.path.name, number, start, raw, self.encoding)
        try:
            if isinstance(line, Line):
                return self._row(line)
        except _BadLine:
            pass
        raise BadSource(f"{self.path}, line {number}: it was changed while it was read; run the command again")

    def _row(self, line: Line) -> Row:
        values = _split(line.text, self.dialect)
        if len(values) != len(self.names):
            raise _BadLine(f"{len(values)} fields under {len(self.names)} names")
        return Row(line=line.number, start=line.start, values=tuple(values))


def open_dat(path: Path, *, encoding: str | None = None, dialect: Dialect | None = None) -> Dat:
    """The load file at `path`. What is not given is found from its start; `BadSource` says what cannot be."""
    try:
        with reading.opened(path) as stream:
            found = lines.find_encoding(path, stream, encoding)
            first = next(lines.read_lines(path.name, stream, found), None)
    except OSError as error:
        raise BadSource(f"{path} cannot be read: {error.strerror or error}") from None
    if first is None or (isinstance(first, Line) and first.text in _BLANK):
        raise BadSource(f"{path}: the first line is empty; it has to name the fields")
    if isinstance(first, Flaw):
        raise BadSource(f"{path}, line 1: {first.detail}")
    try:
        dialect = dialect or _detect(first.text)
        names = tuple(name.strip() for name in _split(first.text, dialect))
    except _BadLine as error:
        raise BadSource(f"{path}, line 1: {error}") from None
    _check_names(path, names)
    return Dat(path=path, encoding=found, dialect=dialect, names=names)


def named_dialect(text: str) -> Dialect:
    """A dialect by its name, or by the decimal codes of separator, qualifier and newline: `20,254,174`."""
    if text in DIALECTS:
        return DIALECTS[text]
    codes = text.split(",")
    if len(codes) != 3 or not all(code.isascii() and code.isdigit() and 0 < int(code) < 256 for code in codes):
        raise BadSource(
            f"the delimiters {text!r} are not known: write one of {', '.join(DIALECTS)}, or the decimal codes of "
            "separator, qualifier and newline, such as 20,254,174"
        )
    separator, qualifier, newline = (chr(int(code)) for code in codes)
    if len({separator, qualifier, newline, "\n", "\r"}) < 5:
        raise BadSource(f"the delimiters {text!r} are not three different characters other than line ends")
    return Dialect(separator=separator, qualifier=qualifier, newline=newline)


def dialect_text(dialect: Dialect) -> str:
    """What `named_dialect` reads as this dialect."""
    for name, known in DIALECTS.items():
        if known == dialect:
            return name
    return ",".join(str(ord(each)) for each in (dialect.separator, dialect.qualifier, dialect.newline))


def multiple(value: str) -> tuple[str, ...]:
    """The values of a field that may have several."""
    return tuple(each.strip() for each in value.split(MULTIPLE) if each.strip())


def joined(values: Iterable[str]) -> str:
    """Several values as one field."""
    values = tuple(values)
    for each in values:
        if MULTIPLE in each or each != each.strip() or not each:
            raise Unwritable(f"{shown(each)!r} cannot be one of several values: it is empty or holds a semicolon")
    return f"{MULTIPLE} ".join(values)


class DatWriter:
    """Writes a load file to a stream, one document at a time."""

    def __init__(
        self, stream: IO[bytes], names: Sequence[str], *, dialect: Dialect = CONCORDANCE, encoding: str = "utf-8"
    ) -> None:
        if encoding not in lines.ENCODINGS:
            raise Unwritable(f"the encoding {encoding!r} is not known; it is one of {', '.join(lines.ENCODINGS)}")
        self._stream, self._names, self._dialect, self._encoding = stream, tuple(names), dialect, encoding
        self._line = 0
        for name in names:
            if not name.isprintable() or name != name.strip() or not name or dialect.newline in name:
                raise Unwritable(f"{shown(name)!r} cannot be the name of a field")
        if len({name.casefold() for name in names}) < len(names):
            raise Unwritable(f"two fields have the same name: {', '.join(names)}")
        if encoding != "cp1252":
            stream.write("\ufeff".encode(encoding))
        self.write(names)

    def write(self, values: Sequence[str]) -> None:
        """Write one document's values, in the order of the names. Raises `Unwritable` before anything is written."""
        self._line += 1
        if len(values) != len(self._names):
            raise Unwritable(f"line {self._line}: {len(values)} values for {len(self._names)} fields")
        written = [self._field(name, value) for name, value in zip(self._names, values, strict=True)]
        self._stream.write((self._dialect.separator.join(written) + "\r\n").encode(self._encoding))

    def _field(self, name: str, value: str) -> str:
        at = f"line {self._line}, field {name}"
        if bad := _unwritable(self._dialect).search(value):
            raise Unwritable(f"{at}: a load file cannot hold U+{ord(bad[0]):04X}")
        try:
            value.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise Unwritable(f"{at}: {self._encoding} has no U+{ord(value[error.start]):04X}") from None
        quote = self._dialect.qualifier
        return quote + value.replace(quote, quote * 2).replace("\n", self._dialect.newline) + quote


def fitted(value: str, *, dialect: Dialect = CONCORDANCE, encoding: str = "utf-8") -> str:
    """A value that can be written: line ends become newlines, and what a load file cannot hold is replaced.

    The sign ® becomes (R), and other characters become U+FFFD, or a question mark where the encoding has none.
    """
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    value = value.replace(dialect.newline, "(R)" if dialect.newline == "\xae" else REPLACED)
    value = _unwritable(dialect).sub(REPLACED, value)
    return value.encode(encoding, "replace").decode(encoding)


@cache
def _unwritable(dialect: Dialect) -> re.Pattern[str]:
    """The characters that would be read back as others, or that end a line for some program."""
    return re.compile(f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff{re.escape(dialect.newline)}]")


class _BadLine(Exception):
    """Why a line is not a document."""


class _Unclosed(_BadLine):
    """The line ends within a field."""


def _split(text: str, dialect: Dialect) -> list[str]:
    """The fields of a line."""
    quote, between = dialect.qualifier, dialect.separator
    text = text.replace(dialect.newline, "\n")
    if len(text) > 1 and text[0] == text[-1] == quote:
        fields = text[1:-1].split(quote + between + quote)
        if text.count(quote) == 2 * len(fields):  # every field has its qualifiers, and none inside
            return fields
    fields, start = [], 0
    while True:
        value, end = _field(text, start, len(fields) + 1, dialect)
        fields.append(value)
        if end == len(text):
            return fields
        start = end + 1


def _field(text: str, start: int, number: int, dialect: Dialect) -> tuple[str, int]:
    """The field that begins at `start`, and where it ends."""
    quote, between = dialect.qualifier, dialect.separator
    if not text.startswith(quote, start):
        end = text.find(between, start)
        end = len(text) if end == -1 else end
        if quote in text[start:end]:
            raise _BadLine(f"field {number} holds the qualifier {quote!r} but does not begin with it")
        return text[start:end], end
    pieces, at = list[str](), start + 1
    while True:
        end = text.find(quote, at)
        if end == -1:
            raise _Unclosed(f"field {number} begins with the qualifier {quote!r}, and the line ends before its end")
        after = text[end + 1 : end + 2]
        if after in ("", between):
            return "".join([*pieces, text[at:end]]), end + 1
        pieces.append(text[at : end + 1])
        at = end + 2 if after == quote else end + 1


def _detect(first: str) -> Dialect:
    """The dialect under which the first line names the most fields; one under which a field has no name comes last."""
    if CONCORDANCE.separator in first or first.startswith(CONCORDANCE.qualifier):
        return CONCORDANCE
    best: tuple[tuple[bool, int], Dialect] | None = None
    for dialect in DIALECTS.values():
        try:
            names = _split(first, dialect)
        except _BadLine:
            continue
        quality = all(names), len(names)
        if len(names) > 1 and (best is None or quality > best[0]):
            best = quality, dialect
    if best is None:
        raise _BadLine(
            f"no known separator is in it: {shown(first[:80])!r}. Give the delimiters to "
            f"`tallystick corpus fields --delimiters`: one of {', '.join(DIALECTS)}, or the decimal codes of "
            "separator, qualifier and newline, such as 20,254,174"
        )
    return best[1]


def _check_names(path: Path, names: Sequence[str]) -> None:
    for number, name in enumerate(names, 1):
        if not name:
            raise BadSource(f"{path}, line 1: field {number} of {len(names)} has no name")
        before = [each.casefold() for each in names[: number - 1]]
        if name.casefold() in before:
            first = before.index(name.casefold()) + 1
            raise BadSource(f"{path}, line 1: fields {first} and {number} are both called {shown(name)!r}")
