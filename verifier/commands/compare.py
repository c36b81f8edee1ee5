"""`tallystick-verify compare`: compare two copies."""

import sys
from pathlib import Path

import click

from verifier import values
from verifier.checks import Role
from verifier.commands.answering import answer, progress_shown, undecided
from verifier.commands.options import existing_file, json_option, quiet_option, trust_option, trusted_keys
from verifier.comparison import compare as compare_copies
from verifier.explain import comparison as explain_comparison


@click.command("compare")
@click.argument("first", type=existing_file)
@click.argument("second", type=existing_file)
@trust_option
@quiet_option
@json_option
def compare_command(*, first: Path, second: Path, trust_file: Path | None, as_json: bool) -> None:
    """Compare two copies of one matter.

    They show the same history, or prove that Trent signed two. The copies may be for different audiences. Exit codes: 0
    one history, 1 two histories, proven by both signatures, 2 wrong usage, 3 undecided (damaged, or not of one
    matter).
    """
    trusted = trusted_keys(trust_file)
    if trusted and Role.TRENT not in trusted:
        raise click.UsageError(f"{trust_file} does not name trent, whose signatures are compared")
    with undecided(), progress_shown() as progress:
        compared = compare_copies(first, second, trent=trusted.get(Role.TRENT), progress=progress)
    answer(values.written(values.compared_value(compared)) if as_json else explain_comparison(compared))
    sys.exit(compared.exit_code)
