"""Near-duplicates: texts that are mostly the same, found by MinHash over their exact tokens.

The shingles of a text are its runs of five tokens. Two texts are near-duplicates if they share about four fifths of
their shingles. To compare them without the texts, each text gets a signature: under each of 128 permutations of the
64-bit numbers, which of its shingles comes first. The share of places at which two signatures agree estimates the
share of shingles that the texts share.

Every step is in whole numbers, and every constant is a hash of its name, so that each machine finds the same groups:

- the number of a token is the first 64 bits of its BLAKE2b hash;
- the number of a shingle is the sum of its tokens' numbers, each times the odd factor of its place, mod 2^64, mixed;
- permutation i takes h to a_i h + b_i mod 2^64, with a_i odd;
- of the smallest of these numbers, the signature keeps the lowest 16 bits.

A document of several parts has their shingles, so its signature is made of the smallest numbers of each part.

Two texts belong together if their signatures agree at `ALIKE` places, and so do those that are connected by such
pairs. The search for the pairs misses none: the 128 places are cut into one band more than the most places at which
such a pair can differ, so that it agrees in all of at least one band.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from protocol.tokens import tokens

SHINGLE = 5
"""Tokens of a shingle. A shorter text is one shingle."""
PLACES = 128
"""Places of a signature."""
ALIKE = 103
"""The fewest places at which the signatures of near-duplicates agree: four fifths of them."""
SIZE = 2 * PLACES
"""Bytes of a signature."""

_BANDS = PLACES - ALIKE + 1
_BLOCK = 2**14  # shingles whose numbers are permuted at a time: an eighth of a megabyte, which stays in the cache
_FEW = 8  # rows of a bucket of which all pairs are compared
_PAIRS = 2**12  # pairs that are compared at a time
_ROWS = 2**13  # rows that are read at a time

Numbers = NDArray[np.uint64]
Signatures = NDArray[np.uint16]
Indices = NDArray[np.int64]


def _number(name: bytes) -> int:
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big")


def _constants(name: str, count: int) -> Numbers:
    return np.array([_number(f"tallystick {name} {index}".encode()) for index in range(count)], np.uint64)


_ODD = np.uint64(1)
_NONE = np.uint64(2**64 - 1)
_EACH_BYTE, _LAST_BYTE = np.uint64(0x0101010101010101), np.uint64(56)  # their product sums the bytes of a word
_WEIGHTS = _constants("weight of token", SHINGLE) | _ODD
_FACTORS = _constants("factor of permutation", PLACES) | _ODD
_OFFSETS = _constants("offset of permutation", PLACES)
_MIX = _constants("mix", 2) | _ODD


def token_number(token: bytes) -> int:
    """The number of a token."""
    return _number(token)


def signature(text: str) -> bytes:
    """What a text is compared by, in `SIZE` bytes; a text without a token has none, and nothing is like it."""
    found = tokens(text.encode(errors="surrogatepass"))
    numbers = np.array([token_number(token) for token in found], np.uint64)
    return signatures(smallest(np.arange(len(found)), numbers, np.array([len(found)]))).tobytes() if found else b""


def signatures(least: Numbers) -> Signatures:
    """What texts are compared by, of their smallest numbers."""
    return least.astype("<u2")


def smallest(ids: Indices, numbers: Numbers, lengths: Indices) -> Numbers:
    """For each of several texts the smallest number of its shingles under each permutation.

    The tokens of all texts stand one after the other in `ids`, each as its place in `numbers`, which has the numbers of
    tokens; `lengths` says how many each text has. The shingles of several texts are permuted together, since calls
    would take longer than the arithmetic. A text without a token gets the largest numbers.
    """
    found = np.full((len(lengths), PLACES), _NONE)
    room = np.empty(_BLOCK, np.uint64)
    for texts, shingles in _shingles(ids, numbers, lengths):
        starts = np.flatnonzero(np.diff(texts, prepend=-1))
        least = np.empty((PLACES, len(starts)), np.uint64)
        permuted = room[: len(shingles)]
        for factor, offset, out in zip(_FACTORS, _OFFSETS, least, strict=True):
            np.multiply(shingles, factor, out=permuted)
            permuted += offset
            np.minimum.reduceat(permuted, starts, out=out)
        own = texts[starts]
        found[own] = np.minimum(found[own], least.T)  # a long text comes in several pieces
    return found


def _shingles(ids: Indices, numbers: Numbers, lengths: Indices) -> Iterator[tuple[Indices, Numbers]]:
    """The numbers of the shingles of several texts, some at a time, with the text of each."""
    ends = np.cumsum(lengths)
    for text in np.flatnonzero((lengths > 0) & (lengths < SHINGLE)).tolist():  # one shingle with zeros at its end
        few = numbers[ids[ends[text] - lengths[text] : ends[text]]]
        yield np.array([text]), _mixed(np.concatenate([few, np.zeros(SHINGLE - len(few), np.uint64)]))
    for start in range(0, len(ids) - SHINGLE + 1, _BLOCK):
        stop = min(start + _BLOCK, len(ids) - SHINGLE + 1)
        first, last = np.searchsorted(ends, (start, stop - 1), side="right").tolist()
        within = np.diff(np.minimum(ends[first : last + 1], stop), prepend=start)
        texts = np.repeat(np.arange(first, last + 1), within)
        whole = np.arange(start + SHINGLE, stop + SHINGLE) <= np.repeat(ends[first : last + 1], within)
        if whole.any():
            yield texts[whole], _mixed(numbers[ids[start : stop + SHINGLE - 1]])[whole]


def _mixed(of: Numbers) -> Numbers:
    """The number of each run of five tokens."""
    count = len(of) - SHINGLE + 1
    sums = np.zeros(count, np.uint64)
    for place, weight in enumerate(_WEIGHTS):
        sums += weight * of[place : place + count]
    for factor in _MIX:
        sums ^= sums >> np.uint64(32)
        sums *= factor
    return sums ^ (sums >> np.uint64(32))


def groups(table: Signatures, progress: Callable[[Fraction], None] = lambda _: None) -> Indices:
    """For each row of a table of signatures the first row of its group; what nothing is like is a group of its own.

    The table may be a file that is larger than the memory: it is read some rows at a time. `progress` is told the share
    that is done.
    """
    first_equal = _first_equal(table)
    kept = np.flatnonzero(first_equal == np.arange(len(table)))  # equal rows are one, so copies are compared once
    joined = _Joined(len(kept))
    _join_alike(table, kept, joined, progress)
    firsts = np.arange(len(table))
    firsts[kept] = kept[joined.roots()]  # a set is named by its first member
    return firsts[first_equal]


def _first_equal(table: Signatures) -> Indices:
    """For each row the first row that equals it. A few equal rows may go unnoticed; then they are compared later."""
    keys = _all_keys(table, np.arange(len(table)), np.arange(PLACES))
    order = np.argsort(keys, kind="stable")
    same = np.zeros(len(table), bool)
    for start in range(1, len(table), _ROWS):
        ones, others = order[start - 1 : start - 1 + _ROWS], order[start : start + _ROWS]
        pairs = np.flatnonzero(keys[ones[: len(others)]] == keys[others])
        same[start + pairs] = (table[ones[pairs]] == table[others[pairs]]).all(axis=1)
    begins = np.flatnonzero(~same)
    found = np.empty(len(table), np.int64)
    found[order] = np.repeat(order[begins], np.diff(begins, append=len(table)))
    return found


def _all_keys(table: Signatures, rows: Indices, band: Indices) -> Numbers:
    """A number for the band of each of these rows, some at a time."""
    parts = [_keys(table[rows[start : start + _ROWS]][:, band]) for start in range(0, len(rows), _ROWS)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _join_alike(table: Signatures, kept: Indices, joined: "_Joined", progress: Callable[[Fraction], None]) -> None:
    """Join all of these rows that are alike. Only rows that agree in a band are compared."""
    for done, band in enumerate(np.array_split(np.arange(PLACES), _BANDS)):
        progress(Fraction(done, _BANDS))
        keys = _all_keys(table, kept, band)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(keys)), bool), keys[1:] != keys[:-1]]))
        sizes = np.diff(starts, append=len(keys))
        size_of = np.repeat(sizes, sizes)
        for step in range(1, _FEW):
            pairs = np.flatnonzero((keys[step:] == keys[:-step]) & (size_of[step:] <= _FEW))
            _join_pairs(table, kept, (order[pairs], order[pairs + step]), joined)
        for start, size in zip(starts[sizes > _FEW].tolist(), sizes[sizes > _FEW].tolist(), strict=True):
            _join_many(table, kept, order[start : start + size], joined)


def _keys(band: Signatures) -> Numbers:
    """A number for each row of a band: equal rows have equal numbers, and hardly any others have."""
    keys = np.zeros(len(band), np.uint64)
    for factor, column in zip(_FACTORS, band.T, strict=False):
        keys += factor * column
    return keys


def _join_pairs(table: Signatures, kept: Indices, pairs: tuple[Indices, Indices], joined: "_Joined") -> None:
    """Join those pairs of rows that are alike."""
    left, right = pairs
    roots = joined.roots()
    apart = roots[left] != roots[right]
    left, right = left[apart], right[apart]
    for start in range(0, len(left), _PAIRS):
        ones, others = left[start : start + _PAIRS], right[start : start + _PAIRS]
        alike = _agreeing(table[kept[ones]], table[kept[others]]) >= ALIKE
        for one, other in zip(ones[alike].tolist(), others[alike].tolist(), strict=True):
            joined.join(one, other)


def _join_many(table: Signatures, kept: Indices, bucket: Indices, joined: "_Joined") -> None:
    """Join those rows of a large bucket that are alike, without comparing rows that are joined already."""
    roots = joined.roots_of(bucket)
    for place in range(len(bucket) - 1):
        others = place + 1 + np.flatnonzero(roots[place + 1 :] != roots[place])
        for start in range(0, len(others), _PAIRS):
            some = others[start : start + _PAIRS]
            alike = some[_agreeing(table[kept[bucket[some]]], table[kept[bucket[place]]]) >= ALIKE]
            for other in alike.tolist():
                joined.join(int(bucket[place]), int(bucket[other]))
            for root in np.unique(roots[alike]):
                roots[roots == root] = roots[place]


def _agreeing(some: Signatures, others: Signatures) -> Indices:
    """At how many places rows agree with others."""
    agree = (some == others).view(np.uint64)  # eight places in a word, each 0 or 1 in a byte of its own
    sums: Numbers = np.add.reduce(agree, axis=1) * _EACH_BYTE >> _LAST_BYTE
    return sums.astype(np.int64)


class _Joined:
    """Sets that grow together (union-find)."""

    def __init__(self, size: int) -> None:
        self._above = np.arange(size)

    def roots(self) -> Indices:
        """The name of each member's set."""
        while not np.array_equal(further := self._above[self._above], self._above):
            self._above = further
        return self._above.copy()

    def roots_of(self, members: Indices) -> Indices:
        """The names of some members' sets."""
        return np.array([self._root(member) for member in members.tolist()], np.int64)

    def join(self, one: int, other: int) -> None:
        one, other = self._root(one), self._root(other)
        self._above[max(one, other)] = min(one, other)

    def _root(self, index: int) -> int:
        above = self._above
        while (next_one := int(above[index])) != index:
            above[index] = above[next_one]
            index = next_one
        return index
