"""A corpus appears whole under its name or not at all, and the same documents and secret make the same bytes."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.errors import LedgerError, Refused
from protocol.corpus import build, featurebuild
from protocol.corpus.corpus import Corpus
from protocol.errors import BadSource
from protocol.sources.source import SourceDocument
from protocol.workers import pool
from tests.support import pool_work
from tests.support.killing import signalled_when_ready
from tests.support.small_corpus import DOCUMENTS, SECRET, make

ENDLESS = """
import sys
from itertools import count
from pathlib import Path
from protocol.corpus import build
from protocol.sources.source import SourceDocument
from tests.support.small_corpus import SECRET

def documents():
    for number in count():
        text = f"document {number} of many"
        yield SourceDocument.of_one(name=str(number), content=b"", text=text)
        if number == 1000:
            print("ready", flush=True)

build.build(documents(), Path(sys.argv[1]), secret=SECRET)
"""


def document(name: str = "name", text: str = "text") -> SourceDocument:
    return SourceDocument.of_one(name=name, content=b"content", text=text)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_same_documents_and_secret_make_the_same_bytes_however_many_workers(tmp_path: Path) -> None:
    made = [contents(make(tmp_path / name).path) for name in ("first", "second")]
    split = build.build(DOCUMENTS, tmp_path / "third", secret=SECRET, workers=2)
    assert made[0] == made[1] == contents(split.path)


def test_the_secret_is_for_the_owner_only(tmp_path: Path) -> None:
    corpus = make(tmp_path / "corpus")
    assert (corpus.path / "secret").stat().st_mode & 0o777 == 0o600
    assert corpus.path.stat().st_mode & 0o777 == 0o700
    assert (corpus.path / "secret").read_text() == SECRET.hex() + "\n"


def test_progress_is_told_up_to_the_last_document(tmp_path: Path) -> None:
    told: list[int] = []
    documents = [document(str(number)) for number in range(600)]
    build.build(documents, tmp_path / "corpus", secret=SECRET, progress=told.append)
    assert told == [256, 512, 600]


def test_oversized_documents_are_in_the_manifest(tmp_path: Path) -> None:
    text = " ".join(f"t{number}" for number in range(2**17 + 1))
    corpus = build.build([document("a", text), document("b", text), document("c")], tmp_path / "c", secret=SECRET)
    expected = tuple(number for number in range(3) if corpus.name(number) != "c")
    assert corpus.oversized == Corpus.open(corpus.path).oversized == expected
    assert make(tmp_path / "small").oversized == ()


@pytest.mark.parametrize("kind", ["file", "folder", "corpus", "dangling link"])
def test_what_exists_is_neither_replaced_nor_is_any_document_read(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    match kind:
        case "file":
            out.write_bytes(b"mine")
        case "folder":
            out.mkdir()
        case "corpus":
            make(out)
        case "dangling link":
            out.symlink_to("nowhere")
    before = sorted(tmp_path.rglob("*"))

    untouched = iter(DOCUMENTS)
    with pytest.raises(Refused, match="out exists already"):
        build.build(untouched, out, secret=SECRET)
    assert next(untouched) == DOCUMENTS[0]
    assert sorted(tmp_path.rglob("*")) == before


def test_what_was_made_under_the_name_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    def documents() -> Iterator[SourceDocument]:
        make(tmp_path / "other").path.rename(tmp_path / "out")
        yield document()

    with pytest.raises(Refused, match="out exists already"):
        build.build(documents(), tmp_path / "out", secret=SECRET)
    assert names(tmp_path) == ["out"]
    assert Corpus.open(tmp_path / "out").size == len(DOCUMENTS)


def test_two_builds_of_one_corpus_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    def documents() -> Iterator[SourceDocument]:
        yield document()
        with pytest.raises(Refused, match="another process is writing .*out; wait until it has ended"):
            make(tmp_path / "out")

    assert build.build(documents(), tmp_path / "out", secret=SECRET).size == 1
    assert names(tmp_path) == ["out"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be written: No such file or directory"):
        make(tmp_path / "nowhere" / "corpus")


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "the source has no documents"),
        ([document("a"), document("b"), document("a")], "two documents are named 'a'"),
        ([document("a"), document("b", "x\ud800y")], r"text or a field of 'b' holds a lone surrogate at character 1"),
        ([document("a\udcff")], r"name, the text or a field of 'a\\udcff' holds a lone surrogate at character 1"),
    ],
)
def test_a_source_that_makes_no_corpus_is_refused_and_leaves_nothing(
    tmp_path: Path, documents: list[SourceDocument], message: str
) -> None:
    with pytest.raises(BadSource, match=message):
        build.build(documents, tmp_path / "corpus", secret=SECRET)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(5, "I/O error"), Refused),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (MemoryError(), MemoryError),
        (LedgerError("no"), LedgerError),
    ],
)
def test_whatever_goes_wrong_nothing_is_left(tmp_path: Path, error: BaseException, told: type[BaseException]) -> None:
    def documents() -> Iterator[SourceDocument]:
        yield document()
        raise error

    with pytest.raises(told):
        build.build(documents(), tmp_path / "corpus", secret=SECRET)
    assert names(tmp_path) == []


def test_a_worker_that_dies_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(featurebuild, "count", pool_work.die)
    with pytest.raises(pool.WorkerDied, match="a worker process ended early"):
        build.build(DOCUMENTS, tmp_path / "corpus", secret=SECRET, workers=2, shard_documents=5)
    assert names(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_a_killed_build_leaves_goes_with_the_next_one_and_an_interrupted_one_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-c", ENDLESS, str(tmp_path / "corpus")]
    signalled_when_ready(command, number)
    assert not (tmp_path / "corpus").exists()
    left = names(tmp_path)
    assert left == ([] if number == signal.SIGINT else [".corpus.lock", ".corpus.unfinished"])
    make(tmp_path / "corpus")
    assert names(tmp_path) == ["corpus"]
