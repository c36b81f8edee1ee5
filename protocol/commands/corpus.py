"""`tallystick corpus`: make a corpus from documents, or make up documents.

Each command imports what only it needs, since loading numpy takes longer than showing `--help`.
"""

import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ledger.commitments import Secret, random_secret
from ledger.hashing import tagged_hash
from ledger.terminal import json_option, new_file, print_json, progress_bar, refusals
from protocol.sources import registry
from protocol.sources.intake import REPORT, SHOWN, Intake
from protocol.sources.problems import Cause, printable
from protocol.sources.source import Columns

if TYPE_CHECKING:
    from protocol.corpus.corpus import Corpus

LABELS_SHOWN = 10
SYNTHETIC_SUFFIXES = (".jsonl", ".jsonl.gz")


def share(text: str) -> Fraction:
    """A decimal from 0 to 1, kept exactly; without exponents, which could ask for a number of any length."""
    if not re.fullmatch(r"[0-9]?\.?[0-9]{1,9}", text):
        raise click.BadParameter(f"{text!r} is not a decimal such as 0.05.")
    if Fraction(text) > 1:
        raise click.BadParameter(f"{text} is not in the range 0<=x<=1.")
    return Fraction(text)


@click.group()
def corpus() -> None:
    """Make a corpus of documents, and commit to it."""


_FORMATS = "\n".join(f"  {each.name}: {each.described}" for each in registry.FORMATS)

_BUILD = f"""Make a corpus folder from SOURCE.

SOURCE is one of these; a file may be compressed as .gz:

\b
{_FORMATS}

The corpus keeps the exact bytes of every document and the text found in them, and commits to both. Bad lines, empty
texts, repeated ids and undecodable bytes are counted, and listed in report.json in the corpus folder.
"""


@corpus.command("build", help=_BUILD)
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to make.")
@click.option("--strict", is_flag=True, help="Refuse a source that has any problem.")
@click.option("--id-column", default="id", show_default=True, help="The column or JSON key of a document's id.")
@click.option("--text-column", default="text", show_default=True, help="The column or JSON key of its text.")
@click.option(
    "--labels-column",
    default="labels",
    show_default=True,
    help="The column (labels separated by ;) or JSON key (a list) of its labels.",
)
@click.option(
    "--seed",
    help="For simulations: derive the sealing secret from this text, so that the same command makes the same corpus. "
    "Whoever knows it can open every commitment.",
)
@json_option
@refusals
def build(
    *,
    source: Path,
    out: Path,
    strict: bool,
    id_column: str,
    text_column: str,
    labels_column: str,
    seed: str | None,
    as_json: bool,
) -> None:
    """See the help above."""
    from protocol.corpus.build import build as build_corpus

    found = registry.find(source, Columns(id=id_column, text=text_column, labels=labels_column))
    secret = random_secret() if seed is None else Secret(tagged_hash("corpus-secret", seed.encode()))
    intake = Intake()
    with progress_bar(found.total, "Reading") as progress:
        read = intake.take(found.read(progress), strict=strict)
        made = build_corpus(read, out, secret=secret, extraction=found.extraction, stage=_say, complete=intake.write)
    value = _value(made, intake)
    if as_json:
        print_json(value)
    else:
        click.echo(_text(value, intake, out))


def _say(stage: str) -> None:
    """Show the current stage, if somebody is watching."""
    if sys.stderr.isatty():
        click.echo(f"\n{stage} ...", err=True, nl=False)


def _value(made: "Corpus", intake: Intake) -> dict[str, Any]:
    """What was made, for a script."""
    return {
        "corpus": str(made.path),
        "documents": made.size,
        "terms": len(made.terms),
        "root": made.root.hex(),
        "oversized": len(made.oversized),
        "problems": intake.counts(),
        "labels": dict(sorted(intake.labels.items(), key=lambda pair: (-pair[1], pair[0]))[:LABELS_SHOWN]),
    }


def _text(value: dict[str, Any], intake: Intake, out: Path) -> str:
    """What was made, for people."""
    lines = [
        f"Documents  {value['documents']:,}",
        f"Terms      {value['terms']:,}",
        f"Root       {value['root']}",
    ]
    if value["labels"]:
        shown = [f"{printable(label)} {count:,}" for label, count in value["labels"].items()]
        more = [f"and {len(intake.labels) - LABELS_SHOWN} more"] if len(intake.labels) > LABELS_SHOWN else []
        lines.append(f"Labels     {', '.join(shown + more)}")
    counts = [f"{count:,} {_fate(Cause(cause))}" for cause, count in value["problems"].items()]
    lines.append(f"Problems   {', '.join(counts) or 'none'}")
    lines += [f"           {problem}" for problem in intake.listed[:SHOWN]]
    if len(intake.listed) > SHOWN:
        lines.append(f"           and {len(intake.listed) - SHOWN:,} more: all are listed in {out / REPORT}")
    if value["oversized"]:
        lines.append(f"Oversized  {value['oversized']:,}: too many different terms for a model to weigh")
    lines.append(f"Corpus     {value['corpus']}")
    return "\n".join(lines)


def _fate(cause: Cause) -> str:
    return f"{cause.words} ({'kept' if cause.kept else 'left out'})"


@corpus.command("synth")
@click.option("--documents", type=click.IntRange(10, 10_000_000), required=True, help="How many documents to make.")
@click.option("--responsive", type=click.IntRange(min=1), required=True, help="How many of them are responsive.")
@click.option(
    "--noise", type=share, metavar="SHARE", default="0.05", show_default=True, help="The share of wrong labels."
)
@click.option("--seed", default="1", show_default=True, help="Another text makes another corpus.")
@click.option("--out", type=new_file, required=True, help="The file to write: .jsonl or .jsonl.gz.")
@json_option
@refusals
def synth(*, documents: int, responsive: int, noise: Fraction, seed: str, out: Path, as_json: bool) -> None:
    """Make up e-mail with a hidden topic, to try a review on.

    The responsive documents carry the label "responsive". The share of wrong labels is a share of their number: with
    0.05 of 100, five of them say hardly anything about the topic, and five others are about it without the label. The
    same options make the same documents on every machine.
    """
    from protocol.sources import synthetic

    if responsive >= documents:
        raise click.UsageError(f"--responsive must be less than --documents: {responsive} of {documents}.")
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
