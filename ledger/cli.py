"""`tallystick key` and `tallystick ledger`."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ledger import records
from ledger.entries import OpenedEntry
from ledger.errors import Damaged, Fault, LedgerError
from ledger.examining import Reader, Summary, examine, open_reader
from ledger.keyfiles import read_key, write_keys
from ledger.keys import PublicKey, SigningKey, fingerprint
from ledger.roles import Role
from ledger.terminal import (
    existing_file,
    json_option,
    new_file,
    new_passphrase,
    passphrase_for,
    passphrase_option,
    print_json,
    progress_bar,
    refusals,
)


@click.group()
def key() -> None:
    """Make and look at signing keys."""


@key.command("new")
@click.option("--role", type=click.Choice([role.value for role in Role]), required=True, help="Who will hold the key.")
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
        raise click.UsageError("--no-passphrase and --passphrase-file exclude each other.")
    out = out or Path(f"{role}.key")
    passphrase = None if no_passphrase else new_passphrase(passphrase_file)
    signing = SigningKey.generate()
    public_path = write_keys(out, signing, Role(role), passphrase)
    if as_json:
        print_json(
            {"role": role, **_key_value(signing.public), "private_file": str(out), "public_file": str(public_path)}
        )
        return
    click.echo(f"Private key  {out}  (keep it, and its passphrase, to yourself)")
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
    found = read_key(file, passphrase_for(file, passphrase_file))
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
@json_option
@refusals
def ledger_show(*, file: Path, entry: int | None, as_json: bool) -> None:
    """List the entries of FILE, a matter's file or a copy.

    Every entry is checked before it is shown, and the list ends with an error where the file does. With --json,
    one entry a line, in full.
    """
    found = False
    for copied in open_reader(file):
        if entry not in (None, copied.entry.body.sequence):
            continue
        found = True
        if as_json or entry is not None:
            print_json(_entry_value(copied), indent=None if as_json else 2)
        else:
            click.echo(_entry_line(copied))
    if entry is not None and not found:
        raise click.ClickException(f"{file} has no entry {entry}")


@ledger.command("check")
@click.argument("file", type=existing_file)
@json_option
@refusals
def ledger_check(*, file: Path, as_json: bool) -> None:
    """Check FILE, a matter's file or a copy: chain, signatures, openings, attachments and checkpoints.

    This says whether the record is whole and as it was signed, not whether the review followed the protocol. A
    failure is either damage, for which nobody is blamed, or somebody's signed fault. The parties are known here
    only by the keys that the file itself names: compare the fingerprints with those you were told.
    """
    reader = open_reader(file)
    try:
        with progress_bar(reader.total, "Checking") as progress:
            reader.progress = progress
            summary = examine(reader)
    except LedgerError as error:
        if as_json:
            print_json(_failure_value(error, reader))
            sys.exit(1)
        raise click.ClickException(_failure_text(error, reader)) from error
    if as_json:
        print_json(_summary_value(summary))
    else:
        click.echo(_summary_text(summary))


def _key_value(public: PublicKey) -> dict[str, str]:
    return {"public_key": public.hex(), "fingerprint": fingerprint(public)}


def _entry_line(copied: OpenedEntry) -> str:
    body, said = copied.entry.body, copied.entry.body.statement
    time = datetime.fromtimestamp(body.time, UTC).strftime("%Y-%m-%d %H:%M:%S")
    asked = f", asks {' and '.join(body.asks)}" if body.asks else ""
    opened = f", {len(copied.openings)} openings" if copied.openings else ""
    return (
        f"{body.sequence:>6}  {time}  {copied.hash.hex()[:16]}  "
        f"round {said.round}: {said.author} {said.kind}{asked}{opened}"
    )


def _entry_value(copied: OpenedEntry) -> dict[str, Any]:
    openings = [records.to_value(opening) for opening in copied.openings]
    return {"hash": copied.hash.hex(), "entry": records.to_value(copied.entry), "openings": openings}


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
        "checkpoints": [{"entries": size, "signers": signers} for size, signers in summary.checkpoints],
        "keys": {role: _key_value(public) for role, public in summary.keys.items()},
    }


def _summary_text(summary: Summary) -> str:
    kind = "a matter's file" if summary.audience is None else f"a copy for {summary.audience}"
    lines = [
        f"Whole and as signed: {kind}",
        f"Matter       {summary.matter.hex()}",
        f"Entries      {summary.size}, with {summary.openings} openings and {summary.attachments} attachments",
        f"Head         {summary.head.hex()}",
        f"Root         {summary.root.hex()}",
    ]
    for size, signers in summary.checkpoints:
        lines.append(f"Checkpoint   {size} entries, signed by {', '.join(signers)}")
    if not summary.checkpoints:
        lines.append("Checkpoint   none: nobody but Trent vouches for the end of this chain")
    lines.append("Keys         as the file names them; compare these fingerprints with those you were told")
    lines += [f"  {role:<10} {fingerprint(public)}" for role, public in sorted(summary.keys.items())]
    return "\n".join(lines)


def _failure_value(error: LedgerError, reader: Reader) -> dict[str, Any]:
    value: dict[str, Any] = {"outcome": "refused", "message": str(error), "cause": "error", "party": None}
    if isinstance(error, Damaged):
        value["cause"] = "damage"
    if isinstance(error, Fault):
        blamed = reader.history.keys.get(error.party)
        value |= {"cause": "fault", "party": error.party, "entry": error.entry}
        value |= _key_value(blamed) if blamed else {}
    return value


def _failure_text(error: LedgerError, reader: Reader) -> str:
    if isinstance(error, Damaged):
        return f"damaged: {error}. Nobody is blamed for this; ask for the file again."
    if isinstance(error, Fault):
        blamed = reader.history.keys.get(error.party)
        by = f" with the key {fingerprint(blamed)}" if blamed else ""
        return f"fault, signed by {error.party}{by}: {error}."
    return str(error)
