"""How a corpus is cut into shards, and who does the work, changes nothing; and what is wrong with shards is told."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import worker_tasks
from tests.support.verifier_corpora import damage, open_all
from tests.verifier.hand_made import DOCUMENTS, part, root, write
from verifier.corpus import features, leaves
from verifier.corpus.counting import Counting
from verifier.corpus.crew import Crew
from verifier.corpus.errors import CorpusDamaged, WorkerDied
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import Model
from verifier.corpus.others import Others, hashed
from verifier.corpus.processes import ATTEMPTS, Processes
from verifier.corpus.ranking import Ranker
from verifier.corpus.team import Here, Team, Threads
from verifier.rules import coins

WORDS = ("gas", "oil", "lunch", "prices", "Prüfung", "storage", "mail", "swap")
MANY = [
    [part(f"d{number}", " ".join((*(WORDS[(number * step) % 8] for step in range(1, 5)), f"only{number}")))]
    for number in range(150)
]
ORDER = [(number * 67) % 150 for number in range(150)]
SHARDS = {1: [], 7: [1, 20, 21, 60, 100, 149], 64: list(range(2, 128, 2))}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The same documents in 1, 7 and 64 shards."""
    folder = tmp_path_factory.mktemp("shards")
    return {count: write(folder / str(count), MANY, order=ORDER, cuts=cuts) for count, cuts in SHARDS.items()}


def everything(folder: Path, crew: Crew) -> list[Any]:
    """All that is found of a corpus."""
    corpus, counting = SealedCorpus.open(folder), Counting()
    ranker, reviewed = Ranker(corpus, crew), np.arange(150) % 3 == 0
    model = Model(weights=np.arange(len(corpus.frequencies) + 1) % 5, primal=2**60, dual=0)
    return [
        leaves.root(corpus, counting=counting, crew=crew),
        counting,
        features.recompute(corpus, crew=crew),
        ranker.largest_norm,
        ranker.by_model(model, reviewed, 20),
        ranker.by_coin("gas", reviewed, 20, partial(coins.coins, b"seed")),
        ranker.by_coin("", reviewed, 20, partial(coins.coins, b"seed")),
        corpus.names([149, 0, 77, 0]),
        corpus.gathered([149, 0, 77, 0]).columns.tolist(),
    ]


def test_the_same_is_found_however_many_shards_there_are(many: dict[int, Path]) -> None:
    one, *others = (everything(folder, Crew(workers=1)) for folder in many.values())
    assert one[0] == root(MANY)
    assert others == [one, one]


@pytest.mark.parametrize("workers", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_the_same_is_found_however_many_processes_work(many: dict[int, Path], workers: int) -> None:
    assert everything(many[64], Crew(workers=workers)) == everything(many[1], Crew(workers=1))


def test_wrong_rows_and_damaged_documents_are_the_same_however_many_shards_there_are(
    many: dict[int, Path], tmp_path: Path
) -> None:
    found = []
    for count, folder in many.items():
        copy = shutil.copytree(folder, tmp_path / str(count))
        for shard in (copy / "shards").iterdir():
            values = np.load(shard / "values.npy")
            np.save(shard / "values.npy", values + np.uint16(1))
        found.append(features.recompute(SealedCorpus.open(copy)))
        for shard in (copy / "shards").iterdir():
            np.save(shard / "digests.npy", np.load(shard / "digests.npy") ^ np.uint8(1))
        found.append(features.recompute(SealedCorpus.open(copy)))
    assert found == found[:2] * 3
    assert (found[0].wrong, found[0].wrong_count) == (tuple(range(100)), 150)
    assert (found[1].damaged, found[1].damaged_count) == (tuple(range(100)), 150)


def test_a_term_that_is_new_in_the_texts_of_two_shards_is_counted(tmp_path: Path) -> None:
    folder = write(tmp_path / "corpus", DOCUMENTS, order=[4, 2, 0, 1, 3], cuts=[2, 3])
    table = features.recompute(SealedCorpus.open(folder)).table
    terms = (folder / "terms.bin").read_bytes().split(b"\n")[:-1]
    (folder / "terms.bin").write_bytes(b"".join(term + b"\n" for term in terms if term not in (b"gas", b"and")))
    kept = [place for place, term in enumerate(terms) if term not in (b"gas", b"and")]
    np.save(folder / "frequencies.npy", np.load(folder / "frequencies.npy")[kept])
    assert features.recompute(SealedCorpus.open(folder)) == features.Recomputed(table=table)


def test_tokens_that_share_a_hash_are_counted_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "corpus", MANY, order=ORDER, cuts=[50])
    expected = features.recompute(SealedCorpus.open(folder))
    monkeypatch.setattr("verifier.corpus.reading.hashed", lambda tokens: np.zeros(len(list(tokens)), np.uint64))
    assert features.recompute(SealedCorpus.open(folder)) == expected


@pytest.mark.parametrize("at_once", [1, 2, 3, 1000])
def test_hashes_that_occur_twice_are_found_in_however_many_shares(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr("verifier.corpus.others._AT_ONCE", at_once)
    with Others() as others:
        for some in ([0, 5, 2**64 - 1], [], [3, 3, 2**63], [1, 5, 2**63, 2**64 - 1]):
            others.add(np.array(some, np.uint64))
        assert others.repeated().tolist() == [3, 5, 2**63, 2**64 - 1]
    with Others() as others:
        others.add(np.sort(hashed([b"a", b"b"])))
        assert others.repeated().tolist() == []


def test_shards_may_be_a_link_to_a_folder_elsewhere(many: dict[int, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(many[7], tmp_path / "corpus")
    (copy / "shards").rename(tmp_path / "elsewhere")
    (copy / "shards").symlink_to(tmp_path / "elsewhere")
    assert leaves.root(SealedCorpus.open(copy)) == root(MANY)


# What can be wrong with shards


def number(shard: Path, place: int, value: int) -> None:
    numbers = np.load(shard / "numbers.npy")
    numbers[place] = value
    np.save(shard / "numbers.npy", numbers)


def emptied(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def short(path: Path) -> None:
    np.save(path, np.load(path)[:-1])


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no shards": (shutil.rmtree, "shards cannot be read: No such file"),
    "an empty folder": (emptied, "should hold shard 00000"),
    "a missing shard": (
        lambda shards: shutil.rmtree(shards / "00003"),
        "should hold shard 00003 next, but holds 00004",
    ),
    "the first is missing": (lambda shards: shutil.rmtree(shards / "00000"), "should hold shard 00000 next"),
    "the last is missing": (lambda shards: shutil.rmtree(shards / "00006"), "has numbers from"),
    "a stranger's file": (lambda shards: (shards / "notes.txt").touch(), "shards should hold shard 00007 next"),
    "a file of a name before all": (lambda shards: (shards / ".x").touch(), "/.x does not belong there"),
    "a name of four digits": (lambda shards: (shards / "0000").mkdir(), "/0000 does not belong there"),
    "a file more in a shard": (lambda shards: (shards / "00001/x.npy").touch(), "00001/x.npy does not belong there"),
    "a file for a shard": (lambda shards: (shards / "00007").touch(), "00007 cannot be read: Not a directory"),
    "an empty shard": (lambda shards: (shards / "00007").mkdir(), "00007/numbers.npy cannot be read"),
    "a number twice": (
        lambda shards: number(shards / "00002", 0, ORDER[0]),
        f"gives the number {ORDER[0]} to a second",
    ),
    "a number twice in a shard": (lambda shards: number(shards / "00003", 1, ORDER[21]), "to a second document"),
    "a number too large": (lambda shards: number(shards / "00003", 0, 150), "numbered from 0 to 149"),
    "a number below 0": (lambda shards: number(shards / "00003", 0, -1), "has numbers from -1"),
    "too few numbers": (lambda shards: short(shards / "00003/numbers.npy"), "has numbers from"),
    "too few parts": (lambda shards: short(shards / "00003/parts.npy"), "numbers of documents in .* do not fit"),
    "too few rows": (lambda shards: short(shards / "00003/starts.npy"), "numbers of documents in .* do not fit"),
    "too few values": (lambda shards: short(shards / "00003/values.npy"), "entries of feature rows in .* do not fit"),
    "too few digests": (lambda shards: short(shards / "00003/digests.npy"), "numbers of parts in .* do not fit"),
    "another shape": (lambda shards: np.save(shards / "00003/numbers.npy", np.zeros((3, 1), "<i4")), "in the shape"),
    "another kind": (lambda shards: np.save(shards / "00003/numbers.npy", np.zeros(3, "<i8")), "of the kind <i8"),
    "no document": (lambda shards: np.save(shards / "00003/numbers.npy", np.zeros(0, "<i4")), "no document in shard"),
}


@pytest.mark.parametrize(("change", "told"), DAMAGES.values(), ids=DAMAGES)
def test_shards_that_do_not_fit_together_are_told(
    many: dict[int, Path], tmp_path: Path, change: Callable[[Path], object], told: str
) -> None:
    copy = shutil.copytree(many[7], tmp_path / "corpus")
    open_all(copy)
    change(copy / "shards")
    assert re.search(told, damage(copy))


def test_a_shard_that_shrinks_while_it_is_used_is_told(many: dict[int, Path], tmp_path: Path) -> None:
    copy = shutil.copytree(many[7], tmp_path / "corpus")
    corpus = SealedCorpus.open(copy)
    short(copy / "shards/00003/numbers.npy")
    with pytest.raises(CorpusDamaged, match="holds 38 documents now, and held 39 before"):
        leaves.root(corpus)


# Workers


@pytest.mark.parametrize("team", [Here, lambda: Threads(3), lambda: Processes(2)])
def test_results_come_in_the_order_of_tasks_and_shared_values_arrive(team: Callable[[], Team]) -> None:
    with team() as workers:
        shared = workers.share(list(range(100)))
        assert list(workers.in_order(worker_tasks.item, ((shared, each) for each in range(100)))) == list(range(100))


@pytest.mark.parametrize("team", [Here, lambda: Threads(3), lambda: Processes(2)])
def test_the_first_failure_in_the_order_of_tasks_is_raised(team: Callable[[], Team]) -> None:
    tasks = [(0, ""), (0.5, "first"), (0, "second")]
    with pytest.raises(CorpusDamaged, match="first"), team() as workers:
        list(workers.in_order(worker_tasks.fail, tasks))


def test_a_task_whose_process_is_killed_is_done_again(tmp_path: Path) -> None:
    with Processes(2) as workers:
        shared = workers.share("shared")
        tasks = [(str(tmp_path / str(each)), 1, shared) for each in range(3)]
        assert list(workers.in_order(worker_tasks.die, tasks)) == ["shared"] * 3


def test_a_task_whose_process_is_killed_again_and_again_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(WorkerDied, match=f"ended early {ATTEMPTS} times"), Processes(2) as workers:
        list(workers.in_order(worker_tasks.die, [(str(tmp_path / "a"), ATTEMPTS, 0)]))


def test_workers_do_not_import_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pickle.py", "numpy.py", "verifier.py"):
        (tmp_path / name).write_text("raise SystemExit('from the current folder')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    with Processes(1) as workers:
        assert list(workers.in_order(worker_tasks.item, [([7], 0)])) == [7]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_when_the_command_is_ended_its_workers_end(tmp_path: Path, sent: signal.Signals) -> None:
    script = (
        "import sys; from tests.support import worker_tasks; from verifier.corpus.processes import Processes\n"
        "with Processes(2) as workers:\n"
        "    list(workers.in_order(worker_tasks.sleep, [(sys.argv[1], each) for each in range(2)]))"
    )
    path = os.pathsep.join(each for each in sys.path if each)
    command = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
    )
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [int(each.read_text() or 0) for each in tmp_path.iterdir()]
    command.send_signal(sent)
    assert command.wait(60) != 0
    until(lambda: not any(runs(each) for each in workers))


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"
