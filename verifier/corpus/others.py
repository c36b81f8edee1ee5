"""Which tokens that are not in the term table occur in two documents?

There may be more such tokens than documents, nearly all of which occur once. So each is kept as 8 bytes of its hash,
in a file without a name that vanishes with this process. Hashes that differ are of tokens that differ: if none occurs
twice, no token does. Those that do are counted exactly, by the tokens themselves.
"""

from collections.abc import Iterable
from hashlib import sha256
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_AT_ONCE = 2**22  # hashes that are compared in memory


def hashed(tokens: Iterable[bytes]) -> Hashes:
    """The first 8 bytes of the SHA-256 of each token."""
    return np.frombuffer(b"".join([sha256(token).digest()[:8] for token in tokens]), ">u8").astype(np.uint64)


class Others:
    """The hashes of all tokens that are not in the table, one for each document; sorted within each addition."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._ends = [0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, hashes: Hashes) -> None:
        """Keep some, which ascend."""
        self._file.write(hashes.tobytes())
        self._ends.append(self._ends[-1] + len(hashes))

    def repeated(self) -> Hashes:
        """Those that occur more than once, ascending."""
        self._file.flush()
        shares = -(-self._ends[-1] // _AT_ONCE)
        found = [np.zeros(0, np.uint64)]
        for share in range(shares):
            low, high = ((2**64 * each // shares) for each in (share, share + 1))
            parts = [self._between(place, low, high - 1) for place in range(len(self._ends) - 1)]
            some = np.sort(np.concatenate(parts))
            found.append(np.unique(some[1:][some[1:] == some[:-1]]))
        return np.concatenate(found)

    def _between(self, place: int, low: int, high: int) -> Hashes:
        """The hashes of one addition within these bounds, both included."""
        begin, end = self._ends[place], self._ends[place + 1]
        if begin == end:
            return np.zeros(0, np.uint64)
        kept = np.memmap(self._file, np.uint64, "r", offset=8 * begin, shape=(end - begin,))
        first = np.searchsorted(kept, np.uint64(low), side="left")
        last = np.searchsorted(kept, np.uint64(high), side="right")
        return np.array(kept[first:last])
