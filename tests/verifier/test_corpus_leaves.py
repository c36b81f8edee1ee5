"""The root over a corpus, recomputed from what the folder holds, and nothing that it says about itself."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.corpus.corpus import Corpus
from protocol.sources.source import SourceDocument
from tests.support import literal_corpus, rfc9162, small_corpus
from tests.support.verifier_corpora import edit, flip, literal
from verifier.corpus import leaves, rows
from verifier.corpus.folder import SealedCorpus
from verifier.record.hashing import derived_salt, integer

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
some_documents = st.lists(
    st.builds(
        SourceDocument.of_one,
        name=names,
        content=st.binary(max_size=8),
        text=st.sampled_from(["a b", "b c c", "", "é"]),
    ),
    min_size=1,
    max_size=9,
    unique_by=lambda document: document.name,
)


def root(folder: Path) -> bytes:
    return leaves.root(SealedCorpus.open(folder))


def test_the_root_is_the_one_that_the_protocol_commits_to(built: Corpus, small_corpus: Corpus) -> None:
    assert root(built.path) == built.root
    assert root(small_corpus.path) == small_corpus.root


@settings(deadline=None)
@given(some_documents, st.binary(min_size=32, max_size=32))
def test_the_root_is_the_one_that_the_definitions_give(documents: list[SourceDocument], secret: bytes) -> None:
    assert leaves.root(literal(documents, secret)) == rfc9162.mth(literal_corpus.leaves(documents, secret))


@settings(deadline=None, max_examples=5)
@given(some_documents)
def test_the_root_of_any_documents_is_the_one_that_the_protocol_commits_to(documents: list[SourceDocument]) -> None:
    with TemporaryDirectory() as scratch:
        built = small_corpus.make(Path(scratch) / "corpus", documents)
        assert root(built.path) == built.root


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 33])
def test_trees_of_every_shape_have_the_protocols_root(tmp_path: Path, size: int) -> None:
    documents = [SourceDocument.of_one(name=f"d{place}", content=b"", text=f"a {place % 3}") for place in range(size)]
    built = small_corpus.make(tmp_path / "corpus", documents)
    assert root(built.path) == built.root


@pytest.mark.parametrize("entries", [1, 3, 10, 1000])
def test_the_root_is_the_same_in_blocks_of_every_size(
    small_corpus: Corpus, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    monkeypatch.setattr(rows.spans, "__kwdefaults__", {"entries": entries})
    assert root(small_corpus.path) == small_corpus.root


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**31))
def test_salts_are_those_that_derive_from_the_secret(secret: bytes, number: int) -> None:
    for purpose in ("part", "row"):
        found = leaves._salts(secret, purpose)(integer(number))
        assert found == derived_salt(secret, purpose, number) == literal_corpus.salt(secret, purpose, number)


def test_progress_is_told_up_to_all_documents(built: Corpus) -> None:
    told: list[int] = []
    leaves.root(SealedCorpus.open(built.path), told.append)
    assert told == sorted(told)
    assert told[-1] == built.size


CHANGES: dict[str, Callable[[Path], object]] = {
    "a value": lambda folder: edit(folder, "shards/00000/values.npy", {0: 5}),
    "the last value": lambda folder: edit(folder, "shards/00000/values.npy", {-1: 5}),
    "a column": lambda folder: edit(folder, "shards/00000/columns.npy", {0: 77}),
    "a column below 0": lambda folder: edit(folder, "shards/00000/columns.npy", {0: -1}),
    "a content's hash": lambda folder: edit(folder, "shards/00000/digests.npy", {(4, 0, 0): 0, (5, 0, 0): 0}),
    "a text's hash": lambda folder: edit(folder, "shards/00000/digests.npy", {(8, 1, 31): 0, (0, 1, 31): 0}),
    "two documents' hashes": lambda folder: np.save(
        folder / "shards/00000/digests.npy", np.load(folder / "shards/00000/digests.npy")[[1, 0, *range(2, 13)]]
    ),
    "the secret": lambda folder: (folder / "secret").write_text("0" * 64),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_the_leaves_hash_changes_the_root(
    built: Corpus, folder: Path, change: Callable[[Path], object]
) -> None:
    change(folder)
    assert root(folder) != built.root


def test_every_entry_of_every_row_counts(built: Corpus, folder: Path) -> None:
    seen = {bytes(built.root)}
    values = np.load(folder / "shards/00000/values.npy")
    for entry, value in enumerate(values.tolist()):
        edit(folder, "shards/00000/values.npy", {entry: value ^ 1})
        seen.add(root(folder))
        edit(folder, "shards/00000/values.npy", {entry: value})
    assert len(seen) == len(values) + 1


def test_an_entry_that_moved_from_one_row_to_the_next_changes_the_root(built: Corpus, folder: Path) -> None:
    starts = np.load(folder / "shards/00000/starts.npy")
    row = int(np.flatnonzero(np.diff(starts))[1])
    edit(folder, "shards/00000/starts.npy", {row: int(starts[row]) + 1})
    assert root(folder) != built.root


@pytest.mark.parametrize("name", ["manifest.json", "tree.bin", "labels.json", "account.jsonl", "terms.bin"])
def test_what_the_leaves_do_not_hash_changes_nothing(built: Corpus, folder: Path, name: str) -> None:
    flip(folder / name, 0)
    assert root(folder) == built.root
