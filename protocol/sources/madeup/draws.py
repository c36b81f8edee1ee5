"""Choices out of a hash: the same seed gives the same choices on every machine."""

from collections.abc import Iterator, Sequence
from hashlib import shake_128
from itertools import count
from typing import TypeVar

from ledger.hashing import integer

T = TypeVar("T")

_BLOCK = 2048  # bytes cut from one hash


class Draws:
    """A stream of 32-bit numbers that a root and a number decide."""

    def __init__(self, root: bytes, number: int) -> None:
        self._seed = root + integer(number)
        self._left = self._numbers()

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        return next(self._left) * limit >> 32

    def among(self, choices: Sequence[T]) -> T:
        """One of them, all equally likely."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], number: int) -> list[T]:
        """So many different ones, in random order; all of them if there are not more."""
        left = list(choices)
        return [left.pop(self.below(len(left))) for _ in range(min(number, len(left)))]

    def one_in(self, number: int) -> bool:
        """True once in so many times."""
        return self.below(number) == 0

    def _numbers(self) -> Iterator[int]:
        for block in count():
            raw = shake_128(self._seed + integer(block)).digest(_BLOCK)
            yield from (int.from_bytes(raw[at : at + 4], "big") for at in range(0, _BLOCK, 4))
