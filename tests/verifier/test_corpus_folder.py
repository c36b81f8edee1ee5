"""A corpus folder is opened whatever is in it: either everything in it can be read, or it is told as damaged."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.corpus.corpus import Corpus
from protocol.sources.source import SourceDocument
from tests.support import literal_corpus, small_corpus
from tests.support.verifier_corpora import (
    ARRAYS,
    BYTES,
    FILES,
    SHARD,
    damage,
    documents_of,
    edit,
    flip,
    numbers_of,
    rows_of,
    use,
)
from verifier.corpus import leaves
from verifier.corpus.errors import CorpusDamaged
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.ranking import NotSound, Ranker

SIZE = len(small_corpus.DOCUMENTS)


# What an intact folder holds


def test_names_documents_rows_and_terms_are_those_that_the_protocol_stored(built: Corpus) -> None:
    corpus = SealedCorpus.open(built.path)
    assert corpus.size == built.size == SIZE
    names = corpus.names(range(SIZE))
    assert names == [built.name(each) for each in range(SIZE)]
    sources = {document.name: document for document in small_corpus.DOCUMENTS}
    for name, (parts, text) in zip(names, documents_of(corpus), strict=True):
        source = sources[name]
        assert [bytes(content) for content, _ in parts] == [part.content for part in source.parts]
        assert [bytes(own).decode() for _, own in parts] == [part.text for part in source.parts]
        assert bytes(text).decode() == source.text
    terms = literal_corpus.table([built.text(each) for each in range(SIZE)])
    assert rows_of(corpus) == [literal_corpus.row(built.text(each), terms, SIZE) for each in range(SIZE)]
    assert corpus.frequencies.tolist() == built.terms.frequencies.tolist()
    assert corpus.secret == bytes(small_corpus.SECRET)
    assert Ranker(corpus).largest_norm > 0


def test_a_content_that_is_stored_as_the_text_is_one_and_the_same(built: Corpus) -> None:
    found = documents_of(SealedCorpus.open(built.path))
    same = {
        (built.name(document), place)
        for document, (parts, _) in enumerate(found)
        for place, (content, text) in enumerate(parts)
        if content is text
    }
    assert same == {
        (each.name, place)
        for each in small_corpus.DOCUMENTS
        for place, part in enumerate(each.parts)
        if part.content == part.text.encode()
    }


def test_the_manifest_and_the_tree_are_not_needed(folder: Path) -> None:
    for name in ("manifest.json", "tree.bin", "labels.json"):
        (folder / name).unlink()
    use(folder)


def test_a_corpus_without_terms_or_texts_is_one_all_the_same(tmp_path: Path) -> None:
    document = SourceDocument.of_one(name="alone", content=b"", text="")
    corpus = use(small_corpus.make(tmp_path / "corpus", [document]).path)
    assert (corpus.size, rows_of(corpus), len(corpus.frequencies)) == (1, [[]], 0)


def test_no_message_or_repr_shows_the_secret(folder: Path) -> None:
    secret = small_corpus.SECRET.hex()
    assert secret not in repr(SealedCorpus.open(folder))
    (folder / "secret").write_text(secret.upper() + "\n")
    assert secret not in damage(folder).lower()


def test_a_secret_may_stand_without_its_newline(folder: Path) -> None:
    (folder / "secret").write_text(small_corpus.SECRET.hex())
    assert SealedCorpus.open(folder).secret == bytes(small_corpus.SECRET)


# Labels of a simulation


@pytest.mark.parametrize("label", ["mail", "energy", "scan"])
def test_labels_are_those_that_the_source_told(built: Corpus, label: str) -> None:
    assert SealedCorpus.open(built.path).labels(label) == built.labels(label)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"3",
        b"{}",
        b'{"other": [1]}',
        b'{"mail": 1}',
        b'{"mail": {"1": 1}}',
        b'{"mail": ["1"]}',
        b'{"mail": [1.0]}',
        b'{"mail": [true]}',
        b'{"mail": [null]}',
        b'{"mail": [NaN]}',
        b'{"mail": [-1]}',
        b'{"mail": [10]}',
        b'{"mail": [' + b"9" * 5000 + b"]}",
        b"[" * 100_000,
        None,
    ],
)
def test_labels_that_cannot_be_read_are_no_labels(folder: Path, data: bytes | None) -> None:
    (folder / "labels.json").unlink() if data is None else (folder / "labels.json").write_bytes(data)
    assert SealedCorpus.open(folder).labels("mail") is None


def test_labels_need_no_canonical_form(folder: Path) -> None:
    (folder / "labels.json").write_text(json.dumps({"ü": [3, 1, 3], "a": ["?"]}, indent=2))
    assert SealedCorpus.open(folder).labels("ü") == frozenset({1, 3})


# Files that are no files


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_by_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


WITHOUT_FILE: dict[str, Callable[[Path], object]] = {
    "taken away": lambda path: path.unlink(),
    "a folder": replace_by_folder,
    "a pipe": replace_by_pipe,
    "a link to itself": replace_by_loop,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("change", WITHOUT_FILE.values(), ids=WITHOUT_FILE)
def test_a_missing_file_is_told(folder: Path, name: str, change: Callable[[Path], object]) -> None:
    change(folder / name)
    assert re.search(f"{name} cannot be read: [A-Za-z]", damage(folder))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_secret_that_may_not_be_read_is_told(folder: Path) -> None:
    (folder / "secret").chmod(0)
    assert "secret cannot be read: Permission denied" in damage(folder)


def test_a_failing_disk_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("verifier.corpus.files.mmap.mmap", fail)
    assert "numbers.npy cannot be read: Permission denied" in damage(folder)


@pytest.mark.parametrize("path", ["nowhere", "plain"])
def test_what_is_no_folder_is_told(tmp_path: Path, path: str) -> None:
    (tmp_path / "plain").write_text("x")
    assert "cannot be read" in damage(tmp_path / path)


def test_a_folder_whose_name_is_not_utf_8_is_told_in_words_that_can_be_printed(tmp_path: Path) -> None:
    with pytest.raises(CorpusDamaged) as found:
        SealedCorpus.open(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")))
    assert "/??/shards" in str(found.value).encode().decode()


# Arrays that do not fit together


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("turn", [lambda array: array[:-1], lambda array: np.concatenate((array, array[-1:]))])
def test_an_array_that_is_one_shorter_or_longer_than_the_others_is_told(
    folder: Path, name: str, turn: Callable[[Any], Any]
) -> None:
    np.save(folder / name, turn(np.load(folder / name)))
    due = (
        "(documents|parts|feature rows|term table) in .* (do|does) not fit together|number [0-9]+ to a second document"
    )
    assert re.search(due, damage(folder))


def test_a_folder_without_any_document_is_told(folder: Path) -> None:
    for name, rows in (("numbers", 0), ("parts", 1), ("places", 0), ("digests", 0), ("starts", 1)):
        np.save(folder / SHARD / f"{name}.npy", np.load(folder / SHARD / f"{name}.npy")[:rows])
    assert "holds no document in shard 00000" in damage(folder)


STARTS = {
    "below 0": {0: -1},
    "not from 0": {0: 1},
    "descending": {3: 0},
    "beyond its end": {4: 2**40},
    "an end below 0": {-1: -5},
    "the smallest number": {2: -(2**63)},
    "the largest number": {2: 2**63 - 1},
}


@pytest.mark.parametrize("change", STARTS.values(), ids=STARTS)
def test_rows_that_begin_nowhere_are_told(folder: Path, change: dict[int, int]) -> None:
    edit(folder, "shards/00000/starts.npy", change)
    assert re.search("entries of feature rows|does not ascend from 0", damage(folder))


PLACES = {
    "a text before its file": {(3, 2): -1},
    "a text that ends before it begins": {(3, 2): 5, (3, 3): 4},
    "a text beyond its file": {(3, 3): 10**9},
    "a text that begins beyond its file": {(3, 2): 10**9, (3, 3): 10**9},
    "fields before their file": {(3, 4): -7},
    "fields beyond their file": {(3, 5): 2**63 - 1},
    "fields that end before they begin": {(3, 4): 2, (3, 5): 1},
    "a content beyond its file": {(3, 0): 0, (3, 1): 10**9},
    "a content half as text": {(3, 0): -1, (3, 1): 0},
    "a content as text at its end only": {(3, 0): 0, (3, 1): -1},
    "a content before its file": {(3, 0): -2, (3, 1): -2},
    "a text as text": {(3, 2): -1, (3, 3): -1},
    "the smallest number": {(3, 4): -(2**63), (3, 5): -(2**63)},
}


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_a_document_that_lies_nowhere_is_told(folder: Path, change: dict[tuple[int, int], int]) -> None:
    edit(folder, "shards/00000/places.npy", change)
    row = int(np.searchsorted(np.load(folder / SHARD / "parts.npy"), 3, side="right")) - 1
    document = numbers_of(folder)[row]
    assert f"says that document {document}, part" in damage(folder)


@pytest.mark.parametrize("name", ["shards/00000/texts.bin", "shards/00000/contents.bin", "shards/00000/fields.bin"])
@pytest.mark.parametrize("length", [0, 1, -1])
def test_texts_contents_and_fields_that_were_cut_are_told(folder: Path, name: str, length: int) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:length])
    assert re.search(f"says that document [0-9]+, part [0-9]+, lies from .* in {Path(name).name}", damage(folder))


@pytest.mark.parametrize("terms", [b"", b"a", b"a\nb\n", b"\n" * 6, b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk", b"\n" * 100])
def test_a_term_table_of_another_length_is_told(folder: Path, terms: bytes) -> None:
    (folder / "terms.bin").write_bytes(terms)
    assert "the term table" in damage(folder)


def test_a_last_term_without_its_newline_is_told_even_where_there_are_as_many_lines(folder: Path) -> None:
    terms = (folder / "terms.bin").read_bytes()
    (folder / "terms.bin").write_bytes(terms + b"zz")
    assert "the term table" in damage(folder)


def test_a_frequency_below_0_is_told(folder: Path) -> None:
    edit(folder, "frequencies.npy", {1: -1})
    assert "frequencies.npy" in damage(folder)


@pytest.mark.parametrize("byte", [0xFF, 0x80, 0xC3])
def test_fields_that_are_not_utf_8_are_told_when_they_are_read(folder: Path, byte: int) -> None:
    row = numbers_of(folder).index(5)
    place = int(np.load(folder / SHARD / "places.npy")[int(np.load(folder / SHARD / "parts.npy")[row]), 5]) - 3
    fields = bytearray((folder / "shards/00000/fields.bin").read_bytes())
    fields[place] = byte
    (folder / "shards/00000/fields.bin").write_bytes(fields)
    corpus = SealedCorpus.open(folder)
    with pytest.raises(CorpusDamaged, match="document 5 in .* has no name"):
        corpus.names([5])
    with pytest.raises(CorpusDamaged, match="part 0 of document 5 in"):
        leaves.root(corpus)


# Rows that may not be scored


UNSOUND = {
    "descending": lambda columns: columns[::-1],
    "one twice": lambda columns: np.array([columns[0], columns[0], *columns[2:]]),
    "below 0": lambda columns: np.array([-1, *columns[1:]]),
    "beyond the terms": lambda columns: np.array([*columns[:-1], 8]),
    "far beyond the terms": lambda columns: np.array([*columns[:-1], 2**31 - 1]),
    "far below 0": lambda columns: np.array([-(2**31), *columns[1:]]),
}


@pytest.mark.parametrize("change", UNSOUND.values(), ids=UNSOUND)
@pytest.mark.parametrize("which", [0, -1])
def test_columns_that_do_not_ascend_or_are_no_terms_are_not_sound(
    folder: Path, change: Callable[[Any], Any], which: int
) -> None:
    starts = np.load(folder / "shards/00000/starts.npy")
    assert len(np.load(folder / "frequencies.npy")) == 8
    document = np.flatnonzero(np.diff(starts) > 1)[which]
    row = range(int(starts[document]), int(starts[document + 1]))
    columns = change(np.load(folder / "shards/00000/columns.npy")[row])
    edit(folder, "shards/00000/columns.npy", dict(zip(row, columns, strict=True)))
    with pytest.raises(NotSound, match="columns do not ascend, or are not terms"):
        Ranker(SealedCorpus.open(folder))
    with pytest.raises(CorpusDamaged, match="columns"):
        use(folder)


def test_rows_that_are_cut_elsewhere_are_not_sound_or_other_rows(folder: Path) -> None:
    starts = np.load(folder / "shards/00000/starts.npy")
    edit(folder, "shards/00000/starts.npy", dict.fromkeys(range(1, len(starts) - 1), 0))
    with pytest.raises(NotSound):
        Ranker(SealedCorpus.open(folder))


# Everything else that bytes can be


def test_the_tests_know_every_file_that_is_read(built: Corpus) -> None:
    files = {str(path.relative_to(built.path)) for path in built.path.rglob("*") if path.is_file()}
    assert files - {"manifest.json", "tree.bin", "labels.json", "alike.npy"} == set(FILES)


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FILES), st.data())
def test_whatever_is_done_to_a_file_nothing_but_damage_is_told(folder: Path, name: str, data: st.DataObject) -> None:
    original = (folder / name).read_bytes()
    start = data.draw(st.integers(0, len(original)))
    if name in ARRAYS and data.draw(st.booleans()):
        start = min(start, 128)
    end = data.draw(st.integers(start, min(len(original), start + 16)))
    other = data.draw(st.binary(max_size=16))
    (folder / name).write_bytes(original[:start] + other + original[end:])
    try:
        use(folder)
    except CorpusDamaged as error:
        assert "\n" not in str(error)
    finally:
        (folder / name).write_bytes(original)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ARRAYS, *(name for name in BYTES if not name.endswith("texts.bin"))])
def test_no_flipped_bit_leads_to_anything_but_damage(folder: Path, name: str) -> None:
    size = (folder / name).stat().st_size
    for place in range(0, size, 1 + size // 400):
        for bit in (0, 7):
            flip(folder / name, place, bit)
            try:
                use(folder)
            except CorpusDamaged as error:
                assert str(error)
            flip(folder / name, place, bit)
