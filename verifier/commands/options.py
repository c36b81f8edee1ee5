"""Options that several commands have, and what is read from them."""

import os
from pathlib import Path
from typing import Any

import click

from verifier import trust
from verifier.checks import Role
from verifier.commands.answering import QUIET
from verifier.findings import Unreadable
from verifier.outside import Outsiders
from verifier.writing import remove_left

existing_file = click.Path(path_type=Path, dir_okay=False, exists=True)
existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)


def _be_quiet(context: click.Context, _option: click.Parameter, quiet: Any) -> None:
    context.meta[QUIET] = bool(quiet)


quiet_option = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_be_quiet,
    help="Print nothing on standard error but errors: no progress, no notes.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a script to read.")

roots_option = click.option(
    "--tsa-roots",
    "roots_file",
    type=existing_file,
    metavar="PEM",
    help="Certificates of time-stamping authorities that you trust.",
)
policy_option = click.option(
    "--policy",
    "policy_file",
    type=existing_file,
    help="The logs and witnesses that you trust, and who suffices (C2SP tlog-policy).",
)
trust_option = click.option(
    "--trust",
    "trust_file",
    type=existing_file,
    help="A file with the fingerprints that you got elsewhere: lines such as `alice 71931 93712 ...`.",
)


def check_new(path: Path, option: str) -> None:
    """Refuse to overwrite a file: better before the work than after it."""
    if os.path.lexists(path):  # a name that no file can have fails when the file is written
        remove_left(path)
        raise click.UsageError(f"{path} exists, and is left as it is; name a new file for {option}")
    if not path.parent.is_dir():
        raise click.UsageError(f"there is no folder {path.parent} for {option}")


def trusted_keys(trust_file: Path | None) -> dict[Role, tuple[str, ...]]:
    """The fingerprints of --trust."""
    try:
        return trust.read(trust_file) if trust_file else {}
    except trust.BadTrustFile as error:
        raise click.UsageError(str(error)) from None


def outsiders_of(roots_file: Path | None, policy_file: Path | None) -> Outsiders:
    """The authorities of --tsa-roots, and the logs and witnesses of --policy."""
    try:
        return Outsiders(roots=roots_file, policy=policy_file)
    except Unreadable as error:
        raise click.UsageError(str(error)) from None
