"""Commands about the record of any matter, simulated or real: see where it stands, cut copies."""

from pathlib import Path

import click

from ledger import files
from ledger.copies import write_copy
from ledger.errors import Refused
from ledger.roles import Audience
from ledger.store import Store
from ledger.terminal import (
    existing_file,
    json_option,
    new_file,
    note,
    passphrase_option,
    print_json,
    progress_bar,
    quiet_option,
    refusals,
)
from protocol.commands import tables, trent
from protocol.exchange import docket
from protocol.matter import summary
from protocol.stamps import kept


@click.command()
@click.argument("matter", type=existing_file)
@quiet_option
@json_option
@refusals
def status(*, matter: Path, as_json: bool) -> None:
    """Show where MATTER stands.

    Says for whom it waits, lists the rounds, and says what can be claimed so far. For a matter between real parties, it
    also lists who is asked for what since when (by Trent's clock), the court's orders, new keys, amendments and
    cosignatures. Needs neither a key nor the documents.
    """
    found = docket.read(matter)
    real = {} if found.state.opening.caption is None else found.value()
    shown = summary.summary(found.state) | real
    if as_json:
        print_json(shown)
    else:
        click.echo(tables.standing(shown))


@click.command()
@click.argument("matter", type=existing_file)
@click.option(
    "--for",
    "audience",
    type=click.Choice([each.value for each in Audience], case_sensitive=False),
    required=True,
    help="Who gets the copy.",
)
@click.option(
    "--out", type=new_file, required=True, metavar="FILE", help="The new file: .jsonl, or .jsonl.gz to compress it."
)
@click.option("--key", "key_file", type=existing_file, help="Trent's private key; a simulation needs none.")
@passphrase_option
@quiet_option
@refusals
def copy(*, matter: Path, audience: str, out: Path, key_file: Path | None, passphrase_file: Path | None) -> None:
    """Cut a copy of MATTER for one audience.

    A copy holds all entries, with what this audience may see. No file is ever replaced.
    """
    if out.name in {f"{matter.name}{end}" for end in ("-wal", "-shm", "-journal")}:
        raise Refused(f"{out} is a name that belongs to the matter; choose another name for the copy")
    files.check_free(out, "choose another name for the copy")
    if key_file is not None:
        key = trent.key(key_file, passphrase_file)
    else:
        key = trent.played_key(summary.read(matter).opening, "Trent signs every copy: give his key")
    tokens = kept.at_hand(matter, note)
    with Store.open(matter) as store, progress_bar(store.size(), "Writing", unit="entries") as progress:
        manifest = write_copy(store, Audience(audience), key, out, tokens=tokens, progress=progress)
    click.echo(f"{out}: the copy for {Audience(audience).called}, {manifest.size} entries, head {manifest.head.hex()}")
