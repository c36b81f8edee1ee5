"""`tallystick simulate`: a whole matter, in which one program plays all parties."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ledger.terminal import json_option, new_file, print_json, progress_bar, quiet_option, refusals
from protocol.commands import tables, trent
from protocol.commands.workers import NAMES, cluster_options, workers
from protocol.matter import summary, terms
from protocol.matter.state import Matter
from protocol.rules import table
from protocol.rules.terms import ValidationTerms
from protocol.simulation import strategies

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)


def _written(term: tuple[str, object]) -> str:
    name, value = term
    return f"{name}={'none' if value is None else value}"


class _Simulate(click.Command):
    """The command with an option for each parameter of each rule that the table has when it is called."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        found = super().get_params(ctx)
        place = next(index for index, each in enumerate(found) if each.name == "doubt")
        rule = click.Option(
            ["--protocol"],
            type=click.Choice(table.names()),
            default=table.USUAL.name,
            show_default=True,
            help="The label-verification rule.",
        )
        parameters = [
            click.Option(
                [f"--{each.name}"],
                type=click.Choice(each.choices) if each.choices else None,
                default=each.default,
                show_default=True,
                help=each.option,
            )
            for each in table.parameters()
        ]
        return [*found[:2], rule, *found[2:place], *parameters, *found[place:]]


@click.command(cls=_Simulate)
@click.argument("corpus", type=existing_folder)
@click.option("--responsive", "label", required=True, metavar="LABEL", help="Documents with this label are responsive.")
@click.option("--rounds", type=int, default=20, show_default=True, metavar="T", help="How many batches, at most 4096.")
@click.option("--batch", type=int, default=1000, show_default=True, metavar="N", help="How many documents in a batch.")
@click.option("--doubt", default="0.05", show_default=True, help="Failure probability of each certificate.")
@click.option(
    "--validate", is_flag=True, help="Validate the whole collection from time to time, and stop at the target."
)
@click.option(
    "--validation",
    multiple=True,
    metavar="NAME=VALUE",
    help=f"The same, with other terms than the usual: {', '.join(map(_written, terms.VALIDATION.items()))}.",
)
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="LABEL",
    help="A sensitive class: Alice puts the documents with this label into it. Can be given several times.",
)
@click.option("--class-share", default="0.05", show_default=True, help="Share of the collection that classes may hold.")
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
@cluster_options
@quiet_option
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
    given = {name: options[name] for name in names} | _given(context)
    agreed = terms.terms(
        **given,
        validation=_validation(options["validation"], asked=options["validate"]),
        classes=terms.classes(options["classes"], options["class_share"]) if options["classes"] else None,
    )
    documents = Corpus.open(corpus)
    parties = {name: options[name] for name in ("alice", "bob", "court")}
    plan = simulation.plan(documents, agreed, label=label, seed=options["seed"], **parties)
    with (
        workers(**{name: options[name] for name in NAMES}) as cluster,
        simulation.Run(documents, plan, out, cluster) as run,
        progress_bar(agreed.rounds, "Playing", unit="rounds") as progress,
    ):
        state = run.run(lambda state: progress(*_so_far(state)))
    found = summary.summary(state)
    if as_json:
        print_json(found)
    else:
        click.echo(tables.standing(found))
        click.echo(f"\nThe matter is in {out}. Cut copies with: tallystick copy {out} --for bob --out bob.jsonl")


def _validation(given: Sequence[str], *, asked: bool) -> ValidationTerms | None:
    """The terms of validations, if there are to be any. `none` stands for a term that is not used."""
    if not (given or asked):
        return None
    pairs = dict(each.partition("=")[::2] for each in given)
    return terms.validation(**{name: _value(name, text) for name, text in pairs.items()})


def _value(name: str, text: str) -> int | str | None:
    if text == "none":
        return None
    return int(text) if name in ("every", "hits", "window") and text.isdecimal() else text


def _given(context: click.Context) -> dict[str, Any]:
    """The parameters given on the command line; the terms refuse those of another rule."""
    names = [each.name for each in table.parameters()]
    given = ParameterSource.COMMANDLINE
    return {name: context.params[name] for name in names if context.get_parameter_source(name) is given}


def _so_far(state: Matter) -> tuple[int, str]:
    """How many batch rounds are closed, and the result so far in words."""
    if not state.closed or state.opening.simulation is None:
        return 0, ""
    shown = sum(len(each.disclosed) for each, _ in state.closed)
    recall = state.found / state.opening.simulation.responsive
    return len(state.batches), f"recall {recall:.1%}, NRD {shown - state.found}"
