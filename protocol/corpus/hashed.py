"""Files that are hashed while they are written, so that nothing is read again for the manifest."""

from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest

_BUFFER = 2**20


class Hashed:
    """A new file, written from its beginning to its end."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._kept = bytearray()
        self._state = sha256()
        self.size = 0

    def write(self, data: bytes | memoryview) -> int:
        """Write the data behind all that was written before."""
        self._kept += data
        if len(self._kept) >= _BUFFER:
            self._pass_on()
        self.size += len(data)
        return len(data)

    def append(self, data: bytes) -> tuple[int, int]:
        """Write the data, and return where it begins and ends in the file."""
        start = self.size
        self.write(data)
        return start, self.size

    def _pass_on(self) -> None:
        self._state.update(self._kept)
        left = memoryview(self._kept)
        while left:
            left = left[self._file.write(left) :]
        self._kept = bytearray()

    def close(self) -> Digest:
        """Close the file; the SHA-256 of all that was written."""
        if not self._file.closed:
            self._pass_on()
            self._file.close()
        return Digest(self._state.digest())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._file.close()


def save(path: Path, array: NDArray[Any]) -> Digest:
    """Write an array for `arrays.open_array`."""
    with Hashed(path) as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
        return file.close()
