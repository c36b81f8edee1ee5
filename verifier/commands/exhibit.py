"""`tallystick-verify exhibit`: check the story of one document."""

import sys
from pathlib import Path

import click

from verifier import exhibit, values
from verifier.commands.answering import answer, undecided
from verifier.commands.options import (
    existing_folder,
    json_option,
    outsiders_of,
    policy_option,
    quiet_option,
    roots_option,
    trust_option,
    trusted_keys,
)


@click.command("exhibit")
@click.argument("folder", type=existing_folder, metavar="DIR")
@trust_option
@roots_option
@policy_option
@quiet_option
@json_option
def exhibit_command(
    *, folder: Path, trust_file: Path | None, roots_file: Path | None, policy_file: Path | None, as_json: bool
) -> None:
    """Check DIR, an exhibit: the story of one document.

    Checks every signature, proof, opening, link and coin in it and the document itself, and says what happened to the
    document. An exhibit needs nothing else. Exit codes: 0 all holds, 1 rejected (the answer says by whose signature), 2
    wrong usage, 3 undecided, 4 commitment only (all holds, but nothing in it shows a review of the document).
    """
    trusted, outsiders = trusted_keys(trust_file), outsiders_of(roots_file, policy_file)
    with undecided():
        judgement = exhibit.judge(folder, trusted, outsiders)
    answer(values.written(exhibit.value(judgement)) if as_json else exhibit.text(judgement))
    sys.exit(judgement.exit_code)
