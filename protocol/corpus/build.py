"""Making a corpus folder: it appears whole under its name, or not at all.

Documents are written as they come from the source. Then a secret permutation numbers them, and everything that goes by
number is made: the listing, the features, the tree.
"""

import json
import tempfile
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ledger.commitments import Secret
from ledger.files import new_folder, writing
from ledger.hashing import Digest
from protocol.corpus import featurebuild, features, manifest, pool
from protocol.corpus.corpus import Corpus
from protocol.corpus.features import ENTRY_SIZE, Features, entry_bytes
from protocol.corpus.leaves import document_half, document_salt, leaf, numbering, row_half, row_salt, write_tree
from protocol.corpus.listing import AS_TEXT, TEXT, Listing
from protocol.corpus.manifest import (
    CONTENTS,
    DIGESTS,
    FEATURES,
    LABELS,
    NAMES,
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
from protocol.errors import BadSource
from protocol.sources.source import SourceDocument

_TOLD_EVERY = 256  # documents
_ALONE = 20_000  # documents whose leaves one process has made before others would have started
_BLOCK = 4096  # documents whose rows are made bytes at a time


def build(
    documents: Iterable[SourceDocument],
    out: Path,
    *,
    secret: Secret,
    extraction: str = "",
    progress: Callable[[int], None] = lambda _: None,
    stage: Callable[[str], None] = lambda _: None,
    complete: Callable[[Path], object] = lambda _: None,
    workers: int | None = None,
) -> Corpus:
    """Make the corpus `out` from the documents; `progress` is told how many have been read, `stage` the next step.

    `extraction` says in words how the texts were made from the contents. `complete` may put more files into the folder
    before it gets its name.
    """
    with writing(out), new_folder(out, mode=0o700) as folder:
        taken = _take_in(documents, folder, progress)
        _fill(folder, taken, secret, extraction, stage, workers)
        complete(folder)
    return Corpus.open(out)


def _fill(
    folder: Path,
    taken: "_Taken",
    secret: Secret,
    extraction: str,
    stage: Callable[[str], None],
    workers: int | None,
) -> None:
    """Make every other file of the corpus."""
    order = np.array(numbering(secret, len(taken.places)))
    places = taken.places[order]
    np.save(folder / PLACES, places)
    np.save(folder / DIGESTS, taken.digests[order])
    (folder / LABELS).write_text(json.dumps(_renumbered(taken.labels, order), sort_keys=True), "ascii")
    stage("Making features")
    built = featurebuild.build(folder / TEXTS, places[:, TEXT], folder / FEATURES, workers=workers)
    write_secret(folder, secret)
    stage("Making the commitment")
    root = seal(folder, workers=workers)
    listed = Manifest(
        documents=len(places),
        extraction=extraction,
        features=features.VERSION,
        files=hashes(folder, (*READ_AT_ONCE, *READ_SINGLY)),
        format=manifest.FORMAT,
        nnz=len(built.features.columns),
        oversized=built.oversized,
        root=root,
        terms=len(built.terms),
    )
    manifest.write(folder, listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """What the listing needs to know about the documents, in the source's order."""

    places: NDArray[np.int64]
    digests: NDArray[np.uint8]
    labels: Mapping[str, Sequence[int]]


def _take_in(documents: Iterable[SourceDocument], folder: Path, progress: Callable[[int], None]) -> _Taken:
    """Write contents, texts and names as they come."""
    places, digests, known = array("q"), bytearray(), set[str]()
    labels: defaultdict[str, list[int]] = defaultdict(list)
    files = (folder / CONTENTS, folder / TEXTS, folder / NAMES)
    with files[0].open("wb") as contents, files[1].open("wb") as texts, files[2].open("wb") as names:
        for index, document in enumerate(documents):
            if document.name in known:
                raise BadSource(f"two documents are named {document.name!r}; give each a name of its own")
            known.add(document.name)
            name, text = _utf8(document.name, document), _utf8(document.text, document)
            as_text = document.content == text
            places.extend((AS_TEXT, AS_TEXT) if as_text else _append(contents, document.content))
            places.extend((*_append(texts, text), *_append(names, name)))
            digests += sha256(document.content).digest() + sha256(text).digest()
            for label in set(document.labels):
                labels[label].append(index)
            if len(known) % _TOLD_EVERY == 0:
                progress(len(known))
    if not known:
        raise BadSource(
            "the source has no documents, and a corpus needs at least one; check that it is the right source"
        )
    progress(len(known))
    return _Taken(
        places=np.array(places, np.int64).reshape(len(known), -1),
        digests=np.frombuffer(digests, np.uint8).reshape(len(known), 2, -1),
        labels=labels,
    )


def _append(file: IO[bytes], data: bytes) -> tuple[int, int]:
    """Write the data, and return where it begins and ends in the file."""
    start = file.tell()
    file.write(data)
    return start, start + len(data)


def _utf8(text: str, document: SourceDocument) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadSource(
            f"the name or text of {document.name!r} holds a lone surrogate at character {error.start}, "
            f"which UTF-8 cannot write; rename the document or extract its text again"
        ) from None


def _renumbered(labels: Mapping[str, Sequence[int]], order: NDArray[np.int64]) -> dict[str, list[int]]:
    """The documents of each label by number instead of place in the source."""
    numbers = np.argsort(order)
    return {label: sorted(numbers[places].tolist()) for label, places in labels.items()}


def seal(folder: Path, *, workers: int | None = None) -> Digest:
    """Store the tree over all documents, and return its root."""
    ranges = pool.shares(np.ones(len(Listing.open(folder)), np.int64), alone=_ALONE, workers=workers)
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
            salt, name = document_salt(secret, document), listing.name(document)
            digests = listing.content_digest(document), listing.text_digest(document)
            second = row_half(row_salt(secret, document), row)
            file.write(leaf(document_half(salt, document, name, *digests), second))


def _rows(features: Features, first: int, last: int) -> Iterator[bytes]:
    """The bytes of each row, made for many rows at a time."""
    for block in range(first, last, _BLOCK):
        starts = features.starts[block : min(block + _BLOCK, last) + 1].tolist()
        part = slice(starts[0], starts[-1])
        entries = entry_bytes(features.columns[part], features.values[part])
        for start, end in pairwise(starts):
            yield entries[(start - part.start) * ENTRY_SIZE : (end - part.start) * ENTRY_SIZE]
