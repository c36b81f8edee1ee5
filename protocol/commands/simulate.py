"""`tallystick simulate`: a whole matter, in which one program plays all parties."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ledger.terminal import json_option, new_file, print_json, progress_bar, refusals
from protocol.commands import tables, trent
from protocol.matter import summary, terms
from protocol.matter.state import Matter
from protocol.rules import table
from protocol.simulation import strategies

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)


class _Simulate(click.Command):
    """The command with an option for each parameter of each rule that the table has when it is called."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        found = super().get_params(ctx)
        place = next(index for index, each in enumerate(found) if each.name == "doubt")
        rule = click.Option(
            ["--protocol"], type=click.Choice(table.names()), required=True, help="The label-verification rule."
        )
        parameters = [
            click.Option([f"--{each.name}"], default=each.default, show_default=True, help=each.option)
            for each in table.parameters()
        ]
        return [*found[:2], rule, *found[2:place], *parameters, *found[place:]]


@click.command(cls=_Simulate)
@click.argument("corpus", type=existing_folder)
@click.option("--responsive", "label", required=True, metavar="LABEL", help="Documents with this label are responsive.")
@click.option("--rounds", type=int, default=20, show_default=True, metavar="T", help="How many rounds, at most 4096.")
@click.option("--batch", type=int, default=1000, show_default=True, metavar="N", help="How many documents in a batch.")
@click.option("--doubt", default="0.05", show_default=True, help="Failure probability of the hidden-document bound.")
@click.option(
    "--query",
    default="",
    help="Seed query: plain words (AND, NOT, quotes and * mean nothing). Without one, the first batch is drawn from "
    "all documents.",
)
@click.option("--seed", default="1", show_default=True, help="Any text; it decides all keys and coins.")
@click.option("--alice", default="truthful", show_default=True, help=f"One of {', '.join(strategies.ALICE)}.")
@click.option("--bob", default="truthful", show_default=True, help=f"One of {', '.join(strategies.BOB)}.")
@click.option("--court", default="right", show_default=True, help=f"One of {', '.join(strategies.COURT)}.")
@click.option(
    "--out", type=new_file, required=True, metavar="MATTER", help="The matter's file; continued if it exists."
)
@json_option
@click.pass_context
@refusals
def simulate(context: click.Context, /, *, corpus: Path, label: str, out: Path, as_json: bool, **options: Any) -> None:
    """Play a whole matter over CORPUS, with all parties simulated.

    The same command writes the same record, and its copies are the same byte for byte. If it is interrupted, run it
    again: it continues where it stopped. When fewer documents are left than a batch holds, the last batch is smaller;
    when none are left, the matter closes early.
    """
    from protocol.corpus.corpus import Corpus

    with trent.installation():
        from protocol.simulation import run as simulation

    names = ("protocol", "rounds", "batch", "query", "doubt")
    agreed = terms.terms(**{name: options[name] for name in names} | _given(context))
    documents = Corpus.open(corpus)
    parties = {name: options[name] for name in ("alice", "bob", "court")}
    plan = simulation.plan(documents, agreed, label=label, seed=options["seed"], **parties)
    with simulation.Run(documents, plan, out) as run, progress_bar(agreed.rounds, "Rounds") as progress:
        state = run.run(lambda state: progress(*_so_far(state)))
    found = summary.summary(state)
    if as_json:
        print_json(found)
    else:
        click.echo(tables.standing(found))
        click.echo(f"\nThe matter is in {out}. Cut copies with: tallystick copy {out} --for bob --out bob.jsonl")


def _given(context: click.Context) -> dict[str, Any]:
    """The parameters given on the command line; the terms refuse those of another rule."""
    names = [each.name for each in table.parameters()]
    given = ParameterSource.COMMANDLINE
    return {name: context.params[name] for name in names if context.get_parameter_source(name) is given}


def _so_far(state: Matter) -> tuple[int, str]:
    """How many rounds are closed, and their result in words."""
    if not state.closed or state.opening.simulation is None:
        return 0, ""
    shown = sum(len(each.settled) for each, _ in state.closed)
    found = sum(each.found for each, _ in state.closed)
    return len(state.closed), f"recall {found / state.opening.simulation.responsive:.1%}, NRD {shown - found}"
