"""ANSWER: the file that a party sends back to Trent, one line of canonical JSON."""

from pathlib import Path

from ledger import reading, records
from ledger.errors import LedgerError
from ledger.lines import MAX_LINE
from protocol.exchange.errors import BadAnswer
from protocol.parties.reply import FORMAT, Reply

MAX_SIZE = MAX_LINE + 2**16
"""Largest answer in bytes: it must fit into a line of a copy, as a report on some 80,000 documents does."""


def encode(answer: Reply) -> bytes:
    """The file's bytes."""
    return records.encode(answer) + b"\n"


def decode(data: bytes, name: str) -> Reply:
    """An answer from a file's bytes; `name` is for the message."""
    try:
        found = records.decode(Reply, data.rstrip(b"\r\n"))
    except LedgerError as error:
        raise BadAnswer(
            f"{name} is not an answer, or was changed on the way ({error}); ask the party to send the file again"
        ) from None
    if found.format != FORMAT:
        raise BadAnswer(
            f"{name} is an answer of format {found.format}, but this program knows only format {FORMAT}: install "
            "a newer version"
        )
    if (found.answer is None) == (found.cosignature is None):
        raise BadAnswer(f"{name} must hold a signed statement or a cosignature, and not both")
    said = None if found.answer is None else found.answer.statement
    if said is not None and (said.author, said.matter) != (found.role, found.matter):
        raise BadAnswer(
            f"{name} claims to be {found.role.called}'s, but holds a statement by {said.author.called}, or one in "
            "another matter"
        )
    return found


def read(path: Path) -> Reply:
    """The answer in a file."""
    try:
        data = reading.whole(path, MAX_SIZE, "an answer")
    except OSError as error:
        raise BadAnswer(f"{path} cannot be read: {error.strerror or error}") from None
    return decode(data, str(path))
