"""The command that cuts an exhibit: one document's story out of a matter."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.terminal import existing_file, note, passphrase_option, quiet_option, refusals
from protocol.commands import trent
from protocol.matter.naming import Telling
from protocol.matter.values import Opened

if TYPE_CHECKING:
    from protocol.exhibit.exhibit import Exhibit  # needs Trent's installation


@click.command()
@click.argument("matter", type=existing_file)
@click.option("--document", "name", metavar="NAME", help="The document's name in the corpus.")
@click.option("--number", type=int, metavar="N", help="Its number in the corpus; give the name or the number.")
@trent.corpus_option
@click.option("--key", "key_file", type=existing_file, help="Trent's key, if no checkpoint covers the document yet.")
@passphrase_option
@click.option("--undisclosed", is_flag=True, help="Cut it although Bob has not been shown the document.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="A new folder for the exhibit."
)
@quiet_option
@refusals
def exhibit(
    *,
    matter: Path,
    name: str | None,
    number: int | None,
    folder: Path,
    key_file: Path | None,
    passphrase_file: Path | None,
    undisclosed: bool,
    out: Path,
) -> None:
    """Cut an exhibit: a folder that proves one document's story.

    It shows how the document was committed, ranked, reported, drawn, shown, labelled and ruled on, with the signatures,
    the proofs, the document itself, and a draft certification. It names no other document. `tallystick-verify exhibit
    DIR` checks it on its own.

    An exhibit of a document that was in no round so far proves only that the document is part of the corpus: its check
    answers COMMITMENT ONLY.

    A document that Bob has not been shown, because it was not drawn or the court keeps it from him, or that was clawed
    back, needs --undisclosed: whoever gets the exhibit gets the document.
    """
    with trent.installation("cutting an exhibit needs Trent's installation"):
        from protocol.corpus.corpus import Corpus
        from protocol.exhibit import exhibit as exhibits
        from protocol.exhibit import folder as folders
        from protocol.exhibit.fates import Fate

    if name is None and number is None:
        raise click.UsageError("say which document: its name with --document, or its number with --number")
    if out.parent != out and not out.parent.is_dir():
        raise click.UsageError(f"there is no folder {out.parent} for --out")

    def signer(opening: Opened) -> SigningKey:
        if key_file is not None:
            return trent.key(key_file, passphrase_file)
        needed = "no checkpoint of the matter covers this document's entries yet: give Trent's key"
        return trent.played_key(opening, needed)

    corpus = Corpus.open(folder)
    document = exhibits.find(corpus, name, number)
    found = exhibits.gather(matter, corpus, document, signer)
    if found.fate is not Fate.SHOWN:
        _warn(found, undisclosed=undisclosed)
    folders.write(found, corpus, out)
    click.echo(_written(found, out, Telling(found.opening.caption)))


def _warn(found: "Exhibit", *, undisclosed: bool) -> None:
    """Warn, or refuse: whoever cuts an exhibit shows the document to others, and must know that Bob has not seen it."""
    what = {
        "WITHHELD": "is WITHHELD from Bob as privileged",
        "CLAWED_BACK": "was CLAWED BACK: the court has ordered Bob to return or destroy it",
        "JUDGED": "has NOT BEEN SHOWN to Bob, because the court found it not responsive",
    }.get(found.fate.name, "has NOT BEEN SHOWN to Bob")
    said = f"document {found.document}, {found.name!r}, {Telling(found.opening.caption).said(what)}"
    if not undisclosed:
        raise Refused(
            f"{said}. The exhibit would hold its content. If you want that, add --undisclosed; nothing was written"
        )
    note(f"WARNING: {said}. The exhibit holds its content: give it only to those who may see it.")


def _written(found: "Exhibit", out: Path, telling: Telling) -> str:
    signed = (
        "which Alice, Bob and the court have cosigned"
        if found.cosigned
        else "which Alice, Bob and the court have NOT all cosigned; the exhibit says so"
    )
    proves = (
        "" if found.reviewed else "No round holds the document so far, so the exhibit proves the COMMITMENT ONLY.\n"
    )
    return (
        f"{out}: the exhibit of document {found.document}, {found.name!r}; {len(found.entries)} entries under "
        f"the checkpoint of {found.checkpoint.size}, {telling.said(signed)}.\n{proves}"
        f"Check it with: tallystick-verify exhibit {out}"
    )
