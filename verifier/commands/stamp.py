"""`tallystick-verify stamp`: check a time stamp of a file."""

import sys
from pathlib import Path

import click

from verifier import values
from verifier.commands.answering import NoAnswer, answer, undecided
from verifier.commands.options import existing_file, json_option, roots_option


@click.command("stamp")
@click.argument("token", type=existing_file)
@click.argument("stamped", type=existing_file, metavar="FILE")
@roots_option
@json_option
def stamp_command(*, token: Path, stamped: Path, roots_file: Path | None, as_json: bool) -> None:
    """Check TOKEN, a time stamp of FILE (RFC 3161).

    TOKEN is what an authority sent, a response (.tsr) or the bare token. The answer says before which time FILE
    existed, and who says so. Certificates must be valid at that time; no clock is asked, nor whether one was revoked.

    Exit codes: 0 it holds, 1 rejected, 2 wrong usage, 3 undecided: --tsa-roots was not given or does not have the root
    of this authority, a file cannot be read, or `tallystick[stamps]` is not installed.
    """
    from verifier import stamps  # with libraries that a copy alone does not need

    with undecided():
        try:
            found = stamps.check_files(token, stamped, roots_file)
        except stamps.BadRoots as error:
            raise click.UsageError(str(error)) from None
        except stamps.NotChecked as error:
            raise NoAnswer(f"not checked: {error}") from None
        except stamps.Untrusted as error:
            raise NoAnswer(f"{token} proves nothing by these roots: {error}") from None
        except stamps.BadStamp as error:
            answer(f"REJECTED: {token} does not show when {stamped} existed: {error}. Nobody is blamed for this.")
            sys.exit(1)
    answer(values.written(stamps.value(found)) if as_json else f"{stamps.told(found, str(stamped))}.")
