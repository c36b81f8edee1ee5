"""The options of commands whose work can be done by a cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from protocol.workers.cluster import Certificates, cluster

_FILE = click.Path(path_type=Path)

_OPTIONS = (
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Let workers on other machines do the work: the scheduler of a Dask cluster, as tls://HOST:PORT.",
    ),
    click.option("--tls-ca", type=_FILE, metavar="PEM", help="The authority of the cluster's certificates."),
    click.option("--tls-cert", type=_FILE, metavar="PEM", help="This machine's certificate."),
    click.option("--tls-key", type=_FILE, metavar="PEM", help="The key of this machine's certificate."),
)

NAMES = ("scheduler", "tls_ca", "tls_cert", "tls_key")


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a cluster to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@contextmanager
def workers(
    *, scheduler: str | None, tls_ca: Path | None, tls_cert: Path | None, tls_key: Path | None
) -> Iterator[Executor | None]:
    """The workers of the cluster that was asked for, connected; None if the work is done on this machine."""
    given = (tls_ca, tls_cert, tls_key)
    if scheduler is None:
        if any(given):
            raise click.UsageError("--tls-ca, --tls-cert and --tls-key are for a cluster; give its --scheduler, too.")
        yield None
        return
    tls = None
    if tls_ca and tls_cert and tls_key:
        tls = Certificates(authority=tls_ca, certificate=tls_cert, key=tls_key)
    with cluster(scheduler, tls) as connected:
        yield connected
