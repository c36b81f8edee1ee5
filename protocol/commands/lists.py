"""`tallystick list`: lists from the record, as spreadsheets."""

from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import click

from ledger import files
from ledger.roles import Audience
from ledger.terminal import existing_file, new_file, quiet_option, refusals
from protocol.commands import trent
from protocol.lists import lists as made
from protocol.lists import record, table
from protocol.lists.table import Table
from protocol.matter.sentences import count

P = ParamSpec("P")
T = TypeVar("T")

_AUDIENCES = [each.value for each in Audience if each is not Audience.PUBLIC]


def with_list(command: Callable[P, T]) -> Callable[P, T]:
    """What each list is given: the matter's file, whom the list is for, and where it goes."""
    audience = click.option(
        "--for",
        "audience",
        type=click.Choice(_AUDIENCES, case_sensitive=False),
        default=Audience.BOB.value,
        show_default=True,
        help="Who gets the list.",
    )
    out = click.option(
        "--out",
        "outs",
        type=new_file,
        required=True,
        multiple=True,
        metavar="FILE",
        help="The new file, .csv or .xlsx; give it twice for both.",
    )
    for decorator in (refusals, quiet_option, out, audience, click.argument("matter", type=existing_file)):
        command = decorator(command)
    return command


@click.group("list")
def lists() -> None:
    """Write lists from the record: privilege log, labels, rulings.

    Each is for one audience (--for), and has nothing that this audience's copy does not open; only the privilege log
    adds what such a log states. Documents have control numbers, such as R3-P17: round and position where the document
    was first put up. Every copy has these.
    """


@lists.command("privilege")
@with_list
@trent.corpus_option
@click.option(
    "--proofs",
    "proofs_file",
    type=new_file,
    metavar="FILE.jsonl",
    help="Also write what proves the log, to a new file.",
)
def list_privilege(
    *, matter: Path, audience: str, outs: tuple[Path, ...], folder: Path, proofs_file: Path | None
) -> None:
    """Write the privilege log of MATTER.

    Bob's log has each document on which the court was asked to rule, part by part: date, author, recipients, type,
    family, basis and ruling. The log for Alice or the court has all claims, with names, subjects, custodians and paths.
    `tallystick-verify privilege-log FILE --copy COPY` checks the proofs.
    """
    with trent.installation("a privilege log needs the documents, and so Trent's installation"):
        from protocol.corpus.corpus import Corpus
        from protocol.lists import privilege, proofs

    table.check_names(outs)
    if proofs_file is not None:
        files.check_free(proofs_file)
    found, corpus = record.read(matter, Audience(audience)), Corpus.open(folder)
    _write(privilege.privilege_log(found, corpus), outs, audience)
    if proofs_file is not None:
        with files.new_file(proofs_file, mode=0o600) as stream:
            stream.write(proofs.proofs(found, corpus))
        click.echo(f"{proofs_file}: what proves the log")


@lists.command("labels")
@with_list
def list_labels(*, matter: Path, audience: str, outs: tuple[Path, ...]) -> None:
    """Write every label of MATTER.

    A row for each reviewed document: Alice's label, Bob's, the court's, the label that is settled, whether Bob was
    shown it and why, or why it is withheld. Bob's list names only what he was shown, and has Alice's labels of closed
    rounds.
    """
    table.check_names(outs)
    _write(made.labels(record.read(matter, Audience(audience))), outs, audience)


@lists.command("rulings")
@with_list
def list_rulings(*, matter: Path, audience: str, outs: tuple[Path, ...]) -> None:
    """Write what the court has ruled in MATTER, and why.

    A row for each ruling: on a label in dispute, on a claim of privilege, or on a label in camera, with both sides'
    labels or the basis of the claim, and the reason if the court gave one.
    """
    table.check_names(outs)
    _write(made.rulings(record.read(matter, Audience(audience))), outs, audience)


def _write(found: Table, outs: tuple[Path, ...], audience: str) -> None:
    for out in outs:
        table.write(found, out)
        click.echo(f"{out}: {found.title.lower()} for {Audience(audience).called}, {count(len(found.rows), 'row')}")
