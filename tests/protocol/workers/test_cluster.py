"""Workers of a cluster do tasks over TLS alone, again if one of them dies, and never get a secret."""

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from protocol.corpus import manifest
from protocol.errors import TrentOnly
from protocol.workers import cluster, leaving, pool
from protocol.workers.cluster import BadCluster, Certificates
from protocol.workers.leaving import MayNotLeave
from protocol.workers.pool import WorkerDied
from tests.support import certificates, cluster_work, clusters

pytestmark = pytest.mark.slow

PATIENCE = 60  # seconds


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[clusters.Local]:
    with clusters.running(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
def files(tmp_path: Path) -> Certificates:
    return Certificates(**dict(zip(("authority", "certificate", "key"), certificates.write(tmp_path), strict=True)))


def test_every_task_is_done_and_results_come_in_the_order_of_the_tasks(local: clusters.Local, tmp_path: Path) -> None:
    tasks = [(str(tmp_path / str(number)), number) for number in range(5)]
    with cluster.cluster(local.address, local.tls) as workers:
        assert pool.gather(cluster_work.write, tasks, workers=workers) == list(range(5))
        assert pool.gather(cluster_work.write, tasks, workers=workers) == list(range(5)), "it stays open"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "1", "2", "3", "4"]


def test_the_error_of_a_task_is_told_in_words(local: clusters.Local) -> None:
    with (
        pytest.raises(WorkerDied, match="FileNotFoundError.*nowhere.*see the folder of shards under the same path"),
        cluster.cluster(local.address, local.tls) as workers,
    ):
        pool.gather(cluster_work.refuse, [("nowhere",)], workers=workers)


def test_the_task_of_a_killed_worker_is_done_again_by_another(tmp_path: Path) -> None:
    go, folder = tmp_path / "go", tmp_path / "seen"
    folder.mkdir()
    (tmp_path / "cluster").mkdir()
    with (
        clusters.running(tmp_path / "cluster", workers=2, threads=4) as local,
        cluster.cluster(local.address, local.tls) as workers,
    ):
        futures = [workers.submit(cluster_work.wait_for, str(go), str(folder), number) for number in range(4)]
        until(lambda: len({path.suffix for path in folder.iterdir()}) == 2 and len(list(folder.iterdir())) == 4)
        local.kill_worker()
        until(lambda: len(list(folder.iterdir())) > 4)
        go.touch()
        assert [future.result(PATIENCE) for future in futures] == [0, 1, 2, 3]


def test_a_task_that_kills_every_worker_is_an_error(tmp_path: Path) -> None:
    with (
        clusters.running(tmp_path, workers=4) as local,
        pytest.raises(WorkerDied, match="did not do a task .*KilledWorker"),
        cluster.cluster(local.address, local.tls) as workers,
    ):
        pool.gather(cluster_work.end_the_worker, [()], workers=workers)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "127.0.0.1:8786", "tls://host", "tls://", "ucx://a:1"])
def test_an_address_without_tls_is_refused_before_any_connection(
    address: str, files: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    _no_connection(monkeypatch)
    with pytest.raises(BadCluster, match=r"not an address of the form tls://HOST:PORT.*runs whatever it is sent"):
        cluster.cluster(address, files)


def test_a_cluster_without_certificates_is_refused_before_any_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    _no_connection(monkeypatch)
    with pytest.raises(BadCluster, match="runs whatever it is sent.*--tls-ca, --tls-cert and --tls-key"):
        cluster.cluster("tls://127.0.0.1:8786", None)


def test_a_file_that_is_no_certificate_is_refused_before_any_connection(
    files: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    _no_connection(monkeypatch)
    files.key.write_bytes(b"not a key")
    with pytest.raises(BadCluster, match=r"server\.key is not a file in PEM"):
        cluster.cluster("tls://127.0.0.1:8786", files)
    files.key.unlink()
    with pytest.raises(BadCluster, match=r"server\.key cannot be read"):
        cluster.cluster("tls://127.0.0.1:8786", files)


def test_a_plain_scheduler_is_not_talked_to(files: Certificates, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with clusters.scheduler(tmp_path, None, "tcp") as address, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "PATIENCE", 3)
        with pytest.raises(BadCluster, match="no connection to the scheduler"):
            cluster.cluster(address.replace("tcp://", "tls://"), files)


def test_a_scheduler_of_another_authority_is_not_talked_to(local: clusters.Local, files: Certificates) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "PATIENCE", 3)
        with pytest.raises(BadCluster, match="no connection to the scheduler"):
            cluster.cluster(local.address, files)


def test_a_scheduler_without_workers_is_an_error(files: Certificates, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with clusters.scheduler(tmp_path, files, "tls") as address, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "PATIENCE", 3)
        with pytest.raises(BadCluster, match="has no workers; start some"):
            cluster.cluster(address, files)


@pytest.mark.parametrize("shown", ["nothing", "another authority's"])
def test_the_scheduler_refuses_a_client_without_a_certificate(
    shown: str, local: clusters.Local, files: Certificates
) -> None:
    context = ssl.create_default_context(cafile=str(local.tls.authority))
    context.check_hostname = False
    if shown != "nothing":
        context.load_cert_chain(files.certificate, files.key)
    host, _, port = local.address.removeprefix("tls://").rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=10) as plain,
        pytest.raises((ssl.SSLError, ConnectionError)),
        context.wrap_socket(plain) as talking,
    ):
        talking.recv(1)  # in TLS 1.3, the refusal comes after the handshake


def test_a_missing_package_is_named(files: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(TrentOnly, match=r"pip install 'tallystick\[cluster\]'"):
        cluster.cluster("tls://127.0.0.1:8786", files)


def test_only_marked_tasks_leave(local: clusters.Local) -> None:
    with (
        cluster.cluster(local.address, local.tls) as workers,
        pytest.raises(MayNotLeave, match="unmarked is done only on the machine that holds the secret"),
    ):
        workers.submit(cluster_work.unmarked, 1)


@pytest.mark.parametrize("depth", ["", "shards", "shards/00000/texts.bin"])
def test_no_file_below_a_folder_with_a_secret_leaves(depth: str, tmp_path: Path) -> None:
    (tmp_path / manifest.SECRET).write_text("5" * 64)
    with pytest.raises(MayNotLeave, match="holds a sealing secret.*--shards FOLDER"):
        leaving.packed(cluster_work.write, (str(tmp_path / depth), 1), {})


def test_a_link_to_such_a_folder_does_not_help(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / manifest.SECRET).write_text("5" * 64)
    (tmp_path / "link").symlink_to(tmp_path / "corpus")
    with pytest.raises(MayNotLeave, match="holds a sealing secret"):
        leaving.packed(cluster_work.write, (), {"paths": [{"deep": str(tmp_path / "link" / "shards")}]})


def test_the_file_of_the_secret_has_the_name_that_is_looked_for() -> None:
    assert leaving.SECRET == manifest.SECRET


def test_a_worker_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = leaving.done("tests.support.cluster_work", "unmarked", "[[1], {}]")
    assert leaving.unpacked(answer) == 1
    monkeypatch.setattr(leaving, "version", lambda: "99")
    with pytest.raises(WorkerDied, match="a worker has Tallystick .*, and this is 99; install the same version"):
        leaving.unpacked(answer)


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), leaving.whole_file(tmp_path / "one") as file:  # noqa: PT012
        file.write(b"half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def _no_connection(patch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was made")

    patch.setattr(socket.socket, "connect", refuse)
    patch.setattr(socket.socket, "connect_ex", refuse)
