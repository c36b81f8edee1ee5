"""Reading a file that anybody may have made: it must be a regular file, and no larger than expected.

Opening a pipe would wait for somebody to write into it, and a device may never end. A refusal is an `OSError`, like any
other reason why a file cannot be read; its `strerror` is meant for a user.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)

_PIECE = 2**20


def opened(path: Path) -> BufferedReader:
    """A regular file, open for reading."""
    handle = os.open(path, _FLAGS)
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
            raise OSError(errno.EINVAL, f"it is {kind}, not a file", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def whole(path: Path, most: int, what: str) -> bytes:
    """The bytes of a regular file, at most `most` of them; `what` says what a larger one cannot be."""
    pieces, size = list[bytes](), 0
    with opened(path) as file:
        while piece := file.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise OSError(errno.EFBIG, f"it is too large to be {what}", str(path))
    return b"".join(pieces)
