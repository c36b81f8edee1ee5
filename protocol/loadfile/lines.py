"""The lines of a load file, decoded one at a time, and what is wrong with them, by line number."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from protocol.errors import BadSource

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "cp1252")
MAX_LINE = 2**26
"""Longest line in bytes, so that a file without any line end does not fill the memory."""

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class FlawKind(StrEnum):
    """What a flaw is about."""

    BAD_LINE = "bad_line"
    UNDECODABLE = "undecodable"
    REPEATED_NUMBER = "repeated_number"
    BAD_FAMILY = "bad_family"
    MISSING_FILE = "missing_file"
    REFUSED_LINK = "refused_link"
    BAD_IMAGE_LINE = "bad_image_line"

    @property
    def kept(self) -> bool:
        """Whether the record of the line is read nevertheless."""
        return self not in (FlawKind.BAD_LINE, FlawKind.UNDECODABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Something that is wrong in a load file: where, and what was found there."""

    file: str
    line: int
    kind: FlawKind
    detail: str

    @property
    def where(self) -> str:
        """The place, for people."""
        return f"{self.file}, line {self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line without its end."""

    number: int
    start: int
    """Where it begins in the file, in bytes."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How the bytes of a file are read."""

    name: str
    mark: int = 0
    """Bytes of the mark at the start, which are no text."""


def find_encoding(path: Path, stream: IO[bytes], given: str | None) -> Encoding:
    """The encoding of a file: the given one, or the one that its mark or its first line shows."""
    stream.seek(0)
    first = stream.readline(MAX_LINE)
    mark = next((mark for mark in _MARKS if first.startswith(mark)), b"")
    if given is not None:
        if given not in ENCODINGS:
            raise BadSource(f"{path}: the encoding {given!r} is not known; it is one of {', '.join(ENCODINGS)}")
        if mark and _MARKS[mark] != given and given != "cp1252":
            raise BadSource(f"{path}: it is marked as {_MARKS[mark]}, not as {given}; leave out the encoding")
        return Encoding(name=given, mark=len(mark) if _MARKS.get(mark) == given else 0)
    if mark:
        return Encoding(name=_MARKS[mark], mark=len(mark))
    if b"\0" in first:
        raise BadSource(
            f"{path}, line 1: it holds zero bytes, as UTF-16 does, and no byte order mark; "
            "give the encoding, utf-16-le or utf-16-be, or save the file as UTF-8"
        )
    try:
        first.decode()
    except UnicodeDecodeError:
        return Encoding(name="cp1252")
    return Encoding(name="utf-8")


def read_lines(name: str, stream: IO[bytes], encoding: Encoding) -> Iterator[Line | Flaw]:
    """Every line from the start of the file; `name` says in a flaw which file it is."""
    stream.seek(encoding.mark)
    start = encoding.mark
    for number, raw in enumerate(_raw_lines(stream, encoding.name), 1):
        yield decoded(name, number, start, raw, encoding)
        start += len(raw)
        if _goes_on(raw, encoding):
            for piece in _raw_lines(stream, encoding.name):
                start += len(piece)
                if not _goes_on(piece, encoding):
                    break


def read_line(stream: IO[bytes], start: int, encoding: Encoding) -> bytes:
    """The bytes of the line that begins at `start`."""
    stream.seek(start)
    return next(_raw_lines(stream, encoding.name), b"")


def decoded(name: str, number: int, start: int, raw: bytes, encoding: Encoding) -> Line | Flaw:
    """The line of some bytes, or why it cannot be read."""
    if len(raw) >= MAX_LINE:
        detail = f"it is longer than {MAX_LINE} bytes; a field may lack its end, or the encoding may be another"
        return Flaw(file=name, line=number, kind=FlawKind.BAD_LINE, detail=detail)
    try:
        text = raw.decode(encoding.name)
    except UnicodeDecodeError as error:
        detail = (
            f"byte {error.start + 1} of the line is not {encoding.name}; say which encoding the file has, with "
            "`tallystick corpus fields --encoding` or in the field file"
        )
        return Flaw(file=name, line=number, kind=FlawKind.UNDECODABLE, detail=detail)
    return Line(number=number, start=start, text=text.removesuffix("\n").removesuffix("\r"))


def _goes_on(piece: bytes, encoding: Encoding) -> bool:
    """Whether the rest of a line that is too long is still to come."""
    return len(piece) >= MAX_LINE and not piece.endswith("\n".encode(encoding.name))


def _raw_lines(stream: IO[bytes], encoding: str) -> Iterator[bytes]:
    """The bytes of each line with its end. A line that is too long comes in pieces, each but the last of `MAX_LINE`."""
    if not encoding.startswith("utf-16"):
        yield from iter(lambda: stream.readline(MAX_LINE), b"")
        return
    end = "\n".encode(encoding)
    line = b""
    while piece := stream.readline(MAX_LINE - len(line)):
        line += piece
        if len(line) % 2:  # a newline is two bytes, and `readline` stops at the one that is 0x0a
            line += stream.read(1)
        if len(line) >= MAX_LINE or (line.endswith(end) and len(line) % 2 == 0):
            yield line
            line = b""
    if line:
        yield line
