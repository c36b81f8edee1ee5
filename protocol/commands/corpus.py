"""`tallystick corpus`: make a corpus from documents, or make up documents.

Each command imports what only it needs, since loading numpy takes longer than showing `--help`.
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ledger import records
from ledger.commitments import Secret, random_secret
from ledger.hashing import tagged_hash
from ledger.progress import stages
from ledger.terminal import json_option, print_json, progress_bar, quiet_option, refusals
from protocol.commands.corpora import check, fields
from protocol.commands.samples import mail, synth
from protocol.commands.workers import cluster_options, workers
from protocol.corpus import account
from protocol.errors import BadSource
from protocol.sources import kept, labelling, registry
from protocol.sources.intake import REPORT, SHOWN, Intake
from protocol.sources.items import Received
from protocol.sources.limits import Limits
from protocol.sources.problems import printable
from protocol.sources.source import Columns, Settings

if TYPE_CHECKING:
    from protocol.corpus.corpus import Corpus

LABELS_SHOWN = 10


@click.group()
def corpus() -> None:
    """Make a corpus of documents, and commit to it."""


corpus.add_command(check)
corpus.add_command(fields)
corpus.add_command(synth)
corpus.add_command(mail)

_FORMATS = "\n".join(f"  {each.name}: {each.described}" for each in registry.FORMATS)

_BUILD = f"""Make a corpus folder from SOURCE.

SOURCE is one of these; a file may be compressed as .gz:

\b
{_FORMATS}

A mail with its attachments, or a file with files inside it, is one document. Mailboxes and archives are opened. The
same family at several places is one document, with all custodians and paths.

Files are read by processes without network and without other files, within limits on memory and time. The corpus keeps
the exact bytes of every document and the text found in them, and commits to both. What cannot be read, or not properly,
is counted, and listed in report.json in the corpus folder. A build that was interrupted, or whose disk or workers
failed, goes on when the same command is run again: what was read so far is in OUT.partial until then.
"""


@corpus.command("build", help=_BUILD)
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to make.")
@click.option("--strict", is_flag=True, help="Refuse a source that has any problem.")
@click.option(
    "--unit",
    type=click.Choice(["family", "document"]),
    default="family",
    show_default=True,
    help="What is reviewed as one document: a mail with its attachments, or each file alone.",
)
@click.option(
    "--custodian", default="", metavar="NAME", help="Whose documents these are, where the source does not say."
)
@click.option("--custodian-folders", is_flag=True, help="The first folder below SOURCE names the custodian.")
@click.option(
    "--page-images",
    type=click.IntRange(0, 1000),
    default=Limits().page_images,
    show_default=True,
    metavar="N",
    help="Make pictures of the first N pages of each PDF, so that nobody has to open it to see it.",
)
@click.option("--id-column", default="id", show_default=True, help="The column or JSON key of a document's id.")
@click.option("--text-column", default="text", show_default=True, help="The column or JSON key of its text.")
@click.option(
    "--labels-column",
    default="labels",
    show_default=True,
    help="The column (labels separated by ;) or JSON key (a list) of its labels.",
)
@click.option(
    "--labels",
    "labels_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="For simulations: a CSV file with the columns id and labels, for a source that has no labels itself.",
)
@click.option(
    "--fields",
    "field_file",
    type=click.Path(path_type=Path),
    help="What the fields of a load file are, as `tallystick corpus fields` writes it.",
)
@click.option(
    "--seed",
    help="For simulations: derive the sealing secret from this text, so that the same command makes the same corpus. "
    "Whoever knows it can open every commitment.",
)
@click.option(
    "--shards",
    type=click.Path(path_type=Path),
    help="Put the shards, which hold texts and features but no secret, into this new folder, for workers of a cluster.",
)
@click.option("--shard-documents", type=click.IntRange(1), hidden=True)
@cluster_options
@quiet_option
@json_option
@refusals
def build(
    *,
    source: Path,
    out: Path,
    strict: bool,
    unit: Literal["family", "document"],
    custodian: str,
    custodian_folders: bool,
    page_images: int,
    id_column: str,
    text_column: str,
    labels_column: str,
    labels_file: Path | None,
    field_file: Path | None,
    seed: str | None,
    shards: Path | None,
    shard_documents: int | None,
    as_json: bool,
    **cluster: Any,
) -> None:
    """See the help above."""
    from protocol.corpus.build import build as build_corpus

    if custodian_folders and not source.is_dir():
        raise click.UsageError(f"--custodian-folders needs a folder, and {source} is none.")
    columns = Columns(id=id_column, text=text_column, labels=labels_column, fields=field_file)
    found = registry.find(source, columns)
    labels = labelling.read(labels_file) if labels_file else {}
    secret = random_secret() if seed is None else Secret(tagged_hash("corpus-secret", seed.encode()))
    intake = Intake(received=Received(folder=out.parent if out.parent.is_dir() else None))
    partial = out.with_name(f"{out.name}.partial")
    settings = Settings(
        limits=Limits(page_images=page_images),
        kept=partial,
        custodian=custodian,
        custodian_folders=custodian_folders,
        apart=unit == "document",
    )
    try:
        with (
            workers(**cluster) as connected,
            progress_bar(found.total, "Reading", lambda: intake.documents) as progress,
            stages() as stage,
        ):
            given = found.read(progress, intake.received, settings)
            read = intake.take(labelling.labelled(given, labels), strict=strict)
            made = build_corpus(
                read,
                out,
                secret=secret,
                unit=unit,
                received=intake.received,
                stage=stage,
                complete=intake.write,
                shards=shards,
                shard_documents=shard_documents,
                cluster=connected,
            )
    except BadSource:  # which the next build would refuse, too; what ended for any other reason goes on from here
        kept.remove(partial)
        raise
    kept.remove(partial)
    value = _value(made, intake)
    if as_json:
        print_json(value)
    else:
        click.echo(_text(value, made, intake, out))


def _value(made: "Corpus", intake: Intake) -> dict[str, Any]:
    """What was made, for a script."""
    return {
        "corpus": str(made.path),
        "documents": made.size,
        "unit": made.unit,
        "account": records.to_value(made.account),
        "terms": len(made.terms),
        "root": made.root.hex(),
        "oversized": len(made.oversized),
        "unused": dict(sorted(intake.received.unused.items())),
        "problems": intake.counts(),
        "labels": dict(sorted(intake.labels.items(), key=lambda pair: (-pair[1], pair[0]))[:LABELS_SHOWN]),
    }


def _text(value: dict[str, Any], made: "Corpus", intake: Intake, out: Path) -> str:
    """What was made, for people."""
    first, *more = account.sentences(made.account, made.size, made.unit)
    lines = [
        f"Account    {first}",
        *(f"           {each}" for each in more),
        f"Documents  {value['documents']:,}",
        f"Terms      {value['terms']:,}",
        f"Root       {value['root']}",
    ]
    if value["labels"]:
        shown = [f"{printable(label)} {count:,}" for label, count in value["labels"].items()]
        others = [f"and {len(intake.labels) - LABELS_SHOWN} more"] if len(intake.labels) > LABELS_SHOWN else []
        lines.append(f"Labels     {', '.join(shown + others)}")
    if value["unused"]:
        lines.append(f"Not used   {printable(', '.join(value['unused']))}")
    lines.append(f"Problems   {', '.join(_counted(intake)) or 'none'}")
    lines += [f"           {problem}" for problem in intake.listed[:SHOWN]]
    if len(intake.listed) > SHOWN:
        lines.append(f"           and {len(intake.listed) - SHOWN:,} more: all are listed in {out / REPORT}")
    if value["oversized"]:
        lines.append(f"Oversized  {value['oversized']:,}: too many different terms for a model to weigh")
    lines.append(f"Corpus     {value['corpus']}")
    return "\n".join(lines)


def _counted(intake: Intake) -> list[str]:
    """The number of problems by cause, and by what became of the documents."""
    counts = Counter((problem.cause.words, problem.kept) for problem in intake.listed)
    return [f"{count:,} {words} ({'kept' if kept else 'left out'})" for (words, kept), count in sorted(counts.items())]
