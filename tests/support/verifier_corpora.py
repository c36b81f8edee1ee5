"""Sealed corpora for tests of the verifier: as the protocol builds them, as they are damaged, and of bare rows."""

import hashlib
import shutil
import struct
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from protocol.sources.source import SourceDocument
from tests.support import literal_corpus, small_corpus
from tests.support.labelled_sets import Row, features
from verifier.corpus import features as verifier_features
from verifier.corpus import leaves
from verifier.corpus.errors import CorpusDamaged
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import LabelledSet
from verifier.corpus.ranking import Ranker
from verifier.record.encoding import encode

ARRAYS = {
    "parts.npy": "<i8",
    "places.npy": "<i8",
    "digests.npy": "|u1",
    "features/starts.npy": "<i8",
    "features/columns.npy": "<i4",
    "features/values.npy": "<u2",
    "features/frequencies.npy": "<i4",
}
BYTES = ("secret", "fields.bin", "account.jsonl", "contents.bin", "texts.bin", "features/terms.bin")
FILES = (*ARRAYS, *BYTES)


def of_rows(rows: Sequence[Row], terms: int) -> SealedCorpus:
    """Documents of which nothing is known but their rows."""
    made = features(list(rows), terms)
    return SealedCorpus(
        path=Path("rows"),
        size=len(rows),
        secret=bytes(32),
        parts=np.arange(len(rows) + 1),
        places=np.zeros((len(rows), 6), np.int64),
        digests=np.zeros((len(rows), 2, 32), np.uint8),
        contents=memoryview(b""),
        texts=memoryview(b""),
        fields=memoryview(b""),
        account=memoryview(b""),
        starts=made.starts,
        columns=made.columns,
        values=made.values,
        terms=b"".join(b"t%d\n" % column for column in range(terms)),
        frequencies=np.full(terms, min(len(rows), 2), np.int32),
    )


def of_texts(path: Path, texts: Iterable[str]) -> SealedCorpus:
    """A corpus of these texts, built and opened; the numbers of its documents are not the texts' places."""
    documents = [SourceDocument.of_one(name=f"d{place}", content=b"", text=text) for place, text in enumerate(texts)]
    return SealedCorpus.open(small_corpus.make(path, documents).path)


def literal(documents: Sequence[SourceDocument], secret: bytes = bytes(32)) -> SealedCorpus:
    """Documents by number with the rows that the definition gives them, in memory."""
    table = literal_corpus.table([document.text for document in documents])
    rows = [dict(literal_corpus.row(document.text, table, len(documents))) for document in documents]
    parts = [part for document in documents for part in document.parts]
    stored = [(part.content, part.text.encode(), literal_corpus.fields(part)) for part in parts]
    gaps = np.array([[0, place > 0, 0] for document in documents for place in range(len(document.parts))])
    sizes = np.array([list(map(len, each)) for each in stored]).reshape(-1, 3)
    ends = np.cumsum(sizes + gaps, axis=0)
    digests = [hashlib.sha256(data).digest() for each in stored for data in each[:2]]
    return replace(
        of_rows(rows, len(table)),
        secret=secret,
        parts=np.cumsum([0, *(len(document.parts) for document in documents)]),
        places=np.stack((ends - sizes, ends), axis=2).reshape(-1, 6),
        digests=np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 2, 32),
        contents=memoryview(b"".join(each[0] for each in stored)),
        texts=memoryview("".join(document.text for document in documents).encode()),
        fields=memoryview(b"".join(each[2] for each in stored)),
        terms=b"".join(term + b"\n" for term, _ in table),
        frequencies=np.array([frequency for _, frequency in table], np.int32),
    )


def copied(folder: Path, to: Path) -> Path:
    return shutil.copytree(folder, to, dirs_exist_ok=True)


def flip(path: Path, place: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)


def edit(folder: Path, name: str, change: dict[Any, Any]) -> None:
    """Give some elements of an array new values."""
    array = np.load(folder / name)
    for place, value in change.items():
        array[place] = value
    np.save(folder / name, array)


def npy(header: str | bytes, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """An array file with a header of one's own."""
    written = header.encode() if isinstance(header, str) else header
    return b"\x93NUMPY" + version + struct.pack("<H", len(written)) + written + data


def use(folder: Path) -> SealedCorpus:
    """Do everything that a verifier does with a folder, however little sense it makes."""
    corpus = SealedCorpus.open(folder)
    leaves.root(corpus)
    verifier_features.recompute(corpus)
    verifier_features.stored_table_digest(corpus)
    verifier_features.query_row(corpus, "gas prices and prüfung lunch")
    corpus.labels("mail")
    for document in range(corpus.size):
        corpus.name(document)
    labelled = LabelledSet(corpus)
    labelled.add(range(corpus.size), [document % 2 == 0 for document in range(corpus.size)])
    model = labelled.certify(encode({"alphas": [2**30] * corpus.size, "documents": list(range(corpus.size))}))
    ranker = Ranker(corpus)
    nothing: NDArray[np.bool_] = np.zeros(corpus.size, bool)
    ranker.by_model(model, nothing, 3)
    ranker.by_coin("gas", nothing, 3, list)
    return corpus


def damage(folder: Path) -> str:
    """The message about a damaged folder."""
    with pytest.raises(CorpusDamaged) as found:
        SealedCorpus.open(folder)
    assert str(folder) in str(found.value)
    return str(found.value)
