"""One reading of all texts: tokens are counted, and rows made by a given term table and compared with the stored ones.

One thread reads and numbers tokens, which is Python's work; another counts, weighs and compares, which is numpy's.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.folder import SealedCorpus
from verifier.corpus.rows import Integers, Rows
from verifier.corpus.tokens import PIECE, tokens, tokens_by_piece
from verifier.corpus.weighing import Weigher

LEAST_FREQUENCY = 2
"""A token that fewer documents have is not a term."""

_TOKENS = 2**20  # in a block
_DOCUMENTS = 2**16
_WAITING = 2  # blocks that numpy may lag behind
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


class Reading:
    """What one reading finds. With `terms` and `frequencies` a guess, `wrong` counts only if it proves right."""

    def __init__(self, corpus: SealedCorpus, terms: Iterable[bytes], frequencies: NDArray[np.integer]) -> None:
        self.damaged: list[int] = []
        """Documents whose bytes are not those of their digests. Once there is one, no more is counted."""
        self.wrong: list[int] = []
        """Documents whose stored rows are not those that the given table makes of their texts."""
        self._corpus = corpus
        self._vocabulary = _Vocabulary()
        for term in terms:
            self._vocabulary[term]  # a table that names a term twice is a guess that proves wrong
        self._known = len(self._vocabulary)
        self._weigher = Weigher(np.clip(frequencies, 1, corpus.size), corpus.size)
        self._frequencies = np.zeros(self._known, np.int64)

    def read(self, progress: Callable[[int], None]) -> None:
        """Read every document once."""
        waiting: deque[Future[None]] = deque()
        with ThreadPoolExecutor(1) as numpy_thread:
            for block in self._blocks():
                waiting.append(numpy_thread.submit(self._judge, block))
                if len(waiting) > _WAITING:
                    waiting.popleft().result()
                progress(block.last)
            for each in waiting:
                each.result()
        progress(self._corpus.size)

    def table(self) -> tuple[list[bytes], Integers]:
        """The term table that was counted: the terms and their frequencies."""
        counted = zip(self._vocabulary, self._frequencies.tolist(), strict=False)  # longer by unused numbers
        table = sorted((token, frequency) for token, frequency in counted if frequency >= LEAST_FREQUENCY)
        return [term for term, _ in table], np.array([frequency for _, frequency in table], np.int64)

    def _blocks(self) -> Iterator[_Block]:
        corpus, number = self._corpus, self._vocabulary.__getitem__
        first, size, keys = 0, 0, list[Integers]()
        for document, (parts, text) in enumerate(corpus.documents()):
            if not self._are_committed(document, parts):
                self.damaged.append(document)
            if self.damaged:
                continue
            if len(text) > PIECE:
                yield _Block(first=first, last=document, keys=_joined(keys))
                yield self._large(document, text)
                first, size, keys = document + 1, 0, []
                continue
            found = tokens(bytes(text))
            keys.append(np.fromiter(map(number, found), np.int64, count=len(found)))
            keys[-1] += document - first << _TOKEN_BITS
            size += len(found)
            if size >= _TOKENS or len(keys) == _DOCUMENTS:
                yield _Block(first=first, last=document + 1, keys=_joined(keys))
                first, size, keys = document + 1, 0, []
        if not self.damaged:
            yield _Block(first=first, last=corpus.size, keys=_joined(keys))

    def _large(self, document: int, text: memoryview) -> _Block:
        """A document of which not even the tokens' numbers are held at once."""
        counts = np.zeros(0, np.int64)
        for some in tokens_by_piece(text):
            numbers = np.fromiter(map(self._vocabulary.__getitem__, some), np.int64, count=len(some))
            more = np.bincount(numbers, minlength=len(self._vocabulary))
            more[: len(counts)] += counts
            counts = more
        keys = np.flatnonzero(counts)
        return _Block(first=document, last=document + 1, keys=keys, counts=counts[keys])

    def _are_committed(self, document: int, parts: list[tuple[memoryview, memoryview]]) -> bool:
        found = list[bytes]()
        for content, text in parts:
            of_text = sha256(text).digest()
            found += (of_text if content is text else sha256(content).digest(), of_text)
        begin = int(self._corpus.parts[document])
        committed: bytes = self._corpus.digests[begin : begin + len(parts)].tobytes()
        return committed == b"".join(found)

    def _judge(self, block: _Block) -> None:
        """Count the block's tokens, and compare the rows that they make."""
        keys, counts = (block.keys, block.counts) if block.counts is not None else _counted(block.keys)
        places, ids = keys >> _TOKEN_BITS, keys & (1 << _TOKEN_BITS) - 1
        self._count(ids)
        known = ids < self._known
        lengths = np.bincount(places[known], minlength=block.last - block.first)
        made = self._weigher.rows(lengths, ids[known], counts[known])
        self.wrong += (block.first + np.flatnonzero(~self._equal(made, block.first, block.last))).tolist()

    def _count(self, ids: Integers) -> None:
        beyond = int(ids.max(initial=-1)) + 1 - len(self._frequencies)
        if beyond > 0:
            spare = np.zeros(beyond + len(self._frequencies), np.int64)
            self._frequencies = np.concatenate((self._frequencies, spare))
        np.add.at(self._frequencies, ids, 1)

    def _equal(self, made: Rows, first: int, last: int) -> NDArray[np.bool_]:
        """Which of the documents have this row in the folder."""
        starts = self._corpus.starts[first : last + 1]
        stored = slice(int(starts[0]), int(starts[-1]))
        lengths, theirs = np.diff(made.starts), np.diff(starts)
        equal: NDArray[np.bool_] = lengths == theirs
        kept, compared = np.repeat(equal, lengths), np.repeat(equal, theirs)
        differ = made.columns[kept] != self._corpus.columns[stored][compared]
        differ |= made.values[kept] != self._corpus.values[stored][compared]
        equal[np.repeat(np.flatnonzero(equal), lengths[equal])[differ]] = False
        return equal


def _joined(keys: list[Integers]) -> Integers:
    return np.concatenate(keys) if keys else np.zeros(0, np.int64)


def _counted(keys: Integers) -> tuple[Integers, Integers]:
    """Each different key, ascending, and how often it occurs."""
    keys.sort()
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.diff(firsts, append=len(keys))
