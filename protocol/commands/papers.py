"""`tallystick matter papers`: papers to agree on, drafted for counsel."""

from pathlib import Path

import click

from ledger import files
from ledger.terminal import existing_file, quiet_option, refusals
from protocol.commands import trent


@click.command()
@click.argument("terms", type=existing_file, metavar="TERMS|MATTER")
@click.option(
    "--corpus",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The documents. A terms file needs them; with a matter, they add the tools that read the texts.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR", help="A new folder."
)
@quiet_option
@refusals
def papers(*, terms: Path, folder: Path | None, out: Path) -> None:
    """Draft the papers to agree on, for counsel to complete.

    A stipulated order for the review, an order under Fed. R. Evid. 502(d), and a statement of what was received. All
    numbers come from the terms and the population account. TERMS is a terms file, whose keys may still be missing, or
    a matter that is opened. Each paper is written as Markdown and as a Word file (.docx), and marked as a draft on each
    page.
    """
    with trent.installation("drafting papers needs Trent's installation"):
        from dataclasses import replace

        from protocol.corpus.corpus import Corpus
        from protocol.papers import drafts, ground

    files.check_free(out)
    corpus = None if folder is None else Corpus.open(folder)
    if ground.is_matter(terms):
        found = ground.of_matter(terms)
        if corpus is not None:
            corpus.check_committed(found.corpus.root, found.corpus.documents)
    elif corpus is None:
        raise click.UsageError("With a terms file, give the documents too: --corpus CORPUS.")
    else:
        found = ground.of_terms(terms, corpus)
    if corpus is not None:
        found = replace(found, tools=ground.tools(corpus))
    written = drafts.files(found)
    files.write_folder(out, written)
    click.echo("\n".join([f"Drafts for counsel, in {out}:", *(f"  {name}" for name in written)]))
