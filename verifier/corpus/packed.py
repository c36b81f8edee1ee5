"""Which tokens of a text are terms, for many texts at a time and without an object for each token.

A token of at most 8 bytes is one number: its bytes, with zeros behind them, which no token has. So numbers are equal
just if tokens are, and terms are found by number in a table with open addressing. Whatever is not found there is looked
up as bytes: longer tokens, and tokens that are no terms.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from verifier.corpus.rows import Integers
from verifier.corpus.tokens import plain

_LONGEST = 8  # bytes of a token that is a number
_MOST_STEPS = 32  # from a term's own place in the table; terms that find none are looked up as bytes
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(_LONGEST + 1)], np.uint64)
_NONE = -1


class PackedTerms:
    """The columns of short terms, by their numbers."""

    def __init__(self, columns: Mapping[bytes, int]) -> None:
        short = [term for term in columns if 0 < len(term) <= _LONGEST and b"\0" not in term]
        numbers = np.frombuffer(b"".join([term.ljust(_LONGEST, b"\0") for term in short]), "<u8")
        bits = (2 * len(short) + 1).bit_length()
        self._shift, self._last = np.uint64(64 - bits), (1 << bits) - 1
        self._numbers = np.zeros(1 << bits, np.uint64)
        self._columns = np.full(1 << bits, _NONE, np.int64)
        theirs = np.array([columns[term] for term in short], np.int64)
        places = self._places(numbers)
        for _ in range(_MOST_STEPS):
            free = self._numbers[places] == 0
            self._numbers[places[free]] = numbers[free]  # of several at one place, one stays
            stays = self._numbers[places] == numbers
            self._columns[places[stays]] = theirs[stays]
            numbers, theirs, places = numbers[~stays], theirs[~stays], places[~stays] + 1 & self._last
            if not len(numbers):
                break

    def find(self, numbers: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> Integers:
        """The column of each number, or -1."""
        found = np.full(len(numbers), _NONE, np.int64)
        left, places = np.arange(len(numbers)), self._places(numbers)
        for _ in range(_MOST_STEPS):
            here = self._numbers[places]
            same = here == numbers
            found[left[same]] = self._columns[places[same]]
            further = ~same & (here != 0)
            if not further.any():
                break
            left, numbers, places = left[further], numbers[further], places[further] + 1 & self._last
        return found

    def _places(self, numbers: "np.ndarray[tuple[int], np.dtype[np.uint64]]") -> Integers:
        return (numbers * _SPREAD >> self._shift).astype(np.int64)


def numbered(texts: Sequence[bytes], terms: PackedTerms, number: Callable[[bytes], int]) -> tuple[Integers, Integers]:
    """Of all tokens of the texts the text's place and the token's number, which `number` gives if it is no short term.

    The tokens of one text stand together, in their order.
    """
    data = plain(b" %b%b" % (b" ".join(texts), b" " * _LONGEST))
    is_token = np.frombuffer(data, np.uint8) != ord(" ")
    edges = np.flatnonzero(is_token[1:] != is_token[:-1]) + 1
    starts, ends = edges[0::2], edges[1::2]
    lengths = ends - starts
    eights = np.ndarray((len(data) - _LONGEST + 1,), "<u8", data, strides=(1,))
    found = terms.find(eights[starts] & _MASKS[np.minimum(lengths, _LONGEST)])
    found[lengths > _LONGEST] = _NONE
    others = np.flatnonzero(found == _NONE)
    places = zip(starts[others].tolist(), ends[others].tolist(), strict=True)
    found[others] = np.fromiter((number(data[start:end]) for start, end in places), np.int64, count=len(others))
    begins = 1 + np.cumsum([0, *(len(text) + 1 for text in texts)])
    counts = np.diff(np.searchsorted(starts, begins))
    return np.repeat(np.arange(len(texts)), counts), found
