"""The access log: a line of JSON for every request and every refusal, without any content, token or signature."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger import files

_LONGEST = 300  # characters of a text that somebody else has chosen


def line(**fields: object) -> str:
    """One line, in printable ASCII; what is None is left out, and long texts are cut."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    said: dict[str, Any] = {"time": now}
    for name, value in fields.items():
        if value is not None:
            said[name] = value[:_LONGEST] if isinstance(value, str) else value
    return json.dumps(said).replace("\x7f", "\\u007f")


class Logbook:
    """Takes the lines. One that cannot be written is counted, and the next one says so: the server goes on."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._lost = 0

    def note(self, **fields: object) -> None:
        """Write down a request or a refusal."""
        text = line(**fields, lost_lines=self._lost or None)
        try:
            self._write(text)
        except OSError:
            self._lost += 1
        else:
            self._lost = 0


def to_file(path: Path) -> Callable[[str], None]:
    """Lines at the end of a file; each is written at once. A file that was moved away is made again."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)  # a pipe without a reader is refused
    with files.writing(path):
        os.close(os.open(path, flags, 0o640))

    def write(text: str) -> None:
        handle = os.open(path, flags, 0o640)
        try:
            os.write(handle, text.encode("ascii") + b"\n")
        finally:
            os.close(handle)

    return write
