"""`tallystick-verify privilege-log`: check the proofs of a privilege log."""

import sys
from pathlib import Path

import click

from verifier import privilege_log, values
from verifier.commands.answering import NoAnswer, answer, progress_shown, undecided
from verifier.commands.options import existing_file, json_option, quiet_option


@click.command("privilege-log")
@click.argument("proofs", type=existing_file)
@click.option("--copy", type=existing_file, required=True, help="A copy of the record, such as Bob's.")
@quiet_option
@json_option
def privilege_log_command(*, proofs: Path, copy: Path, as_json: bool) -> None:
    """Check PROOFS, the file that comes with a privilege log.

    Checks that the log states of each document what was committed to before the first round, and that it has all that
    COPY shows as withheld as privileged. Prints the log that is proven. Exit codes: 0 all is proven, 1 rejected, 2
    wrong usage, 3 undecided.
    """
    with undecided(), progress_shown() as progress:
        try:
            found = privilege_log.check(proofs, copy, progress)
        except privilege_log.Undecided as error:
            raise NoAnswer(str(error)) from None
        except privilege_log.Disproved as error:
            answer(f"REJECTED: {error}. Nobody is blamed for this: nobody signs a log.")
            sys.exit(1)
    answer(values.written(privilege_log.value(found)) if as_json else privilege_log.words(found))
