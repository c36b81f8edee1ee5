"""Sealed corpora for tests of the verifier: as the protocol builds them, as they are damaged, and of bare rows."""

import hashlib
import shutil
import struct
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
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
from verifier.corpus.shard import Shard
from verifier.record.encoding import encode

SHARD = "shards/00000"
ARRAYS = {
    f"{SHARD}/numbers.npy": "<i4",
    f"{SHARD}/parts.npy": "<i8",
    f"{SHARD}/places.npy": "<i8",
    f"{SHARD}/digests.npy": "|u1",
    f"{SHARD}/starts.npy": "<i8",
    f"{SHARD}/columns.npy": "<i4",
    f"{SHARD}/values.npy": "<u2",
    "frequencies.npy": "<i4",
}
BYTES = (
    "secret",
    "account.jsonl",
    "terms.bin",
    *(f"{SHARD}/{name}.bin" for name in ("fields", "contents", "texts")),
)
FILES = (*ARRAYS, *BYTES)

_made = TemporaryDirectory()
_names = count()


def of_rows(rows: Sequence[Row], terms: int) -> SealedCorpus:
    """Documents of which nothing is known but their rows, in two shards if there is more than one of them."""
    return _of_shards(rows, terms, [(first, last) for first, last in pairwise(_cuts(len(rows))) if first < last])


def _cuts(size: int) -> tuple[int, int, int]:
    return 0, size // 2, size


def _of_shards(rows: Sequence[Row], terms: int, cuts: Sequence[tuple[int, int]]) -> SealedCorpus:
    folder, numbers = Path(_made.name) / str(next(_names)), np.arange(len(rows), dtype=np.int32)[::-1]
    shards = []
    for place, (first, last) in enumerate(cuts):
        path = folder / f"shards/{place:05d}"
        path.mkdir(parents=True)
        made = features([rows[number] for number in numbers[first:last]], terms)
        np.save(path / "numbers.npy", numbers[first:last])
        for name in ("starts", "columns", "values"):
            np.save(path / f"{name}.npy", getattr(made, name))
        shards.append(Shard(path=path, first=first, size=last - first, total=len(rows)))
    return SealedCorpus(
        path=folder,
        size=len(rows),
        secret=bytes(32),
        shards=tuple(shards),
        order=numbers,
        account=memoryview(b""),
        terms=b"".join(b"t%d\n" % column for column in range(terms)),
        frequencies=np.full(terms, min(len(rows), 2), np.int32),
    )


def of_texts(path: Path, texts: Iterable[str]) -> SealedCorpus:
    """A corpus of these texts, built and opened; the numbers of its documents are not the texts' places."""
    documents = [SourceDocument.of_one(name=f"d{place}", content=b"", text=text) for place, text in enumerate(texts)]
    return SealedCorpus.open(small_corpus.make(path, documents).path)


def literal(documents: Sequence[SourceDocument], secret: bytes = bytes(32)) -> SealedCorpus:
    """Documents by number with the rows that the definition gives them."""
    table = literal_corpus.table([document.text for document in documents])
    rows = [dict(literal_corpus.row(document.text, table, len(documents))) for document in documents]
    corpus = of_rows(rows, len(table))
    for shard in corpus.shards:
        _write_listing(shard.path, [documents[number] for number in shard.numbers().tolist()])
    return replace(
        corpus,
        secret=secret,
        terms=b"".join(term + b"\n" for term, _ in table),
        frequencies=np.array([frequency for _, frequency in table], np.int32),
    )


def _write_listing(folder: Path, documents: Sequence[SourceDocument]) -> None:
    parts = [part for document in documents for part in document.parts]
    stored = [(part.content, part.text.encode(), literal_corpus.fields(part)) for part in parts]
    gaps = np.array([[0, place > 0, 0] for document in documents for place in range(len(document.parts))])
    sizes = np.array([list(map(len, each)) for each in stored]).reshape(-1, 3)
    ends = np.cumsum(sizes + gaps, axis=0)
    digests = [hashlib.sha256(data).digest() for each in stored for data in each[:2]]
    np.save(folder / "parts.npy", np.cumsum([0, *(len(document.parts) for document in documents)]))
    np.save(folder / "places.npy", np.stack((ends - sizes, ends), axis=2).reshape(-1, 6))
    np.save(folder / "digests.npy", np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 2, 32))
    (folder / "contents.bin").write_bytes(b"".join(each[0] for each in stored))
    (folder / "texts.bin").write_bytes("".join(document.text for document in documents).encode())
    (folder / "fields.bin").write_bytes(b"".join(each[2] for each in stored))


def rows_of(corpus: SealedCorpus) -> list[literal_corpus.Row]:
    """The row of each document, by number."""
    found = corpus.gathered(range(corpus.size))
    pairs = list(zip(found.columns.tolist(), found.values.tolist(), strict=True))
    return [pairs[start:end] for start, end in pairwise(found.starts.tolist())]


def documents_of(corpus: SealedCorpus) -> list[tuple[list[tuple[memoryview, memoryview]], memoryview]]:
    """Parts and text of each document, by number."""
    found = [
        (number, document)
        for shard in corpus.shards
        for number, document in zip(shard.numbers().tolist(), shard.listing().documents(0, shard.size), strict=True)
    ]
    return [document for _, document in sorted(found, key=lambda pair: pair[0])]


def numbers_of(folder: Path) -> list[int]:
    """The numbers of the documents in the first shard of a folder."""
    found: list[int] = np.load(folder / SHARD / "numbers.npy").tolist()
    return found


def open_all(folder: Path) -> SealedCorpus:
    """A corpus all of whose files were opened."""
    corpus = SealedCorpus.open(folder)
    for shard in corpus.shards:
        shard.listing()
        shard.rows()
    return corpus


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
    corpus = open_all(folder)
    leaves.root(corpus)
    verifier_features.recompute(corpus)
    verifier_features.stored_table_digest(corpus)
    verifier_features.query_row(corpus, "gas prices and prüfung lunch")
    corpus.labels("mail")
    corpus.names(range(corpus.size))
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
        open_all(folder)
    assert str(folder) in str(found.value)
    return str(found.value)
