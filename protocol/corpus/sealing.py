"""Committing to all documents: the leaf of each, made shard by shard, and the tree over them by number.

Leaves need the secret, so they are made on this machine only, never by a worker elsewhere.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from ledger import merkle
from ledger.commitments import Secret
from ledger.hashing import Digest
from protocol.corpus.arrays import open_array
from protocol.corpus.features import ENTRY_SIZE, Features, entry_bytes
from protocol.corpus.leaves import document_half, leaf, part_of, part_salt, row_half, row_salt
from protocol.corpus.listing import Listing
from protocol.corpus.manifest import NUMBERS, SHARDS, TREE, read_secret
from protocol.corpus.tree import write_levels
from protocol.workers import pool

_BLOCK = 4096  # documents whose rows are made bytes at a time


def seal(folder: Path, *, workers: int = 1, progress: Callable[[int], None] = lambda _: None) -> Digest:
    """Store the tree over all documents, whose shards are in the folder, and return its root."""
    shards = sorted((folder / SHARDS).iterdir())
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        tasks = [(str(folder), str(shard), str(Path(scratch) / shard.name)) for shard in shards]
        pool.gather(write_leaves, tasks, progress, workers=workers)
        return write_tree(folder / TREE, shards, [Path(task[-1]) for task in tasks])


def write_tree(path: Path, shards: Sequence[Path], leaves: Sequence[Path]) -> Digest:
    """Put the leaves' hashes, which are by shard in files, in the order of the numbers, and write the levels above."""
    size = sum(len(open_array(shard / NUMBERS, "<i4")) for shard in shards)
    level = np.memmap(path, np.uint8, "w+", shape=(size, Digest.size))
    for shard, part in zip(shards, leaves, strict=True):
        level[open_array(shard / NUMBERS, "<i4")] = np.fromfile(part, np.uint8).reshape(-1, Digest.size)
    level.flush()
    del level
    return write_levels(path, size)


def write_leaves(corpus: str, shard: str, part: str) -> None:
    """Write the hashes of the leaves of a shard's documents one after the other into a file."""
    folder = Path(shard)
    listing, secret = Listing.open(folder), read_secret(Path(corpus))
    numbers, digests = open_array(folder / NUMBERS, "<i4").tolist(), listing.digests.tobytes()
    rows = zip(numbers, pairwise(listing.starts.tolist()), _rows(Features.open(folder, 0)), strict=True)
    with Path(part).open("wb") as file:
        for document, (first, last), entries in rows:
            second = row_half(row_salt(secret, document), entries)
            data = leaf(document_half(document, _parts(listing, secret, document, range(first, last), digests)), second)
            file.write(merkle.leaf_hash(data))


def _parts(listing: Listing, secret: Secret, document: int, parts: range, digests: bytes) -> Iterator[Digest]:
    for number, part in enumerate(parts):
        known, at = listing.raw_fields(part), 2 * Digest.size * part
        content, text = digests[at : at + Digest.size], digests[at + Digest.size : at + 2 * Digest.size]
        yield part_of(part_salt(secret, document, number), bytes(known.log), bytes(known.rest), content, text)


def _rows(features: Features) -> Iterator[bytes]:
    """The bytes of each row, made for many rows at a time."""
    for block in range(0, features.size, _BLOCK):
        starts = features.starts[block : min(block + _BLOCK, features.size) + 1].tolist()
        part = slice(starts[0], starts[-1])
        entries = entry_bytes(features.columns[part], features.values[part])
        for start, end in pairwise(starts):
            yield entries[(start - part.start) * ENTRY_SIZE : (end - part.start) * ENTRY_SIZE]
