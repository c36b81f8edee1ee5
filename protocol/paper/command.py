"""`tallystick experiment`: the paper's figures and theorems, run again.

Each command writes NAME.csv, NAME.svg, NAME.png and NAME.txt into a folder, and prints the text. What an experiment
needs is imported by its command: a party's installation has none of it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.errors import Refused
from ledger.schema import TrentOnly
from ledger.terminal import json_option, print_json, progress_bar, refusals
from protocol.commands.corpus import share

if TYPE_CHECKING:
    from protocol.paper.experiments.curves import Topic
    from protocol.paper.experiments.outcome import Outcome

MADE_UP = (20_000, 600)
"""How many documents, and how many responsive ones, an experiment makes up where no corpus is given."""

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)
out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The folder for the results; files of an earlier run are replaced.",
)
seed_option = click.option("--seed", default="1", show_default=True, help="Any text; another one gives other coins.")
number_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Another number gives other draws."
)
quick_option = click.option("--quick", is_flag=True, help="A small run that takes seconds, to see what it is like.")
review_options = (
    click.option(
        "--corpus",
        type=existing_folder,
        help="A corpus folder, with --responsive; without one, "
        f"{MADE_UP[0]:,} mails, {MADE_UP[1]} of them responsive, are made up in --out.",
    ),
    click.option(
        "--delta",
        default="0.01",
        show_default=True,
        metavar="SHARE",
        help="Failure probability of a round's verification.",
    ),
    click.option(
        "--k",
        type=int,
        default=1,
        show_default=True,
        help="Error tolerance of the label report; a large one discloses less.",
    ),
)


def _rate(text: str) -> str:
    """An error rate, as it was written."""
    share(text)
    return text


def _review(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(review_options):
        command = option(command)
    return command


@click.group()
def experiment() -> None:
    """Run the paper's experiments again: a table, a figure, and what was expected and seen."""


@experiment.command()
@_review
@click.option("--responsive", "labels", multiple=True, metavar="LABEL", help="A topic's label; may be repeated.")
@click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="WORDS",
    help="Its seed query: one for each --responsive, in their order, or none at all.",
)
@click.option("--rounds", type=int, default=30, show_default=True, metavar="T", help="How many rounds.")
@click.option("--batch", type=int, default=1000, show_default=True, metavar="N", help="How many documents a round.")
@click.option("--repeats", type=click.IntRange(min=1), default=10, show_default=True, help="Plays of each protocol.")
@seed_option
@out_option
@json_option
@refusals
def curves(
    *,
    corpus: Path | None,
    labels: tuple[str, ...],
    queries: tuple[str, ...],
    repeats: int,
    seed: str,
    out: Path,
    as_json: bool,
    **terms: Any,
) -> None:
    """Recall and disclosure by round, for the three protocols.

    The paper's figures "experiments", "recall" and "privacy", on any corpus whose documents carry labels.
    """
    module = _experiments("curves")
    path, topics = _topics(corpus, labels, queries, out, terms)
    settings = module.Settings(corpus=str(path), topics=topics, repeats=repeats, seed=seed, **terms)
    _conclude(module, settings, "Matters", out, as_json=as_json)


@experiment.command()
@_review
@click.option("--responsive", "label", metavar="LABEL", help="The label of the responsive documents.")
@click.option("--query", default="", metavar="WORDS", help="The seed query.")
@click.option("--rounds", type=int, default=15, show_default=True, metavar="T", help="How many rounds.")
@click.option("--batch", type=int, default=500, show_default=True, metavar="N", help="How many documents a round.")
@click.option("--repeats", type=click.IntRange(min=1), default=5, show_default=True, help="Plays at each error rate.")
@click.option(
    "--rate",
    "rates",
    type=_rate,
    multiple=True,
    metavar="SHARE",
    help="An error rate to try, 0.05 for 5 %; may be repeated.",
)
@seed_option
@out_option
@json_option
@refusals
def tolerance(
    *,
    corpus: Path | None,
    label: str | None,
    query: str,
    repeats: int,
    rates: tuple[str, ...],
    seed: str,
    out: Path,
    as_json: bool,
    **terms: Any,
) -> None:
    """What errors of Alice, Bob and the court cost.

    Recall, disclosure and documents before the court, while each party's error rate grows; from 0 to 20 % unless --rate
    says otherwise.
    """
    module = _experiments("tolerance")
    path, (topic,) = _topics(corpus, (label,) if label else (), (query,) if query else (), out, terms)
    chosen = {"rates": rates} if rates else {}
    settings = module.Settings(corpus=str(path), topic=topic, repeats=repeats, seed=seed, **chosen, **terms)
    _conclude(module, settings, "Matters", out, as_json=as_json)


@experiment.command()
@quick_option
@number_option
@out_option
@json_option
@refusals
def theory(*, quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """The one-dimensional theorems as numbers.

    Bounds as printed and as corrected, beside exact probabilities, Alice's best response, and plays with real coins.
    Takes some minutes. Theorem "high-dim-label" has an experiment of its own, `high-dimensional`.
    """
    _computed("theory", "Instances", out, quick=quick, as_json=as_json, seed=seed)


@experiment.command("lower-bound")
@quick_option
@number_option
@out_option
@json_option
@refusals
def lower_bound(*, quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """Disclosure on the lower bound's instances.

    Up to 2^20 documents, against ln N; takes a minute. The instances are the proof's, so --seed changes the coins only.
    """
    _computed("lowerbound", "Instances", out, quick=quick, as_json=as_json, seed=seed)


@experiment.command()
@quick_option
@click.option(
    "--minutes",
    type=click.IntRange(min=1),
    help="Stop before a size that would end later than this; the results name what was left out.",
)
@click.option(
    "--proofs",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the proof of each list in this folder, for `tallystick-verify critical`.",
)
@number_option
@out_option
@json_option
@refusals
def critical(*, quick: bool, minutes: int | None, proofs: Path | None, seed: int, out: Path, as_json: bool) -> None:
    """Critical points of separable data, beside our protocols.

    The paper's figure "crit": the critical points protocol on two Gaussians made separable, the label and classifier
    reports on the same points as they were. Every list of critical points comes with a proof, which the verifier
    checks. Takes about 20 minutes on two cores, most of it for the largest sets in 100 dimensions.
    """
    kept = str(proofs.absolute()) if proofs else None
    _computed("critical", "Sets", out, quick=quick, as_json=as_json, seed=seed, minutes=minutes, proofs=kept)


@experiment.command("high-dimensional")
@quick_option
@number_option
@out_option
@json_option
@refusals
def high_dimensional(*, quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """The high-dimensional protocol on small instances.

    Up to 500 reports of each, with exact probabilities, as printed and as corrected; takes some minutes.
    """
    _computed("highdim", "Instances", out, quick=quick, as_json=as_json, seed=seed)


def _computed(name: str, what: str, out: Path, *, quick: bool, as_json: bool, **changed: Any) -> None:
    """An experiment that needs no documents."""
    module = _experiments(name)
    settings = replace(module.Settings.quick() if quick else module.Settings(), **changed)
    _conclude(module, settings, what, out, as_json=as_json)


def _experiments(name: str) -> Any:
    """An experiment's module, or what has to be installed for it."""
    from importlib import import_module

    try:
        import_module("protocol.paper.experiments.plots")  # before hours of work whose figure nobody could draw
        return import_module(f"protocol.paper.experiments.{name}")
    except ImportError as error:
        if error.name is not None and error.name.startswith("protocol"):
            raise
        raise TrentOnly("experiments need more packages: pip install 'tallystick[trent,experiments]'") from None


def _topics(
    corpus: Path | None, labels: tuple[str, ...], queries: tuple[str, ...], out: Path, terms: dict[str, Any]
) -> tuple[Path, list["Topic"]]:
    """The corpus and what is looked for in it; without either, a corpus that is made up and kept beside the results."""
    from protocol.paper.experiments import madeup, playing
    from protocol.paper.experiments.curves import Topic

    topics: list[Topic] = []
    if corpus is None:
        if labels:
            raise Refused("--responsive names a label of a corpus; give that with --corpus")
        documents, responsive = MADE_UP
        path = madeup.corpus(out, documents=documents, responsive=responsive)
        name = f"{documents:,} made-up mails"
        return path, [Topic(label=madeup.LABEL, query=queries[0] if queries else madeup.QUERY, name=name)]
    if not labels:
        raise Refused("--corpus needs --responsive LABEL: which documents are looked for?")
    if queries and len(queries) != len(labels):
        raise Refused(f"{len(labels)} topics and {len(queries)} queries; give one for each topic, or none")
    for label, query in zip(labels, queries or [""] * len(labels), strict=True):
        playing.check(corpus, label, query, **terms)
        topics.append(Topic(label=label, query=query))
    return corpus, topics


def _conclude(module: Any, settings: Any, what: str, out: Path, *, as_json: bool) -> None:
    """Run an experiment, write its files, and say what it found."""
    from protocol.paper.experiments import outcome

    if out.exists() and not out.is_dir():
        raise Refused(f"{out} is a file; --out names the folder for the results")
    with progress_bar(module.steps(settings), what) as progress:
        found: Outcome = module.run(settings, progress)
    files = outcome.write(found, out)
    if as_json:
        print_json(outcome.value(found) | {"files": [str(path) for path in files]})
    else:
        click.echo(outcome.text(found))
        click.echo("Written: " + ", ".join(str(path) for path in files))
