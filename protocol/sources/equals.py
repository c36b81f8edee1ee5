"""Which parts of a corpus have the same key, wherever they are. Only keys are held in memory, never a text."""

from array import array

import numpy as np
from numpy.typing import NDArray

from protocol.sources.duplicates import KEY


class Equals:
    """Which parts of kept families have the same key, numbered from 0 in the order in which they are added."""

    def __init__(self) -> None:
        self._keys = bytearray()

    def __len__(self) -> int:
        return len(self._keys) // KEY

    def add(self, key: bytes) -> None:
        """Take the next part."""
        if len(key) != KEY:
            raise ValueError(f"the key of a part has {KEY} bytes")
        self._keys += key

    def groups(self) -> "Groups":
        """The parts by key, once all are added."""
        return Groups(self._keys)


class Groups:
    """Parts with the same key."""

    def __init__(self, keys: bytes | bytearray) -> None:
        # Comparing these ignores zero bytes at the end, which changes nothing: all keys have the same length.
        table = np.frombuffer(bytes(keys), f"S{KEY}")
        self._order: NDArray[np.int64] = np.argsort(table, kind="stable")
        ordered = table[self._order]
        begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(table)), bool), ordered[1:] != ordered[:-1]]))
        self._starts = array("q", [*begins.tolist(), len(table)])
        self._group = np.empty(len(table), np.int64)
        self._group[self._order] = np.repeat(np.arange(len(begins)), np.diff(self._starts))

    def of(self, part: int) -> tuple[int, ...]:
        """The other parts with the same key, in their order."""
        group = int(self._group[part])
        found = self._order[self._starts[group] : self._starts[group + 1]]
        return tuple(int(each) for each in found if each != part)

    def firsts(self) -> NDArray[np.int64]:
        """For each part the first one with the same key."""
        starts = np.array(self._starts[:-1], np.int64)
        found: NDArray[np.int64] = self._order[starts[self._group]]
        return found

    def first(self, part: int) -> int:
        """The first part with the same key: itself, if there is none before it."""
        return int(self._order[self._starts[int(self._group[part])]])
