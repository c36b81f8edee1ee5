"""The rows of a corpus are those of the definition, however the work is split, and whatever is in the texts."""

import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from protocol.corpus import counting, featurebuild, merging, taking, weighing
from protocol.corpus.features import Features, Integers
from protocol.corpus.taking import Taking
from protocol.corpus.term_table import TermTable
from protocol.errors import BadSource
from protocol.sources.source import SourceDocument
from protocol.workers import pool
from tests.support import literal_corpus

WORDS = ["a", "b", "B", "cc", "é", "É", "1", "x_y", "naïve", "", "-", "the the the"]

some_texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=12)
any_texts = st.lists(st.text(max_size=20), min_size=1, max_size=8)


@dataclass(frozen=True, kw_only=True)
class Made:
    """What was built of some texts: all rows in their order, and the rest."""

    features: Features
    terms: TermTable
    oversized: tuple[int, ...]


def build(texts: Sequence[str], folder: Path, shard: int = 1000, workers: int = 1) -> Made:
    """Build the rows of these texts in shards of so many documents."""
    (folder / "shards").mkdir()
    (folder / "scratch").mkdir()
    made = (SourceDocument.of_one(name=str(number), content=b"", text=text) for number, text in enumerate(texts))
    with featurebuild.Counting(folder / "scratch", workers) as counting:
        taken = Taking(folder / "shards", "family", None, shard, counting.add)
        taken.take(made, lambda _: None)
        counting.finish()
    paths = [each.path for each in taken.shards]
    built = featurebuild.build(paths, counting.stems, len(texts), folder, workers=workers)
    opened = [Features.open(path, built.terms) for path in paths]
    lengths = np.concatenate([np.diff(each.starts) for each in opened])
    numbered = zip(taken.shards, built.shards, strict=True)
    return Made(
        features=Features(
            starts=np.concatenate([[0], np.cumsum(lengths)]),
            columns=np.concatenate([each.columns for each in opened]),
            values=np.concatenate([each.values for each in opened]),
            terms=built.terms,
        ),
        terms=TermTable.open(folder),
        oversized=tuple(place * shard + row for place, (_, rows) in enumerate(numbered) for row in rows.oversized),
    )


def assert_literal(built: Made, texts: Sequence[str]) -> None:
    terms = literal_corpus.table(texts)
    assert [(built.terms[j], int(built.terms.frequencies[j])) for j in range(len(built.terms))] == terms
    assert (built.features.size, built.features.terms) == (len(texts), len(terms))
    for document, text in enumerate(texts):
        columns, values = built.features.row(document)
        expected = literal_corpus.row(text, terms, len(texts))
        assert list(zip(columns.tolist(), values.tolist(), strict=True)) == expected
        assert built.features.row_bytes(document) == literal_corpus.row_bytes(expected)


@settings(deadline=None)
@given(some_texts | any_texts)
@example([""])
@example(["a", "b"])
@example(["same", "SAME"])
def test_rows_and_terms_are_those_of_the_definition(texts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_literal(build(texts, Path(folder)), texts)


def test_rows_do_not_depend_on_the_blocks_in_which_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [" ".join(Random(seed).choices(WORDS, k=seed % 7)) for seed in range(60)]
    monkeypatch.setattr(merging, "_PIECE", 5)
    for module in (counting, weighing):
        monkeypatch.setattr(module, "BLOCK", 5)
        monkeypatch.setattr(module, "BLOCK_ROWS", 4)
    assert_literal(build(texts, tmp_path, 7), texts)


def in_one_process(_: int) -> Executor:
    """An executor without the time that processes take to start."""
    return pool.Here()


def test_the_table_is_the_same_to_the_byte_for_one_seven_and_64_shards_and_any_number_of_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes, which take long to start, are tried in test_shards.py."""
    monkeypatch.setattr(pool, "executor", in_one_process)
    random = Random(7)
    words = [f"w{int(random.paretovariate(0.5)) % 5000}" for _ in range(3333)]
    texts = [" ".join(random.choices(words, k=random.randrange(40))) for _ in range(320)]
    found = []
    for shard, workers in ((320, 1), (46, 2), (5, 20)):
        folder = tmp_path / str(shard)
        folder.mkdir()
        built = build(texts, folder, shard, workers)
        files = [(folder / name).read_bytes() for name in ("frequencies.npy", "terms.bin")]
        rows = built.features
        found.append([*files, *(each.tobytes() for each in (rows.starts, rows.columns, rows.values))])
        assert {path.suffix for path in (folder / "scratch").iterdir()} == {".signatures", ".rows"}
    assert found[0] == found[1] == found[2]
    assert_literal(built, texts)


@settings(deadline=None, max_examples=40)
@given(some_texts, st.integers(1, 9), st.integers(2, 4))
def test_any_number_of_shards_gives_the_rows_of_the_definition(texts: list[str], shard: int, fan: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "FAN", fan)
        patch.setattr(merging, "_PIECE", 1)
        assert_literal(build(texts, Path(folder), shard), texts)


def test_a_term_counts_as_65535_times_where_it_occurs_more_often(tmp_path: Path) -> None:
    texts = ["a " * 70_000 + "b", "a " * 65_535 + "b", "a " * 65_534 + "b", "b a"]
    built = build(texts, tmp_path)
    assert_literal(built, texts)
    assert built.features.row_bytes(0) == built.features.row_bytes(1)


def test_a_document_of_more_than_two_to_the_17_different_terms_has_an_empty_row_and_is_reported(tmp_path: Path) -> None:
    largest = " ".join(f"t{number}" for number in range(2**17))
    texts = ["extra t0", largest, largest + " extra", "t0 t1"]
    built = build(texts, tmp_path)
    assert built.oversized == (2,)
    assert [len(built.features.row(document)[0]) for document in range(4)] == [2, 2**17, 0, 2]
    found = built.terms.find(b"extra"), built.terms.find(b"t7")
    assert [int(built.terms.frequencies[column]) for column in found if column is not None] == [2, 2]


def test_oversized_documents_are_reported_by_their_number_whatever_shard_they_are_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "MAX_TERMS", 3)
    monkeypatch.setattr(weighing, "BLOCK_ROWS", 2)
    texts = ["a", "a b c d", "a b c", "", "a b c e", "d c b a", "e e e e e"]
    for shard in (7, 4, 1):
        folder = tmp_path / str(shard)
        folder.mkdir()
        assert build(texts, folder, shard).oversized == (1, 4, 5)


def test_values_of_zero_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def some_zeros(tfs: Integers, idfs: Integers, lengths: Integers) -> NDArray[np.uint16]:
        return (np.arange(len(tfs)) % 3).astype(np.uint16)

    monkeypatch.setattr(weighing, "row_values", some_zeros)
    features = build(["a b c d", "", "a b c d"], tmp_path).features
    assert (features.starts.tolist(), features.columns.tolist()) == ([0, 2, 2, 5], [1, 2, 0, 1, 3])
    assert features.values.tolist() == [1, 2, 1, 2, 1]


def test_a_corpus_beyond_the_largest_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "MAX_DOCUMENTS", 2)
    with pytest.raises(BadSource, match="more than 2 documents: a corpus has at most"):
        build(["a", "b", "c"], tmp_path)


# The term table


TABLE = TermTable(b"1\na\nab\nb\n\xc3\xa9\n", np.array([2, 300, 2, 7, 2], np.int32))


def test_a_term_is_found_by_its_exact_bytes() -> None:
    assert [TABLE.find(term) for term in (b"1", b"a", b"ab", b"b", "é".encode())] == [0, 1, 2, 3, 4]
    assert [TABLE[column] for column in range(len(TABLE))] == [b"1", b"a", b"ab", b"b", "é".encode()]


@pytest.mark.parametrize("token", [b"", b"0", b"A", b"aa", b"abc", b"a\nab", b"\n", b"c", b"\xc3", b"\xff"])
def test_what_is_no_term_is_not_found(token: bytes) -> None:
    assert TABLE.find(token) is None
    assert TermTable(b"", np.zeros(0, np.int32)).find(token) is None


@pytest.mark.parametrize("column", [-1, 5, -5])
def test_there_is_no_term_of_a_column_that_is_not_there(column: int) -> None:
    with pytest.raises(IndexError, match=f"column {column} of 5"):
        TABLE[column]


def test_the_digest_of_the_table_covers_each_terms_length_bytes_and_frequency() -> None:
    stored = [(b"1", 2), (b"a", 300), (b"ab", 2), (b"b", 7), ("é".encode(), 2)]
    message = b"".join(len(term).to_bytes(4, "big") + term + df.to_bytes(4, "big") for term, df in stored)
    assert TABLE.digest == sha256(message).digest()
    assert TermTable(b"", np.zeros(0, np.int32)).digest == sha256(b"").digest()
