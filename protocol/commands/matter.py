"""Commands about matters: simulate one, see where it stands, cut copies."""

from pathlib import Path
from typing import Any

import click

from ledger.copies import write_copy
from ledger.errors import Refused
from ledger.keyfiles import read_signing_key
from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from ledger.schema import TrentOnly
from ledger.store import Store
from ledger.terminal import (
    existing_file,
    json_option,
    new_file,
    passphrase_for,
    passphrase_option,
    print_json,
    progress_bar,
    refusals,
)
from protocol import rules
from protocol.commands import tables
from protocol.exchange import docket as dockets
from protocol.matter import summary as summaries
from protocol.matter import terms
from protocol.matter.state import MatterState
from protocol.simulation import strategies
from protocol.simulation.identity import Simulated

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)


@click.command()
@click.argument("corpus", type=existing_folder)
@click.option("--responsive", "label", required=True, metavar="LABEL", help="Documents with this label are responsive.")
@click.option("--protocol", type=click.Choice(rules.NAMES), required=True, help="The label-verification rule.")
@click.option("--rounds", type=int, default=20, show_default=True, metavar="T", help="How many rounds, at most 4096.")
@click.option("--batch", type=int, default=1000, show_default=True, metavar="N", help="How many documents a round.")
@click.option("--delta", default="0.01", show_default=True, help="Failure probability of a round's verification.")
@click.option("--k", type=int, default=1, show_default=True, help="Error tolerance of the label report.")
@click.option("--doubt", default="0.05", show_default=True, help="Failure probability of the hidden-document bound.")
@click.option(
    "--query",
    default="",
    help="Seed query: plain words (AND, NOT, quotes and * mean nothing). Without one, all documents are drawn from.",
)
@click.option("--seed", default="1", show_default=True, help="Any text; it decides all keys and coins.")
@click.option("--alice", default="truthful", show_default=True, help=f"One of {', '.join(strategies.ALICE)}.")
@click.option("--bob", default="truthful", show_default=True, help=f"One of {', '.join(strategies.BOB)}.")
@click.option("--court", default="right", show_default=True, help=f"One of {', '.join(strategies.COURT)}.")
@click.option("--out", type=new_file, required=True, metavar="MATTER", help="The matter's file; goes on if it exists.")
@json_option
@refusals
def simulate(*, corpus: Path, label: str, out: Path, as_json: bool, **options: Any) -> None:
    """Play a whole matter over CORPUS, with all parties, into one signed file.

    The same command writes the same record, and its copies are the same byte for byte. Interrupt it at any time: the
    same command goes on where it stopped. When fewer documents are left than a batch holds, the last batch is smaller;
    when none are left, the matter closes early.
    """
    from protocol.corpus.corpus import Corpus

    simulation = trents_tools()
    agreed = terms.terms(
        **{name: options[name] for name in ("protocol", "rounds", "batch", "delta", "k", "query", "doubt")}
    )
    documents = Corpus.open(corpus)
    parties = {name: options[name] for name in ("alice", "bob", "court")}
    plan = simulation.plan(documents, agreed, label=label, seed=options["seed"], **parties)
    with simulation.Run(documents, plan, out) as run, progress_bar(agreed.rounds, "Rounds") as progress:
        state = run.run(lambda state: progress(*_so_far(state)))
    _print(summaries.summary(state), as_json=as_json)
    if not as_json:
        click.echo(f"\nThe matter is in {out}. Cut copies with: tallystick copy {out} --for bob --out bob.jsonl")


@click.command()
@click.argument("matter", type=existing_file)
@json_option
@refusals
def status(*, matter: Path, as_json: bool) -> None:
    """Where MATTER stands: for whom it waits, a row a round, and what can be claimed so far.

    Of a matter between real parties also who is asked for what since when, by Trent's clock, the court's orders, new
    keys, amendments and cosignatures. Needs neither a key nor the documents.
    """
    found = dockets.read(matter)
    real = {} if found.state.opening.caption is None else found.value()
    _print(summaries.summary(found.state) | real, as_json=as_json)


@click.command()
@click.argument("matter", type=existing_file)
@click.option(
    "--for", "audience", type=click.Choice([each.value for each in Audience]), required=True, help="Who gets it."
)
@click.option("--out", type=new_file, required=True, metavar="FILE", help="Ends in .jsonl, or .jsonl.gz to compress.")
@click.option("--key", "key_file", type=existing_file, help="Trent's key; a simulated matter needs none.")
@passphrase_option
@refusals
def copy(*, matter: Path, audience: str, out: Path, key_file: Path | None, passphrase_file: Path | None) -> None:
    """Cut a copy of MATTER: the whole chain, with what this audience may see. No file is ever replaced."""
    if out.exists() or out.name in {f"{matter.name}{end}" for end in ("-wal", "-shm", "-journal")}:
        raise Refused(f"{out} exists already, or belongs to the matter; choose another name for the copy")
    key = _trent_key(matter, key_file, passphrase_file)
    with Store.open(matter) as store, progress_bar(store.size(), "Writing") as progress:
        manifest = write_copy(store, Audience(audience), key, out, progress=progress)
    click.echo(f"{out}: the copy for {audience}, {manifest.size} entries, head {manifest.head.hex()}")


def trents_tools() -> Any:
    """What plays matters. It is loaded when it is needed, since scipy takes its time, and a party has none."""
    try:
        from protocol.simulation import run
    except ImportError:
        raise TrentOnly("matters are run by Trent's installation: pip install 'tallystick[trent]'") from None
    return run


def _so_far(state: MatterState) -> tuple[int, str]:
    """How many rounds are closed, and in words what they brought."""
    if not state.closed or state.opening.simulation is None:
        return 0, ""
    shown = sum(len(each.settled) for each, _ in state.closed)
    found = sum(each.found for each, _ in state.closed)
    return len(state.closed), f"recall {found / state.opening.simulation.responsive:.1%}, NRD {shown - found}"


def _trent_key(matter: Path, key_file: Path | None, passphrase_file: Path | None) -> SigningKey:
    if key_file is not None:
        return read_signing_key(key_file, passphrase_for(key_file, passphrase_file), role=Role.TRENT)
    played = Simulated.of(summaries.read(matter).opening)
    if played is None:
        raise Refused("Trent signs every copy: give his key with --key")
    return played.key(Role.TRENT)


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    if found["rounds"]:
        click.echo(tables.rounds_table(found))
        click.echo(f"\n{tables.legend(found)}\n")
    click.echo(tables.totals(found))
    if "caption" in found:
        click.echo(tables.docket(found))
