"""`tallystick key` and `tallystick ledger`."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ledger import records
from ledger.entries import OpenedEntry
from ledger.errors import Fault
from ledger.examining import Reader, Summary, examine, open_reader
from ledger.keyfiles import check_free, write_keys
from ledger.keys import PublicKey, SigningKey, fingerprint
from ledger.openings import Openings
from ledger.roles import Role, listed
from ledger.terminal import (
    existing_file,
    json_option,
    key_in,
    new_file,
    new_passphrase,
    passphrase_option,
    print_json,
    progress_bar,
    quiet_option,
    refusals,
)


@click.group()
def key() -> None:
    """Make and look at signing keys."""


@key.command("new")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role], case_sensitive=False),
    required=True,
    help="Who will hold the key.",
)
@click.option("--out", type=new_file, help="Where to write the private key.  [default: ROLE.key]")
@passphrase_option
@click.option("--no-passphrase", is_flag=True, help="Leave the private key unencrypted: for tests only.")
@json_option
@refusals
def key_new(*, role: str, out: Path | None, passphrase_file: Path | None, no_passphrase: bool, as_json: bool) -> None:
    """Make a key pair.

    Writes the private key, encrypted with a passphrase, and beside it the public key (.pub) for the other
    parties. Read the fingerprint to them over the telephone, so that they know the key is yours.
    """
    if no_passphrase and passphrase_file:
        raise click.UsageError("--no-passphrase and --passphrase-file cannot be used together.")
    out = out or Path(f"{role}.key")
    check_free(out)  # before a passphrase is asked for
    passphrase = None if no_passphrase else new_passphrase(passphrase_file)
    signing = SigningKey.generate()
    public_path = write_keys(out, signing, Role(role), passphrase)
    if as_json:
        print_json(
            {"role": role, **_key_value(signing.public), "private_file": str(out), "public_file": str(public_path)}
        )
        return
    click.echo(f"Private key  {out}  ({'NOT ENCRYPTED: ' if no_passphrase else ''}keep it to yourself)")
    click.echo(f"Public key   {public_path}  (send it to the other parties)")
    click.echo(f"Fingerprint  {fingerprint(signing.public)}  (read it to them over the telephone)")


@key.command("show")
@click.argument("file", type=existing_file)
@passphrase_option
@json_option
@refusals
def key_show(*, file: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Show whose key FILE holds, and its fingerprint.

    FILE is a public or a private key file; a private one needs its passphrase.
    """
    found = key_in(file, passphrase_file)
    kind = "public" if found.signing is None else "private"
    if as_json:
        print_json({"role": found.role, "kind": kind, **_key_value(found.public)})
        return
    click.echo(f"Role         {found.role or 'not stated'}")
    click.echo(f"Kind         {kind}")
    click.echo(f"Public key   {found.public.hex()}")
    click.echo(f"Fingerprint  {fingerprint(found.public)}")


@click.group()
def ledger() -> None:
    """Look at a matter's file or a copy of it, and check it."""


@ledger.command("show")
@click.argument("file", type=existing_file)
@click.option("--entry", type=click.IntRange(min=0), help="Show only this entry, in full.")
@quiet_option
@json_option
@refusals
def ledger_show(*, file: Path, entry: int | None, as_json: bool) -> None:
    """List the entries of FILE, a matter's file or a copy.

    Every entry is checked before it is shown; if the file is damaged, the list ends there with an error. With
    --json, each line is one entry in full.
    """
    found = False
    reader = open_reader(file)
    with _naming_keys(reader):
        for opened in reader:
            if entry not in (None, opened.entry.body.sequence):
                continue
            found = True
            if as_json or entry is not None:
                print_json(_entry_value(opened), indent=None if as_json else 2)
            else:
                click.echo(_entry_line(opened))
    if entry is not None and not found:
        raise click.ClickException(f"{file} has no entry {entry}")


@ledger.command("check")
@click.argument("file", type=existing_file)
@quiet_option
@json_option
@refusals
def ledger_check(*, file: Path, as_json: bool) -> None:
    """Check that FILE, a matter's file or a copy, is as it was signed.

    Checks chain, signatures, openings, attachments and checkpoints. This says whether the record is whole and as it was
    signed, not whether the review followed the protocol. A failure is either damage, for which nobody is blamed, or
    somebody's signed fault. Only the file itself says whose the keys are: compare the fingerprints with those that you
    were given.
    """
    reader = open_reader(file)
    with _naming_keys(reader), progress_bar(reader.total, "Checking", unit="entries") as progress:
        reader.progress = progress
        summary = examine(reader)
    if as_json:
        print_json(_summary_value(summary))
    else:
        click.echo(_summary_text(summary))


@contextmanager
def _naming_keys(reader: Reader) -> Iterator[None]:
    """A fault names the key that signed it: the file cannot prove who holds that key."""
    try:
        yield
    except Fault as error:
        key = fingerprint(reader.history.keys[error.party])
        raise Fault(error.party, f"{error} (the key with the fingerprint {key})", entry=error.entry) from None


def _key_value(public: PublicKey) -> dict[str, str]:
    return {"public_key": public.hex(), "fingerprint": fingerprint(public)}


def _entry_line(opened: OpenedEntry) -> str:
    body, said = opened.entry.body, opened.entry.body.statement
    asked = f", asks {listed(body.asks)}" if body.asks else ""
    given = f", {_count(len(opened.openings), 'opening')}" if opened.openings else ""
    return (
        f"{body.sequence:>6}  {_time_text(body.time)}  {opened.hash.hex()[:16]}  "
        f"round {said.round}: {said.author.called} {said.kind}{asked}{given}"
    )


def _time_text(seconds: int) -> str:
    """Trent's clock, even if it is absurd."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"time {seconds}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _entry_value(opened: OpenedEntry) -> dict[str, Any]:
    openings = Openings(opened.openings).to_value()
    return {"hash": opened.hash.hex(), "entry": records.to_value(opened.entry), "openings": openings}


def _summary_value(summary: Summary) -> dict[str, Any]:
    return {
        "outcome": "pass",
        "kind": "matter" if summary.audience is None else "copy",
        "audience": summary.audience,
        "matter": summary.matter.hex(),
        "entries": summary.size,
        "head": summary.head.hex(),
        "root": summary.root.hex(),
        "openings": summary.openings,
        "attachments": summary.attachments,
        "conflicts": summary.conflicts,
        "cosigned": summary.cosigned,
        "checkpoints": [{"entries": size, "signers": signers} for size, signers in summary.checkpoints],
        "keys": {role: _key_value(public) for role, public in summary.keys.items()},
    }


def _summary_text(summary: Summary) -> str:
    kind = "a matter's file" if summary.audience is None else f"a copy for {summary.audience.called}"
    lines = [
        f"Whole and as signed: {kind}",
        f"Matter       {summary.matter.hex()}",
        f"Entries      {summary.size}, with {_count(summary.openings, 'opening')} "
        f"and {_count(summary.attachments, 'attachment')}",
        f"Head         {summary.head.hex()}",
        f"Root         {summary.root.hex()}",
    ]
    for size, signers in summary.checkpoints:
        lines.append(f"Checkpoint   {size} entries, signed by {listed(signers)}")
    if summary.cosigned < summary.size:
        up_to = f"only the first {summary.cosigned} of" if summary.cosigned else "none of"
        lines.append(f"Cosigned     {up_to} these entries: for the rest, only Trent vouches that there are no others")
    if summary.conflicts:
        lines.append(f"Conflicts    {_count(summary.conflicts, 'second answer')} on record, for the verifier to judge")
    lines.append("Not checked  whether the review followed the protocol, and who holds the keys")
    lines.append("Keys         as the file names them; compare these fingerprints with those that you were given")
    lines += [f"  {role.capitalize():<10} {fingerprint(public)}" for role, public in sorted(summary.keys.items())]
    return "\n".join(lines)
