"""Making a corpus folder: it appears whole under its name, or not at all.

Documents are written as they come from the source (`protocol.corpus.taking`). Then a secret permutation numbers them,
and everything that goes by number is made: the listing, the features, the tree, the list of what was received.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ledger.commitments import Secret
from ledger.files import new_folder, writing
from ledger.hashing import Digest
from protocol.corpus import account, alike, featurebuild, features, images, manifest, pool, taking
from protocol.corpus.account import Unit
from protocol.corpus.corpus import Corpus
from protocol.corpus.features import ENTRY_SIZE, Features, entry_bytes
from protocol.corpus.leaves import document_half, leaf, numbering, part_of, part_salt, row_half, row_salt
from protocol.corpus.listing import Listing
from protocol.corpus.manifest import (
    ACCOUNT,
    DIGESTS,
    FEATURES,
    LABELS,
    PARTS,
    PLACES,
    READ_AT_ONCE,
    READ_SINGLY,
    TEXTS,
    TREE,
    Manifest,
    hashes,
    read_secret,
    write_secret,
)
from protocol.corpus.taking import Taken
from protocol.corpus.tree import write_tree
from protocol.sources.items import Received
from protocol.sources.source import SourceDocument

_ALONE = 20_000  # documents whose leaves one process has made before others would have started
_BLOCK = 4096  # documents whose rows are made bytes at a time


def build(
    documents: Iterable[SourceDocument],
    out: Path,
    *,
    secret: Secret,
    unit: Unit = "family",
    received: Received | None = None,
    progress: Callable[[int], None] = lambda _: None,
    stage: Callable[[str], None] = lambda _: None,
    complete: Callable[[Path], object] = lambda _: None,
    workers: int | None = None,
) -> Corpus:
    """Make the corpus `out` from the documents; `progress` is told how many have been read, `stage` the next step.

    `received` has all items of the source once the last document is read; without it, each document is an item.
    `complete` may put more files into the folder before it gets its name.
    """
    with writing(out), new_folder(out, mode=0o700) as folder:
        taken = taking.take_in(documents, folder, unit, received, progress)
        _fill(folder, taken, secret, unit, stage, workers)
        complete(folder)
    return Corpus.open(out)


def _fill(
    folder: Path, taken: Taken, secret: Secret, unit: Unit, stage: Callable[[str], None], workers: int | None
) -> None:
    """Make every other file of the corpus."""
    order = np.array(numbering(secret, len(taken.counts)))
    _list_parts(folder, taken, order)
    numbers = np.argsort(order)
    (folder / LABELS).write_text(json.dumps(_renumbered(taken.labels, numbers), sort_keys=True), "ascii")
    counted = account.write(folder / ACCOUNT, taken.received, taken.tally, numbers.tolist())
    stage("Making features")
    spans = Listing.open(folder).spans()
    built = featurebuild.build(folder / TEXTS, spans, folder / FEATURES, workers=workers)
    stage("Finding what is alike")
    alike.write(folder, workers=workers)
    write_secret(folder, secret)
    stage("Making the commitment")
    root = seal(folder, workers=workers)
    listed = Manifest(
        account=counted,
        documents=len(order),
        features=features.VERSION,
        files=hashes(folder, (*READ_AT_ONCE, *READ_SINGLY)),
        format=manifest.FORMAT,
        nnz=len(built.features.columns),
        oversized=built.oversized,
        root=root,
        terms=len(built.terms),
        unit=unit,
    )
    manifest.write(folder, listed)


def _list_parts(folder: Path, taken: Taken, order: NDArray[np.int64]) -> None:
    """Store where the parts of each document are, in the order of the documents' numbers."""
    counts = taken.counts[order]
    starts = np.concatenate([[0], np.cumsum(counts)])
    before = np.cumsum(taken.counts) - taken.counts  # the first part of each document in the source's order
    rows = np.repeat(before[order] - starts[:-1], counts) + np.arange(starts[-1])
    np.save(folder / PARTS, starts.astype("<i8"))
    np.save(folder / PLACES, taken.places[rows])
    np.save(folder / DIGESTS, taken.digests[rows])
    images.write_places(folder, taken.images, rows)


def _renumbered(labels: Mapping[str, Sequence[int]], numbers: NDArray[np.int64]) -> dict[str, list[int]]:
    """The documents of each label by number instead of place in the source."""
    return {label: sorted(numbers[places].tolist()) for label, places in labels.items()}


def seal(folder: Path, *, workers: int | None = None) -> Digest:
    """Store the tree over all documents, and return its root."""
    ranges = pool.shares(np.diff(Listing.open(folder).starts), alone=_ALONE, workers=workers)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts = [Path(scratch) / str(number) for number in range(len(ranges))]
        tasks = [(str(folder), str(part), *each) for part, each in zip(parts, ranges, strict=True)]
        pool.gather(write_leaves, tasks, workers=len(tasks))
        data = b"".join(part.read_bytes() for part in parts)
    leaves = (data[start : start + Digest.size] for start in range(0, len(data), Digest.size))
    return write_tree(folder / TREE, leaves)


def write_leaves(corpus: str, part: str, first: int, last: int) -> None:
    """Write the leaves of documents `first` to `last` - 1 one after the other into a file."""
    folder = Path(corpus)
    listing, secret = Listing.open(folder), read_secret(folder)
    with Path(part).open("wb") as file:
        for document, row in enumerate(_rows(Features.open(folder / FEATURES, 0), first, last), first):
            second = row_half(row_salt(secret, document), row)
            file.write(leaf(document_half(document, _parts(listing, secret, document)), second))


def _parts(listing: Listing, secret: Secret, document: int) -> Iterator[Digest]:
    for number, part in enumerate(listing.parts(document)):
        known, digests = listing.raw_fields(part), listing.digests[part].tobytes()
        salt = part_salt(secret, document, number)
        yield part_of(salt, bytes(known.log), bytes(known.rest), digests[: Digest.size], digests[Digest.size :])


def _rows(features: Features, first: int, last: int) -> Iterator[bytes]:
    """The bytes of each row, made for many rows at a time."""
    for block in range(first, last, _BLOCK):
        starts = features.starts[block : min(block + _BLOCK, last) + 1].tolist()
        part = slice(starts[0], starts[-1])
        entries = entry_bytes(features.columns[part], features.values[part])
        for start, end in pairwise(starts):
            yield entries[(start - part.start) * ENTRY_SIZE : (end - part.start) * ENTRY_SIZE]
