"""Building the rows of a whole corpus, on all cores.

The documents are cut into parts of about equal length. `count` tokenises a part with a vocabulary of its own and
leaves, one document after the other, how often which token occurs. Then the vocabularies are merged into the term
table, and `weigh` turns the counts of each part into rows. The result is the same for every number of parts.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from protocol.corpus import pool, term_table
from protocol.corpus.features import (
    MAX_COUNT,
    MAX_TERMS,
    MIN_FREQUENCY,
    Features,
    Integers,
    idf,
    mapped,
    row_values,
    tf,
)
from protocol.corpus.leaves import MAX_DOCUMENTS
from protocol.corpus.term_table import TermTable
from protocol.errors import BadSource
from protocol.tokens import token_lists

_ALONE = 2**25  # bytes of text that one process has done before others would have started

SPANS = "spans.npy"
NO_TERM = -1

_BLOCK = 2**20  # tokens or entries that are sorted at a time
_BLOCK_ROWS = 2**15  # so that a row, a column and a count go into 63 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was built: the rows and terms, memory-mapped, and the documents with an empty row because of their size."""

    features: Features
    terms: TermTable
    oversized: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Where the arrays of a part lie: raw little-endian numbers, one file each."""

    folder: Path
    number: int

    def path(self, name: str) -> Path:
        """The file of one array."""
        return self.folder / f"{self.number}.{name}"

    def load(self, name: str, dtype: DTypeLike) -> Integers:
        """An array, into memory."""
        return np.fromfile(self.path(name), dtype).astype(np.int64)


def build(texts: Path, spans: Integers, folder: Path, *, workers: int | None = None) -> Built:
    """The rows of documents whose texts are in one file, from `spans[i, 0]` to `spans[i, 1]`, into a new folder."""
    if len(spans) > MAX_DOCUMENTS:
        raise BadSource(f"{len(spans)} documents: a corpus has at most 2^31 - 1; make several of them")
    folder.mkdir()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        np.save(Path(scratch) / SPANS, spans)
        ranges = pool.shares(spans[:, 1] - spans[:, 0] + 100, alone=_ALONE, workers=workers)
        parts = [Part(Path(scratch), number) for number in range(len(ranges))]
        tasks = [(str(texts), scratch, number, *each) for number, each in enumerate(ranges)]
        pool.gather(count, tasks, workers=len(tasks))
        idfs = _merge(parts, len(spans), folder)
        with pool.threads(len(parts)) as threads:
            list(threads.map(partial(weigh, idfs=idfs), parts, (first for first, _ in ranges)))
        oversized = _join(parts, folder)
    table = TermTable.open(folder)
    return Built(features=Features.open(folder, len(table)), terms=table, oversized=oversized)


def _merge(parts: Sequence[Part], documents: int, folder: Path) -> Integers:
    """Make one term table of the parts' tokens, tell each part which columns its tokens are, and return the idfs."""
    tokens = [part.path("tokens").read_bytes().split() for part in parts]
    frequencies: dict[bytes, int] = {}
    for part, found in zip(parts, tokens, strict=True):
        for token, frequency in zip(found, part.load("frequencies", "<i8").tolist(), strict=True):
            frequencies[token] = frequencies.get(token, 0) + frequency
    kept = sorted(token for token, frequency in frequencies.items() if frequency >= MIN_FREQUENCY)
    kept_frequencies = np.array([frequencies[term] for term in kept], "<i4")
    term_table.write_table(folder, kept, kept_frequencies)
    columns = {term: column for column, term in enumerate(kept)}
    for part, found in zip(parts, tokens, strict=True):
        of_ids = np.fromiter((columns.get(token, NO_TERM) for token in found), "<i4", count=len(found))
        of_ids.tofile(part.path("columns_of_ids"))
    return mapped(partial(idf, documents=documents), kept_frequencies)


def _join(parts: Sequence[Part], folder: Path) -> tuple[int, ...]:
    """Put the parts' rows one after the other into arrays, and return the oversized documents."""
    lengths = np.concatenate([part.load("row_lengths", "<i8") for part in parts])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    np.save(folder / "starts.npy", starts.astype("<i8"))
    for name, dtype in (("columns", "<i4"), ("values", "<u2")):
        with (folder / f"{name}.npy").open("wb") as joined:
            header = {"descr": dtype, "fortran_order": False, "shape": (int(starts[-1]),)}
            np.lib.format.write_array_header_1_0(joined, header)
            for part in parts:
                with part.path(name).open("rb") as file:
                    shutil.copyfileobj(file, joined, 2**20)
    return tuple(np.concatenate([part.load("oversized", "<i8") for part in parts]).tolist())


class _Vocabulary(dict[bytes, int]):
    """Numbers tokens in the order in which they are first asked for."""

    def __missing__(self, token: bytes) -> int:
        number = self[token] = len(self)
        return number


def count(texts: str, scratch: str, number: int, first: int, last: int) -> None:
    """Count the tokens of documents `first` to `last` - 1 as part `number`."""
    part, vocabulary = Part(Path(scratch), number), _Vocabulary()
    frequencies = np.zeros(0, np.int64)
    spans = np.load(part.folder / SPANS, mmap_mode="r")[first:last]
    with (
        part.path("ids").open("wb") as id_file,
        part.path("counts").open("wb") as count_file,
        part.path("lengths").open("wb") as length_file,
    ):
        for keys, rows in _blocks_of_tokens(Path(texts), spans, vocabulary):
            keys.sort()
            firsts = np.flatnonzero(np.diff(keys, prepend=-1))
            ids = keys[firsts] & 0xFFFFFFFF
            counts = np.minimum(np.diff(firsts, append=len(keys)), MAX_COUNT)
            ids.astype("<i4").tofile(id_file)
            counts.astype("<u2").tofile(count_file)
            np.bincount(keys[firsts] >> 32, minlength=rows).astype("<i8").tofile(length_file)
            seen = np.bincount(ids, minlength=len(vocabulary))
            seen[: len(frequencies)] += frequencies
            frequencies = seen
    part.path("tokens").write_bytes(b"\n".join(vocabulary))
    frequencies.astype("<i8").tofile(part.path("frequencies"))


def _blocks_of_tokens(texts: Path, spans: Integers, vocabulary: _Vocabulary) -> Iterator[tuple[Integers, int]]:
    """The tokens of some documents at a time, each as its row within the block and its number, and the block's rows."""
    number_of = vocabulary.__getitem__
    found: list[Integers] = []
    rows = size = 0
    with texts.open("rb") as file:
        for start, end in spans.tolist():
            file.seek(start)
            for some in token_lists(file.read(end - start)):
                numbers = np.fromiter(map(number_of, some), np.int64, count=len(some))
                numbers |= rows << 32
                found.append(numbers)
                size += len(some)
            rows += 1
            if size >= _BLOCK or rows == _BLOCK_ROWS:
                yield np.concatenate(found), rows
                found, rows, size = [], 0, 0
    if rows:
        yield np.concatenate(found), rows


def weigh(part: Part, first: int, idfs: Integers) -> None:
    """Turn the counts of a part whose first document is `first` into rows."""
    column_of = part.load("columns_of_ids", "<i4")
    oversized: list[int] = []
    with (
        part.path("columns").open("wb") as column_file,
        part.path("values").open("wb") as value_file,
        part.path("row_lengths").open("wb") as length_file,
    ):
        for row, ids, counts, lengths in _blocks_of_counts(part):
            rows = np.repeat(np.arange(len(lengths)), lengths)
            columns = column_of[ids]
            kept = columns != NO_TERM
            sizes = np.bincount(rows[kept], minlength=len(lengths))
            if sizes.max() > MAX_TERMS:
                oversized += (first + row + np.flatnonzero(sizes > MAX_TERMS)).tolist()
                kept &= (sizes <= MAX_TERMS)[rows]
                sizes[sizes > MAX_TERMS] = 0
            keys = (rows << 48 | columns << 16 | counts)[kept]
            keys.sort()
            columns = keys >> 16 & 0xFFFFFFFF
            values = row_values(mapped(tf, keys & 0xFFFF), idfs[columns], sizes)
            filled = values > 0
            columns[filled].astype("<i4").tofile(column_file)
            values[filled].astype("<u2").tofile(value_file)
            np.bincount(keys[filled] >> 48, minlength=len(lengths)).astype("<i8").tofile(length_file)
    np.array(oversized, "<i8").tofile(part.path("oversized"))


def _blocks_of_counts(part: Part) -> Iterator[tuple[int, Integers, Integers, Integers]]:
    """Some documents at a time: the first one's row in the part, its tokens and their counts, and how many each has."""
    lengths = part.load("lengths", "<i8")
    ends = np.cumsum(lengths)
    row = entry = 0
    with part.path("ids").open("rb") as id_file, part.path("counts").open("rb") as count_file:
        while row < len(lengths):
            fitting = int(np.searchsorted(ends, entry + _BLOCK, side="right"))
            stop = max(row + 1, min(fitting, row + _BLOCK_ROWS))
            size = int(ends[stop - 1]) - entry
            ids, counts = np.fromfile(id_file, "<i4", size), np.fromfile(count_file, "<u2", size)
            yield row, ids.astype(np.int64), counts.astype(np.int64), lengths[row:stop]
            row, entry = stop, entry + size
