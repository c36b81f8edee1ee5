"""An answer on its way into the mailbox: received under a hidden name, and then named by its hash.

The same bytes a second time change nothing, so a party whose network was cut can send them again.
"""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO

from ledger import files
from ledger.errors import Refused
from ledger.hashing import Digest

SEALED = ".sealed"
FILE_MODE = 0o660
"""What the umask leaves of it: a group may share the folder with the server."""

_UNFINISHED = ".unfinished"


class Incoming:
    """An answer that is being received into a folder; `known` says whether the folder has or had an answer."""

    def __init__(self, folder: Path, known: Callable[[Digest], bool]) -> None:
        self._folder, self._known = folder, known
        self._hidden = folder / f".{secrets.token_hex(16)}{_UNFINISHED}"
        self._hash = sha256()
        self._stream: IO[bytes] | None = None

    def write(self, data: bytes) -> None:
        """The next bytes of it."""
        with files.writing(self._folder):
            if self._stream is None:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
                self._stream = os.fdopen(os.open(self._hidden, flags, FILE_MODE), "wb")
            self._stream.write(data)
        self._hash.update(data)

    def placed(self) -> tuple[Digest, bool]:
        """Its hash, and whether it is new. From here on it survives a power cut."""
        answer = Digest(self._hash.digest())
        if self._stream is None or self._known(answer):
            return answer, False
        with files.writing(self._folder):
            self._stream.flush()
            os.fsync(self._stream.fileno())
            try:
                files.place(self._hidden, self._folder / f"{answer.hex()}{SEALED}")
            except Refused:  # the same bytes came twice at the same time
                return answer, False
        return answer, True

    def close(self) -> None:
        """Remove what is unfinished."""
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            with suppress(OSError):
                self._hidden.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the beginnings that a killed process left."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        path.unlink(missing_ok=True)
