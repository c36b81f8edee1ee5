"""The experiments about certificates: `coverage`, `frontier`, `incentives` and `stopping`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from ledger.terminal import json_option, quiet_option, refusals
from protocol.commands.samples import share
from protocol.paper.experiments.topics import Topic, chosen
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

at_least_one = click.IntRange(min=1)


def _target(text: str) -> str:
    """A target, as it was written."""
    if share(text) in (0, 1):
        raise click.BadParameter("a target lies between 0 and 1")
    return text


def _review(rounds: int, repeats: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options of a command that reviews the documents of a corpus."""
    options = (
        corpus_option,
        topics_option,
        queries_option,
        click.option(
            "--rounds", type=at_least_one, default=rounds, show_default=True, metavar="T", help="How many rounds."
        ),
        click.option(
            "--batch",
            type=at_least_one,
            default=1000,
            show_default=True,
            metavar="N",
            help="How many documents in a batch.",
        ),
        click.option(
            "--repeats", type=at_least_one, default=repeats, show_default=True, help="Reviews with other coins."
        ),
        click.option(
            "--target",
            "targets",
            type=_target,
            multiple=True,
            metavar="SHARE",
            help="A recall to certify, 0.8 for 80 %; may be repeated.",
        ),
        seed_option,
        out_option,
        quiet_option,
        json_option,
        refusals,
    )

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.command()
@quick_option
@click.option(
    "--matters",
    type=at_least_one,
    metavar="NUMBER",
    help="How many matters each Alice plays in each case, 1000 if not given.",
)
@number_option
@out_option
@quiet_option
@json_option
@refusals
def coverage(*, quick: bool, matters: int | None, seed: int, out: Path, as_json: bool) -> None:
    """How often a certificate is wrong, whatever Alice does.

    Alices who adapt to all that they can know try to make the certificates of spot checks and validations say too
    much. Beside them are books with a mistake in them, which must fail. Takes about an hour on two cores.
    """
    with installed():
        from protocol.paper.experiments import coverage

    settings = coverage.Settings.quick() if quick else coverage.Settings()
    chosen_number = settings.matters if matters is None else matters
    conclude(coverage, replace(settings, seed=seed, matters=chosen_number), "sets", out, as_json=as_json)


@click.command()
@_review(rounds=30, repeats=3)
def frontier(
    *,
    corpus: Path | None,
    labels: tuple[str, ...],
    queries: tuple[str, ...],
    rounds: int,
    batch: int,
    repeats: int,
    targets: tuple[str, ...],
    seed: str,
    out: Path,
    as_json: bool,
) -> None:
    """What a certified recall costs, under all rules.

    Non-responsive disclosure against the certified recall of the reviewed documents, for Alices who are truthful,
    careless or hiding. CAL itself with the rules' own functions, without keys and signatures.
    """
    with installed():
        from protocol.paper.experiments import frontier

    path, topics = _checked(corpus, labels, queries, out)
    settings = frontier.Settings(
        corpus=str(path), topics=topics, rounds=rounds, batch=batch, repeats=repeats, seed=seed
    )
    conclude(frontier, replace(settings, targets=targets or settings.targets), "reviews", out, as_json=as_json)


@click.command()
@_review(rounds=30, repeats=3)
def incentives(
    *,
    corpus: Path | None,
    labels: tuple[str, ...],
    queries: tuple[str, ...],
    rounds: int,
    batch: int,
    repeats: int,
    targets: tuple[str, ...],
    seed: str,
    out: Path,
    as_json: bool,
) -> None:
    """What each hidden document costs Alice under spot checks.

    The disclosure beyond that of a truthful Alice, for each document that is hidden in the end, while she hides 1, 5,
    20 and 50 % of the responsive documents, with the penalties none and batch.
    """
    with installed():
        from protocol.paper.experiments import incentives

    path, topics = _checked(corpus, labels, queries, out)
    settings = incentives.Settings(
        corpus=str(path), topics=topics, rounds=rounds, batch=batch, repeats=repeats, seed=seed
    )
    conclude(incentives, replace(settings, targets=targets or settings.targets), "reviews", out, as_json=as_json)


@click.command()
@_review(rounds=60, repeats=100)
def stopping(
    *,
    corpus: Path | None,
    labels: tuple[str, ...],
    queries: tuple[str, ...],
    rounds: int,
    batch: int,
    repeats: int,
    targets: tuple[str, ...],
    seed: str,
    out: Path,
    as_json: bool,
) -> None:
    """Where a review stops by its validations.

    Rounds and documents until a validation reaches the target, beside perfect knowledge and beside the test of
    Callaghan and Müller-Hansen.
    """
    with installed():
        from protocol.paper.experiments import stopping

    path, topics = _checked(corpus, labels, queries, out)
    settings = stopping.Settings(
        corpus=str(path), topics=topics, rounds=rounds, batch=batch, repeats=repeats, seed=seed
    )
    conclude(stopping, replace(settings, targets=targets or settings.targets), "topics", out, as_json=as_json)


def _checked(
    corpus: Path | None, labels: tuple[str, ...], queries: tuple[str, ...], out: Path
) -> tuple[Path, list[Topic]]:
    """The corpus and its topics; refused before anything is played if there is nothing to find."""
    from protocol.paper.experiments import reviewing

    path, topics = chosen(corpus, labels, queries, out)
    for topic in topics:
        reviewing.check(path, topic.label, topic.query)
    return path, topics


COMMANDS = (coverage, frontier, incentives, stopping)
