"""Arrays that one stage of a build leaves for the next: raw little-endian numbers, a file each, beside each other."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from protocol.corpus.features import Integers
from protocol.workers.leaving import whole_file


@dataclass(frozen=True, slots=True)
class Scratch:
    """The files of one shard, or of a run of tokens, whose names begin alike."""

    stem: str

    def path(self, name: str) -> Path:
        """The file of one array."""
        return Path(f"{self.stem}.{name}")

    def load(self, name: str, dtype: DTypeLike) -> Integers:
        """An array, into memory."""
        return np.fromfile(self.path(name), dtype).astype(np.int64)

    def writing(self, name: str) -> AbstractContextManager[BinaryIO]:
        """The file of one array, which gets its name when it is complete."""
        return whole_file(self.path(name))

    def save(self, name: str, array: NDArray[Any]) -> None:
        """Write an array, which gets its name when it is complete."""
        with self.writing(name) as file:
            array.tofile(file)

    def remove(self, *names: str) -> None:
        """Remove files that nobody needs any more."""
        for name in names:
            self.path(name).unlink(missing_ok=True)
