"""One reading of some texts: tokens are counted, and rows made by a given term table and compared with the stored ones.

Tokens are numbered as they come, terms by their columns, others behind them. The numbers of the others are forgotten
with the piece, since there may be very many.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.listing import Listing
from verifier.corpus.others import Hashes, hashed
from verifier.corpus.packed import numbered
from verifier.corpus.rows import Integers, Rows
from verifier.corpus.shard import Piece
from verifier.corpus.terms import TermTable
from verifier.corpus.tokens import PIECE, tokens_by_piece

MOST_LISTED = 100
"""Documents that a finding names; the others are counted."""

_BYTES = 2**22  # of text in a block
_DOCUMENTS = 2**16
_TOKEN_BITS = 40  # of a key, which is a document's place in its block and a token's number


class _Vocabulary(dict[bytes, int]):
    """Numbers tokens as they come."""

    def __missing__(self, token: bytes) -> int:
        number = self[token] = len(self)
        return number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Block:
    """Some consecutive documents: the keys of their tokens, or each key once with how often it occurs."""

    first: int
    last: int
    keys: Integers
    counts: Integers | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class Found:
    """What the reading of a piece finds."""

    size: int
    frequencies: Integers
    """How many documents have each term."""
    damaged: list[int] = field(default_factory=list)
    """The first documents whose bytes are not those of their digests. Once there is one, no more is counted."""
    damaged_count: int = 0
    wrong: list[int] = field(default_factory=list)
    """The first documents whose stored rows are not those that the given table makes of their texts."""
    wrong_count: int = 0
    others: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))
    """The hashes of tokens that are not in the table, ascending; twice if more than one document has the token."""


def read(piece: Piece, table: TermTable) -> Found:
    """Compare the rows of a piece with those that its texts have by this table, and count the tokens."""
    reader = _Reader(piece, table)
    damaged, wrong = reader.read(rows=piece.shard.rows())
    frequencies = reader.frequencies[: len(table)]
    found = Found(size=piece.size, frequencies=frequencies.astype(np.uint16 if piece.size < 2**16 else np.int64))
    found.damaged, found.damaged_count = sorted(damaged)[:MOST_LISTED], len(damaged)
    if not damaged:
        found.wrong, found.wrong_count = sorted(wrong)[:MOST_LISTED], len(wrong)
        others = hashed(reader.others())
        found.others = np.sort(np.concatenate((others, others[reader.frequencies[len(table) :] > 1])))
    return found


def count(piece: Piece, table: TermTable, suspects: Hashes) -> dict[bytes, int]:
    """How many documents of a piece have each token that is not in the table and has one of these hashes."""
    reader = _Reader(piece, table)
    reader.read(rows=None)
    others = list(reader.others())
    among = np.flatnonzero(np.isin(hashed(others), suspects))
    counted = reader.frequencies[len(table) :]
    return {others[each]: int(counted[each]) for each in among.tolist()}


class _Reader:
    def __init__(self, piece: Piece, table: TermTable) -> None:
        self._piece, self._table = piece, table
        self._listing: Listing = piece.shard.listing()
        self._vocabulary = _Vocabulary(table.columns())
        self._counted = np.zeros(len(table), np.int64)

    @property
    def frequencies(self) -> Integers:
        """How many documents have each token, by its number."""
        return self._counted[: len(self._vocabulary)]

    def others(self) -> Iterator[bytes]:
        """The tokens that are not terms, by their numbers."""
        return islice(self._vocabulary, len(self._table), None)

    def read(self, rows: Rows | None) -> tuple[list[int], list[int]]:
        """Read every document once: the numbers of those that are damaged, and of those that have another row."""
        damaged, wrong = list[int](), list[int]()
        for block in self._blocks(damaged):
            keys, counts = (block.keys, block.counts) if block.counts is not None else _counted(block.keys)
            places, ids = keys >> _TOKEN_BITS, keys & (1 << _TOKEN_BITS) - 1
            self._count(ids)
            if rows is not None:
                known = ids < len(self._table)
                lengths = np.bincount(places[known], minlength=block.last - block.first)
                made = self._table.weigher.rows(lengths, ids[known], counts[known])
                unequal = block.first + np.flatnonzero(~_equal(made, rows, block.first, block.last))
                wrong += self._listing.numbers[unequal].tolist()
        self._count(np.zeros(0, np.int64))
        return damaged, wrong

    def _blocks(self, damaged: list[int]) -> Iterator[_Block]:
        first, size, texts = self._piece.first, 0, list[bytes]()
        documents = self._listing.documents(first, self._piece.last)
        for row, (parts, text) in enumerate(documents, start=first):
            if not self._are_committed(row, parts):
                damaged.append(int(self._listing.numbers[row]))
            if damaged:
                continue
            if len(text) > PIECE:
                yield self._block(first, texts)
                yield self._large(row, text)
                first, size, texts = row + 1, 0, []
                continue
            texts.append(bytes(text))
            size += len(text)
            if size >= _BYTES or len(texts) == _DOCUMENTS:
                yield self._block(first, texts)
                first, size, texts = row + 1, 0, []
        if not damaged:
            yield self._block(first, texts)

    def _block(self, first: int, texts: list[bytes]) -> _Block:
        places, numbers = numbered(texts, self._table.packed, self._vocabulary.__getitem__)
        return _Block(first=first, last=first + len(texts), keys=(places << _TOKEN_BITS) + numbers)

    def _large(self, row: int, text: memoryview) -> _Block:
        """A document of which not even the tokens' numbers are held at once."""
        counts = np.zeros(0, np.int64)
        for some in tokens_by_piece(text):
            numbers = np.fromiter(map(self._vocabulary.__getitem__, some), np.int64, count=len(some))
            more = np.bincount(numbers, minlength=len(self._vocabulary))
            more[: len(counts)] += counts
            counts = more
        keys = np.flatnonzero(counts)
        return _Block(first=row, last=row + 1, keys=keys, counts=counts[keys])

    def _are_committed(self, row: int, parts: list[tuple[memoryview, memoryview]]) -> bool:
        found = list[bytes]()
        for content, text in parts:
            of_text = sha256(text).digest()
            found += (of_text if content is text else sha256(content).digest(), of_text)
        begin = int(self._listing.parts[row])
        committed: bytes = self._listing.digests[begin : begin + len(parts)].tobytes()
        return committed == b"".join(found)

    def _count(self, ids: Integers) -> None:
        beyond = len(self._vocabulary) - len(self._counted)
        if beyond > 0:
            spare = np.zeros(beyond + len(self._counted), np.int64)
            self._counted = np.concatenate((self._counted, spare))
        np.add.at(self._counted, ids, 1)


def _equal(made: Rows, stored: Rows, first: int, last: int) -> NDArray[np.bool_]:
    """Which of the documents have this row in the folder."""
    starts = stored.starts[first : last + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    lengths, theirs = np.diff(made.starts), np.diff(starts)
    equal: NDArray[np.bool_] = lengths == theirs
    kept, compared = np.repeat(equal, lengths), np.repeat(equal, theirs)
    differ = made.columns[kept] != stored.columns[entries][compared]
    differ |= made.values[kept] != stored.values[entries][compared]
    equal[np.repeat(np.flatnonzero(equal), lengths[equal])[differ]] = False
    return equal


def _counted(keys: Integers) -> tuple[Integers, Integers]:
    """Each different key, ascending, and how often it occurs."""
    keys.sort()
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.diff(firsts, append=len(keys))
