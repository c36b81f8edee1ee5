"""`tallystick forecast`: what terms will cost, before anybody signs them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger import files, reading
from ledger.errors import Refused
from ledger.schema import MAGIC
from ledger.terminal import existing_file, json_option, new_file, print_json, progress_bar, quiet_option, refusals
from protocol.commands import tables, trent

if TYPE_CHECKING:
    from protocol.forecast.assumed import Assumed
    from protocol.forecast.forecast import Forecast
    from protocol.forecast.wanted import Advice, Way
    from protocol.rules.terms import Terms


@click.command()
@click.argument("terms", type=existing_file)
@click.option(
    "--collection",
    type=click.IntRange(min=2),
    metavar="N",
    help="How many documents there are; without it, as many as a matter has, or 100000.",
)
@click.option(
    "--richness",
    default="0.005-0.02",
    show_default=True,
    metavar="SHARE",
    help="Which share of them is responsive: a decimal, or a range.",
)
@click.option(
    "--gain",
    default="0.7-0.95",
    show_default=True,
    metavar="SHARE",
    help="Recall once four documents were reviewed for each responsive one: low if the topic is hard.",
)
@click.option(
    "--alice",
    default="truthful",
    show_default=True,
    help="truthful, careless:ERRORS, careless:ERRORS:FOUND (in a second look), or hides:SHARE.",
)
@click.option("--want-reviewed", metavar="TARGET", help="Suggest terms that certify this recall of the reviewed.")
@click.option("--want-collection", metavar="TARGET", help="Suggest terms that certify this recall of the collection.")
@click.option("--trials", type=click.IntRange(1, 100_000), help="How many trials; without it, as many as take seconds.")
@click.option("--seed", default="1", show_default=True, help="Any text; another one gives other trials.")
@click.option("--figure", "figure_file", type=new_file, metavar="FILE.svg", help="Draw the forecast into a new file.")
@quiet_option
@json_option
@refusals
def forecast(
    *,
    terms: Path,
    collection: int | None,
    richness: str,
    gain: str,
    alice: str,
    want_reviewed: str | None,
    want_collection: str | None,
    trials: int | None,
    seed: str,
    figure_file: Path | None,
    as_json: bool,
) -> None:
    """Forecast what the terms in TERMS will cost, or suggest terms.

    TERMS is a terms file, whose names and keys may still be missing, or a matter. Says what Alice reads, what Bob sees,
    how many rounds there are, and how likely each target is reached, with a range for each number. It plays the review
    with counts instead of documents. Its random numbers decide nothing in a record.
    """
    from protocol.forecast.assumed import COLLECTION, assumed

    agreed, documents = _read(terms)
    size = collection or documents or COLLECTION
    about = assumed(documents=size, richness=richness, gain=gain, alice=alice)
    if want_reviewed is not None or want_collection is not None:
        if figure_file is not None or trials is not None:
            raise click.UsageError("--figure and --trials are not for --want-reviewed and --want-collection.")
        _suggest(agreed, about, want_reviewed, want_collection, seed, as_json=as_json)
        return
    if figure_file is not None:
        files.check_free(figure_file, "choose another name for the figure")
        with trent.installation("a figure needs more packages", extras="experiments"):
            from protocol.forecast import figure  # noqa: F401 - before the trials, not after them
    _forecast(agreed, about, trials, seed, figure_file, terms.name, as_json=as_json)


def _forecast(
    agreed: "Terms",
    about: "Assumed",
    trials: int | None,
    seed: str,
    figure_file: Path | None,
    name: str,
    *,
    as_json: bool,
) -> None:
    from protocol.forecast import forecast as trying
    from protocol.forecast import words
    from protocol.forecast.scheme import scheme

    numbers = scheme(agreed)
    number = trials or trying.usual_trials(numbers, about)
    with progress_bar(number, "Trying", unit="trials") as progress:
        found = trying.forecast(numbers, about, trials=number, seed=seed, progress=progress)
    if figure_file is not None:
        _draw(found, figure_file, agreed.protocol)
    if as_json:
        print_json({"terms": name, "protocol": agreed.protocol, "seed": seed, **words.value(found)})
        return
    click.echo(
        f"{agreed.protocol}, up to {agreed.rounds} batches of {agreed.batch:,} documents. "
        f"{number:,} trial{'' if number == 1 else 's'}:\n"
    )
    click.echo(tables.table(["", "median", "5 to 95 %"], words.rows(found)))
    click.echo("\n" + "\n".join(words.sentences(found)))
    _state_assumptions(found)
    if figure_file is not None:
        click.echo(f"\nWritten: {figure_file}")


def _state_assumptions(found: "Forecast") -> None:
    from protocol.forecast import words

    click.echo("\nThis assumes:\n" + "\n".join(f"- {each}" for each in found.assumed.words()))
    click.echo("Not forecast: " + "; ".join(words.not_forecast(found)) + ".")


def _draw(found: "Forecast", path: Path, title: str) -> None:
    from protocol.forecast import figure

    drawn = figure.svg(found, title)
    with files.new_file(path) as file:
        file.write(drawn)


def _suggest(
    agreed: "Terms", about: "Assumed", reviewed: str | None, collection: str | None, seed: str, *, as_json: bool
) -> None:
    from protocol.forecast import wanted as wanting
    from protocol.rules.terms import probability

    wanted = wanting.Wanted(
        reviewed=None if reviewed is None else probability("--want-reviewed", reviewed),
        collection=None if collection is None else probability("--want-collection", collection),
    )
    with progress_bar(wanting.STEPS, "Trying", unit="steps") as progress:
        found = wanting.advice(wanted, agreed, about, seed=seed, progress=progress)
    if found.refusal is not None:
        raise Refused(found.refusal)
    if as_json:
        print_json({"ways": [_way_value(each) for each in found.ways]})
    else:
        _print_ways(found)


def _way_value(way: "Way") -> dict[str, Any]:
    from protocol.forecast import ways, words

    value = {"name": way.name, "terms": ways.settings(way.terms), "refusal": way.refusal}
    return value | {"forecast": words.value(way.forecast)}


def _print_ways(found: "Advice") -> None:
    from protocol.forecast import ways

    click.echo(tables.table(["", *(each.name for each in found.ways)], ways.rows(found)))
    for way in found.ways:
        if way.refusal is not None:
            click.echo(f"\n{way.name}: {way.refusal}")
    _state_assumptions(found.ways[0].forecast)


def _read(path: Path) -> tuple["Terms", int | None]:
    """The terms in a file, or those of a matter with the number of its documents."""
    from protocol.exchange import termsfile
    from protocol.matter import summary

    with reading.opened(path) as file:
        is_matter = file.read(len(MAGIC)) == MAGIC
    if not is_matter:
        return termsfile.read_review(path), None
    state = summary.read(path)
    return state.terms, state.opening.corpus.documents
