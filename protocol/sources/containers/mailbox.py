"""mbox: many e-mails in one file, each kept byte by byte.

A line that starts with `From ` begins a message if it is the file's first or follows an empty one; that line and
the empty line before it are the separator and belong to no message.
"""

import re
from collections.abc import Iterator
from typing import IO

from protocol.sources.containers import Container, Member
from protocol.sources.limits import Limits
from protocol.sources.problems import Cause

SEPARATOR = b"From "
MAX_PIECE = 2**20
_EMPTY = (b"\n", b"\r\n")
_FIRST_LINE = re.compile(rb"From [^\n]*\r?\n(?:[\x21-\x39\x3b-\x7e]+:|>From |\r?\n)")


def starts(start: bytes) -> bool:
    """Whether a file begins as an mbox does: its separator, and then a header."""
    return start.startswith(SEPARATOR) and (b"\n" not in start or _FIRST_LINE.match(start) is not None)


def members(stream: IO[bytes], name: str, limits: Limits) -> Iterator[Member]:  # noqa: ARG001
    """The messages; of bytes before the first one, if there are any, that they are lost."""
    for number, raw in enumerate(messages(stream, limits.file)):
        if number:
            problem = None
            if len(raw) > limits.file:
                problem = (Cause.TOO_LARGE, f"a message of more than {limits.file} bytes")
            pieces = (raw[at : at + MAX_PIECE] for at in range(0, len(raw), MAX_PIECE))
            yield Member(path=f"message {number}", pieces=pieces, declared="message/rfc822", problem=problem)
        elif raw.strip():
            detail = f"{len(raw)} bytes before the first line that starts with 'From '"
            yield Member(path="message 0", problem=(Cause.BAD_LINE, detail))


def messages(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """What comes before the first separator, and then each message; of one that is too large, the start."""
    held: list[bytes] = []
    size, is_full = 0, False
    after_empty_line, in_separator, goes_on = True, False, False
    for piece in iter(lambda: stream.readline(MAX_PIECE), b""):
        if not goes_on:
            in_separator = after_empty_line and piece.startswith(SEPARATOR)
            if in_separator:
                yield b"".join(held[:-1])
                held, size, is_full = [], 0, False
        if not in_separator:
            if is_full:  # the rest is not kept, but for its last line
                held.pop()
            is_full = size > most
            held.append(piece)
            size += len(piece)
        after_empty_line = not goes_on and piece in _EMPTY
        goes_on = not piece.endswith(b"\n")
    yield b"".join(held[:-1] if after_empty_line else held)


CONTAINER = Container(name="mbox", described="many e-mails in one file (.mbox)", starts=starts, members=members)
