"""`tallystick matter`: Trent's side of a review between real parties, who answer with files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from ledger.errors import Refused
from ledger.keyfiles import read_key
from ledger.keys import fingerprint
from ledger.progress import stages
from ledger.roles import Role
from ledger.terminal import (
    existing_file,
    json_option,
    new_file,
    passphrase_option,
    print_json,
    progress_bar,
    quiet_option,
    refusals,
)
from protocol.commands import trent, wording
from protocol.commands.papers import papers
from protocol.errors import OutOfTurn
from protocol.exchange import answer_file, objection_file, termsfile
from protocol.exchange.office import Office
from protocol.exchange.termstemplate import template
from protocol.matter import course, naming, turn
from protocol.matter.kinds.rekey import REPLACEABLE
from protocol.matter.naming import Telling

P = ParamSpec("P")
T = TypeVar("T")

existing_folder = click.Path(path_type=Path, file_okay=False, exists=True)
new_folder = click.Path(path_type=Path, file_okay=False)
replaceable = click.Choice([role.value for role in REPLACEABLE], case_sensitive=False)
corpus_option = click.option("--corpus", "corpus_folder", type=existing_folder, required=True, help="The documents.")
key_option = click.option("--key", "key_file", type=existing_file, required=True, help="Trent's private key.")


def with_matter(command: Callable[P, T]) -> Callable[P, T]:
    """What most commands are given: the matter's file, and Trent's key."""
    for decorator in (
        refusals,
        quiet_option,
        passphrase_option,
        key_option,
        click.argument("matter", type=existing_file),
    ):
        command = decorator(command)
    return command


@click.group()
def matter() -> None:
    """Run a review between real parties, who answer with files.

    Trent runs these commands; a party answers with `tallystick answer`. Only `open` and `next` need the documents
    (--corpus). Every command can be interrupted and run again.
    """


matter.add_command(papers)


@matter.command("terms")
@refusals
def matter_terms() -> None:
    """Print a terms file to fill in.

    Keep it with: tallystick matter terms > terms.toml
    """
    click.echo(template(), nl=False)


@matter.command("open")
@click.argument("terms", type=existing_file)
@corpus_option
@key_option
@click.option("--out", type=new_file, required=True, metavar="MATTER", help="The matter's new file.")
@passphrase_option
@quiet_option
@json_option
@refusals
def matter_open(
    *, terms: Path, corpus_folder: Path, key_file: Path, out: Path, passphrase_file: Path | None, as_json: bool
) -> None:
    """Open a matter with the terms in TERMS, for all to sign.

    The first entry of the record holds what TERMS says: who takes part with which key, what is asked for, how the
    review is run, and the commitment to all documents. Back up MATTER together with Trent's key and the folder beside
    the key whose name ends in .memory.
    """
    with trent.installation():
        from protocol.corpus.corpus import Corpus
        from protocol.exchange import run as running

    agreed = termsfile.read(terms)
    key = trent.key(key_file, passphrase_file)
    state = running.open_matter(out, agreed, Corpus.open(corpus_folder), key)
    if as_json:
        print_json(wording.opened_value(state))
        return
    click.echo(wording.opened(state))
    click.echo(
        "\nHave each owner confirm the fingerprint by telephone before you continue. Then ask all to sign:\n"
        f"  tallystick matter next {out} --corpus {corpus_folder} --key {key_file} --outbox outbox"
    )


@matter.command("next")
@with_matter
@corpus_option
@click.option("--outbox", type=new_folder, required=True, help="The folder for the questions.")
@click.option("--zip", "packed", is_flag=True, help="Write each question as a zip file.")
@click.option("--all", "everything", is_flag=True, help="Send the whole record, for a party that has lost it.")
@json_option
def matter_next(
    *,
    matter: Path,
    corpus_folder: Path,
    key_file: Path,
    passphrase_file: Path | None,
    outbox: Path,
    packed: bool,
    everything: bool,
    as_json: bool,
) -> None:
    """Continue MATTER until somebody must answer; write the question.

    Says in a sentence who must do what. For each party that is asked, a package is written to the outbox: send it by
    mail, portal or USB stick. Run again, the command asks the same, and leaves what is in the outbox as it is.
    """
    with trent.installation():
        from protocol.corpus.corpus import Corpus
        from protocol.exchange import run as running

    key = trent.key(key_file, passphrase_file)
    corpus = Corpus.open(corpus_folder)
    with Office(matter, key, key_file) as office:
        began = office.state.size
        with progress_bar(0, "Moving", lambda: office.state.size - began, unit="entries") as progress:
            running.advance(office, corpus, lambda doing: progress(0, doing))
        with stages() as stage:
            stage("Writing the questions")
            sent = running.questions(office, corpus, outbox, packed=packed, everything=everything)
        state, held = office.state, course.held(office.state)
        missing = state.unwitnessed if course.unseen(state) else []
    if as_json:
        print_json({"held": held, "missing": missing, "questions": [wording.sent_value(each) for each in sent]})
    elif missing:
        said = turn.unseen(state)
        click.echo(f"{said[0].upper()}{said[1:]}: see `tallystick stamp` and `tallystick log`.")
    elif held:
        click.echo(f"The review is over. Close the matter: tallystick matter close {matter} --key {key_file}")
    elif not sent:
        click.echo(wording.all_signed(state))
    else:
        click.echo("\n".join(map(wording.sent, sent)))


@matter.command("accept")
@with_matter
@click.argument("answer", type=existing_file, nargs=-1, required=True)
@click.option(
    "--as-evidence",
    is_flag=True,
    help="Put a second, different answer on record as evidence, sealed for those who may see such an answer.",
)
@json_option
def matter_accept(
    *,
    matter: Path,
    answer: tuple[Path, ...],
    key_file: Path,
    passphrase_file: Path | None,
    as_evidence: bool,
    as_json: bool,
) -> None:
    """Check each ANSWER and add it to MATTER, or say why not.

    A refused answer changes nothing; of several answers, those before it are on record. If an answer is on record
    already, the command says so. Cosignatures are accepted here too. An objection is shown, and changes nothing.
    """
    found: list[dict[str, Any]] = []
    with _office(matter, key_file, passphrase_file, as_json=as_json) as office:
        for path in answer:
            _check_no_objection(office, path)
            read = answer_file.read(path)
            try:
                receipt = office.keep_as_evidence(read) if as_evidence else office.accept(read)
            except (Refused, OutOfTurn) as error:
                said = str(error) if as_json else Telling(office.state.opening.caption).said(str(error))
                raise Refused(f"{path}: {said}") from error
            found.append(wording.received_value(path, receipt))
            if not as_json:
                click.echo(wording.received(path, receipt, office.state))
        if as_json:
            print_json(found)
        else:
            click.echo(wording.now(office))


@matter.command("close")
@with_matter
@json_option
def matter_close(*, matter: Path, key_file: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Close MATTER when the review is over, and state the claims.

    Also states the checkpoint that all are to sign. Then `next` writes the questions for the cosignatures. Run again,
    the command says who has not signed yet.
    """
    with _office(matter, key_file, passphrase_file, as_json=as_json) as office:
        office.close()
        if as_json:
            print_json(wording.closed_value(office))
            return
        click.echo(f"The matter is closed: {office.state.size} entries, head {office.log.history.head.hex()}")
        click.echo(wording.now(office))


@matter.command("default")
@with_matter
@click.option("--absent", type=replaceable, required=True, help="Who does not answer.")
def matter_default(*, matter: Path, key_file: Path, passphrase_file: Path | None, absent: str) -> None:
    """Say that a party does not answer, and ask the court for an order.

    If the court grants it, the matter goes on without that answer: a link comes from the deposit; without Alice's
    report the whole batch is disclosed; without her second look she gives nothing up; without Bob's labels Alice's
    stand, and count for nothing in the certificates. After the close it is about the signature of the end: if the court
    grants it, the matter ends without that signature.
    """
    with _office(matter, key_file, passphrase_file) as office:
        office.default(Role(absent))
        who = Telling(office.state.opening.caption).called(Role(absent))
        click.echo(f"On record: {who} has not answered.\n{wording.now(office)}")


@matter.command("rekey")
@with_matter
@click.option("--role", type=replaceable, required=True, help="Whose key is lost, or who has new counsel.")
@click.option("--new-key", type=existing_file, required=True, metavar="FILE.pub", help="The new public key.")
def matter_rekey(*, matter: Path, key_file: Path, passphrase_file: Path | None, role: str, new_key: Path) -> None:
    """Ask the court to grant Alice or Bob a new key.

    If the court grants it, the new key signs from the next entry on, and `next` asks it again what the former key left
    open. With the question its holder gets the whole record, and the coin chain from the deposit.
    """
    public = read_key(new_key, role=Role(role)).public
    with _office(matter, key_file, passphrase_file) as office:
        office.desk.rekey(Role(role), public)
        who = Telling(office.state.opening.caption).called(Role(role))
        click.echo(
            f"On record: the court is asked to grant {who} a new key, {fingerprint(public)}. Until "
            f"then, the old key stays in force.\n{wording.now(office)}"
        )


@matter.command("amend")
@with_matter
@click.option("--rounds", type=click.IntRange(min=1), metavar="T", help="How many batches to put up in all.")
@click.option("--stop", is_flag=True, help="Put up no further batch.")
@click.option("--limit", metavar="SHARE", help="What escalations may show Bob in all, as a decimal from 0 to 1.")
def matter_amend(
    *,
    matter: Path,
    key_file: Path,
    passphrase_file: Path | None,
    rounds: int | None,
    stop: bool,
    limit: str | None,
) -> None:
    """Ask all parties for another number of rounds, or another limit.

    A number of rounds is in force if Alice, Bob and the court accept; a limit alone, if the court accepts. It can be
    asked while nobody must answer: after `accept`, and before `next` begins another round.
    """
    if (rounds is not None and stop) or (rounds is None and not stop and limit is None):
        raise click.UsageError("Give --rounds or --stop, or --limit, or --limit together with one of the others.")
    with _office(matter, key_file, passphrase_file) as office:
        change = office.amend(rounds, stop=stop, limit=limit)
        click.echo(f"On record: all are asked for {change}.\n{wording.now(office)}")


@matter.command("late")
@with_matter
def matter_late(*, matter: Path, key_file: Path, passphrase_file: Path | None) -> None:
    """Ask Alice for late claims of privilege, if she wants to make any.

    She can claim what Bob has not been shown; such documents count as drawn by a coin. It can be asked in an open round
    while nobody must answer, after `accept` and before `next`. A validation asks her by itself.
    """
    with _office(matter, key_file, passphrase_file) as office:
        office.desk.late()
        who = Telling(office.state.opening.caption).called(Role.ALICE)
        click.echo(f"On record: {who} is asked for late claims.\n{wording.now(office)}")


@matter.command("clawback")
@with_matter
def matter_clawback(*, matter: Path, key_file: Path, passphrase_file: Path | None) -> None:
    """Ask Alice which documents that Bob was shown she asks back.

    Do this when she says that a privileged document went out. The court then rules on each that she names. Bob must
    return or destroy what the court upholds; it still counts as shown. It can be asked in a round or between two, while
    nobody must answer, after `accept` and before `next`, and not after `close`.
    """
    with _office(matter, key_file, passphrase_file) as office:
        office.desk.clawback()
        who = Telling(office.state.opening.caption).called(Role.ALICE)
        click.echo(f"On record: {who} is asked what to claw back.\n{wording.now(office)}")


def _check_no_objection(office: Office, path: Path) -> None:
    """Raise with what it says if a party has sent an objection instead of an answer."""
    if objection_file.is_one(path):
        raise Refused(f"{path}: {wording.objected(objection_file.read(path), office.state)}")


@contextmanager
def _office(matter: Path, key_file: Path, passphrase_file: Path | None, *, as_json: bool = False) -> Iterator[Office]:
    """The office, in which errors name people, unless a script reads them."""
    with (
        Office(matter, trent.key(key_file, passphrase_file), key_file) as office,
        naming.errors_told(None if as_json else office.state.opening.caption, OutOfTurn),
    ):
        yield office
