"""A list of millions of items: does it fit the account? Nothing of an item is kept but its documents' numbers.

This only says yes or no. What is wrong with a list is told by `verifier.replay.account`, which reads it item by item.
"""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from verifier.corpus.files import forget
from verifier.record import encoding
from verifier.record.encoding import NotCanonical
from verifier.record.shapes import Malformed, read
from verifier.replay.commitment import CorpusCommitment, Item, Outcome, Unit

_AT_ONCE = 2**24  # bytes
# An item that has entered with one document, at a place without any character that JSON could escape.
_PLAIN = re.compile(
    rb'\{"documents":\[(0|[1-9][0-9]{0,9})\],"outcome":"entered","reason":"","where":"[ !#-\[\]-~]*"\}\n'
)


def fits(data: memoryview, corpus: CorpusCommitment) -> bool:
    """Whether the list is one of items that give the counts, and enters each document once."""
    found = _Listed(corpus)
    try:
        return all(found.add(some) for some in _pieces(data)) and found.counts_fit()
    except (NotCanonical, Malformed):
        return False


def _pieces(data: memoryview) -> Iterator[bytes]:
    """The list, some lines at a time."""
    rest = b""
    for start in range(0, len(data), _AT_ONCE):
        some = rest + bytes(data[start : start + _AT_ONCE])
        end = some.rfind(b"\n") + 1
        rest = some[end:]
        forget(data)
        yield some[:end]
    if rest:
        raise NotCanonical("the newline of the last line is missing")


class _Listed:
    def __init__(self, corpus: CorpusCommitment) -> None:
        self._corpus = corpus
        self._lines = 0
        self._counts, self._reasons = Counter[Outcome](), Counter[str]()
        self._owners = np.zeros(corpus.documents, np.int32)  # of each document the line that entered it, or 0
        self._sizes = dict[int, int]()  # of the lines that entered several documents

    def add(self, lines: bytes) -> bool:
        """Take some lines; False if one does not fit."""
        place, numbers, owners = 0, list[int](), list[int]()
        while place < len(lines):
            plain = _PLAIN.match(lines, place)
            self._lines += 1
            if plain is not None:
                numbers.append(int(plain[1]))
                owners.append(self._lines)
                place = plain.end()
                continue
            end = lines.index(b"\n", place)
            if not (self._enter(numbers, owners) and self._take(read(Item, encoding.decode(lines[place:end])))):
                return False
            numbers, owners, place = [], [], end + 1
        return self._enter(numbers, owners)

    def _enter(self, numbers: list[int], owners: list[int]) -> bool:
        """Items that have entered: their documents, and the line of each."""
        self._counts[Outcome.ENTERED] += len(set(owners))
        documents = np.array(numbers, np.int64)
        if len(documents) and documents.max() >= len(self._owners):
            return False
        taken = self._owners[documents].any()
        self._owners[documents] = owners
        return not taken and bool((self._owners[documents] == owners).all())

    def _take(self, item: Item) -> bool:
        """An item of any kind."""
        if item.reason and item.outcome is not Outcome.EXCEPTION:
            return False
        if bool(item.documents) is not (item.outcome in (Outcome.ENTERED, Outcome.DUPLICATE)):
            return False
        documents = list(item.documents)
        if len(set(documents)) != len(documents):
            return False
        if item.outcome is Outcome.ENTERED:
            if len(documents) > 1:
                self._sizes[self._lines] = len(documents)
            fitting = len(documents) == 1 or self._corpus.unit is not Unit.FAMILY
            return fitting and self._enter(documents, [self._lines] * len(documents))
        self._counts[item.outcome] += 1
        if item.outcome is Outcome.EXCEPTION:
            self._reasons[item.reason] += 1
        return item.outcome is not Outcome.DUPLICATE or self._repeats(documents)

    def _repeats(self, documents: list[int]) -> bool:
        """Whether these are all documents of one item that entered before."""
        if max(documents) >= len(self._owners):
            return False
        owners = set(self._owners[documents].tolist())
        return len(owners) == 1 and 0 not in owners and len(documents) == self._sizes.get(owners.pop(), 1)

    def counts_fit(self) -> bool:
        """Whether there are as many items of each kind as the account states, and every document has entered."""
        account = self._corpus.account
        stated = {
            Outcome.CONTAINER: account.containers,
            Outcome.DUPLICATE: account.duplicates,
            Outcome.ENTERED: account.entered,
            Outcome.EXCEPTION: account.exceptions,
        }
        same = all(self._counts[outcome] == count for outcome, count in stated.items())
        return same and dict(self._reasons) == account.reasons and bool(self._owners.all())
