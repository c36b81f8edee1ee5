"""`tallystick experiment`: the paper's figures and theorems, run again.

Each command writes NAME.csv, NAME.svg, NAME.png and NAME.txt into a folder, and prints the text. What an experiment
needs is imported by its command: a party's installation has none of it.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from ledger.terminal import json_option, quiet_option, refusals
from protocol.commands.samples import share
from protocol.paper import certifying
from protocol.paper.experiments.topics import chosen
from protocol.paper.models import models
from protocol.paper.running import (
    conclude,
    corpus_option,
    installed,
    number_option,
    out_option,
    queries_option,
    quick_option,
    seed_option,
    topics_option,
)

review_options = (
    corpus_option,
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
def experiments() -> None:
    """What `protocol.cli` shows as `tallystick experiment`."""


@experiments.command()
@_review
@topics_option
@queries_option
@click.option("--rounds", type=int, default=30, show_default=True, metavar="T", help="How many rounds.")
@click.option("--batch", type=int, default=1000, show_default=True, metavar="N", help="How many documents in a batch.")
@click.option("--repeats", type=click.IntRange(min=1), default=10, show_default=True, help="Plays of each protocol.")
@seed_option
@out_option
@quiet_option
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
    rounds: int,
    batch: int,
    delta: str,
    k: int,
) -> None:
    """Recall and disclosure by round, for the three protocols.

    The paper's figures "experiments", "recall" and "privacy", on any corpus whose documents carry labels.
    """
    with installed():
        from protocol.paper.experiments import curves, playing

    path, topics = chosen(corpus, labels, queries, out)
    for topic in topics:
        playing.check(path, topic.label, topic.query, rounds=rounds, batch=batch, delta=delta, k=k)
    settings = curves.Settings(
        corpus=str(path), topics=topics, rounds=rounds, batch=batch, delta=delta, k=k, repeats=repeats, seed=seed
    )
    conclude(curves, settings, "matters", out, as_json=as_json)


@experiments.command()
@_review
@click.option("--responsive", "label", metavar="LABEL", help="The label of the responsive documents.")
@click.option("--query", default="", metavar="WORDS", help="The seed query.")
@click.option("--rounds", type=int, default=15, show_default=True, metavar="T", help="How many rounds.")
@click.option("--batch", type=int, default=500, show_default=True, metavar="N", help="How many documents in a batch.")
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
@quiet_option
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
    rounds: int,
    batch: int,
    delta: str,
    k: int,
) -> None:
    """What errors of Alice, Bob and the court cost.

    Recall, disclosure and documents before the court, while each party's error rate grows from 0 to 20 %, or over the
    rates given with --rate.
    """
    with installed():
        from protocol.paper.experiments import playing, tolerance

    path, (topic,) = chosen(corpus, (label,) if label else (), (query,) if query else (), out)
    playing.check(path, topic.label, topic.query, rounds=rounds, batch=batch, delta=delta, k=k)
    settings = tolerance.Settings(
        corpus=str(path),
        topic=topic,
        rounds=rounds,
        batch=batch,
        delta=delta,
        k=k,
        rates=rates or tolerance.RATES,
        repeats=repeats,
        seed=seed,
    )
    conclude(tolerance, settings, "matters", out, as_json=as_json)


@experiments.command()
@quick_option
@number_option
@out_option
@quiet_option
@json_option
@refusals
def theory(*, quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """The one-dimensional theorems as numbers.

    Bounds as printed and as corrected, beside exact probabilities, Alice's best response, and plays with real coins.
    Takes some minutes. Theorem "high-dim-label" has an experiment of its own, `high-dimensional`.
    """
    with installed():
        from protocol.paper.experiments import theory

    settings = theory.Settings.quick() if quick else theory.Settings()
    conclude(theory, replace(settings, seed=seed), "instances", out, as_json=as_json)


@experiments.command("lower-bound")
@quick_option
@number_option
@out_option
@quiet_option
@json_option
@refusals
def lower_bound(*, quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """Disclosure on the lower bound's instances.

    Up to 2^20 documents, against ln N; takes a minute. The instances are the proof's, so --seed changes only the coins.
    """
    with installed():
        from protocol.paper.experiments import lowerbound

    settings = lowerbound.Settings.quick() if quick else lowerbound.Settings()
    conclude(lowerbound, replace(settings, seed=seed), "instances", out, as_json=as_json)


@experiments.command()
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
@quiet_option
@json_option
@refusals
def critical(*, quick: bool, minutes: int | None, proofs: Path | None, seed: int, out: Path, as_json: bool) -> None:
    """Critical points of separable data, beside our protocols.

    The paper's figure "crit": the critical points protocol on two Gaussians made separable, the label and classifier
    reports on the same points as they were. Every list of critical points comes with a proof, which the verifier
    checks. Takes about 20 minutes on two cores, most of it for the largest sets in 100 dimensions.
    """
    with installed():
        from protocol.paper.experiments import critical

    kept = str(proofs.absolute()) if proofs else None
    settings = critical.Settings.quick() if quick else critical.Settings()
    conclude(critical, replace(settings, seed=seed, minutes=minutes, proofs=kept), "sets", out, as_json=as_json)


@experiments.command("high-dimensional")
@quick_option
@number_option
@out_option
@quiet_option
@json_option
@refusals
def high_dimensional(*, quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """The high-dimensional protocol on small instances.

    Up to 500 reports of each, with exact probabilities, as printed and as corrected; takes some minutes.
    """
    with installed():
        from protocol.paper.experiments import highdim

    settings = highdim.Settings.quick() if quick else highdim.Settings()
    conclude(highdim, replace(settings, seed=seed), "instances", out, as_json=as_json)


for command in (*certifying.COMMANDS, models):
    experiments.add_command(command)
