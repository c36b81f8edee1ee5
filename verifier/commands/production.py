"""`tallystick-verify production`: check a production volume."""

import sys
from pathlib import Path

import click

from verifier import production, values
from verifier.commands.answering import answer, progress_shown, undecided
from verifier.commands.options import (
    existing_file,
    existing_folder,
    json_option,
    quiet_option,
    trust_option,
    trusted_keys,
)


@click.command("production")
@click.argument("folder", type=existing_folder, metavar="DIR")
@click.option("--copy", type=existing_file, required=True, help="Bob's copy of the record, or Alice's or the court's.")
@click.option(
    "--earlier",
    type=existing_folder,
    multiple=True,
    metavar="DIR",
    help="An earlier volume; give each with an option of its own.",
)
@trust_option
@quiet_option
@json_option
def production_command(
    *, folder: Path, copy: Path, earlier: tuple[Path, ...], trust_file: Path | None, as_json: bool
) -> None:
    """Check DIR, a production volume, against a copy of the record.

    Verifies the copy first. Then it checks that the volume is what the record says: every document that Bob was shown
    and that is settled as responsive, nothing else, each native and text the committed one, the fields of the load
    file, slip sheets for withheld parts and nothing of these parts, and the list of what Bob must give back.

    Exit codes: 0 all holds, 1 rejected, 2 wrong usage, 3 undecided (the copy or the volume cannot be read or judged).
    """
    trusted = trusted_keys(trust_file)
    with undecided(), progress_shown() as progress:
        judgement = production.judge(folder, copy, before=earlier, trusted=trusted, progress=progress)
    answer(values.written(production.value(judgement)) if as_json else production.text(judgement))
    sys.exit(judgement.exit_code)
