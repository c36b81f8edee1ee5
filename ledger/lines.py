"""The lines of a file, compressed or not, one at a time."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from ledger import reading
from ledger.errors import Damaged, LedgerError

MAX_LINE = 2**24
"""Longer lines are refused before they fill the memory."""

GZIP_MAGIC = b"\x1f\x8b"


class Unreadable(LedgerError):
    """The file cannot be read."""


def read_lines(path: Path, progress: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
    """Every line without its end; `progress` is told how many bytes of the file have been read."""
    try:
        with reading.opened(path) as raw:
            packed = raw.read(2) == GZIP_MAGIC
            raw.seek(0)
            stream = gzip.GzipFile(fileobj=raw, mode="rb") if packed else raw
            for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE + 1), b""), 1):
                _check_end(number, line)
                yield line[:-1]
                if number % 256 == 0:
                    progress(raw.tell())
            progress(raw.tell())
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Damaged(f"{path}: the compressed file is damaged or cut short ({error})") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None


def _check_end(number: int, line: bytes) -> None:
    if line.endswith(b"\r\n"):
        raise Damaged(f"line {number} has a Windows line end: an editor or mail program has changed the file")
    if not line.endswith(b"\n"):
        reason = "is longer than any line may be" if len(line) > MAX_LINE else "is cut short"
        raise Damaged(f"line {number} {reason}")
