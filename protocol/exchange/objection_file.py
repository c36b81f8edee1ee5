"""OBJECTION: the file that a party gives to the court instead of an answer to Trent, one line of canonical JSON."""

from itertools import count
from pathlib import Path

from ledger import canonical, files, reading, records
from ledger.errors import LedgerError
from protocol.exchange.question_file import MAX_REQUEST
from protocol.parties.errors import BadObjection
from protocol.parties.objection import FORMAT, SignedObjection

MAX_SIZE = MAX_REQUEST + 2**16
"""Largest objection in bytes: it quotes the question."""


def encode(found: SignedObjection) -> bytes:
    """The file's bytes."""
    return records.encode(found) + b"\n"


def decode(data: bytes, name: str) -> SignedObjection:
    """An objection from a file's bytes; `name` is for the message."""
    try:
        value = canonical.decode_for_record(data.rstrip(b"\r\n"))
        match value:
            case {"objection": {"format": int(version)}} if version != FORMAT:
                raise BadObjection(
                    f"{name} is an objection of format {version}, but this program knows only format {FORMAT}: "
                    "install a newer version"
                )
        return records.from_value(SignedObjection, value)
    except BadObjection:
        raise
    except LedgerError as error:
        raise BadObjection(
            f"{name} is not an objection, or was changed on the way ({error}); ask the party to send the file again"
        ) from None


def read(path: Path) -> SignedObjection:
    """The objection in a file."""
    try:
        data = reading.whole(path, MAX_SIZE, "an objection")
    except OSError as error:
        raise BadObjection(f"{path} cannot be read: {error.strerror or error}") from None
    return decode(data, str(path))


def is_one(path: Path) -> bool:
    """Whether a file is meant as an objection, whole or not."""
    beginning = b'{"objection":'
    try:
        with reading.opened(path) as stream:
            return stream.read(len(beginning)) == beginning
    except OSError:
        return False


def write(out: Path, found: SignedObjection) -> Path:
    """Write it beside the answer that was to be `out`, under a name that is free, or that holds this same objection."""
    data = encode(found)
    names = (f"{out.stem}-objection{'' if number == 1 else f'-{number}'}.json" for number in count(1))
    path = next(path for path in map(out.with_name, names) if not path.exists() or _holds(path, data))
    if not path.exists():
        with files.new_file(path) as stream:
            stream.write(data)
    return path


def _holds(path: Path, data: bytes) -> bool:
    try:
        return reading.whole(path, len(data), "this objection") == data
    except OSError:
        return False
