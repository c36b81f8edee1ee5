"""Clusters for tests: a scheduler of Dask and its workers, as processes of this machine that talk over TLS."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from protocol.workers.cluster import Certificates
from tests.support import certificates

PATIENCE = 90  # seconds


@dataclass
class Local:
    """A scheduler with workers. Its folder has their certificates and logs."""

    folder: Path
    address: str
    tls: Certificates
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def options(self) -> list[str]:
        """What a command needs to use it."""
        tls = self.tls
        return [
            *("--scheduler", self.address, "--tls-ca", str(tls.authority)),
            *("--tls-cert", str(tls.certificate), "--tls-key", str(tls.key)),
        ]

    def add_worker(self, threads: int = 1) -> subprocess.Popen[bytes]:
        """One more worker process, which does so many tasks at a time."""
        number = len(self.workers)
        more = ["--no-nanny", "--nthreads", str(threads), "--memory-limit", "0", "--name", f"worker{number}"]
        scratch = ["--local-directory", str(self.folder / f"worker{number}")]
        self.workers.append(_started("worker", [self.address, *more, *scratch], self.tls, self.folder, f"w{number}"))
        return self.workers[-1]

    def kill_worker(self, number: int = 0) -> None:
        """End a worker without any warning."""
        self.workers[number].send_signal(signal.SIGKILL)
        self.workers[number].wait()


@contextmanager
def running(folder: Path, *, workers: int = 2, threads: int = 1) -> Iterator[Local]:
    """A scheduler over TLS that wants certificates, and its workers; ended at the end."""
    pytest.importorskip("distributed", reason="workers on other machines need pip install 'tallystick[cluster]'")
    tls = Certificates(**dict(zip(("authority", "certificate", "key"), certificates.write(folder), strict=True)))
    with scheduler(folder, tls, "tls") as address:
        found = Local(folder=folder, address=address, tls=tls)
        try:
            for _ in range(workers):
                found.add_worker(threads)
            for number in range(workers):
                log = folder / f"w{number}.log"
                _until(lambda log=log: b"Registered to" in log.read_bytes(), log)  # type: ignore[misc]
            yield found
        finally:
            for worker in found.workers:
                _end(worker)


@contextmanager
def scheduler(folder: Path, tls: Certificates | None, protocol: str) -> Iterator[str]:
    """A scheduler alone; its address."""
    known = folder / f"scheduler-{protocol}.json"
    options = ["--protocol", protocol, "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(known)]
    process = _started("scheduler", options, tls, folder, f"scheduler-{protocol}")
    try:
        _until(
            lambda: known.exists() and known.read_text().rstrip().endswith("}"), folder / f"scheduler-{protocol}.log"
        )
        yield json.loads(known.read_text())["address"]
    finally:
        _end(process)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()  # a client of Dask leaves sockets behind, which would trouble a later test


def _until(condition: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


def _started(
    what: str, options: list[str], tls: Certificates | None, folder: Path, name: str
) -> subprocess.Popen[bytes]:
    given = [] if tls is None else ["--tls-ca-file", str(tls.authority), "--tls-cert", str(tls.certificate)]
    given += [] if tls is None else ["--tls-key", str(tls.key)]
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options, *given, "--no-dashboard"]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"PYTHONWARNINGS": "ignore"})


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
