"""Where shards are cut and who works on them changes no byte; reading goes by number; an interrupt leaves nothing."""

import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ledger.errors import Refused
from protocol.corpus import build, merging, taking
from protocol.corpus.checking import check_folder
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import numbering
from protocol.corpus.listing import Listing
from protocol.corpus.shard import Held, Shard
from protocol.errors import BadSource
from protocol.sources import synthetic
from protocol.sources.items import Item, Outcome, Received
from protocol.sources.source import SourceDocument
from protocol.workers import pool
from tests.support import small_corpus
from tests.support.killing import signalled_when_ready
from tests.support.small_corpus import FAMILY, SECRET

STAGES = (
    "Counting words",
    "Numbering documents",
    "Listing items",
    "Making features",
    "Finding what is alike",
    "Making the commitment",
)

WAITING = """
import sys, time
from pathlib import Path
from protocol.corpus import build
from tests.protocol.corpus.test_shards import DOCUMENTS, SECRET

def stage(name, done=0, total=0):
    if name == sys.argv[3]:
        print("ready", flush=True)
        while True:  # a signal that comes just before a sleep is noticed after it
            time.sleep(0.05)

build.build(DOCUMENTS, Path(sys.argv[1]), secret=SECRET, stage=stage, shards=Path(sys.argv[2]), shard_documents=30)
"""


def documents() -> list[SourceDocument]:
    """Mail, families among it, and some of it twice."""
    mail = list(synthetic.documents(documents=55, responsive=9, seed="shards"))
    again = [replace(each, parts=(replace(each.parts[0], name=f"again/{each.name}"),)) for each in mail[:6]]
    named = [
        replace(FAMILY, parts=(replace(FAMILY.parts[0], name=f"family {n}"), *FAMILY.parts[1:])) for n in (1, 2, 3)
    ]
    return [*mail[:30], *named, *again, *mail[30:]]


DOCUMENTS = documents()


def make(path: Path, size: int, workers: int = 1, shards: Path | None = None) -> Corpus:
    return build.build(DOCUMENTS, path, secret=SECRET, workers=workers, shards=shards, shard_documents=size)


def everything(corpus: Corpus) -> dict[str, bytes]:
    """All bytes of a corpus that have a meaning beyond their shard."""
    files = ("account.jsonl", "alike.npy", "frequencies.npy", "labels.json", "secret", "terms.bin", "tree.bin")
    found = {name: (corpus.path / name).read_bytes() for name in files}
    rows = corpus.features.joined()
    found |= {"starts": rows.starts.tobytes(), "columns": rows.columns.tobytes(), "values": rows.values.tobytes()}
    for name in ("texts.bin", "contents.bin", "fields.bin", "numbers.npy", "digests.npy"):
        shards = sorted((corpus.path / "shards").iterdir())
        head = 128 if name.endswith(".npy") else 0
        found[name] = b"".join((each / name).read_bytes()[head:] for each in shards)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make(tmp_path_factory.mktemp("shards") / "corpus", 1000)


@pytest.mark.parametrize(("size", "shards"), [(10, 7), (1, 64), (33, 2)])
@pytest.mark.parametrize("workers", [1, 20])
def test_one_seven_and_64_shards_and_any_number_of_workers_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Corpus, size: int, shards: int, workers: int
) -> None:
    monkeypatch.setattr(pool, "executor", lambda number: pool.threads(number) if number > 1 else pool.Here())
    monkeypatch.setattr(merging, "FAN", 3)
    made = make(tmp_path / "corpus", size, workers)
    assert len(whole.shards) == 1
    assert (len(made.shards), [each.name for each in sorted((made.path / "shards").iterdir())][-1]) == (
        shards,
        f"{shards - 1:05}",
    )
    assert everything(made) == everything(whole)
    assert (made.root, made.account, made.term_table_digest) == (whole.root, whole.account, whole.term_table_digest)
    check_folder(made.path)


def test_processes_give_the_same_bytes(tmp_path: Path, whole: Corpus) -> None:
    made = make(tmp_path / "corpus", 30, 2)
    assert len(made.shards) == 3
    assert everything(made) == everything(whole)


def test_a_shard_ends_when_it_has_much_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Corpus) -> None:
    monkeypatch.setattr(taking, "SHARD_TEXT", 3000)
    made = make(tmp_path / "corpus", 1000)
    assert len(made.shards) > 5
    assert everything(made) == everything(whole)


@pytest.mark.parametrize("limit", ["SHARD_DOCUMENTS", "SHARD_TEXT"])
def test_the_first_shards_are_smaller_so_that_a_small_corpus_has_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Corpus, limit: str
) -> None:
    monkeypatch.setattr(taking, limit, 24 if limit == "SHARD_DOCUMENTS" else 20_000)
    made = build.build(DOCUMENTS, tmp_path / "corpus", secret=SECRET, workers=1)
    sizes = [shard.size for shard in made.shards]
    if limit == "SHARD_DOCUMENTS":
        assert sizes == [3, 6, 12, 24, 19]
    assert sizes[0] < sizes[1] < sizes[2]
    assert everything(made) == everything(whole)


def test_numbers_are_those_of_the_permutation(whole: Corpus) -> None:
    numbers = np.load(whole.path / "shards/00000/numbers.npy")
    assert np.argsort(numbers).tolist() == numbering(SECRET, len(DOCUMENTS))
    assert [whole.name(int(numbers[place])) for place in range(len(DOCUMENTS))] == [each.name for each in DOCUMENTS]


def test_a_document_is_read_by_its_number_whatever_shard_it_is_in(tmp_path: Path, whole: Corpus) -> None:
    made = make(tmp_path / "corpus", 10)
    for number in range(made.size):
        found, row = made.place(number)
        assert (found.numbers[row], found.first + row) == (number, whole.place(number)[1])
        assert found.rows.row_bytes(row) == made.features.row_bytes(number) == whole.features.row_bytes(number)
        assert made.fields(number) == whole.fields(number)
        assert made.text(number) == whole.text(number)
        assert made.proof(number) == whole.proof(number)
        assert list(made.alike.of(number)) == list(whole.alike.of(number))
    assert [shard.first_part for shard in made.shards] == np.cumsum([0, *(s.parts for s in made.shards[:-1])]).tolist()


def test_a_worker_opens_a_shard_without_a_manifest(tmp_path: Path) -> None:
    made = make(tmp_path / "corpus", 30)
    for known in made.shards:
        found = Shard.open(known.path, first=known.first, first_part=known.first_part, terms=len(made.terms))
        assert (found.size, found.parts, found.first) == (known.size, known.parts, known.first)
        assert found.numbers.tolist() == known.numbers.tolist()
        assert found.rows.row_bytes(3) == known.rows.row_bytes(3)
        assert found.listing.read_fields(3) == known.listing.read_fields(3)


def test_few_files_are_open_however_many_shards_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    real = Listing.open

    def watched(path: Path) -> Listing:
        opened.append(path)
        return real(path)

    made = make(tmp_path / "corpus", 1)
    monkeypatch.setattr(Listing, "open", watched)
    held = Held(4)
    shards = [replace(each, _held=held) for each in made.shards]
    for each in (*shards, *shards[::-1]):
        assert each.listing.read_fields(0).rest.name
        assert len(held._open) <= 4
    assert len(opened) == 2 * len(shards) - 4  # the last few were still open
    made.close()
    assert made.name(0)


def test_what_is_merged_goes_to_the_shard_of_its_document(tmp_path: Path) -> None:
    received = Received()
    for place, document in enumerate(DOCUMENTS):
        received.add(Item(where=document.name, outcome=Outcome.ENTERED, documents=range(place, place + 1)))
    for place in (2, 31, 31, 60):
        received.add(
            Item(
                where=f"copy of {place}",
                outcome=Outcome.DUPLICATE,
                documents=range(place, place + 1),
                custodians=("C",),
            )
        )
    made = build.build(DOCUMENTS, tmp_path / "corpus", secret=SECRET, received=received, workers=1, shard_documents=10)
    given = {each.name: each.parts[0].custodians for each in DOCUMENTS}
    for number in range(made.size):
        rest = made.fields(number).rest
        place = next(n for n, each in enumerate(DOCUMENTS) if each.name == rest.name)
        assert rest.custodians == (*given[rest.name], *(("C",) if place in (2, 31, 60) else ()))
        assert [path for path in rest.paths if path.startswith("copy")] == (["copy of 31"] if place == 31 else [])
    check_folder(made.path)


def test_two_documents_of_one_name_are_refused_in_whatever_shards_they_are(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="two documents are named 'mail-0000003'; give each a name of its own"):
        build.build([*DOCUMENTS, DOCUMENTS[3]], tmp_path / "corpus", secret=SECRET, workers=1, shard_documents=7)
    assert not list(tmp_path.iterdir())


# The shards in a folder elsewhere


def test_shards_may_be_in_a_folder_elsewhere_that_holds_no_secret(tmp_path: Path, whole: Corpus) -> None:
    (tmp_path / "other").mkdir()
    made = make(tmp_path / "corpus", 30, shards=tmp_path / "other/shards")
    assert (made.path / "shards").readlink() == tmp_path / "other/shards"
    assert sorted(path.name for path in (tmp_path / "other/shards").iterdir()) == ["00000", "00001", "00002"]
    assert everything(made) == everything(whole)
    check_folder(made.path)
    for path in (tmp_path / "other").rglob("*"):
        assert path.is_dir() or SECRET.hex().encode() not in path.read_bytes()
        assert path.is_dir() or bytes(SECRET) not in path.read_bytes()


def test_a_folder_for_shards_that_exists_is_not_touched_and_no_document_is_read(tmp_path: Path) -> None:
    (tmp_path / "shards").mkdir()
    left = iter(DOCUMENTS)
    with pytest.raises(Refused, match="shards exists already"):
        build.build(left, tmp_path / "corpus", secret=SECRET, shards=tmp_path / "shards")
    assert next(left) is DOCUMENTS[0]
    assert [path.name for path in tmp_path.iterdir()] == ["shards"]


def test_shards_do_not_stay_if_the_corpus_does_not_get_its_name(tmp_path: Path) -> None:
    def complete(_: Path) -> None:
        small_corpus.make(tmp_path / "other").path.rename(tmp_path / "corpus")

    with pytest.raises(Refused, match="corpus exists already"):
        build.build(DOCUMENTS, tmp_path / "corpus", secret=SECRET, shards=tmp_path / "shards", complete=complete)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


# Interrupts


def interrupted_at(wanted: str, *, late: bool) -> Callable[..., None]:
    """Interrupts a stage when it begins, or when something of it is done."""

    def stage(name: str, done: int = 0, total: int = 0) -> None:
        assert 0 <= done <= total == len(DOCUMENTS)
        if name == wanted and bool(done) >= late:
            raise KeyboardInterrupt

    return stage


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_in_any_stage_leaves_nothing(tmp_path: Path, stage: str, elsewhere: bool) -> None:  # noqa: FBT001
    with pytest.raises(KeyboardInterrupt):
        build.build(
            DOCUMENTS,
            tmp_path / "corpus",
            secret=SECRET,
            stage=interrupted_at(stage, late=stage in ("Counting words", "Making features", "Making the commitment")),
            shards=tmp_path / "shards" if elsewhere else None,
            shard_documents=30,
            workers=1,
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.slow  # kills processes
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("stage", ["Counting words", "Making features"])
def test_what_a_killed_build_leaves_goes_with_the_next_one(tmp_path: Path, number: signal.Signals, stage: str) -> None:
    command = [sys.executable, "-c", WAITING, str(tmp_path / "corpus"), str(tmp_path / "shards"), stage]
    signalled_when_ready(command, number)
    left = sorted(path.name for path in tmp_path.iterdir())
    hidden = [".corpus.lock", ".corpus.unfinished", ".shards.lock", ".shards.unfinished"]
    assert left == ([] if number == signal.SIGINT else hidden)
    make(tmp_path / "corpus", 30, shards=tmp_path / "shards")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "shards"]
