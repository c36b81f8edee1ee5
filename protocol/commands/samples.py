"""`tallystick corpus synth` and `corpus mail`: made-up documents, for benchmarks and for people."""

import re
from fractions import Fraction
from pathlib import Path

import click

from ledger.terminal import json_option, new_file, print_json, progress_bar, quiet_option, refusals

SYNTHETIC_SUFFIXES = (".jsonl", ".jsonl.gz")


def share(text: str) -> Fraction:
    """A decimal from 0 to 1, kept exactly; without exponents, which could ask for a number of any length."""
    if not re.fullmatch(r"[0-9]?\.?[0-9]{1,9}", text):
        raise click.BadParameter(f"{text!r} is not a decimal such as 0.05.")
    if Fraction(text) > 1:
        raise click.BadParameter(f"{text} is not in the range 0<=x<=1.")
    return Fraction(text)


def _check_mixture(documents: int, responsive: int) -> None:
    if responsive >= documents:
        raise click.UsageError(f"--responsive must be less than --documents: {responsive} of {documents}.")


@click.command("synth")
@click.option("--documents", type=click.IntRange(10, 10_000_000), required=True, help="How many documents to make.")
@click.option("--responsive", type=click.IntRange(min=1), required=True, help="How many of them are responsive.")
@click.option(
    "--noise", type=share, metavar="SHARE", default="0.05", show_default=True, help="The share of wrong labels."
)
@click.option("--seed", default="1", show_default=True, help="Another text makes another corpus.")
@click.option("--out", type=new_file, required=True, help="The file to write: .jsonl or .jsonl.gz.")
@quiet_option
@json_option
@refusals
def synth(*, documents: int, responsive: int, noise: Fraction, seed: str, out: Path, as_json: bool) -> None:
    """Make up e-mail with a hidden topic, to try a review on.

    The responsive documents carry the label "responsive". The share of wrong labels is a share of their number: with
    0.05 of 100, five of them say hardly anything about the topic, and five others are about it without the label. The
    same options make the same documents on every machine. Most words are made up, too. For mail that people can read,
    see `tallystick corpus mail`.
    """
    from protocol.sources import synthetic

    _check_mixture(documents, responsive)
    if not out.name.endswith(SYNTHETIC_SUFFIXES):
        raise click.UsageError(f"--out must end in {' or '.join(SYNTHETIC_SUFFIXES)}: {out.name}")
    with progress_bar(documents, "Writing") as progress:
        synthetic.write(out, documents=documents, responsive=responsive, seed=seed, noise=noise, progress=progress)
    value = {"file": str(out), "documents": documents, "responsive": responsive, "query": synthetic.QUERY}
    if as_json:
        print_json(value)
        return
    click.echo(f"Documents  {documents:,}, {responsive:,} of them responsive")
    click.echo(f"File       {out}")
    click.echo(f'Try        --query "{synthetic.QUERY}"')


@click.command("mail")
@click.option("--documents", type=click.IntRange(10, 100_000), required=True, help="How many families to make.")
@click.option("--responsive", type=click.IntRange(min=1), required=True, help="How many of them are responsive.")
@click.option(
    "--noise", type=share, metavar="SHARE", default="0.05", show_default=True, help="The share of wrong labels."
)
@click.option("--seed", default="1", show_default=True, help="Another text makes other mail.")
@click.option("--pdf", is_flag=True, help="Make some attachments PDF, so that there are pictures of pages to see.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to make.")
@quiet_option
@json_option
@refusals
def mail(*, documents: int, responsive: int, noise: Fraction, seed: str, pdf: bool, out: Path, as_json: bool) -> None:
    """Make up a firm's mail that reads like mail, to try a review on.

    The folder "received" has a folder for each custodian, with threads, replies and attachments. The responsive ones
    are about certain swaps. Some of those hardly say so, and others use the same words about something else. The file
    labels.csv says which are responsive. The same options make the same files on every machine.

    For a benchmark of any size, see `tallystick corpus synth`.
    """
    from protocol.sources.madeup import recipe

    _check_mixture(documents, responsive)
    with progress_bar(documents, "Writing") as progress:
        recipe.write(
            out, documents=documents, responsive=responsive, seed=seed, noise=noise, pdf=pdf, progress=progress
        )
    received, labels = out / recipe.FILES, out / recipe.LABELS
    value = {"folder": str(received), "labels": str(labels), "documents": documents, "responsive": responsive}
    value |= {"query": recipe.QUERY, "request": recipe.REQUEST}
    if as_json:
        print_json(value)
        return
    click.echo(f"Documents  {documents:,}, {responsive:,} of them responsive")
    click.echo(f"Folder     {received}")
    click.echo(f"Labels     {labels}")
    click.echo(f"Request    {recipe.REQUEST}")
    click.echo(f'Try        --query "{recipe.QUERY}"')
