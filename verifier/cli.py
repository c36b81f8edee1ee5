"""`tallystick-verify`: does this record follow the rules, and if not, who broke which?

Exit codes: 0 all that the copy supports has passed, 1 rejected, 2 wrong usage, 3 cannot be decided.
"""

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from verifier import browser, display, exhibit, interrupts, privilege_log, production, report, trust, values
from verifier.checks import Role
from verifier.comparison import compare as compare_copies
from verifier.corpus.cluster import Address, connected
from verifier.corpus.crew import Crew
from verifier.corpus.errors import BadCluster, WorkerDied
from verifier.explain import comparison as explain_comparison
from verifier.explain import explain as explain_verdict
from verifier.findings import Unreadable
from verifier.outside import Outsiders
from verifier.position import NoSuchPosition
from verifier.position import explain as explain_position
from verifier.reading import plain_file
from verifier.summary import summary
from verifier.tally import Progress
from verifier.verdict import Verdict
from verifier.verification import verify
from verifier.writing import new_file, remove_left

_existing_file = click.Path(path_type=Path, dir_okay=False, exists=True)
_existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)
_QUIET = f"{__name__}.quiet"


def _be_quiet(context: click.Context, _option: click.Parameter, quiet: Any) -> None:
    context.meta[_QUIET] = bool(quiet)


_quiet_option = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print nothing on standard error but errors: no progress, no notes.",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a script to read.")

_roots_option = click.option(
    "--tsa-roots",
    "roots_file",
    type=_existing_file,
    metavar="PEM",
    help="Certificates of time-stamping authorities that you trust.",
)
_policy_option = click.option(
    "--policy",
    "policy_file",
    type=_existing_file,
    help="The logs and witnesses that you trust, and who suffices (C2SP tlog-policy).",
)
_trust_option = click.option(
    "--trust",
    "trust_file",
    type=_existing_file,
    help="A file with the fingerprints that you got elsewhere: lines such as `alice 71931 93712 ...`.",
)


def _round_and_position(_ctx: click.Context, _option: click.Parameter, given: str | None) -> tuple[int, int] | None:
    found = None if given is None else re.fullmatch("([1-9][0-9]{0,9})/([1-9][0-9]{0,9})", given)
    if given is not None and found is None:
        raise click.BadParameter(f"{given!r} is not a round and a position, such as 11/5")
    return None if found is None else (int(found[1]), int(found[2]))


class _Program(click.Group):
    """All commands, of which the first word may be left out: anything that is not a command is a copy to verify.

    Whatever they print goes to a display, complaints about the command line included.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        display.install()
        with interrupts.raised():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Whenever it is interrupted, nothing is decided: click itself would end with the code 1."""
        with _undecided():
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"-h", "--help", "--version"}
        if args and args[0] not in self.commands and not own.intersection(args[:1]):
            args = ["copy", *args]
        return super().parse_args(ctx, args)


# The display, not click, decides what becomes of escape codes: "color" keeps click from dropping them in a pipe.
@click.group(
    cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "color": True}, no_args_is_help=True
)
@click.version_option(package_name="tallystick", prog_name="tallystick-verify")
def main() -> None:
    """Verify a Tallystick record: replay every decision in it, or say who broke which rule.

    \b
    tallystick-verify COPY             verify a copy; the same as `tallystick-verify copy COPY`
    tallystick-verify compare A B      compare two copies of one matter
    tallystick-verify exhibit DIR      check an exhibit: the story of one document
    tallystick-verify production DIR   check a production volume against a copy
    tallystick-verify privilege-log FILE --copy COPY    check the proofs of a privilege log
    tallystick-verify critical FILE    check a list of critical points
    tallystick-verify stamp TOKEN FILE    check a time stamp of a file
    tallystick-verify page --out FILE  write the verifier as a page for the browser
    """  # noqa: D301 - the mark that keeps click from joining the lines


@main.command("copy")
@click.argument("copy", type=_existing_file)
@_trust_option
@click.option("--corpus", type=_existing_folder, help="The sealed corpus, to replay how documents were ranked.")
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
@click.option("--tls-ca", type=_existing_file, help="With --scheduler: the authority that both sides trust (PEM).")
@click.option("--tls-cert", type=_existing_file, help="With --scheduler: the certificate of this machine (PEM).")
@click.option("--tls-key", type=_existing_file, help="With --scheduler: the key of this certificate (PEM).")
@click.option("--documents", type=_existing_folder, help="The files that Bob was handed, to compare with the record.")
@_roots_option
@_policy_option
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
@_quiet_option
@_json_option
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
        _check_new(report_file, "--report")
    trusted, outsiders = _trusted(trust_file), _outsiders(roots_file, policy_file)
    address = _address(scheduler, tls_ca, tls_cert, tls_key)
    if corpus is None and (workers is not None or address is not None):
        raise click.UsageError("--workers and --scheduler are for --corpus, which is not given")
    with _undecided(), _crew(workers, address) as crew, _progress() as progress:
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
        _print(values.written(values.verdict_value(verdict)))
    elif position is not None:
        _print(_explained(verdict, *position))
    else:
        _print(explain_verdict(verdict) if explain else summary(verdict))
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


@main.command()
@click.argument("first", type=_existing_file)
@click.argument("second", type=_existing_file)
@_trust_option
@_quiet_option
@_json_option
def compare(*, first: Path, second: Path, trust_file: Path | None, as_json: bool) -> None:
    """Compare two copies of one matter.

    They show the same history, or prove that Trent signed two. The copies may be for different audiences. Exit codes: 0
    one history, 1 two histories, proven by both signatures, 2 wrong usage, 3 undecided (damaged, or not of one
    matter).
    """
    trusted = _trusted(trust_file)
    if trusted and Role.TRENT not in trusted:
        raise click.UsageError(f"{trust_file} does not name trent, whose signatures are compared")
    with _undecided(), _progress() as progress:
        compared = compare_copies(first, second, trent=trusted.get(Role.TRENT), progress=progress)
    _print(values.written(values.compared_value(compared)) if as_json else explain_comparison(compared))
    sys.exit(compared.exit_code)


@main.command("exhibit")
@click.argument("folder", type=_existing_folder, metavar="DIR")
@_trust_option
@_roots_option
@_policy_option
@_quiet_option
@_json_option
def exhibit_command(
    *, folder: Path, trust_file: Path | None, roots_file: Path | None, policy_file: Path | None, as_json: bool
) -> None:
    """Check DIR, an exhibit: the story of one document.

    Checks every signature, proof, opening, link and coin in it and the document itself, and says what happened to the
    document. An exhibit needs nothing else. Exit codes: 0 all holds, 1 rejected (the answer says by whose signature), 2
    wrong usage, 3 undecided, 4 commitment only (all holds, but nothing in it shows a review of the document).
    """
    trusted, outsiders = _trusted(trust_file), _outsiders(roots_file, policy_file)
    with _undecided():
        judgement = exhibit.judge(folder, trusted, outsiders)
    _print(values.written(exhibit.value(judgement)) if as_json else exhibit.text(judgement))
    sys.exit(judgement.exit_code)


@main.command("production")
@click.argument("folder", type=_existing_folder, metavar="DIR")
@click.option("--copy", type=_existing_file, required=True, help="Bob's copy of the record, or Alice's or the court's.")
@click.option(
    "--earlier",
    type=_existing_folder,
    multiple=True,
    metavar="DIR",
    help="An earlier volume; give each with an option of its own.",
)
@_trust_option
@_quiet_option
@_json_option
def production_command(
    *, folder: Path, copy: Path, earlier: tuple[Path, ...], trust_file: Path | None, as_json: bool
) -> None:
    """Check DIR, a production volume, against a copy of the record.

    Verifies the copy first. Then it checks that the volume is what the record says: every document that Bob was shown
    and that is settled as responsive, nothing else, each native and text the committed one, the fields of the load
    file, slip sheets for withheld parts and nothing of these parts, and the list of what Bob must give back.

    Exit codes: 0 all holds, 1 rejected, 2 wrong usage, 3 undecided (the copy or the volume cannot be read or judged).
    """
    trusted = _trusted(trust_file)
    with _undecided(), _progress() as progress:
        judgement = production.judge(folder, copy, before=earlier, trusted=trusted, progress=progress)
    _print(values.written(production.value(judgement)) if as_json else production.text(judgement))
    sys.exit(judgement.exit_code)


@main.command("privilege-log")
@click.argument("proofs", type=_existing_file)
@click.option("--copy", type=_existing_file, required=True, help="A copy of the record, such as Bob's.")
@_quiet_option
@_json_option
def privilege_log_command(*, proofs: Path, copy: Path, as_json: bool) -> None:
    """Check PROOFS, the file that comes with a privilege log.

    Checks that the log states of each document what was committed to before the first round, and that it has all that
    COPY shows as withheld as privileged. Prints the log that is proven. Exit codes: 0 all is proven, 1 rejected, 2
    wrong usage, 3 undecided.
    """
    with _undecided(), _progress() as progress:
        try:
            found = privilege_log.check(proofs, copy, progress)
        except privilege_log.Undecided as error:
            raise _NoAnswer(str(error)) from None
        except privilege_log.Disproved as error:
            _print(f"REJECTED: {error}. Nobody is blamed for this: nobody signs a log.")
            sys.exit(1)
    _print(values.written(privilege_log.value(found)) if as_json else privilege_log.words(found))


@main.command("critical")
@click.argument("file", type=_existing_file)
@_quiet_option
def critical_command(*, file: Path) -> None:
    """Check FILE, a list of critical points.

    It lists the negatives that must be disclosed so that all labels are proven. Every negative must come with a proof
    that its label could be flipped, or that it could not. Exit codes: 0 all are proven, 1 rejected (the answer names
    the wrong proof), 2 wrong usage, 3 undecided (no such file, or too large).
    """
    from verifier import critical  # with numpy, which a copy alone does not need

    with _undecided(), _progress() as progress:
        try:
            found = critical.check(file, lambda done, total: progress("Checking points", done, total))
        except critical.Unreadable as error:
            raise _NoAnswer(str(error)) from None
        except critical.Disproved as error:
            _print(f"REJECTED: {error}.")
            sys.exit(1)
    _print(critical.words(found))


@main.command("stamp")
@click.argument("token", type=_existing_file)
@click.argument("stamped", type=_existing_file, metavar="FILE")
@_roots_option
@_json_option
def stamp_command(*, token: Path, stamped: Path, roots_file: Path | None, as_json: bool) -> None:
    """Check TOKEN, a time stamp of FILE (RFC 3161).

    TOKEN is what an authority sent, a response (.tsr) or the bare token. The answer says before which time FILE
    existed, and who says so. Certificates must be valid at that time; no clock is asked, nor whether one was revoked.

    Exit codes: 0 it holds, 1 rejected, 2 wrong usage, 3 undecided: --tsa-roots was not given or does not have the root
    of this authority, a file cannot be read, or `tallystick[stamps]` is not installed.
    """
    from verifier import stamps  # with libraries that a copy alone does not need

    with _undecided():
        try:
            found = stamps.check_files(token, stamped, roots_file)
        except stamps.BadRoots as error:
            raise click.UsageError(str(error)) from None
        except stamps.NotChecked as error:
            raise _NoAnswer(f"not checked: {error}") from None
        except stamps.Untrusted as error:
            raise _NoAnswer(f"{token} proves nothing by these roots: {error}") from None
        except stamps.BadStamp as error:
            _print(f"REJECTED: {token} does not show when {stamped} existed: {error}. Nobody is blamed for this.")
            sys.exit(1)
    _print(values.written(stamps.value(found)) if as_json else f"{stamps.told(found, str(stamped))}.")


@main.command("page")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The new file, such as verify.html."
)
def page_command(*, out: Path) -> None:
    """Write the verifier as a page for the browser.

    The page is one HTML file that works from a disk without a network: open it, drop a copy into it, and read the
    verdict. Nothing that is dropped into it leaves the computer. The command prints the page's SHA-256, which the
    release notes state as well.
    """
    _check_new(out, "--out")
    content = browser.page()
    try:
        new_file(out, content)
    except OSError as error:
        raise _NoAnswer(f"the page cannot be written to {out}: {error.strerror or error}") from None
    _print(f"{hashlib.sha256(content).hexdigest()}  {out}")


def _check_new(path: Path, option: str) -> None:
    """Refuse to overwrite a file: better before the work than after it."""
    if os.path.lexists(path):  # a name that no file can have fails when the file is written
        remove_left(path)
        raise click.UsageError(f"{path} exists, and is left as it is; name a new file for {option}")
    if not path.parent.is_dir():
        raise click.UsageError(f"there is no folder {path.parent} for {option}")


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
        if not _is_quiet():
            click.echo(f"The report is in {path}", err=True)


def _trusted(trust_file: Path | None) -> dict[Role, tuple[str, ...]]:
    try:
        return trust.read(trust_file) if trust_file else {}
    except trust.BadTrustFile as error:
        raise click.UsageError(str(error)) from None


def _outsiders(roots_file: Path | None, policy_file: Path | None) -> Outsiders:
    try:
        return Outsiders(roots=roots_file, policy=policy_file)
    except Unreadable as error:
        raise click.UsageError(str(error)) from None


class _NoAnswer(click.ClickException):
    """End with an exit code of its own: nothing was decided, which must not look like a rejection."""

    exit_code = 3


def _print(text: str) -> None:
    """Print the answer. If it cannot be written, nothing was decided."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError):  # otherwise Python tries again when it exits, and changes the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise _NoAnswer(f"the answer cannot be written: {error.strerror or error}") from None


def _is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


@contextmanager
def _undecided() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise _NoAnswer("interrupted; nothing was decided, and nothing was changed") from None
    except MemoryError:
        raise _NoAnswer("there is not enough memory; nothing was decided") from None
    except WorkerDied as error:
        raise _NoAnswer(f"{error}; nothing was decided") from None


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show the current step and its progress on standard error, unless that is to be quiet."""
    if sys.stderr is None or _is_quiet():
        yield lambda *_: None
        return
    stage = display.Stage()
    try:
        yield stage.show
    finally:
        stage.clear()
