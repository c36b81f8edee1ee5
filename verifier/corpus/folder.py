"""A sealed corpus: the folder that Trent keeps, and gives to the court.

Nothing in it is trusted. `open` makes sure that the shards follow one another without a gap, that they number each
document once, and that the term table fits together; what is in a shard is checked by whoever opens it (`shard`). The
root shows whether these are the documents and rows of a matter (`leaves`), and recomputing the rows shows whether they
are those of the texts (`features`). `manifest.json` and `tree.bin` repeat what follows from the other files, so they
are not read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.errors import CorpusDamaged, shown
from verifier.corpus.files import beginning, entries, mapped, mapped_array
from verifier.corpus.rows import Integers, Rows, gathered, ordered
from verifier.corpus.shard import FILES, Shard

__all__ = ["CorpusDamaged", "SealedCorpus"]

_SECRET = re.compile(rb"([0-9a-f]{64})\n?")
_MOST_DOCUMENTS = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SealedCorpus:
    """The documents by number, from 0 to `size` - 1. It has no repr, since it knows a secret."""

    path: Path
    size: int
    secret: bytes
    shards: tuple[Shard, ...]
    order: NDArray[np.int32]
    """The place of each document in the order of the source, by its number."""
    account: memoryview
    """The list of what was received."""
    terms: bytes
    """Each term, by column, followed by a newline."""
    frequencies: NDArray[np.int32]
    """The number of documents of each term, none negative; there are as many as terms."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """The corpus in a folder, or `CorpusDamaged`."""
        shards = _shards(path / "shards")
        corpus = cls(
            path=path,
            size=shards[0].total,
            secret=_secret(path / "secret"),
            shards=shards,
            order=_order(shards),
            account=mapped(path / "account.jsonl"),
            terms=bytes(mapped(path / "terms.bin")),
            frequencies=mapped_array(path / "frequencies.npy", "<i4"),
        )
        corpus._check_terms()
        return corpus

    def names(self, documents: Sequence[int]) -> list[str]:
        """The names of the documents with these numbers, in their order."""
        found = [""] * len(documents)
        for shard, places, rows in self._by_shard(documents):
            listing = shard.listing()
            for place, row in zip(places.tolist(), rows.tolist(), strict=True):
                found[place] = listing.name(row)
        return found

    def gathered(self, documents: Sequence[int] | Integers) -> Rows:
        """Copies of the rows of the documents with these numbers, in their order."""
        found, places = [], []
        for shard, some, rows in self._by_shard(documents):
            found.append(gathered(shard.rows(), rows))
            places.append(some)
        return ordered(found, places)

    def labels(self, label: str) -> frozenset[int] | None:
        """The documents that truly have this label, as far as the folder tells; nothing commits to that.

        None if the folder does not tell, or if the file is not an object of lists of document numbers.
        """
        try:
            known = json.loads(bytes(mapped(self.path / "labels.json")))
        except (CorpusDamaged, ValueError, RecursionError):
            return None
        numbers = known.get(label) if isinstance(known, dict) else None
        if not isinstance(numbers, list) or not all(type(each) is int and 0 <= each < self.size for each in numbers):
            return None
        return frozenset(numbers)

    def _by_shard(self, documents: Sequence[int] | Integers) -> Iterator[tuple[Shard, Integers, Integers]]:
        """Each shard that holds some of the documents, which of them, and their rows in it."""
        order = self.order[np.asarray(documents, np.int64)].astype(np.int64)
        firsts = np.array([shard.first for shard in self.shards])
        held_by = np.searchsorted(firsts, order, side="right") - 1
        for each in np.unique(held_by).tolist():
            places = np.flatnonzero(held_by == each)
            yield self.shards[each], places, order[places] - firsts[each]

    def _check_terms(self) -> None:
        terms = self.terms.count(b"\n")
        if terms != len(self.frequencies) or self.terms[-1:] not in (b"", b"\n"):
            raise CorpusDamaged(
                f"the term table in {shown(self.path)} does not fit together: {terms} lines in terms.bin and "
                f"{len(self.frequencies)} numbers in frequencies.npy"
            )
        if self.frequencies.min(initial=0) < 0:
            raise CorpusDamaged(f"frequencies.npy in {shown(self.path)} has numbers below 0")


def _shards(path: Path) -> tuple[Shard, ...]:
    """The shards in a folder, which holds nothing else."""
    names = entries(path)
    for place, name in enumerate(names or ["nothing"]):
        if name != (due := f"{place:05d}"):
            wrong = CorpusDamaged(f"{shown(path)} should hold shard {due} next, but holds {shown(Path(name))}")
            raise wrong if due not in names else CorpusDamaged(f"{shown(path / name)} does not belong there")
        for other in entries(path / name):
            if other not in FILES:
                raise CorpusDamaged(f"{shown(path / name / other)} does not belong there")
    sizes = [len(mapped_array(path / name / "numbers.npy", "<i4")) for name in names]
    if not all(sizes) or sum(sizes) > _MOST_DOCUMENTS:
        empty = next((name for name, size in zip(names, sizes, strict=True) if not size), None)
        found = f"{sum(sizes)} documents" if empty is None else f"no document in shard {empty}"
        raise CorpusDamaged(f"{shown(path)} holds {found}")
    firsts = np.cumsum([0, *sizes]).tolist()
    return tuple(
        Shard(path=path / name, first=first, size=size, total=firsts[-1])
        for name, first, size in zip(names, firsts, sizes, strict=False)
    )


def _order(shards: tuple[Shard, ...]) -> NDArray[np.int32]:
    """The places of documents by number, if the shards number each of them once."""
    found = np.full(shards[0].total, -1, np.int32)
    for shard in shards:
        numbers = shard.numbers()
        places = np.arange(shard.first, shard.first + shard.size, dtype=np.int32)
        taken = found[numbers] != -1
        found[numbers] = places
        taken |= found[numbers] != places
        if taken.any():
            number = int(numbers[np.argmax(taken)])
            raise CorpusDamaged(f"numbers.npy in {shown(shard.path)} gives the number {number} to a second document")
    return found


def _secret(path: Path) -> bytes:
    found = _SECRET.fullmatch(beginning(path, 66))
    if found is None:
        raise CorpusDamaged(f"{shown(path)} does not hold a secret: 64 lowercase hex digits")
    return bytes.fromhex(found[1].decode())
