"""ANSWER: what a party sends back to Trent, one line of canonical JSON.

It holds a signed statement with its openings, or the cosignature of a checkpoint. Whatever is secret in it is sealed.
"""

from pathlib import Path

from ledger import records
from ledger.entries import Opening, SignedStatement
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.lines import MAX_LINE
from ledger.records import Natural, Record
from ledger.roles import Role
from protocol.exchange.errors import BadAnswer
from protocol.exchange.secrets import SealedRoot

FORMAT = 1
MAX_SIZE = MAX_LINE + 2**16
"""Bytes: a statement with its openings must fit into a line of a copy, as a report of some 80,000 documents does."""


class AnswerFile(Record, frozen=True, kw_only=True):
    """One party's answer to one question."""

    answer: SignedStatement | None
    cosignature: str | None  # a note's line
    deposit: SealedRoot | None  # with `agreed`, for the court; with `rekeyed`, for the new key
    format: Natural
    matter: Digest
    openings: tuple[Opening, ...]
    role: Role


def encode(answer: AnswerFile) -> bytes:
    """The file's bytes."""
    return records.encode(answer) + b"\n"


def decode(data: bytes, name: str) -> AnswerFile:
    """An answer from a file's bytes; `name` is for the message."""
    try:
        found = records.decode(AnswerFile, data.rstrip(b"\r\n"))
    except LedgerError as error:
        raise BadAnswer(
            f"{name} is no answer, or was changed on its way ({error}); ask the party to send the file again"
        ) from None
    if found.format != FORMAT:
        raise BadAnswer(
            f"{name} is an answer of format {found.format}; this version knows {FORMAT}: install a newer one"
        )
    if (found.answer is None) == (found.cosignature is None):
        raise BadAnswer(f"{name} must hold a signed statement or a cosignature, and not both")
    said = None if found.answer is None else found.answer.statement
    if said is not None and (said.author, said.matter) != (found.role, found.matter):
        raise BadAnswer(
            f"{name} says that it is {found.role.called}'s, and holds a statement by {said.author.called}, or of "
            "another matter"
        )
    return found


def read(path: Path) -> AnswerFile:
    """The answer in a file."""
    try:
        if path.stat().st_size > MAX_SIZE:
            raise BadAnswer(f"{path} is too large to be an answer")
        data = path.read_bytes()
    except OSError as error:
        raise BadAnswer(f"{path} cannot be read: {error.strerror or error}") from None
    return decode(data, str(path))
