"""The same bytes come out for any number of shards and workers, on this machine or on a cluster, also if a worker dies.

A task that goes to a cluster holds nothing of the secret.
"""

import base64
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol import cli
from protocol.corpus import build, manifest
from protocol.corpus.corpus import Corpus
from protocol.errors import ProtocolError
from protocol.matter import terms
from protocol.simulation import run as simulation
from protocol.sources import synthetic
from protocol.workers import cluster, leaving
from tests.support import clusters, corpora, matters

pytestmark = pytest.mark.slow

DOCUMENTS, RESPONSIVE = 256, 60
Made = tuple[str, ...]


def outcome(folder: Path, shards: int, *, workers: int = 1, cluster: Executor | None = None) -> Made:
    """Build a corpus in so many shards, play a whole matter over it, and tell what came out."""
    folder.mkdir()
    (folder / "shared").mkdir()
    corpus = build.build(
        synthetic.documents(documents=DOCUMENTS, responsive=RESPONSIVE, seed="shards"),
        folder / "corpus",
        secret=corpora.SECRET,
        workers=workers,
        shards=folder / "shared" / "shards",
        shard_documents=-(-DOCUMENTS // shards),
        cluster=cluster,
    )
    assert len(corpus.shards) == shards
    rows = sha256(b"".join(map(corpus.features.row_bytes, range(corpus.size))))
    tree = sha256((corpus.path / manifest.TREE).read_bytes())
    words = sha256((corpus.path / manifest.TERMS).read_bytes() + (corpus.path / manifest.FREQUENCIES).read_bytes())
    alike = sha256((corpus.path / manifest.ALIKE).read_bytes())
    items = sha256((corpus.path / manifest.ACCOUNT).read_bytes())
    return (
        corpus.root.hex(),
        *(each.hexdigest() for each in (rows, tree, words, alike, items)),
        *(sha256(played(corpus, folder / f"{number}", query, cluster)).hexdigest() for number, query in QUERIES),
    )


QUERIES = [(0, corpora.QUERY), (1, "")]


def played(corpus: Corpus, path: Path, query: str, cluster: Executor | None) -> bytes:
    """A whole matter with batches by coin and by model and a validation: the court's copy."""
    agreed = matters.small_terms(query=query, validation=terms.validation())
    plan = simulation.plan(corpus, agreed, label="responsive", seed="1", **matters.PLAYERS)
    with simulation.Run(corpus, plan, path, cluster) as run:
        run.run()
        key = plan.key(Role.TRENT)
    copy = path.with_suffix(".jsonl")
    with Store.open(path) as store:
        write_copy(store, Audience.COURT, key, copy)
    return copy.read_bytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return outcome(tmp_path_factory.mktemp("one") / "shard", 1)


@pytest.mark.parametrize(("shards", "workers"), [(64, 1), (7, 2), (3, 20)])
def test_shards_and_workers_of_this_machine_change_nothing(
    shards: int, workers: int, expected: Made, tmp_path: Path
) -> None:
    assert outcome(tmp_path / "made", shards, workers=workers) == expected


@pytest.mark.parametrize(("shards", "workers", "threads"), [(1, 1, 1), (64, 2, 10)])
def test_the_workers_of_a_cluster_change_nothing(
    shards: int, workers: int, threads: int, expected: Made, tmp_path: Path
) -> None:
    with (
        clusters.running(_folder(tmp_path / "cluster"), workers=workers, threads=threads) as local,
        cluster.cluster(local.address, local.tls) as connected,
    ):
        assert outcome(tmp_path / "made", shards, cluster=connected) == expected
    left = (tmp_path / "made" / "shared").iterdir()
    assert [path.name for path in left if not path.name.endswith(".lock")] == ["shards"]


def test_killed_workers_change_nothing(expected: Made, tmp_path: Path) -> None:
    """One dies while words are counted, one when they have been, one while rows are weighed, one while scores are
    computed. The fifth does the rest.
    """
    killed_at = [3, 30, 80, 150]
    with (
        clusters.running(_folder(tmp_path / "cluster"), workers=5) as local,
        cluster.cluster(local.address, local.tls) as connected,
    ):
        watched = _Watched(
            connected, lambda given: local.kill_worker(killed_at.index(given)) if given in killed_at else None
        )
        assert outcome(tmp_path / "made", 32, cluster=watched) == expected
        assert len(watched.given) > killed_at[-1]
        assert [worker.poll() is not None for worker in local.workers] == [True] * 4 + [False]


def test_no_task_of_a_cluster_holds_the_secret(expected: Made, tmp_path: Path) -> None:
    """Neither its arguments, nor a file that they name, nor one beside it."""
    watched = _Watched(_Elsewhere(), lambda _: None)
    assert outcome(tmp_path / "made", 3, cluster=watched) == expected
    names = {json.loads(text)[0] for text in watched.given}
    assert names == {"count", "merge", "weigh", "largest_square_in", "best_in", "drawn_in"}
    secret = bytes(corpora.SECRET)
    written = [secret, secret.hex().encode(), base64.b64encode(secret), base64.b85encode(secret), repr(secret).encode()]
    for text in watched.given:
        assert not any(each in text.encode() for each in written)
    folders = {path for text in watched.given for path in _paths(json.loads(text))}
    assert folders, "tasks name files"
    seen = {path for folder in folders for path in _beside(folder)}
    assert (tmp_path / "made" / "shared" / "shards" / "00000" / manifest.TEXTS) in seen
    for path in seen:
        data = path.read_bytes()
        assert not any(each in data for each in written), path
    assert any(each in (tmp_path / "made" / "corpus" / manifest.SECRET).read_bytes() for each in written)


def test_a_corpus_whose_shards_lie_beside_the_secret_is_not_given_to_a_cluster(tmp_path: Path) -> None:
    corpus = corpora.make(tmp_path / "corpus", 30, 5)
    with pytest.raises(leaving.MayNotLeave, match=r"holds a sealing secret"):
        played(corpus, tmp_path / "matter", corpora.QUERY, _Watched(_Elsewhere(), lambda _: None))


@pytest.mark.parametrize("whose", ["its own", "another"])
def test_a_secret_beside_the_shared_shards_is_refused(whose: str, tmp_path: Path) -> None:
    """Be it that of the corpus itself, or that of another one."""
    shared = _folder(tmp_path / "shared")
    if whose == "another":
        corpora.make(shared / "another", 10, 3)
    with pytest.raises(ProtocolError, match=r"would hold the secret|another holds a sealing secret and lies beside"):
        build.build(
            synthetic.documents(documents=10, responsive=3, seed="x"),
            (shared if whose == "its own" else tmp_path) / "corpus",
            secret=corpora.SECRET,
            shards=shared / "shards",
            cluster=_Elsewhere(),
        )
    assert not (shared / "shards").exists()


@pytest.mark.parametrize("out", ["deeper/corpus", "../shared/corpus", "../alias/corpus"])
def test_no_way_to_write_a_path_puts_the_secret_where_workers_see_it(out: str, tmp_path: Path) -> None:
    shared = _folder(tmp_path / "shared")
    _folder(shared / "deeper")
    (tmp_path / "alias").symlink_to(shared)
    with pytest.raises(ProtocolError, match=r"would hold the secret"):
        build.build(
            synthetic.documents(documents=10, responsive=3, seed="x"),
            shared / out,
            secret=corpora.SECRET,
            shards=shared / "shards",
            cluster=_Elsewhere(),
        )
    assert not (shared / "shards").exists()


def test_a_secret_further_down_in_the_shared_folder_is_refused(tmp_path: Path) -> None:
    shared = _folder(tmp_path / "shared")
    corpora.make(_folder(shared / "deeper") / "another", 10, 3)
    with pytest.raises(leaving.MayNotLeave, match=r"another holds a sealing secret"):
        leaving.check_shared(shared / "shards")


def test_the_commands_take_a_cluster(tmp_path: Path) -> None:
    source = tmp_path / "mail.jsonl"
    synthetic.write(source, documents=60, responsive=20, seed="commands")
    run = CliRunner()
    with clusters.running(_folder(tmp_path / "cluster"), workers=1) as local:
        made = ["corpus", "build", str(source), "--seed", "1", "--shard-documents", "20"]
        here, there = tmp_path / "here", tmp_path / "there"
        assert run.invoke(cli.main, [*made, "--out", str(here)]).exit_code == 0
        away = ["--out", str(there), "--shards", str(_folder(tmp_path / "shared") / "shards"), *local.options]
        found = run.invoke(cli.main, [*made, *away])
        assert found.exit_code == 0, found.output
        assert Corpus.open(there).root == Corpus.open(here).root
        plays = ["--responsive", "responsive", "--rounds", "2", "--batch", "10", "--query", synthetic.QUERY]
        ours, theirs = tmp_path / "ours", tmp_path / "theirs"
        assert run.invoke(cli.main, ["simulate", str(here), *plays, "--out", str(ours)]).exit_code == 0
        found = run.invoke(cli.main, ["simulate", str(there), *plays, "--out", str(theirs), *local.options])
        assert found.exit_code == 0, found.output
        ends = [run.invoke(cli.main, ["status", str(path), "--json"]).output for path in (ours, theirs)]
        assert json.loads(ends[0]) == json.loads(ends[1])


@pytest.mark.parametrize("command", ["build", "simulate"])
def test_a_plain_scheduler_is_refused_by_every_command(command: str, tmp_path: Path) -> None:
    source, corpus = tmp_path / "mail.jsonl", tmp_path / "corpus"
    synthetic.write(source, documents=20, responsive=5, seed="commands")
    given = ["corpus", "build", str(source), "--out", str(corpus)]
    if command == "simulate":
        assert CliRunner().invoke(cli.main, given).exit_code == 0
        given = ["simulate", str(corpus), "--responsive", "responsive", "--out", str(tmp_path / "matter")]
    before = sorted(tmp_path.iterdir())
    for more, said in (
        (["--scheduler", "tcp://127.0.0.1:1"], "runs whatever it is sent"),
        (["--scheduler", "tls://127.0.0.1:1"], "--tls-ca, --tls-cert and --tls-key"),
        (["--tls-ca", str(source)], "give its --scheduler"),
    ):
        found = CliRunner().invoke(cli.main, [*given, *more])
        assert found.exit_code != 0
        assert said in " ".join(found.output.split())
        assert sorted(tmp_path.iterdir()) == before


class _Elsewhere(Executor):
    """Does tasks as a cluster does, by way of what travels, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(leaving.unpacked(leaving.done(*leaving.packed(fn, args, kwargs))))
        return future


class _Watched(Executor):
    """Keeps the text of each task that goes to an executor; `then` is told how many went."""

    def __init__(self, inner: Executor, then: Callable[[int], object]) -> None:
        self._inner, self._then = inner, then
        self.given: list[str] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given.append(json.dumps([fn.__qualname__, args, kwargs]))
        found = self._inner.submit(fn, *args, **kwargs)
        self._then(len(self.given))
        return found


def _paths(given: Any) -> Iterator[Path]:
    for text in leaving._texts(given):
        if text.startswith("/"):
            yield Path(text)


def _beside(path: Path) -> Iterator[Path]:
    """The files of a folder, of all folders in it, and of the folder around it."""
    around = path if path.is_dir() else path.parent
    if around.exists():
        yield from (each for each in around.rglob("*") if each.is_file())
        yield from (each for each in around.parent.iterdir() if each.is_file())


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
