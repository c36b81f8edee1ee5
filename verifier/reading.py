"""Reading a file that a stranger may have made: it must be a plain file, and no larger than expected.

Opening a pipe would wait for somebody to write into it, and a device may never end. A refusal is an `OSError` whose
`strerror` is meant for a reader, as for every other reason why a file cannot be read.
"""

import errno
import os
import stat
from io import BufferedReader, FileIO
from pathlib import Path

_BUFFER = 2**20  # lines are long
_HOW = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def plain_file(path: Path) -> BufferedReader:
    """A plain file, open for reading."""
    file = os.open(path, _HOW)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    return BufferedReader(FileIO(file), _BUFFER)


def at_most(path: Path, size: int) -> bytes:
    """All bytes of a plain file that has at most `size` of them."""
    with plain_file(path) as file:
        found = bytearray()
        while len(found) <= size and (more := file.read(_BUFFER)):
            found += more
    if len(found) > size:
        raise OSError(errno.EFBIG, f"it is larger than {size} bytes", str(path))
    return bytes(found)
