"""What a source was found to hold, item by item, and what became of each: the raw material of the population account.

    received = Received()
    received.add(Item(where="mail.jsonl", outcome=Outcome.CONTAINER))
    received.add(Item(where="mail.jsonl/line 1", outcome=Outcome.ENTERED, documents=range(1)))

Documents are counted from 0 in the order in which the source gives them. There may be a million items, so they are kept
as bytes and numbers.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise


class Outcome(StrEnum):
    """What became of an item."""

    CONTAINER = "container"  # it was opened, and is no document
    EXCEPTION = "exception"  # it could not enter
    DUPLICATE = "duplicate"  # of an earlier family
    ENTERED = "entered"


_OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A file of the source, or one that was found in a container."""

    where: str
    """Its path, also inside containers."""
    outcome: Outcome
    reason: str = ""
    """Of an exception, in a few words; many items have the same."""
    documents: range = range(0)
    """Of what has entered its documents, of a duplicate those of the family that it equals; else none."""
    custodians: tuple[str, ...] = ()
    """Whose it was, if that is known; many items have the same."""
    paths: tuple[str, ...] = ()
    """Where it was before, if a load file says so."""


class Received:
    """All items of a source, in the order in which they were found."""

    def __init__(self, protections: tuple[str, ...] = ()) -> None:
        self.unused = Counter[str]()
        """Columns of a table, or keys of JSON, that nothing was taken from, with the number of lines that have them."""
        self._held: frozenset[str] | None = frozenset(protections) or None
        self._where, self._ends = bytearray(), array("q", [0])
        self._numbers = array("q")  # outcome, reason, origin, first document and the one after the last
        self._reasons: dict[str, int] = {"": 0}
        self._origins: dict[tuple[tuple[str, ...], tuple[str, ...]], int] = {((), ()): 0}  # custodians and paths

    @property
    def protections(self) -> tuple[str, ...]:
        """What kept a file from harming the machine that read it, whenever one was read."""
        return tuple(sorted(self._held or ()))

    def protect(self, held: frozenset[str]) -> None:
        """Files were read under these protections."""
        self._held = held if self._held is None else self._held & held

    def add(self, item: Item) -> None:
        """Take note of the next item."""
        self._where += item.where.encode("utf-8", "replace")
        self._ends.append(len(self._where))
        reason = self._reasons.setdefault(item.reason, len(self._reasons))
        origin = self._origins.setdefault((item.custodians, item.paths), len(self._origins))
        found = item.documents
        self._numbers.extend((_OUTCOMES.index(item.outcome), reason, origin, found.start, found.stop))

    def duplicates(self) -> dict[int, list[Item]]:
        """The items that equal what entered before, by the documents of that."""
        found: dict[int, list[Item]] = {}
        for item in self:
            if item.outcome is Outcome.DUPLICATE:
                for document in item.documents:
                    found.setdefault(document, []).append(item)
        return found

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[Item]:
        reasons, origins = list(self._reasons), list(self._origins)
        rows = zip(*[iter(self._numbers)] * 5, strict=True)
        for (start, end), (outcome, reason, origin, first, last) in zip(pairwise(self._ends), rows, strict=True):
            yield Item(
                where=self._where[start:end].decode(),
                outcome=_OUTCOMES[outcome],
                reason=reasons[reason],
                documents=range(first, last),
                custodians=origins[origin][0],
                paths=origins[origin][1],
            )
