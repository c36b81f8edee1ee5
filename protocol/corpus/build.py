"""Making a corpus folder: it appears whole under its name, or not at all.

Documents are written to shards as they come from the source (`protocol.corpus.taking`). Then a secret permutation
numbers them, and everything else is made shard by shard: rows, leaves, and what is alike. The same documents and secret
give the same root, rows and account, wherever shards are cut and however many workers there are.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ledger.commitments import Secret
from ledger.files import new_folder, writing
from protocol.corpus import account, alike, featurebuild, features, hashed, manifest, numbering, sealing
from protocol.corpus.account import Unit
from protocol.corpus.corpus import Corpus
from protocol.corpus.manifest import (
    ACCOUNT,
    ALIKE,
    LABELS,
    NUMBERS,
    SECRET,
    SHARDS,
    TREE,
    Manifest,
    ShardFiles,
    hashes,
    write_secret,
)
from protocol.corpus.taking import Taken, Taking
from protocol.errors import BadTerms
from protocol.sources.items import Received
from protocol.sources.source import SourceDocument
from protocol.workers import pool
from protocol.workers.leaving import check_shared, shared_folder

if TYPE_CHECKING:
    from array import array

_SOME = 2**14  # numbers that are written at a time

SCRATCH = "scratch"
"""A folder below that of the shards, where the stages of a build leave things for each other."""


class Stage(Protocol):
    """Is told which stage has begun, and then how many documents are done of how many."""

    def __call__(self, name: str, done: int = 0, total: int = 0) -> None: ...


def _unwatched(name: str, done: int = 0, total: int = 0) -> None:
    """Nobody is told."""


def build(
    documents: Iterable[SourceDocument],
    out: Path,
    *,
    secret: Secret,
    unit: Unit = "family",
    received: Received | None = None,
    progress: Callable[[int], None] = lambda _: None,
    stage: Stage = _unwatched,
    complete: Callable[[Path], object] = lambda _: None,
    workers: int | None = None,
    shards: Path | None = None,
    shard_documents: int | None = None,
    cluster: Executor | None = None,
) -> Corpus:
    """Make the corpus `out` from the documents; `progress` is told how many have been read, `stage` the next steps.

    `received` has all items of the source once the last document is read; without it, each document is an item.
    `complete` may put more files into the folder before it gets its name. The shards are in the folder, or in a new one
    elsewhere, `shards`, which holds no secret; each has so many documents, if that is given. A cluster that sees that
    folder counts and weighs. What needs the secret is done on this machine.
    """
    workers = pool.crew_size() if workers is None else workers
    if cluster is not None and shards is None:
        raise BadTerms("workers on other machines must not see the secret; give them a folder with --shards FOLDER")
    if cluster is not None and shards is not None:
        check_shared(shards)
        if out.resolve().is_relative_to(shared_folder(shards)):
            raise BadTerms(f"{out} would hold the secret, in the folder of {shards}, which workers see; give another")
    with ExitStack() as undone:
        with (
            writing(out),
            new_folder(out, mode=0o700) as folder,
            _shard_folder(folder, shards and shards.absolute(), undone) as inside,
        ):
            (inside / SCRATCH).mkdir()
            write_secret(folder, secret)
            with featurebuild.Counting(inside / SCRATCH, workers, cluster) as counting:
                taking = Taking(inside, unit, received, shard_documents, counting.add)
                taking.take(documents, progress)
                counting.finish(_told(stage, "Counting words", taking))
            _fill(folder, taking, counting.stems, stage, workers if len(taking.shards) > 1 else 1, cluster)
            complete(folder)
        undone.pop_all()
    return Corpus.open(out)


@contextmanager
def _shard_folder(folder: Path, elsewhere: Path | None, undone: ExitStack) -> Iterator[Path]:
    """Where shards are made: in the folder, or in one of their own that gets its name at the end, and a link to it."""
    link = folder / SHARDS
    if elsewhere is None:
        link.mkdir()
        yield link
        return
    elsewhere = elsewhere.absolute()  # so that workers find it, whatever their current folder is
    with writing(elsewhere), new_folder(elsewhere, mode=0o700) as hidden:
        link.symlink_to(hidden, target_is_directory=True)
        yield hidden
    undone.callback(shutil.rmtree, elsewhere, ignore_errors=True)  # unless the corpus gets its name, too
    link.unlink()
    link.symlink_to(elsewhere, target_is_directory=True)


def _told(stage: Stage, name: str, taken: Taking) -> Callable[[int], None]:
    """Tells of a stage that has begun how many documents are done, given how many shards are."""
    stage(name, 0, taken.documents)
    return lambda done: stage(name, taken.documents * done // len(taken.shards), taken.documents)


def _each(stage: Stage, name: str, taken: Taking) -> Callable[[int], None]:
    """The same, given how many documents are done."""
    stage(name, 0, taken.documents)
    return lambda done: stage(name, done, taken.documents)


def _fill(
    folder: Path, taken: Taking, stems: Sequence[str], stage: Stage, workers: int, cluster: Executor | None
) -> None:
    """Make every other file of the corpus."""
    shards = [shard.path for shard in taken.shards]
    stage("Numbering documents", 0, taken.documents)
    numbers = numbering.numbers(folder, taken.documents, workers)
    _write_numbers(taken.shards, numbers)
    _write_labels(folder / LABELS, taken.labels, numbers)
    counted = account.write(folder / ACCOUNT, taken.items, taken.tally, numbers, _each(stage, "Listing items", taken))
    told = _told(stage, "Making features", taken)
    built = featurebuild.build(shards, stems, taken.documents, folder, workers=cluster or workers, progress=told)
    told = _each(stage, "Finding what is alike", taken)
    files = {ALIKE: alike.write(folder, shards, stems, told), ACCOUNT: counted.list}
    shutil.rmtree(folder / SHARDS / SCRATCH)  # where only a killed worker leaves anything
    root = sealing.seal(folder, workers=workers, progress=_told(stage, "Making the commitment", taken))
    listed = Manifest(
        account=counted,
        documents=taken.documents,
        features=features.VERSION,
        files=files | built.files | hashes(folder, (SECRET, TREE)),
        format=manifest.FORMAT,
        oversized=tuple(_oversized(taken.shards, built.shards, numbers)),
        root=root,
        shards=tuple(map(_listed, taken.shards, built.shards)),
        terms=built.terms,
        unit=taken.unit,
    )
    manifest.write(folder, listed)


def _listed(shard: Taken, rows: featurebuild.Rows) -> ShardFiles:
    return ShardFiles(documents=shard.documents, files=shard.files | rows.files, nnz=rows.nnz, parts=shard.parts)


def _write_numbers(shards: Iterable[Taken], numbers: NDArray[np.int32]) -> None:
    """Store in each shard the numbers of its documents."""
    first = 0
    for shard in shards:
        shard.files[NUMBERS] = hashed.save(shard.path / NUMBERS, numbers[first : first + shard.documents])
        first += shard.documents


def _oversized(shards: Iterable[Taken], rows: Iterable[featurebuild.Rows], numbers: NDArray[np.int32]) -> list[int]:
    """The numbers of the oversized documents."""
    found: list[int] = []
    first = 0
    for shard, each in zip(shards, rows, strict=True):
        found += numbers[[first + row for row in each.oversized]].tolist()
        first += shard.documents
    return sorted(found)


def _write_labels(path: Path, labels: Mapping[str, "array[int]"], numbers: NDArray[np.int32]) -> None:
    """Store the documents of each label by number instead of place in the source."""
    with path.open("w", encoding="ascii") as file:
        file.write("{")
        for place, label in enumerate(sorted(labels)):
            found = np.sort(numbers[np.frombuffer(labels[label], np.int32)])
            file.write(f"{', ' if place else ''}{json.dumps(label)}: [")
            for start in range(0, len(found), _SOME):
                file.write(f"{', ' if start else ''}{', '.join(map(str, found[start : start + _SOME].tolist()))}")
            file.write("]")
        file.write("}")
