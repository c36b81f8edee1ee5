"""`tallystick log`: the operator's own log of all matters, for everybody to read."""

from pathlib import Path
from typing import Any, TypeVar

import click

from ledger import files, notes
from ledger.notes import Note
from ledger.terminal import existing_file, json_option, new_file, passphrase_option, print_json, quiet_option, refusals
from ledger.tlog import exporting, proofs
from ledger.tlog import log as logs
from ledger.tlog.log import Log
from ledger.tlog.policy import Policy
from ledger.tlog.witnessing import Asked
from protocol.commands import outsiders, trent
from protocol.exchange import witnessing
from protocol.exchange.office import Office
from protocol.matter import logged, operators_log
from protocol.matter.logged import Account
from protocol.matter.operators_log import Added, Addition

T = TypeVar("T")

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)
log_argument = click.argument("folder", metavar="LOG", type=existing_folder)
key_option = click.option("--key", "key_file", type=existing_file, required=True, help="The log's private key.")
policy_option = click.option(
    "--policy", "policy_file", type=existing_file, help="Known logs and witnesses, and who suffices (C2SP tlog-policy)."
)


@click.group()
def log() -> None:
    """Keep the operator's log: each matter's opening and states.

    The log only grows, and anybody may read it. A matter that was opened and lost is then seen: its opening is in the
    log, and its end is not. Witnesses cosign that they have seen the log grow and never change.
    """


@log.command("init")
@click.argument("folder", metavar="LOG", type=click.Path(path_type=Path, file_okay=False))
@click.option("--origin", required=True, metavar="NAME", help="The log's name for ever, such as trent.example/log.")
@key_option
@passphrase_option
@json_option
@refusals
def log_init(*, folder: Path, origin: str, key_file: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Make an empty log in the new folder LOG.

    Prints the log's verifier key, by which everybody checks it: give it to the parties, the court and the witnesses.
    Make a key for the log alone: tallystick key new --role trent --out log.key
    """
    files.check_free(folder)
    key = logs.create(folder, origin, trent.key(key_file, passphrase_file))
    if as_json:
        print_json({"origin": key.name, "vkey": key.vkey})
    else:
        click.echo(key.vkey)


@log.command("add")
@log_argument
@click.argument("matter", type=existing_file, nargs=-1)
@key_option
@passphrase_option
@policy_option
@click.option("--unwitnessed", is_flag=True, help="Add even if no witness of the policy can be reached.")
@quiet_option
@json_option
@refusals
def log_add(
    *,
    folder: Path,
    matter: tuple[Path, ...],
    key_file: Path,
    passphrase_file: Path | None,
    policy_file: Path | None,
    unwitnessed: bool,
    as_json: bool,
) -> None:
    """Add the opening and the present state of each MATTER to LOG.

    What is there already is not added again. All that is new stands under one new checkpoint, which the log's key
    signs. With a policy, its witnesses are asked to cosign it, where the policy has their addresses. If one cannot be
    reached, everything is kept, and the next `log add` asks it again; without a MATTER it does nothing else. If none
    can be reached, nothing is added, since nobody could tell whether LOG is an older copy; --unwitnessed adds it.

    Exit code 1 also says that a witness has seen another log than this one.
    """
    rules = outsiders.policy(policy_file)
    found = operators_log.add(folder, matter, trent.key(key_file, passphrase_file), rules, unwitnessed=unwitnessed)
    if as_json:
        print_json(_addition_value(found, rules))
    else:
        click.echo(_addition_text(found, rules))
    if found.contradicted:
        click.get_current_context().exit(1)


@log.command("export")
@log_argument
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="The folder to serve."
)
@quiet_option
@json_option
@refusals
def log_export(*, folder: Path, out: Path, as_json: bool) -> None:
    """Write LOG as static files that any web server can serve.

    They are those of C2SP tlog-tiles: `checkpoint`, `tile/...` and `tile/entries/...`. A later export to the same
    folder adds what is new. The checkpoint comes last, so readers never see one whose tiles are missing.
    """
    found = exporting.export(Log.open(folder), out)
    if as_json:
        print_json({"size": found.size, "written": found.written, "kept": found.kept})
    else:
        click.echo(f"{out}: {_leaves(found.size)}; {found.written} files written, {found.kept} were there already")


@log.command("prove")
@log_argument
@click.argument("matter", type=existing_file)
@click.option("--size", type=click.IntRange(min=1), help="The state of this many entries.  [default: the last one]")
@policy_option
@click.option("--out", type=new_file, required=True, metavar="FILE.tlog-proof", help="The new file.")
@quiet_option
@json_option
@refusals
def log_prove(
    *, folder: Path, matter: Path, size: int | None, policy_file: Path | None, out: Path, as_json: bool
) -> None:
    """Write a proof that a state of MATTER is in LOG.

    The proof (C2SP tlog-proof) is checked offline, with the log's verifier key or a policy. It holds the newest
    checkpoint with its cosignatures; with a policy, the newest one that satisfies it.
    """
    files.check_free(out)
    leaf, proof = operators_log.prove(Log.open(folder), matter, size, outsiders.policy(policy_file))
    with files.new_file(out) as stream:
        stream.write(str(proof).encode())
    if as_json:
        print_json({"index": proof.index, "matter": leaf.matter.hex(), "entries": leaf.size, "state": leaf.state})
    else:
        click.echo(f"{out}: leaf {proof.index}, {leaf.size} entries of the matter {leaf.matter.hex()}, {leaf.state}")


@log.command("record")
@click.argument("matter", type=existing_file)
@click.argument("proof", type=existing_file)
@click.option("--key", "key_file", type=existing_file, required=True, help="Trent's private key in the matter.")
@policy_option
@passphrase_option
@quiet_option
@refusals
def log_record(
    *, matter: Path, proof: Path, key_file: Path, policy_file: Path | None, passphrase_file: Path | None
) -> None:
    """Put PROOF on the record of MATTER.

    PROOF is what `log prove` has written for MATTER as it stands: the entry comes directly after what is in the log.
    Where the terms name a log, no round begins without it. Give the policy of the log: a proof that lacks its witnesses
    would stay on record.
    """
    read = outsiders.read(proof, proofs.MAX_SIZE, "a proof", proofs.decode)
    with Office(matter, trent.key(key_file, passphrase_file), key_file) as office:
        entry = witnessing.log(office, read, outsiders.trusted(None, policy_file))
    click.echo(f"{proof}: entry {entry} of {matter}")


@log.command("check")
@click.argument("folder", metavar="LOG_OR_DIR", type=existing_folder)
@policy_option
@click.option(
    "--seen",
    type=existing_file,
    multiple=True,
    metavar="FILE",
    help="A checkpoint or proof that you have kept: the log must continue it.",
)
@quiet_option
@json_option
@refusals
def log_check(*, folder: Path, policy_file: Path | None, seen: tuple[Path, ...], as_json: bool) -> None:
    """Read a log again from its first leaf, and say what is in it.

    LOG_OR_DIR is a log, or what `export` has written. Every leaf, tile and checkpoint is checked. Lists the matters,
    and says which were opened and have no end. Exit code 1: the log is damaged, states two histories, or lacks the
    witnesses that the policy demands.
    """
    rules = outsiders.policy(policy_file)
    found = Log.open(folder, () if rules is None else rules.keys)
    kept = found.kept()
    for path in seen:
        found.compare(_kept_note(path), str(path))
    witnesses = None if rules is None else rules.check(found.note, found.key)
    accounts, strange = logged.accounts(found.leaves)
    if as_json:
        print_json(_check_value(found, len(kept), witnesses, list(accounts.values()), strange))
    else:
        click.echo(_check_text(found, len(kept), witnesses, list(accounts.values()), strange))
    if any(account.troubles for account in accounts.values()):
        click.get_current_context().exit(1)


def _kept_note(path: Path) -> Note:
    data = outsiders.read(path, proofs.MAX_SIZE, "a checkpoint or proof", bytes)
    if data.startswith(b"c2sp.org/tlog-proof@"):
        return outsiders.read(path, proofs.MAX_SIZE, "a proof", proofs.decode).note
    return outsiders.read(path, proofs.MAX_SIZE, "a checkpoint", lambda raw: notes.parse(raw.decode()))


def _leaves(number: int) -> str:
    return f"{number} {'leaf' if number == 1 else 'leaves'}"


def _addition_value(found: Addition, rules: Policy | None) -> dict[str, Any]:
    return {
        "origin": found.log.key.name,
        "size": found.log.size,
        "leaves": [_added_value(each) for each in found.added],
        "witnesses": [_asked_value(each) for each in found.asked],
        "cosigned": None if rules is None else list(rules.cosigned(found.log.note)),
        "quorum": None if rules is None else rules.suffices(rules.cosigned(found.log.note)),
    }


def _added_value(each: Added) -> dict[str, Any]:
    return {
        "file": str(each.path),
        "matter": each.leaf.matter.hex(),
        "entries": each.leaf.size,
        "state": each.leaf.state,
        "index": each.index,
        "new": each.new,
    }


def _asked_value(each: Asked) -> dict[str, Any]:
    return {
        "name": each.witness.name,
        "cosigned": each.line is not None,
        "message": None if each.error is None else str(each.error),
    }


def _addition_text(found: Addition, rules: Policy | None) -> str:
    lines = [_added_text(each) for each in found.added]
    lines.append(f"The log {found.log.key.name} has {_leaves(found.log.size)}.")
    lines += [f"Not cosigned: {each.error}." for each in found.asked if each.error is not None]
    if rules is not None:
        cosigned = rules.cosigned(found.log.note)
        reached = "reached" if rules.suffices(cosigned) else "NOT reached; `log add` asks again"
        lines.append(f"Cosigned by {', '.join(cosigned) or 'nobody'}; the quorum {rules.quorum} is {reached}.")
    return "\n".join(lines)


def _added_text(each: Added) -> str:
    what = f"{each.path}: {each.leaf.size} {'entry' if each.leaf.size == 1 else 'entries'}, {each.leaf.state}"
    return f"{what}: {'added as leaf' if each.new else 'already there, leaf'} {each.index}"


def _check_value(
    found: Log, kept: int, witnesses: tuple[str, ...] | None, accounts: list[Account], strange: list[int]
) -> dict[str, Any]:
    return {
        "origin": found.key.name,
        "vkey": found.key.vkey,
        "size": found.size,
        "root": found.checkpoint.root.hex(),
        "checkpoints": kept,
        "witnesses": None if witnesses is None else list(witnesses),
        "matters": [
            {
                "matter": each.matter.hex(),
                "opened": each.has_opening,
                "ended": each.ended,
                "entries": each.last.size,
                "leaves": list(each.leaves),
                "troubles": each.troubles,
            }
            for each in accounts
        ],
        "other_leaves": strange,
    }


def _check_text(
    found: Log, kept: int, witnesses: tuple[str, ...] | None, accounts: list[Account], strange: list[int]
) -> str:
    endless = [each for each in accounts if not each.ended]
    lines = [
        f"Whole and as signed: the log {found.key.name}",
        f"Size         {_leaves(found.size)}, root {found.checkpoint.root.hex()}",
        f"Checkpoints  {kept} kept here, each continued by the next",
        f"Key          {found.key.vkey}",
    ]
    if witnesses is None:
        lines.append("Not checked  whose key that is, and who has witnessed the log: give --policy")
    else:
        lines.append(f"Witnessed    by {', '.join(witnesses) or 'nobody, which the policy allows'}")
    lines.append(f"Matters      {len(accounts)}, of which {len(endless)} have no end in the log")
    for each in accounts:
        last = max(each.leaves)
        state = "closed" if each.ended else "NO END"
        lines.append(f"  {each.matter.hex()}  {state}, {each.last.size} entries, leaves {min(each.leaves)} to {last}")
        lines += [f"    CONTRADICTION: {trouble}" for trouble in each.troubles]
    if strange:
        lines.append(f"Other leaves {', '.join(map(str, strange))}: not about matters")
    return "\n".join(lines)
