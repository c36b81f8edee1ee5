"""Other machines that do a part of the work: a Dask cluster, over TLS with certificates on both sides.

A scheduler runs whatever it is sent by anybody who may talk to it, and its workers read the texts. So it is reached by
TLS only. The workers are sent pieces of shards, which they read by the same path, the term table, weights and coins,
and never the secret. What they answer is believed: whoever verifies must trust these machines as his own.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from verifier.corpus.errors import BadCluster, CorpusError, WorkerDied, shown
from verifier.corpus.team import Team

P = ParamSpec("P")
T = TypeVar("T")

_SCHEME = "tls://"
_SECONDS = 30  # to wait for the scheduler, and for a first worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A scheduler, and the files in PEM by which it and this machine know each other."""

    scheduler: str
    authority: Path
    certificate: Path
    key: Path


@contextmanager
def connected(address: Address) -> Iterator["DaskCluster"]:
    """A connection that ends with the block; `BadCluster` if there is none."""
    if not address.scheduler.startswith(_SCHEME):
        raise BadCluster(
            f"{address.scheduler} does not begin with {_SCHEME}: a scheduler runs whatever it is sent, so it must know "
            "who sends it; start scheduler and workers with TLS"
        )
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise BadCluster("a cluster needs more packages: pip install 'tallystick[cluster]'") from None
    try:
        security = distributed.Security(
            require_encryption=True,
            tls_ca_file=str(address.authority),
            tls_client_cert=str(address.certificate),
            tls_client_key=str(address.key),
        )
        client = distributed.Client(address.scheduler, security=security, timeout=_SECONDS, set_as_default=False)
    except Exception as error:  # whatever the library raises for a bad address, certificate or connection
        raise BadCluster(f"no connection to {address.scheduler}: {_first_line(error)}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS)
        except Exception as error:
            raise BadCluster(f"{address.scheduler} has no workers: {_first_line(error)}") from None
        yield DaskCluster(client)


class DaskCluster:
    """The workers of a scheduler."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def team(self) -> Team:
        """All of them."""
        return _Everywhere(self._client)


class _Everywhere(Team):
    """The workers, behind the interface of `concurrent.futures`. A task whose worker ends is done by another one."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._tasks = client.get_executor(pure=False)
        self.workers = max(1, sum(client.nthreads().values()))

    def share(self, value: Any) -> Any:
        with _in_words():
            return self._client.scatter(value, broadcast=True, hash=False)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        with _in_words():
            found: Future[T] = self._tasks.submit(fn, *map(_located, args), **kwargs)
            return found

    def taken(self, future: Future[T]) -> T:
        with _in_words():
            return future.result()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's
        """Let go of the workers, which go on to serve others."""
        self._tasks.shutdown(wait=wait and not cancel_futures)


def _located(given: Any) -> Any:
    """A piece whose path leads to the shards themselves: other machines may not have the folder that links to them.

    `BadCluster` if the secret lies above the shards: whoever reaches them by the same path could read it there.
    """
    shard = getattr(given, "shard", None)
    if shard is None:
        return given
    path = Path(os.path.realpath(shard.path))
    for folder in path.parents:
        if (folder / "secret").exists():
            raise BadCluster(
                f"the shards lie in {shown(folder)}, which holds the secret, and the cluster must not see that folder; "
                "move the folder shards to another place that the cluster sees, and put a link to it here"
            )
    return replace(given, shard=replace(shard, path=path))


@contextmanager
def _in_words() -> Iterator[None]:
    """Tell what became of the cluster, if it failed, and not the work itself."""
    try:
        yield
    except CorpusError:
        raise
    except (Exception, CancelledError) as error:
        raise WorkerDied(f"the cluster did not do its part: {type(error).__name__}: {_first_line(error)}") from None


def _first_line(error: BaseException) -> str:
    return str(error).split("\n", 1)[0]
