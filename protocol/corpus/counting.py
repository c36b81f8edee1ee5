"""Reading the texts of a shard once: its tokens are counted, and its parts get signatures.

Left for the next stages, with names that begin alike: one document after the other, how often which token occurs, by
the token's number in the order in which tokens were first seen. A run of tokens: all of them, sorted, each with the
number of documents that it occurs in. And the signatures by which near-duplicates are found (`alike`), with their rows.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from protocol.corpus.features import MAX_COUNT, Integers
from protocol.corpus.listing import TEXT, Listing
from protocol.corpus.manifest import TEXTS
from protocol.corpus.scratch import Scratch
from protocol.sources import nearduplicates
from protocol.tokens import token_lists
from protocol.workers.leaving import may_leave

BLOCK = 2**20  # tokens or entries that are sorted at a time
BLOCK_ROWS = 2**15  # so that a row, a column and a count go into 63 bits

_SOME = 2**15  # tokens that are numbered at a time


class _Vocabulary(dict[bytes, int]):
    """Numbers tokens in the order in which they are first asked for, and has what signatures are made of."""

    def __init__(self) -> None:
        self.hashes = array("Q")

    def __missing__(self, token: bytes) -> int:
        number = self[token] = len(self)
        self.hashes.append(nearduplicates.token_number(token))
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """The tokens of some documents, by their numbers, one after the other."""

    tokens: Integers
    lengths: Integers
    """How many tokens each part has."""
    parts: Integers
    """How many parts each document has."""

    @property
    def firsts(self) -> Integers:
        """The first part of each document."""
        found: Integers = np.cumsum(self.parts) - self.parts
        return found


@may_leave
def count(shard: str, stem: str) -> None:
    """Count the tokens of a shard's documents, and make the signatures of the documents and their parts."""
    left, folder, vocabulary = Scratch(stem), Path(shard), _Vocabulary()
    frequencies = np.zeros(0, np.int64)
    listing = Listing.open(folder)
    signing = _Signing(left, len(listing.places))
    with (
        left.writing("ids") as id_file,
        left.writing("counts") as count_file,
        left.writing("lengths") as length_file,
        left.writing("signatures") as signature_file,
    ):
        for block in _blocks(folder / TEXTS, listing, vocabulary):
            keys = np.repeat(np.arange(len(block.parts)), np.add.reduceat(block.lengths, block.firsts)) << 32
            keys |= block.tokens
            keys.sort()
            firsts = np.flatnonzero(np.diff(keys, prepend=-1))
            ids = keys[firsts] & 0xFFFFFFFF
            counts = np.minimum(np.diff(firsts, append=len(keys)), MAX_COUNT)
            ids.astype("<i4").tofile(id_file)
            counts.astype("<u2").tofile(count_file)
            np.bincount(keys[firsts] >> 32, minlength=len(block.parts)).astype("<i8").tofile(length_file)
            seen = np.bincount(ids, minlength=len(vocabulary))
            seen[: len(frequencies)] += frequencies
            frequencies = seen
            signing.write(block, vocabulary, signature_file)
    signing.finish()
    _write_run(left, vocabulary, frequencies)


class _Signing:
    """Writes signatures, and keeps the row of each: the parts of the shard, and behind them its documents."""

    def __init__(self, left: Scratch, parts: int) -> None:
        self._left, self._parts = left, parts
        self._part = self._document = 0
        self._rows: list[Integers] = []

    def write(self, block: _Block, vocabulary: _Vocabulary, file: IO[bytes]) -> None:
        """Write the signatures of parts with a token, and of documents with such a part and another one."""
        least = nearduplicates.smallest(block.tokens, np.array(vocabulary.hashes, np.uint64), block.lengths)
        filled = np.flatnonzero(block.lengths)
        nearduplicates.signatures(least[filled]).tofile(file)
        self._rows.append(self._part + filled)
        several = np.flatnonzero(block.parts > 1)
        if len(several):
            whole = np.minimum.reduceat(least, block.firsts, axis=0)[several]
            has_token = np.add.reduceat(block.lengths, block.firsts)[several] > 0
            nearduplicates.signatures(whole[has_token]).tofile(file)
            self._rows.append(self._parts + self._document + several[has_token])
        self._part += len(block.lengths)
        self._document += len(block.parts)

    def finish(self) -> None:
        """Write the rows."""
        self._left.save("rows", np.concatenate([np.zeros(0, np.int64), *self._rows]).astype("<i8"))


def _write_run(left: Scratch, vocabulary: _Vocabulary, frequencies: Integers) -> None:
    """Write the tokens sorted, with their frequencies, and the place of each number's token among them."""
    tokens = sorted(vocabulary)
    numbers = np.fromiter(map(vocabulary.__getitem__, tokens), np.int64, count=len(tokens))
    with left.writing("tokens") as file:
        file.write(b"".join(token + b"\n" for token in tokens))
    left.save("frequencies", frequencies[numbers].astype("<i8"))
    ranks = np.empty(len(tokens), "<i4")
    ranks[numbers] = np.arange(len(tokens))
    left.save("ranks", ranks)


def _blocks(texts: Path, listing: Listing, vocabulary: _Vocabulary) -> Iterator[_Block]:
    """The tokens of some documents at a time."""
    counts = np.diff(listing.starts).tolist()
    numbered = _Numbered(vocabulary)
    parts: list[int] = []
    part = 0
    with texts.open("rb") as file:
        for own in counts:
            for start, end in listing.places[part : part + own, TEXT].tolist():
                file.seek(start)
                numbered.add(file.read(end - start))
            part += own
            parts.append(own)
            if numbered.size >= BLOCK or max(len(parts), len(numbered.lengths)) >= BLOCK_ROWS:
                yield numbered.block(parts)
                parts = []
    if parts:
        yield numbered.block(parts)


class _Numbered:
    """Numbers the tokens of one text after the other, many at a time."""

    def __init__(self, vocabulary: _Vocabulary) -> None:
        self._number_of = vocabulary.__getitem__
        self._found: list[Integers] = []
        self._left: list[bytes] = []
        self.lengths: list[int] = []
        self.size = 0

    def add(self, text: bytes) -> None:
        length = 0
        for some in token_lists(text):
            self._left += some
            length += len(some)
            if len(self._left) >= _SOME:
                self._number()
        self.lengths.append(length)
        self.size += length

    def _number(self) -> None:
        self._found.append(np.fromiter(map(self._number_of, self._left), np.int64, count=len(self._left)))
        self._left = []

    def block(self, parts: list[int]) -> _Block:
        """All that was added, and begin again."""
        self._number()
        made = _Block(tokens=np.concatenate(self._found), lengths=np.array(self.lengths), parts=np.array(parts))
        self._found, self.lengths, self.size = [], [], 0
        return made
