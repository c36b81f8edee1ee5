"""A corpus folder of documents with parts: its root is that of the definitions, and its rows those of joined texts."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.verifier.hand_made import DOCUMENTS, SECRET, canonical, joined, part, root, write
from verifier.corpus import features, leaves, rows
from verifier.corpus.counting import Unfit, read_fields
from verifier.corpus.errors import CorpusDamaged
from verifier.corpus.folder import SealedCorpus


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus", DOCUMENTS)


def found_root(folder: Path) -> bytes:
    return leaves.root(SealedCorpus.open(folder))


def damage(folder: Path) -> str:
    """Why the folder is damaged, when it is opened or when its leaves are made."""
    with pytest.raises(CorpusDamaged) as found:
        found_root(folder)
    assert str(folder) in str(found.value)
    return str(found.value)


def edit(folder: Path, name: str, change: dict[Any, int]) -> None:
    array = np.load(folder / name)
    for place, value in change.items():
        array[place] = value
    np.save(folder / name, array)


def test_the_root_is_the_one_that_the_definitions_give(made: Path) -> None:
    assert found_root(made) == root(DOCUMENTS)


@pytest.mark.parametrize("secret", [bytes(32), b"\xff" * 32, SECRET[::-1]])
def test_the_root_is_made_with_the_secret_of_the_folder(tmp_path: Path, secret: bytes) -> None:
    assert found_root(write(tmp_path / "corpus", DOCUMENTS, secret)) == root(DOCUMENTS, secret) != root(DOCUMENTS)


@pytest.mark.parametrize("entries", [1, 2, 7, 1000])
def test_the_root_is_the_same_in_blocks_of_every_size(
    made: Path, monkeypatch: pytest.MonkeyPatch, entries: int
) -> None:
    monkeypatch.setattr(rows.spans, "__kwdefaults__", {"entries": entries})
    assert found_root(made) == root(DOCUMENTS)


texts = st.sampled_from(["", "gas", "gas and oil", "é", "\n", "a\nb"])
any_documents = st.lists(
    st.lists(st.tuples(texts, st.binary(max_size=4)), min_size=1, max_size=4), min_size=1, max_size=6
).map(
    lambda found: [
        [part(f"{number}/{at}", text, content, None if at == 0 else at - 1) for at, (text, content) in enumerate(each)]
        for number, each in enumerate(found)
    ]
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(any_documents)
def test_the_folder_of_any_documents_has_the_root_and_rows_of_the_definitions(
    tmp_path_factory: pytest.TempPathFactory, documents: Any
) -> None:
    folder = write(tmp_path_factory.mktemp("any") / "corpus", documents)
    assert found_root(folder) == root(documents)
    found = features.recompute(SealedCorpus.open(folder))
    assert (found.damaged_count, found.wrong_count) == (0, 0)


def test_names_parts_and_texts_are_those_of_the_documents(made: Path) -> None:
    corpus = SealedCorpus.open(made)
    assert corpus.names(range(corpus.size)) == [each[0]["rest"]["name"] for each in DOCUMENTS]
    for document, (parts, text) in zip(DOCUMENTS, corpus.shards[0].listing().documents(0, 5), strict=True):
        assert bytes(text).decode() == joined(document)
        assert [bytes(content) for content, _ in parts] == [each["content"] for each in document]
        assert [bytes(own).decode() for _, own in parts] == [each["text"] for each in document]


def test_rows_are_those_of_the_joined_texts(made: Path) -> None:
    found = features.recompute(SealedCorpus.open(made))
    assert (found.damaged_count, found.wrong_count) == (0, 0)
    edit(made, "shards/00000/values.npy", {0: 5})
    assert features.recompute(SealedCorpus.open(made)).wrong == (0,)


def test_a_term_that_two_parts_of_one_document_share_is_in_one_document(tmp_path: Path) -> None:
    documents = [[part("a", "gas"), part("b", "gas", parent=0)], [part("c", "oil")]]
    corpus = SealedCorpus.open(write(tmp_path / "corpus", documents))
    assert corpus.terms == b""
    assert features.recompute(corpus).wrong_count == 0


@pytest.mark.parametrize(("document", "place"), [(0, 0), (0, 1), (3, 3)])
def test_a_part_whose_text_was_changed_is_told_as_damage(made: Path, document: int, place: int) -> None:
    at = sum(map(len, DOCUMENTS[:document])) + place
    begin = int(np.load(made / "shards/00000/places.npy")[at, 2])
    data = bytearray((made / "shards/00000/texts.bin").read_bytes())
    data[begin] ^= 1
    (made / "shards/00000/texts.bin").write_bytes(data)
    assert features.recompute(SealedCorpus.open(made)).damaged == (document,)


def test_a_part_whose_content_was_changed_is_told_as_damage(made: Path) -> None:
    data = bytearray((made / "shards/00000/contents.bin").read_bytes())
    data[-1] ^= 1  # of the zip in document 3
    (made / "shards/00000/contents.bin").write_bytes(data)
    assert features.recompute(SealedCorpus.open(made)).damaged == (3,)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a content's hash": lambda folder: edit(folder, "shards/00000/digests.npy", {(4, 0, 0): 0, (5, 0, 0): 0}),
    "a text's hash": lambda folder: edit(folder, "shards/00000/digests.npy", {(8, 1, 31): 0, (0, 1, 31): 0}),
    "a part that moved to the next document": lambda folder: edit(folder, "shards/00000/parts.npy", {1: 1}),
    "the secret": lambda folder: (folder / "secret").write_text("0" * 64),
    "a value": lambda folder: edit(folder, "shards/00000/values.npy", {0: 5}),
    "a column": lambda folder: edit(folder, "shards/00000/columns.npy", {0: 77}),
    "an author": lambda folder: exchange(folder, b'"author":"ann"', b'"author":"eve"'),
    "a custodian": lambda folder: exchange(folder, b'"Bo"', b'"Cy"'),
    "a page": lambda folder: exchange(folder, b'"pages":3', b'"pages":4'),
}


def exchange(folder: Path, old: bytes, new: bytes) -> None:
    data = (folder / "shards/00000/fields.bin").read_bytes()
    assert old in data
    assert len(old) == len(new)
    (folder / "shards/00000/fields.bin").write_bytes(data.replace(old, new, 1))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_the_leaves_hash_changes_the_root(made: Path, change: Callable[[Path], object]) -> None:
    change(made)
    try:
        assert found_root(made) != root(DOCUMENTS)
    except CorpusDamaged as error:
        assert "part" in str(error)


@pytest.mark.parametrize("name", ["account.jsonl", "shards/00000/contents.bin", "terms.bin"])
def test_what_the_leaves_do_not_hash_changes_nothing(made: Path, name: str) -> None:
    data = (made / name).read_bytes()
    (made / name).write_bytes(bytes([data[0] ^ 1]) + data[1:])
    assert found_root(made) == root(DOCUMENTS)


def test_the_list_is_read_as_it_stands(made: Path) -> None:
    assert bytes(SealedCorpus.open(made).account) == (made / "account.jsonl").read_bytes()
    (made / "account.jsonl").unlink()
    assert "account.jsonl cannot be read" in damage(made)


# Arrays that do not fit together


PARTS: dict[str, dict[int, int]] = {
    "not from 0": {0: 1},
    "below 0": {0: -1},
    "a document without parts": {1: 0},
    "descending": {2: 1},
    "beyond its end": {3: 2**40},
    "an end below 0": {-1: -5},
    "the smallest number": {2: -(2**63)},
    "the largest number": {2: 2**63 - 1},
}


@pytest.mark.parametrize("change", PARTS.values(), ids=PARTS)
def test_parts_that_begin_nowhere_are_told(made: Path, change: dict[Any, int]) -> None:
    edit(made, "shards/00000/parts.npy", change)
    assert re.search("numbers of parts|parts.npy in .* does not ascend from 0", damage(made))


@pytest.mark.slow
def test_a_document_with_too_many_parts_is_told(tmp_path: Path) -> None:
    many = [part(str(place), parent=0 if place else None) for place in range(2**16 + 1)]
    assert found_root(write(tmp_path / "most", [many[:-1]]))
    assert "1 to 65536 parts a document" in damage(write(tmp_path / "corpus", [many]))


@pytest.mark.parametrize(
    "name", ["shards/00000/parts.npy", "shards/00000/places.npy", "shards/00000/digests.npy", "shards/00000/starts.npy"]
)
@pytest.mark.parametrize("turn", [lambda array: array[:-1], lambda array: np.concatenate((array, array[-1:]))])
def test_an_array_that_is_one_shorter_or_longer_than_the_others_is_told(
    made: Path, name: str, turn: Callable[[Any], Any]
) -> None:
    np.save(made / name, turn(np.load(made / name)))
    assert re.search("(documents|parts|rows) in .* do not fit together", damage(made))


@pytest.mark.parametrize("name", ["shards/00000/parts.npy", "shards/00000/starts.npy"])
def test_a_folder_without_any_document_is_told(made: Path, name: str) -> None:
    np.save(made / name, np.zeros(0, np.int64))
    assert "documents in" in damage(made)


PLACES: dict[str, dict[Any, int]] = {
    "fields before their file": {(3, 4): -7},
    "fields beyond their file": {(3, 5): 2**63 - 1},
    "fields that end before they begin": {(3, 4): 2, (3, 5): 1},
    "a content beyond its file": {(3, 0): 0, (3, 1): 10**9},
    "a content half as text": {(3, 0): -1, (3, 1): 0},
    "a text before its file": {(3, 2): -1},
    "a text beyond its file": {(3, 3): 10**9},
}


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_a_part_that_lies_nowhere_is_told(made: Path, change: dict[Any, int]) -> None:
    edit(made, "shards/00000/places.npy", change)
    assert "says that document 2, part 0, lies from" in damage(made)


@pytest.mark.parametrize("step", [-1, 1, 2])
def test_texts_of_a_document_that_do_not_follow_one_another_are_told(made: Path, step: int) -> None:
    begin = int(np.load(made / "shards/00000/places.npy")[1, 2])
    edit(made, "shards/00000/places.npy", {(1, 2): begin + step})
    assert "the text of document 0, part 1, in" in damage(made)


def test_texts_of_a_document_with_another_byte_than_a_newline_between_them_are_told(made: Path) -> None:
    data = bytearray((made / "shards/00000/texts.bin").read_bytes())
    data[int(np.load(made / "shards/00000/places.npy")[0, 3])] = ord(" ")
    (made / "shards/00000/texts.bin").write_bytes(data)
    assert "with one newline between the two" in damage(made)


# What is stated of a part


def fields(**changed: Any) -> bytes:
    one = DOCUMENTS[0][0]
    return canonical({"log": one["log"] | changed.get("log", {}), "rest": one["rest"] | changed.get("rest", {})})


def test_fields_are_read_with_their_very_bytes() -> None:
    found = read_fields(fields(), 0)
    assert (found.log.author, found.rest.name) == ("ann", "mail-0")
    assert b'{"log":%b,"rest":%b}' % (found.log_bytes, found.rest_bytes) == fields()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
        fields() + b"\n",
        fields().replace(b'":', b'": ', 1),
        fields(log={"parent": 0}),
        fields(log={"more": ""}),
        fields(rest={"pages": -1}),
        fields(rest={"pages": 2**60}),
        fields(rest={"name": 7}),
        fields(rest={"fields": {"Subject": ""}}),
        fields().replace(b"ann", b"\\ud800"),
        fields().replace(b"ann", b"\\u0061nn"),
        canonical({"log": DOCUMENTS[0][0]["log"]}),
        canonical({"log": DOCUMENTS[0][0]["log"], "more": "", "rest": DOCUMENTS[0][0]["rest"]}),
    ],
    ids=lambda data: repr(data[:30]),
)
def test_fields_of_another_form_are_refused(data: bytes) -> None:
    with pytest.raises(Unfit):
        read_fields(data, 0)


@pytest.mark.parametrize(("number", "parent"), [(0, 0), (1, None), (1, 1), (1, 2), (2, -1)])
def test_a_part_whose_parent_is_not_before_it_is_refused(number: int, parent: int | None) -> None:
    with pytest.raises(Unfit):
        read_fields(fields(log={"parent": parent}), number)


def test_fields_that_cannot_be_read_are_damage_with_their_place(made: Path) -> None:
    exchange(made, b'"Ann"', b'"Ann ')
    assert "what is stated of part 0 of document 0 in" in damage(made)
    with pytest.raises(CorpusDamaged, match="document 0 in .* has no name"):
        SealedCorpus.open(made).names([0])
