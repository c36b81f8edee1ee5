"""Workers on other machines: a cluster of Dask, behind the same interface as the workers of this machine.

A scheduler of Dask, and every worker, runs whatever is sent to it, and the program that sends trusts the replies. So a
connection is made only over TLS, with certificates on both sides from an authority of the cluster's own. If a worker
dies, Dask gives its task to another.
"""

import logging
import re
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from protocol.errors import ProtocolError, TrentOnly
from protocol.workers import leaving
from protocol.workers.pool import WorkerDied

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 30
"""Seconds to wait for the scheduler, and for its first worker."""

_ADDRESS = re.compile(r"tls://([^\s/:\[\]]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


class BadCluster(ProtocolError):
    """A cluster that must not be used, or cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """The files in PEM with which this machine shows who it is, and knows the cluster."""

    authority: Path
    certificate: Path
    key: Path


def check(address: str, tls: Certificates | None) -> Certificates:
    """The certificates, or `BadCluster` if this cluster must not be connected to."""
    if not _ADDRESS.fullmatch(address):
        raise BadCluster(
            f"{address!r} is not an address of the form tls://HOST:PORT. A scheduler runs whatever it is sent, so it "
            "is used only over TLS with certificates on both sides; start it with --protocol tls"
        )
    if tls is None:
        raise BadCluster(
            "a scheduler runs whatever it is sent, so it is used only with certificates on both sides; give --tls-ca, "
            "--tls-cert and --tls-key"
        )
    for path in (tls.authority, tls.certificate, tls.key):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadCluster(f"{path} cannot be read ({error.strerror}); give the file in PEM") from None
        if b"-----BEGIN " not in data:
            raise BadCluster(f"{path} is not a file in PEM; convert it, or give another")
    return tls


def cluster(address: str, tls: Certificates | None) -> "Cluster":
    """The workers of the scheduler at this address. Use it as a context manager."""
    return Cluster(address, check(address, tls))


def _connected(address: str, tls: Certificates) -> Any:
    """A client of the scheduler, which has at least one worker."""
    try:
        import distributed
    except ImportError:
        raise TrentOnly("workers on other machines need more packages: pip install 'tallystick[cluster]'") from None
    dask: Any = distributed  # it has types for some functions only
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are told in our own words
    try:
        security = dask.Security(
            require_encryption=True,
            tls_ca_file=str(tls.authority),
            tls_client_cert=str(tls.certificate),
            tls_client_key=str(tls.key),
        )
        client = dask.Client(address, security=security, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:  # a refused handshake and a wrong key file, too
        raise BadCluster(
            f"no connection to the scheduler {address} ({error}); check that it runs, and that its certificate and "
            f"{tls.certificate} are from the authority {tls.authority}"
        ) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise BadCluster(f"the scheduler {address} has no workers; start some, then run the command again") from None
    return client


class Cluster(Executor):
    """Does each task on a worker of the cluster, if it may leave this machine. Leaving the context disconnects.

    A lost connection is made again for the next task, since `tallystick run` goes on for months.
    """

    def __init__(self, address: str, tls: Certificates) -> None:
        self._address, self._tls = address, tls
        self._connect()

    def _connect(self) -> None:
        self._client = _connected(self._address, self._tls)
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        packed = leaving.packed(fn, args, kwargs)
        if self._client.status != "running":
            self._client.close()
            self._connect()
        sent: Future[str] = self._executor.submit(leaving.done, *packed)
        future: Future[T] = Future()
        sent.add_done_callback(partial(self._pass_on, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's
        """Disconnect; with `cancel_futures`, without waiting for tasks under way."""
        self._executor.shutdown(wait=wait and not cancel_futures)
        self._client.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _pass_on(self, future: Future[T], sent: Future[str]) -> None:
        """Tell the result of the task, or what went wrong in words of our own."""
        try:
            future.set_result(leaving.unpacked(sent.result()))
        except WorkerDied as error:
            future.set_exception(error)
        except BaseException as error:  # whatever Dask raises; a cancelled future is not even an `Exception`
            future.set_exception(
                WorkerDied(
                    f"the cluster at {self._address} did not do a task ({type(error).__name__}: {error}); look at the "
                    "logs of its scheduler and workers, then run the command again"
                )
            )
