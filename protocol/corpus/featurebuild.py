"""Building the rows of a whole corpus, on all cores.

The documents are cut into parts of about equal length. Each part is tokenised and counted on its own, with a
vocabulary of its own; then the vocabularies are merged into the term table, and each part is weighed with it.
The result is the same for every number of parts.
"""

import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from protocol.corpus import crew, termtable
from protocol.corpus.featureparts import IDFS, NO_TERM, SPANS, Part, count, weigh
from protocol.corpus.features import MIN_FREQUENCY, Features, Integers, idf, mapped
from protocol.corpus.leaves import MAX_DOCUMENTS
from protocol.corpus.termtable import TermTable
from protocol.errors import BadSource

_ALONE = 2**25  # bytes of text that one process has done before others would have started


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was built: the rows and terms, memory-mapped, and which documents have an empty row for their size."""

    features: Features
    terms: TermTable
    oversized: tuple[int, ...]


def build(texts: Path, spans: Integers, folder: Path, *, workers: int | None = None) -> Built:
    """The rows of documents whose texts lie in one file, from `spans[i, 0]` to `spans[i, 1]`, into a new folder."""
    if len(spans) > MAX_DOCUMENTS:
        raise BadSource(f"{len(spans)} documents: a corpus has at most 2^31 - 1; make several of them")
    folder.mkdir()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        np.save(Path(scratch) / SPANS, spans)
        ranges = crew.shares(spans[:, 1] - spans[:, 0] + 100, alone=_ALONE, workers=workers)
        parts = [Part(Path(scratch), number) for number in range(len(ranges))]
        crew.run(count, [(str(texts), scratch, number, *each) for number, each in enumerate(ranges)])
        _merge(parts, len(spans), folder)
        with ThreadPoolExecutor(len(parts)) as threads:  # numpy does this work, and lets go of Python's lock
            list(threads.map(weigh, parts, (first for first, _ in ranges)))
        oversized = _join(parts, folder)
    table = TermTable.open(folder)
    return Built(features=Features.open(folder, len(table)), terms=table, oversized=oversized)


def _merge(parts: Sequence[Part], documents: int, folder: Path) -> None:
    """Make one term table of the parts' tokens, and tell each part which columns its tokens are."""
    tokens = [part.path("tokens").read_bytes().split() for part in parts]
    frequencies: dict[bytes, int] = {}
    for part, found in zip(parts, tokens, strict=True):
        for token, frequency in zip(found, part.load("frequencies", "<i8").tolist(), strict=True):
            frequencies[token] = frequencies.get(token, 0) + frequency
    kept = sorted(token for token, frequency in frequencies.items() if frequency >= MIN_FREQUENCY)
    kept_frequencies = np.array([frequencies[term] for term in kept], "<i4")
    termtable.write(folder, kept, kept_frequencies)
    np.save(parts[0].folder / IDFS, mapped(partial(idf, documents=documents), kept_frequencies))
    columns = {term: column for column, term in enumerate(kept)}
    for part, found in zip(parts, tokens, strict=True):
        of_ids = np.fromiter((columns.get(token, NO_TERM) for token in found), "<i4", count=len(found))
        of_ids.tofile(part.path("columns_of_ids"))


def _join(parts: Sequence[Part], folder: Path) -> tuple[int, ...]:
    """Put the parts' rows one after the other into arrays; the oversized documents."""
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
