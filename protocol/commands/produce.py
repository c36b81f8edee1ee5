"""The command that makes a production volume."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.keys import SigningKey
from ledger.terminal import (
    existing_file,
    json_option,
    passphrase_option,
    print_json,
    progress_bar,
    quiet_option,
    refusals,
)
from protocol.commands import trent
from protocol.matter.values import Opened

if TYPE_CHECKING:
    from protocol.production.produce import Produced  # needs Trent's installation


def _print_template(ctx: click.Context, _option: click.Parameter, asked: Any) -> None:
    if asked and not ctx.resilient_parsing:
        from protocol.production import fields

        click.echo(fields.template())
        ctx.exit()


@click.command()
@click.argument("matter", type=existing_file)
@click.option(
    "--corpus",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    required=True,
    help="The corpus of the matter.",
)
@click.option("--prefix", help="What stands before each number, such as ACME; needed for the first volume.")
@click.option("--digits", type=click.IntRange(1, 15), help="How many digits each number has; 8 unless you say so.")
@click.option("--start", type=click.IntRange(0), help="The first number of the first volume; 1 if not given.")
@click.option(
    "--fields", "field_file", type=existing_file, help="What the fields are called, as --field-names prints it."
)
@click.option(
    "--field-names",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_template,
    help="Print a file for --fields with the usual names, and do nothing else.",
)
@click.option("--key", "key_file", type=existing_file, help="Trent's private key; a simulation needs none.")
@passphrase_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="A new folder for the volume."
)
@quiet_option
@json_option
@refusals
def produce(
    *,
    matter: Path,
    folder: Path,
    prefix: str | None,
    digits: int | None,
    start: int | None,
    field_file: Path | None,
    key_file: Path | None,
    passphrase_file: Path | None,
    out: Path,
    as_json: bool,
) -> None:
    """Make a production volume of what is settled as responsive.

    The volume holds what Bob was shown and what is settled as responsive. It has load files (DAT and OPT), natives,
    texts, a slip sheet for each part that is withheld, a list of what Bob must give back, and a manifest that Trent
    signs. Only rounds that are closed count.

    Numbers go on from volume to volume. They are kept beside the matter, in a file with the ending .numbers. A further
    volume holds only what is new. `tallystick-verify production DIR --copy COPY` checks a volume against Bob's copy.
    """
    with trent.installation("making a production needs Trent's installation"):
        from protocol.corpus.corpus import Corpus
        from protocol.loadfile import fieldfile
        from protocol.production import fields
        from protocol.production.produce import produce as make
        from protocol.production.register import Wanted

    if out.parent != out and not out.parent.is_dir():
        raise click.UsageError(f"there is no folder {out.parent} for --out")

    def signer(opening: Opened) -> SigningKey:
        if key_file is not None:
            return trent.key(key_file, passphrase_file)
        return trent.played_key(opening, "Trent signs every volume: give his key")

    names = {} if field_file is None else fields.renamed(fieldfile.read_names(field_file), field_file)
    corpus = Corpus.open(folder)
    with progress_bar(corpus.size, "Writing") as progress:
        found = make(
            matter,
            corpus,
            out,
            signer=signer,
            wanted=Wanted(prefix=prefix, digits=digits, start=start),
            names=names,
            progress=progress,
        )
    if as_json:
        print_json(_value(found, out))
    else:
        click.echo(_written(found, out))


def _value(found: "Produced", out: Path) -> dict[str, object]:
    return {
        "volume": found.volume,
        "path": str(out),
        "documents": found.documents,
        "parts": found.parts,
        "slip_sheets": found.slip_sheets,
        "first": found.first or None,
        "last": found.last or None,
        "to_return": found.to_return,
        "changed_values": found.changed,
        "open_round": found.open_round,
        "resumed": found.resumed,
    }


def _written(found: "Produced", out: Path) -> str:
    numbers = f"{found.first} to {found.last}" if found.first else "no numbers"
    lines = [
        f"{out}: volume {found.volume}, {numbers}; {found.documents} documents with {found.parts} parts, of which "
        f"{found.slip_sheets} are withheld and have slip sheets.",
        f"RETURN.csv lists {found.to_return} documents that Bob was shown and may not keep.",
    ]
    if found.resumed:
        lines.append(
            f"A command that did not come to its end had begun volume {found.volume}. It has the numbers and the "
            "entries of then; run the command again for what was settled since."
        )
    if found.changed:
        lines.append(f"{found.changed} values of fields hold characters that a load file cannot, and were changed.")
    if found.open_round is not None:
        lines.append(f"Round {found.open_round} is open: what Bob is shown in it can come in a later volume.")
    lines.append(f"Check it with: tallystick-verify production {out} --copy COPY")
    return "\n".join(lines)
