"""Turning the counts of a shard into its rows, once the term table is known."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest
from protocol.corpus import hashed
from protocol.corpus.arrays import open_array
from protocol.corpus.counting import BLOCK, BLOCK_ROWS
from protocol.corpus.features import MAX_TERMS, Integers, mapped, row_values, tf
from protocol.corpus.manifest import COLUMNS, STARTS, VALUES
from protocol.corpus.merging import NO_TERM
from protocol.corpus.scratch import Scratch
from protocol.workers.leaving import may_leave


@may_leave
def weigh(shard: str, stem: str, idfs: str) -> dict[str, Any]:
    """Write the rows of a shard; `idfs` is the file with those of all columns.

    Returns how many entries there are, the rows that are empty since they would be too long, and the files' hashes.
    """
    left, folder = Scratch(stem), Path(shard)
    ranks = left.load("ranks", "<i4")
    column_of, idf_of = left.load("columns", "<i4")[ranks], open_array(Path(idfs), "<i8")
    oversized: list[int] = []
    columns, values, sizes = [np.zeros(0, "<i4")], [np.zeros(0, "<u2")], [np.zeros(1, np.int64)]
    for row, found, weights, lengths, too_long in _blocks_of_rows(left, column_of, idf_of):
        columns.append(found)
        values.append(weights)
        sizes.append(lengths)
        oversized += [row + each for each in too_long]
    starts = np.cumsum(np.concatenate(sizes)).astype("<i8")
    files = {
        STARTS: _saved(left, folder / STARTS, starts),
        COLUMNS: _saved(left, folder / COLUMNS, np.concatenate(columns)),
        VALUES: _saved(left, folder / VALUES, np.concatenate(values)),
    }
    written = {name: digest.hex() for name, digest in files.items()}
    return {"nnz": int(starts[-1]), "oversized": oversized, "files": written}


def _saved(left: Scratch, path: Path, array: NDArray[Any]) -> Digest:
    """Write an array that gets its name when it is complete, since a worker may be killed, or do its task twice.

    Until then it lies among the scratch files: what a killed worker leaves must not stay in the shard.
    """
    scratch = left.path(f"{path.name}.{os.urandom(8).hex()}")
    try:
        digest = hashed.save(scratch, array)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
    return digest


def _blocks_of_rows(
    left: Scratch, column_of: Integers, idf_of: Integers
) -> Iterator[tuple[int, Any, Any, Integers, list[int]]]:
    """Some rows at a time: the first, all columns and values, how many entries each has, and which are oversized."""
    for row, ids, counts, lengths in _blocks_of_counts(left):
        rows = np.repeat(np.arange(len(lengths)), lengths)
        columns = column_of[ids]
        kept = columns != NO_TERM
        sizes = np.bincount(rows[kept], minlength=len(lengths))
        too_long = np.flatnonzero(sizes > MAX_TERMS)
        if len(too_long):
            kept &= (sizes <= MAX_TERMS)[rows]
            sizes[too_long] = 0
        keys = (rows << 48 | columns << 16 | counts)[kept]
        keys.sort()
        columns = keys >> 16 & 0xFFFFFFFF
        values = row_values(mapped(tf, keys & 0xFFFF), idf_of[columns], sizes)
        filled = values > 0
        filled_sizes = np.bincount(keys[filled] >> 48, minlength=len(lengths))
        yield row, columns[filled].astype("<i4"), values[filled].astype("<u2"), filled_sizes, too_long.tolist()


def _blocks_of_counts(left: Scratch) -> Iterator[tuple[int, Integers, Integers, Integers]]:
    """Some documents at a time: the first one's row, its tokens and their counts, and how many each document has."""
    lengths = left.load("lengths", "<i8")
    ends = np.cumsum(lengths)
    row = entry = 0
    with left.path("ids").open("rb") as id_file, left.path("counts").open("rb") as count_file:
        while row < len(lengths):
            fitting = int(np.searchsorted(ends, entry + BLOCK, side="right"))
            stop = max(row + 1, min(fitting, row + BLOCK_ROWS))
            size = int(ends[stop - 1]) - entry
            ids, counts = np.fromfile(id_file, "<i4", size), np.fromfile(count_file, "<u2", size)
            yield row, ids.astype(np.int64), counts.astype(np.int64), lengths[row:stop]
            row, entry = stop, entry + size
