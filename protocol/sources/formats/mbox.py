"""mbox: many e-mails in one file, each kept byte by byte.

A line that starts with `From ` begins a message if it is the file's first or follows an empty one; that line and
the empty line before it are the separator and belong to no message.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from protocol.sources.formats.mail import EXTRACTION, mail_text
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Format, Found, Progress, Sight, pieces, whole_file

SEPARATOR = b"From "
_EMPTY = (b"\n", b"\r\n")


def _read(path: Path, progress: Progress) -> Iterator[Found | Problem]:
    """A document for each message, named by its Message-ID, or by its number if it has none of its own."""
    for number, raw in enumerate(_messages(path, progress)):
        if number == 0:
            if raw.strip():
                detail = f"{len(raw)} bytes before the first line that starts with 'From '"
                yield Problem(where="message 0", cause=Cause.BAD_LINE, detail=detail)
            continue
        mail = mail_text(raw)
        numbered = f"mbox:{number}"
        yield Found(
            where=f"message {number}",
            name=mail.message_id or numbered,
            content=raw,
            text=mail.text,
            notes=mail.notes,
            second_name=numbered,
        )


def _messages(path: Path, progress: Progress) -> Iterator[bytes]:
    """What comes before the first separator, and then each message."""
    held: list[bytes] = []
    after_empty_line, in_separator, goes_on = True, False, False
    for piece in pieces(path, progress):
        if not goes_on:
            in_separator = after_empty_line and piece.startswith(SEPARATOR)
            if in_separator:
                yield b"".join(held[:-1])
                held = []
        if not in_separator:
            held.append(piece)
        after_empty_line = not goes_on and piece in _EMPTY
        goes_on = not piece.endswith(b"\n")
    yield b"".join(held[:-1] if after_empty_line else held)


def _recognises(sight: Sight) -> bool:
    """By its name or, since an mbox often has a name that says nothing, by its first line."""
    return sight.suffix == ".mbox" or sight.start.startswith(SEPARATOR)


FORMAT = Format(
    name="mbox (.mbox)",
    described="many e-mails in one file",
    extraction=EXTRACTION,
    recognises=_recognises,
    open=lambda path, _: whole_file(path, partial(_read, path)),
)
