"""`tallystick-verify critical`: check a list of critical points."""

import sys
from pathlib import Path

import click

from verifier.commands.answering import NoAnswer, answer, progress_shown, undecided
from verifier.commands.options import existing_file, quiet_option


@click.command("critical")
@click.argument("file", type=existing_file)
@quiet_option
def critical_command(*, file: Path) -> None:
    """Check FILE, a list of critical points.

    It lists the negatives that must be disclosed so that all labels are proven. Every negative must come with a proof
    that its label could be flipped, or that it could not. Exit codes: 0 all are proven, 1 rejected (the answer names
    the wrong proof), 2 wrong usage, 3 undecided (no such file, or too large).
    """
    from verifier import critical  # with numpy, which a copy alone does not need

    with undecided(), progress_shown() as progress:
        try:
            found = critical.check(file, lambda done, total: progress("Checking points", done, total))
        except critical.Unreadable as error:
            raise NoAnswer(str(error)) from None
        except critical.Disproved as error:
            answer(f"REJECTED: {error}.")
            sys.exit(1)
    answer(critical.words(found))
