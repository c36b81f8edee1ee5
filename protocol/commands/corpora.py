"""`tallystick corpus check` and `corpus fields`: what is around a build."""

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from ledger import files
from ledger.progress import stages
from ledger.terminal import json_option, new_file, print_json, progress_bar, quiet_option, refusals
from protocol.sources.problems import printable

SHOWN = 20


@click.command("check")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option("--extract", is_flag=True, help="Extract every document again, and compare.")
@quiet_option
@json_option
@refusals
def check(*, corpus: Path, extract: bool, as_json: bool) -> None:
    """Check that CORPUS is as it was made.

    Every file is compared with the manifest, and the account with its sums. With --extract, all texts are extracted
    again, in the sandbox, from the stored contents, and the pictures of pages drawn again. The exit code is 1 if one
    comes out otherwise than it was sealed. Another version of a tool may be the reason, and the answer says so.
    """
    from protocol.corpus.checking import check_folder
    from protocol.corpus.extracting import Extracting

    with stages() as stage:
        made = check_folder(corpus, partial(stage, "Checking the files"))
    value: dict[str, Any] = {"corpus": str(corpus), "documents": made.size, "root": made.root.hex()}
    differences = []
    if extract:
        again = Extracting(made)
        with progress_bar(made.size, "Extracting") as progress:
            differences = list(again.differences(progress))
        listed = [asdict(each) | {"other_tool": each.is_other_tool} for each in differences]
        value |= {"files": again.files, "given": again.given, "differ": listed}
    if as_json:
        print_json(value)
    else:
        click.echo(f"Folder     as it was made: {made.size:,} documents")
        if extract:
            click.echo(f"Extracted  {again.files:,} files; {again.given:,} texts came with their documents")
            click.echo(f"Differ     {len(differences):,}")
        for each in differences[:SHOWN]:
            now = f"now read with {each.read_with or 'nothing'}"
            tools = f" (sealed with {each.sealed_with or 'nothing'}, {now})" if each.is_other_tool else ""
            click.echo(f"           document {each.document}, {printable(f'{each.name}: {each.what}{tools}')}")
        if len(differences) > SHOWN:
            click.echo(f"           and {len(differences) - SHOWN:,} more: --json lists all")
    if differences:
        raise SystemExit(1)


@click.command("fields")
@click.argument("loadfile", type=click.Path(path_type=Path))
@click.option("--out", type=new_file, required=True, help="The file to write.")
@click.option("--encoding", help="How the file is written, where that is not found: utf-8, utf-16-le, cp1252, …")
@click.option(
    "--delimiters",
    help="A name (concordance, comma, pipe, caret, tab, semicolon), or the decimal codes of separator, qualifier and "
    "newline, such as 20,254,174; where they are not found.",
)
@quiet_option
@json_option
@refusals
def fields(*, loadfile: Path, out: Path, encoding: str | None, delimiters: str | None, as_json: bool) -> None:
    """Write a file that says what each field of LOADFILE is.

    LOADFILE is a table of a vendor (Concordance DAT). The file has examples of each field, and names those that were
    not recognised. Correct it, and give it to `corpus build --fields`.
    """
    from protocol.loadfile import dat, fieldfile

    opened = dat.open_dat(
        loadfile, encoding=encoding, dialect=None if delimiters is None else dat.named_dialect(delimiters)
    )
    found = fieldfile.guess(opened)
    with files.new_file(out) as stream:
        stream.write(fieldfile.written(opened, found).encode())
    if as_json:
        print_json({"file": str(out), "fields": found.fields, "unknown": list(found.unknown)})
        return
    click.echo(f"Recognised  {len(found.fields)} of {len(opened.names)} fields")
    if found.unknown:
        click.echo(f"Unknown     {printable(', '.join(found.unknown))}")
    click.echo(f"File        {out}")
