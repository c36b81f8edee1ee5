"""The commitment to a corpus folder that is being built: the leaves of its documents and the tree, on all cores."""

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from ledger.commitments import Secret
from ledger.hashing import Digest
from protocol.corpus import crew, storedtree
from protocol.corpus.features import ENTRY_SIZE, Features, entry_bytes
from protocol.corpus.leaves import document_half, document_salt, leaf, row_half, row_salt
from protocol.corpus.listing import Listing
from protocol.corpus.manifest import FEATURES, SECRET, TREE

_ALONE = 20_000  # documents that one process has done before others would have started
_BLOCK = 4096  # documents whose rows are made bytes at a time


def write_secret(folder: Path, secret: Secret) -> None:
    """Store the secret where only the owner may read it."""
    path = folder / SECRET
    path.touch(mode=0o600)
    path.write_text(secret.hex() + "\n", "ascii")


def read_secret(folder: Path) -> Secret:
    """The secret of a folder."""
    return Secret.parse((folder / SECRET).read_text("ascii").removesuffix("\n"))


def seal(folder: Path, *, workers: int | None = None) -> Digest:
    """Store the tree over all documents; its root."""
    ranges = crew.shares(np.ones(len(Listing.open(folder)), np.int64), alone=_ALONE, workers=workers)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts = [Path(scratch) / str(number) for number in range(len(ranges))]
        crew.run(write_leaves, [(str(folder), str(part), *each) for part, each in zip(parts, ranges, strict=True)])
        data = b"".join(part.read_bytes() for part in parts)
    leaves = (data[start : start + Digest.size] for start in range(0, len(data), Digest.size))
    return storedtree.write(folder / TREE, leaves)


def write_leaves(corpus: str, part: str, first: int, last: int) -> None:
    """Write the leaves of documents `first` to `last` - 1 one after the other into a file."""
    folder = Path(corpus)
    listing, secret = Listing.open(folder), read_secret(folder)
    with Path(part).open("wb") as file:
        for document, row in enumerate(_rows(Features.open(folder / FEATURES, 0), first, last), first):
            salt, name = document_salt(secret, document), listing.name(document)
            digests = listing.content_digest(document), listing.text_digest(document)
            second = row_half(row_salt(secret, document), row)
            file.write(leaf(document_half(salt, document, name, *digests), second))


def _rows(features: Features, first: int, last: int) -> Iterator[bytes]:
    """The bytes of each row, many rows turned into bytes at a time."""
    for block in range(first, last, _BLOCK):
        starts = features.starts[block : min(block + _BLOCK, last) + 1].tolist()
        part = slice(starts[0], starts[-1])
        entries = entry_bytes(features.columns[part], features.values[part])
        for start, end in pairwise(starts):
            yield entries[(start - part.start) * ENTRY_SIZE : (end - part.start) * ENTRY_SIZE]
