"""`tallystick-verify copy`: verify a copy of a record."""

import hashlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import click

from verifier import report, values
from verifier.commands.answering import answer, is_quiet, progress_shown, undecided
from verifier.commands.options import (
    check_new,
    existing_file,
    existing_folder,
    json_option,
    outsiders_of,
    policy_option,
    quiet_option,
    roots_option,
    trust_option,
    trusted_keys,
)
from verifier.corpus.cluster import Address, connected
from verifier.corpus.crew import Crew
from verifier.corpus.errors import BadCluster
from verifier.explain import explain as explain_verdict
from verifier.position import NoSuchPosition
from verifier.position import explain as explain_position
from verifier.reading import plain_file
from verifier.summary import summary
from verifier.verdict import Verdict
from verifier.verification import verify
from verifier.writing import new_file


def _round_and_position(_ctx: click.Context, _option: click.Parameter, given: str | None) -> tuple[int, int] | None:
    found = None if given is None else re.fullmatch("([1-9][0-9]{0,9})/([1-9][0-9]{0,9})", given)
    if given is not None and found is None:
        raise click.BadParameter(f"{given!r} is not a round and a position, such as 11/5")
    return None if found is None else (int(found[1]), int(found[2]))


@click.command("copy")
@click.argument("copy", type=existing_file)
@trust_option
@click.option("--corpus", type=existing_folder, help="The sealed corpus, to replay how documents were ranked.")
@click.option(
    "--workers",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="How many processes work on the corpus at a time. Default: one for each processor.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Have a Dask cluster read texts and rank documents: tls://HOST:PORT. It reads the shards by the same path.",
)
@click.option("--tls-ca", type=existing_file, help="With --scheduler: the authority that both sides trust (PEM).")
@click.option("--tls-cert", type=existing_file, help="With --scheduler: the certificate of this machine (PEM).")
@click.option("--tls-key", type=existing_file, help="With --scheduler: the key of this certificate (PEM).")
@click.option("--documents", type=existing_folder, help="The files that Bob was handed, to compare with the record.")
@roots_option
@policy_option
@click.option("--explain", is_flag=True, help="Explain the verdict to a reader who does not know the method.")
@click.option(
    "--position",
    metavar="ROUND/POSITION",
    callback=_round_and_position,
    help="Explain one position of a round instead, such as 11/5: why Bob was shown it, or was not.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    help="Write the verdict as a page for a judge (HTML) to this new file.",
)
@quiet_option
@json_option
def copy_command(
    *,
    copy: Path,
    trust_file: Path | None,
    corpus: Path | None,
    workers: int | None,
    scheduler: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    documents: Path | None,
    roots_file: Path | None,
    policy_file: Path | None,
    explain: bool,
    position: tuple[int, int] | None,
    report_file: Path | None,
    as_json: bool,
) -> None:
    """Verify COPY, a .jsonl or .jsonl.gz file from Trent.

    Replays chain, signatures, coins, disclosures, disputes, outcomes and claims, and says what this copy cannot show. A
    finding names the check, the entry, the rule, and whose signature proves it.

    Exit codes: 0 all that this copy can show has passed, 1 rejected, 2 wrong usage, 3 undecided.
    """
    if as_json and explain:
        raise click.UsageError("--json and --explain cannot be used together")
    if as_json and position is not None:
        raise click.UsageError("--json and --position cannot be used together")
    if report_file is not None:
        check_new(report_file, "--report")
    trusted, outsiders = trusted_keys(trust_file), outsiders_of(roots_file, policy_file)
    address = _address(scheduler, tls_ca, tls_cert, tls_key)
    if corpus is None and (workers is not None or address is not None):
        raise click.UsageError("--workers and --scheduler are for --corpus, which is not given")
    with undecided(), _crew(workers, address) as crew, progress_shown() as progress:
        verdict = verify(
            copy,
            trusted=trusted,
            corpus=corpus,
            crew=crew,
            documents=documents,
            outsiders=outsiders,
            detailed=report_file is not None or position is not None,
            progress=progress,
        )
    if as_json:
        answer(values.written(values.verdict_value(verdict)))
    elif position is not None:
        answer(_explained(verdict, *position))
    else:
        answer(explain_verdict(verdict) if explain else summary(verdict))
    if report_file is not None:
        given = {
            "--trust": trust_file,
            "--corpus": corpus,
            "--documents": documents,
            "--tsa-roots": roots_file,
            "--policy": policy_file,
        }
        _write_report(report_file, _page(verdict, copy, given))
    sys.exit(verdict.exit_code)


def _address(
    scheduler: str | None, authority: Path | None, certificate: Path | None, key: Path | None
) -> Address | None:
    """The cluster to use, if any."""
    given = (authority, certificate, key)
    if scheduler is None:
        if any(given):
            raise click.UsageError("--tls-ca, --tls-cert and --tls-key are for --scheduler, which is not given")
        return None
    if authority is None or certificate is None or key is None:
        raise click.UsageError("--scheduler needs --tls-ca, --tls-cert and --tls-key")
    return Address(scheduler=scheduler, authority=authority, certificate=certificate, key=key)


@contextmanager
def _crew(workers: int | None, address: Address | None) -> Iterator[Crew]:
    if address is None:
        yield Crew(workers=workers)
        return
    try:
        with connected(address) as cluster:
            yield Crew(workers=workers, cluster=cluster)
    except BadCluster as error:
        raise click.UsageError(f"--scheduler: {error}") from None


def _explained(verdict: Verdict, number: int, position: int) -> str:
    try:
        return explain_position(verdict, number, position)
    except NoSuchPosition as error:
        raise click.UsageError(f"--position {number}/{position}: {error}") from None


def _page(verdict: Verdict, copy: Path, given: dict[str, Path | None]) -> str:
    try:
        with plain_file(copy) as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        sha256 = ""
    try:
        version = metadata.version("tallystick")
    except metadata.PackageNotFoundError:  # run from its source
        version = ""
    about = report.About(
        file=copy.name,
        sha256=sha256,
        version=version,
        given=tuple(f"{option} {path.name}" for option, path in given.items() if path is not None),
    )
    return report.page(verdict, about)


def _write_report(path: Path, page: str) -> None:
    """Write the page, whole or not at all. The answer stands even if that fails."""
    try:
        new_file(path, page.encode("utf-8", "backslashreplace"))
    except OSError as error:
        click.echo(f"Error: the report cannot be written to {path}: {error.strerror or error}", err=True)
    else:
        if not is_quiet():
            click.echo(f"The report is in {path}", err=True)
