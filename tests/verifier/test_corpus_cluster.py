"""The work that needs no secret, done by a real scheduler and real workers of Dask over TLS."""

import datetime
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support import worker_tasks
from tests.verifier.hand_made import part, write
from verifier import cli
from verifier.corpus import features
from verifier.corpus.cluster import Address, _located, connected
from verifier.corpus.crew import Crew
from verifier.corpus.errors import BadCluster
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import Model
from verifier.corpus.ranking import Ranker
from verifier.corpus.shard import pieces
from verifier.rules import coins

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Running:
    """A scheduler with two workers."""

    address: Address
    workers: list["subprocess.Popen[bytes]"]


def certificates(folder: Path) -> tuple[Path, Path, Path]:
    """An authority, and a certificate of it with its key, for all of this machine."""
    now = datetime.datetime.now(datetime.UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("authority", "machine")]
    found = []
    for own, name in zip(keys, names, strict=True):
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(names[0]).public_key(own.public_key())
        builder = (
            builder.serial_number(x509.random_serial_number()).not_valid_before(now - DAY).not_valid_after(now + DAY)
        )
        builder = builder.add_extension(x509.BasicConstraints(ca=name is names[0], path_length=None), critical=True)
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        found.append(builder.add_extension(address, critical=False).sign(keys[0], hashes.SHA256()))
    paths = folder / "ca.pem", folder / "cert.pem", folder / "key.pem"
    for path, certificate in zip(paths, found, strict=False):
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    paths[2].write_bytes(keys[1].private_bytes(serialization.Encoding.PEM, *form))
    return paths


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'tallystick[cluster]'")
    folder = tmp_path_factory.mktemp("cluster")
    authority, certificate, key = certificates(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{free.getsockname()[1]}"
    tls = ["--tls-ca-file", authority, "--tls-cert", certificate, "--tls-key", key]
    path = os.pathsep.join(each for each in sys.path if each)

    def start(*command: object) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + str(command[0]), *map(str, (*command[1:], *tls))],
            env=os.environ | {"PYTHONPATH": path},
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    port = address.rsplit(":", 1)[1]
    programs = [start("dask_scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", port, "--no-dashboard")]
    worker = ("dask_worker", address, "--no-dashboard", "--nthreads", "2", "--no-nanny", "--host", "tls://127.0.0.1")
    programs += [start(*worker) for _ in range(2)]
    yield Running(
        Address(scheduler=address, authority=authority, certificate=certificate, key=key),
        programs[1:],
    )
    for program in programs:
        program.kill()
        program.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = ("gas", "oil", "lunch", "prices")
    documents = [[part(f"d{n}", f"{words[n % 4]} {words[n % 3]} only{n}")] for n in range(40)]
    made = write(tmp_path_factory.mktemp("corpus") / "corpus", documents, order=range(39, -1, -1), cuts=[5, 30])
    (made / "shards").rename(made.parent / "elsewhere")
    (made / "shards").symlink_to(made.parent / "elsewhere")
    return made


def found(folder: Path, crew: Crew) -> list[object]:
    corpus = SealedCorpus.open(folder)
    ranker, reviewed = Ranker(corpus, crew), np.arange(40) % 3 == 0
    model = Model(weights=np.arange(len(corpus.frequencies) + 1) % 5, primal=2**60, dual=0)
    return [
        features.recompute(corpus, crew=crew),
        ranker.by_model(model, reviewed, 7),
        ranker.by_coin("gas", reviewed, 7, partial(coins.coins, b"seed")),
    ]


@pytest.mark.slow
def test_a_cluster_finds_what_this_machine_finds(cluster: Running, folder: Path) -> None:
    with connected(cluster.address) as workers:
        assert found(folder, Crew(cluster=workers)) == found(folder, Crew(workers=1))


def test_shards_that_lie_beside_the_secret_are_not_given_to_a_cluster(tmp_path: Path) -> None:
    corpus = SealedCorpus.open(write(tmp_path / "corpus", [[part("a", "gas")]]))
    with pytest.raises(BadCluster, match=r"which holds the secret"):
        _located(pieces(corpus.shards, 10)[0])
    (tmp_path / "corpus/shards").rename(tmp_path / "elsewhere")
    (tmp_path / "corpus/shards").symlink_to(tmp_path / "elsewhere")
    assert _located(pieces(corpus.shards, 10)[0]).shard.path == tmp_path.resolve() / "elsewhere/00000"


@pytest.mark.slow
def test_leaves_are_sealed_here_though_there_is_a_cluster(cluster: Running) -> None:
    with connected(cluster.address) as workers:
        with Crew(workers=2, cluster=workers).sealing(10) as team:
            assert type(team).__name__ == "Processes"
        with Crew(workers=2, cluster=workers).reading(10) as team:
            assert type(team).__name__ == "_Everywhere"


@pytest.mark.slow
def test_a_task_is_done_again_if_its_worker_is_killed(cluster: Running, tmp_path: Path) -> None:
    with connected(cluster.address) as workers, workers.team() as team:
        waiting = team.submit(worker_tasks.nap, str(tmp_path), 5)
        end = time.monotonic() + 60
        while not list(tmp_path.iterdir()):
            assert time.monotonic() < end
            time.sleep(0.1)
        os.kill(int(next(tmp_path.iterdir()).name), signal.SIGKILL)
        assert waiting.result(120) == 5


@pytest.mark.slow
def test_a_stranger_without_a_certificate_of_the_authority_is_turned_away(
    cluster: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, certificate, key = certificates(tmp_path)
    stranger = Address(
        scheduler=cluster.address.scheduler, authority=cluster.address.authority, certificate=certificate, key=key
    )
    monkeypatch.setattr("verifier.corpus.cluster._SECONDS", 5)
    with pytest.raises(BadCluster, match="no connection to tls://"), connected(stranger):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "127.0.0.1:8786", "TLS://a:1", "ucx://a:1", ""])
def test_anything_but_tls_is_refused(tmp_path: Path, address: str) -> None:
    paths = certificates(tmp_path)
    given = Address(scheduler=address, authority=paths[0], certificate=paths[1], key=paths[2])
    with pytest.raises(BadCluster, match="does not begin with tls://"), connected(given):
        pass


def test_without_dask_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    paths = certificates(tmp_path)
    given = Address(scheduler="tls://a:1", authority=paths[0], certificate=paths[1], key=paths[2])
    with pytest.raises(BadCluster, match=r"pip install 'tallystick\[cluster\]'"), connected(given):
        pass


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--workers", "2"], "are for --corpus, which is not given"),
        (["--scheduler", "tls://a:1"], "--scheduler needs --tls-ca, --tls-cert and --tls-key"),
        (["--tls-ca", "copy"], "are for --scheduler, which is not given"),
        (["--workers", "0"], "0 is not in the range"),
        (
            [
                "--corpus",
                ".",
                "--scheduler",
                "tcp://a:1",
                "--tls-ca",
                "copy",
                "--tls-cert",
                "copy",
                "--tls-key",
                "copy",
            ],
            "tcp://a:1 does not begin with tls://",
        ),
    ],
)
def test_options_that_do_not_fit_together_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("copy").write_text("x")
    run = CliRunner().invoke(cli.main, ["copy", "copy", *options])
    assert run.exit_code == 2
    assert told in " ".join(run.output.split())
