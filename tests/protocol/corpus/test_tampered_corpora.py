"""Whatever file of a corpus is edited, cut, emptied or taken away, it is found before anything is decided with it."""

import json
import os
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ledger.errors import UnknownFormat
from ledger.hashing import Digest
from protocol.corpus import manifest
from protocol.corpus.checking import check_folder
from protocol.corpus.corpus import Corpus
from protocol.corpus.manifest import LISTED, NUMBERS, READ_SINGLY, ROWS
from protocol.errors import BadCorpus
from tests.support.small_corpus import make


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("whole") / "corpus").path


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy to be tampered with."""
    return shutil.copytree(whole, tmp_path / "corpus")


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


EDITS: dict[str, Callable[[Path], object]] = {
    "first byte": lambda path: flip(path, 0),
    "middle byte": lambda path: flip(path, path.stat().st_size // 2),
    "last byte": lambda path: flip(path, -1),
    "a byte more": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "a byte less": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "emptied": lambda path: path.write_bytes(b""),
    "taken away": lambda path: path.unlink(),
    "a folder": replace_by_folder,
}
each_edit = pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)


SHARD = "shards/00000/"
AT_ONCE = ("manifest.json", "secret", "terms.bin", "frequencies.npy")
"""Files that are checked whenever a corpus is opened."""

USES: dict[str, Callable[[Corpus], object]] = {
    "account.jsonl": lambda corpus: corpus.items(),
    "alike.npy": lambda corpus: corpus.alike,
    "tree.bin": lambda corpus: corpus.paths([0]),
    SHARD + NUMBERS: lambda corpus: corpus.place(0),
    **{SHARD + name: lambda corpus: corpus.fields(0) for name in LISTED},
    **{SHARD + name: lambda corpus: corpus.features.row(0) for name in ROWS},
}
"""What uses each of the others first."""


def test_the_tests_know_every_file_of_a_corpus(whole: Path) -> None:
    files = {str(path.relative_to(whole)) for path in whole.rglob("*") if path.is_file()}
    assert files == {*AT_ONCE, *USES, *(SHARD + name for name in READ_SINGLY), "labels.json"}


@each_edit
@pytest.mark.parametrize("name", AT_ONCE)
def test_an_edited_small_file_is_found_when_the_corpus_is_opened(
    folder: Path, name: str, edit: Callable[[Path], object]
) -> None:
    edit(folder / name)
    with pytest.raises(BadCorpus, match=f"{folder}") as found:
        Corpus.open(folder)
    assert name in str(found.value)


@each_edit
@pytest.mark.parametrize("name", USES)
def test_an_edited_array_is_found_before_anything_is_done_with_it(
    folder: Path, name: str, edit: Callable[[Path], object]
) -> None:
    edit(folder / name)
    for _ in range(2):  # not only the first time
        with pytest.raises(BadCorpus, match=f"{folder}"):
            USES[name](Corpus.open(folder))
    with pytest.raises(BadCorpus, match=f"{folder}") as found:
        check_folder(folder)
    assert Path(name).name in str(found.value) or "do not fit together" in str(found.value)


@pytest.mark.parametrize("name", USES)
def test_a_corpus_that_is_open_finds_an_edit_of_what_it_has_not_used_yet(folder: Path, name: str) -> None:
    corpus = Corpus.open(folder)
    flip(folder / name, -1)
    for _ in range(2):
        with pytest.raises(BadCorpus, match="was changed after the corpus was made|do not fit together"):
            USES[name](corpus)


def test_opening_a_corpus_reads_nothing_of_a_shard(folder: Path) -> None:
    (folder / "shards").rename(folder / "elsewhere")
    assert Corpus.open(folder).size == 10


def test_every_byte_of_the_manifest_is_watched(folder: Path) -> None:
    path = folder / "manifest.json"
    for place in range(path.stat().st_size):
        flip(path, place)
        with pytest.raises((BadCorpus, UnknownFormat)):
            Corpus.open(folder)
        flip(path, place)
    Corpus.open(folder)


@each_edit
@pytest.mark.parametrize("name", READ_SINGLY)
def test_an_edited_document_is_found_when_it_is_read(folder: Path, name: str, edit: Callable[[Path], object]) -> None:
    path = folder / SHARD / name
    size = path.stat().st_size
    edit(path)
    corpus = Corpus.open(folder)
    if not path.is_file() or path.stat().st_size != size:
        with pytest.raises(BadCorpus, match="do not fit together"):  # without reading a document
            corpus.fields(0)
        return
    found = 0
    for document in range(corpus.size):
        for read, part in product((corpus.content, corpus.part_text), range(corpus.parts(document))):
            try:
                read(document, part)
            except BadCorpus as error:
                assert name in str(error)
                assert "restore the folder from a copy, or build the corpus again" in str(error)
                found += 1
    assert found


def read_all(corpus: Corpus) -> None:
    for document in range(corpus.size):
        for part in range(corpus.parts(document)):
            corpus.content(document, part)
            corpus.part_text(document, part)


def test_no_byte_of_a_text_or_content_can_be_changed_unnoticed(folder: Path) -> None:
    corpus = Corpus.open(folder)
    for name in READ_SINGLY:
        path = folder / SHARD / name
        for place in range(0, path.stat().st_size, 997 if name == "texts.bin" else 1):
            flip(path, place)
            with pytest.raises(BadCorpus, match="is not the one that was committed to"):
                read_all(corpus)
            flip(path, place)


def test_two_documents_whose_places_are_exchanged_are_found(folder: Path) -> None:
    path = folder / SHARD / "places.npy"
    np.save(path, np.load(path)[::-1])
    with pytest.raises(BadCorpus, match=r"places\.npy was changed after the corpus was made"):
        Corpus.open(folder).name(0)


def forge(folder: Path, **changed: object) -> None:
    """Write a manifest that agrees with itself and with the files as they are."""
    listed = manifest.read(folder)
    (shard,) = listed.shards
    of_shard = {name: changed.pop(name) for name in ("nnz", "parts") if name in changed}
    true = msgspec.structs.replace(
        listed,
        files=manifest.hashes(folder, manifest.FILES),
        shards=(
            msgspec.structs.replace(shard, files=manifest.hashes(folder / SHARD, manifest.OF_A_SHARD), **of_shard),
        ),
    )
    manifest.write(folder, msgspec.structs.replace(true, **changed))


def use(folder: Path) -> None:
    corpus = Corpus.open(folder)
    for each in USES.values():
        each(corpus)


@pytest.mark.parametrize("field", ["documents", "terms", "nnz", "parts"])
def test_a_manifest_whose_numbers_are_not_those_of_the_arrays_is_refused(folder: Path, field: str) -> None:
    use(folder)
    forge(folder, **{field: 30})
    with pytest.raises(BadCorpus, match="do not fit together|does not fit together|of another shape|was changed"):
        use(folder)


def test_a_manifest_whose_root_is_not_that_of_the_tree_is_refused(folder: Path) -> None:
    forge(folder, root=Digest(bytes(32)))
    with pytest.raises(BadCorpus, match="do not fit together"):
        Corpus.open(folder)


@pytest.mark.parametrize("what", ["files", "files of a shard", "shards"])
def test_a_manifest_that_lists_fewer_files_or_shards_is_refused(folder: Path, what: str) -> None:
    shard = manifest.read(folder).shards[0]
    match what:
        case "files":
            forge(folder, files=manifest.hashes(folder, AT_ONCE[1:]))
        case "shards":
            forge(folder, shards=())
        case _:
            fewer = msgspec.structs.replace(shard, files=manifest.hashes(folder / SHARD, ROWS))
            forge(folder, shards=(fewer,))
    with pytest.raises(BadCorpus, match="was changed"):
        Corpus.open(folder)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("numbers.npy", np.zeros(10, np.int64)),
        ("parts.npy", np.zeros(11, np.int32)),
        ("places.npy", np.zeros((9, 5), np.int64)),
        ("places.npy", np.zeros((9, 6), np.int32)),
        ("digests.npy", np.zeros((9, 2, 31), np.uint8)),
        ("columns.npy", np.zeros(3, np.int64)),
        ("starts.npy", np.zeros((10, 1), np.int64)),
        ("values.npy", np.array([{"pickled": 1}], object)),
    ],
)
def test_arrays_of_another_kind_are_refused_even_if_the_manifest_lists_them(
    folder: Path, name: str, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]
) -> None:
    np.save(folder / SHARD / name, array, allow_pickle=True)
    forge(folder)
    with pytest.raises(BadCorpus, match="an array of another shape or kind"):
        use(folder)


@pytest.mark.parametrize(
    "name",
    ["frequencies.npy", "alike.npy", *(SHARD + name for name in (NUMBERS, *LISTED[:3], *ROWS))],
)
def test_arrays_of_another_length_are_refused_even_if_the_manifest_lists_them(folder: Path, name: str) -> None:
    np.save(folder / name, np.load(folder / name)[:-1])
    forge(folder)
    with pytest.raises(BadCorpus, match="do not fit together|does not fit together"):
        use(folder)


@pytest.mark.parametrize("numbers", [[0] * 10, [*range(9), 10], [-1, *range(9)]])
def test_numbers_that_are_not_those_from_0_on_are_refused_even_if_the_manifest_lists_them(
    folder: Path, numbers: list[int]
) -> None:
    np.save(folder / SHARD / "numbers.npy", np.array(numbers, np.int32))
    forge(folder)
    with pytest.raises(BadCorpus, match="do not have the numbers from 0 on, each once"):
        use(folder)


@pytest.mark.parametrize(
    ("field", "what", "known"), [("format", "corpus", 3), ("features", "corpus's feature definition", 1)]
)
def test_a_later_format_is_told_as_one_and_not_as_damage(folder: Path, field: str, what: str, known: int) -> None:
    value = json.loads((folder / "manifest.json").read_bytes())
    value["manifest"] |= {field: 9, "unheard of": 1}
    (folder / "manifest.json").write_text(json.dumps(value, sort_keys=True, separators=(",", ":")))
    with pytest.raises(UnknownFormat, match=f"the {what} has format 9, but this version knows only format {known}"):
        Corpus.open(folder)


def test_labels_are_no_part_of_what_is_committed_to(folder: Path) -> None:
    root = Corpus.open(folder).root
    (folder / "labels.json").write_text('{"mail": [1]}')
    (folder / "report.json").write_text("{}")
    assert Corpus.open(folder).root == root
    assert Corpus.open(folder).labels("mail") == {1}


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[]", b'{"mail": ["1"]}', None])
def test_unreadable_labels_are_told(folder: Path, data: bytes | None) -> None:
    (folder / "labels.json").unlink() if data is None else (folder / "labels.json").write_bytes(data)
    with pytest.raises(BadCorpus, match=r"labels\.json cannot be read"):
        Corpus.open(folder).labels("mail")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_a_file_that_may_not_be_read_is_told(folder: Path) -> None:
    (folder / "secret").chmod(0)
    with pytest.raises(BadCorpus, match="cannot be read: Permission denied"):
        Corpus.open(folder)
