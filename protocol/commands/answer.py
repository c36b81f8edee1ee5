"""`tallystick answer`: the party's side of the exchange, offline, with only its key and the question."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from ledger import files, progress
from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.plain import shown
from ledger.roles import Role
from ledger.terminal import existing_file, new_file, note, passphrase_option, quiet_option, refusals, signing_key
from protocol.exchange import answer_file, answering, forms, objection_file, question_file, spreadsheet
from protocol.exchange import (
    candidates as candidates_file,
)
from protocol.exchange.answering import Ready, Received
from protocol.exchange.filenames import REQUEST
from protocol.exchange.forms import Form, Forms
from protocol.matter import kinds, naming
from protocol.matter.asking import Decision
from protocol.matter.decisions import Decisions
from protocol.matter.naming import Telling
from protocol.parties import declaration, memory, preview, screen
from protocol.parties.answer import Draft
from protocol.parties.errors import NotAnswered, Objectionable, WrongDecision
from protocol.parties.preview import Preview
from protocol.parties.verdict import Verdict
from protocol.parties.view import View

_OPTIONS = {
    "labels": "--labels FILE",
    "threshold": "--threshold R",
    "claims": "--privilege FILE",
    "alike": "--alike FILE",
    "candidates": "--candidates FILE",
    "given_up": "--give-up FILE",
    "upheld": "--upheld FILE",
    "granted": "--grant or --deny",
    "accepted": "--accept or --reject",
}
"""The option that gives each decision."""


@click.command()
@click.argument("path", metavar="QUESTION", type=click.Path(path_type=Path, exists=True))
@click.option("--key", "key_file", type=existing_file, required=True, help="Your private key.")
@click.option("--labels", type=existing_file, metavar="FILE", help="labels.csv with your labels or rulings.")
@click.option("--threshold", type=click.IntRange(min=0), metavar="R", help="Your threshold, if the rule asks for one.")
@click.option("--privilege", type=existing_file, metavar="FILE", help="privilege.csv with the basis of each claim.")
@click.option("--alike", type=existing_file, metavar="FILE", help="alike.csv with your yes or no to what is alike.")
@click.option(
    "--candidates",
    type=existing_file,
    metavar="FILE",
    help="With Alice's signature of the terms: names of counsel and terms, one a line, to be asked about.",
)
@click.option("--give-up", type=existing_file, metavar="FILE", help="withheld.csv with what you give up.")
@click.option("--upheld", type=existing_file, metavar="FILE", help="For the court: labels.csv with the column upheld.")
@click.option("--grant/--deny", "granted", default=None, help="For the court: on an order or a new key.")
@click.option(
    "--objection",
    "objections",
    type=existing_file,
    multiple=True,
    metavar="FILE",
    help="For the court, on an order: the silent party's objection. May be given several times.",
)
@click.option("--accept/--reject", "accepted", default=None, help="Accept or reject an amendment of the terms.")
@click.option("--out", type=new_file, required=True, metavar="ANSWER", help="The file to send back to Trent.")
@click.option("--yes", is_flag=True, help="Sign without being asked; what is signed is still shown.")
@click.option("--replace", "replacing", is_flag=True, help="Withdraw the earlier answer to this question.")
@click.option("--forgotten", is_flag=True, help="The memory beside the key is lost: rely on the question's history.")
@passphrase_option
@quiet_option
@refusals
def answer(
    *,
    path: Path,
    key_file: Path,
    labels: Path | None,
    threshold: int | None,
    privilege: Path | None,
    alike: Path | None,
    candidates: Path | None,
    give_up: Path | None,
    upheld: Path | None,
    granted: bool | None,
    objections: tuple[Path, ...],
    accepted: bool | None,
    out: Path,
    yes: bool,
    replacing: bool,
    forgotten: bool,
    passphrase_file: Path | None,
) -> None:
    """Answer QUESTION, a folder or zip file from Trent.

    Checks that the question comes from Trent, that it continues the history that you saw before, that its documents
    belong to the matter, and that your answer breaks no rule. Then shows what is about to be signed, asks, and signs.
    Before you sign the end, tallystick-verify verifies your copy. Needs no network. What you have seen and signed is
    kept in a folder beside the key (KEY.memory): keep it with the key.

    If Trent's question is at fault, nothing is answered, and a signed objection for the court is written beside ANSWER.
    """
    files.check_free(out, "an answer is never overwritten: choose another name")
    filled = Forms(
        labels=_form(labels),
        claims=_form(privilege),
        upheld=_form(upheld),
        given_up=_form(give_up),
        alike=_form(alike),
    )
    terms = None if candidates is None else candidates_file.load(candidates)
    brought = [objection_file.read(each) for each in objections]
    _check_path(path)
    request = question_file.read_request(path)
    with memory.locked(key_file, request.matter):
        received = answering.received(path, key_file, request.matter)
        _mention(received.asked.others)
        key = signing_key(key_file, passphrase_file, role=received.asked.request.role)
        with _objecting(key, received, out):
            ready = answering.checked(received, key, forgotten=forgotten, objections=brought)
            view = ready.view
            if view.first:
                _show(preview.whole_terms(view))
            decisions = Decisions(threshold=threshold, granted=granted, accepted=accepted, candidates=terms)
            draft = _drafted(ready, filled, decisions, out, replacing=replacing)
        _show(preview.about_to_sign(view, draft, brought))
        _confirm(yes=yes or draft.again)
        memory.keep(ready.known, draft.memory)
    _write(out, answer_file.encode(draft.reply))
    to = Telling(view.opening.caption).called(Role.TRENT)
    click.echo(f"{'Written again' if draft.again else 'Signed'}. Send {out} to {to}.")


def _drafted(ready: Ready, filled: Forms, decisions: Decisions, out: Path, *, replacing: bool) -> Draft:
    """The answer before it is signed, or a refusal that names people; an objection keeps the words that are signed."""
    view = ready.view
    with naming.errors_told(view.opening.caption, NotAnswered, but=Objectionable):
        explained = "reasons" in kinds.decision(view.kind).may_have
        fitting = _fitting(view, filled, decisions)
        decisions = forms.read(decisions, fitting, ready.documents, view.classes, ready.alike, explained=explained)
        return answering.drafted(ready, decisions, replacing=replacing, verdict=_verdict(ready, out))


@contextmanager
def _objecting(key: SigningKey, received: Received, out: Path) -> Iterator[None]:
    """If the question is at fault, sign an objection, and say what it is for."""
    try:
        yield
    except Objectionable as fault:
        path = answering.objected(key, received.asked, fault, out)
        raise NotAnswered(
            f"{fault}.\nA signed objection is in {path}: it quotes Trent's question, and says why you do not answer. "
            "Give it to the court yourself, not only through Trent, so that you do not count as silent. Send it to "
            "Trent too, who can correct the question"
        ) from fault


def _verdict(ready: Ready, out: Path) -> Verdict | None:
    """The verdict on the copy that comes with a question to sign the end, unless that was signed before."""
    if answering.needs_verdict(ready.view):
        note("Before you sign the end, your copy of the record is verified.")
    return answering.verdict(ready, out)


def _check_path(path: Path) -> None:
    if path.is_file() and path.name.lower() == REQUEST:
        raise Refused(f"{path} is one file of a question: give the folder that holds it, {path.absolute().parent}")


def _form(path: Path | None) -> Form | None:
    return None if path is None else Form(name=str(path), data=spreadsheet.load(path))


def _fitting(view: View, filled: Forms, decisions: Decisions) -> Forms:
    """The forms, if they and the decisions are what the question asks for."""
    if kinds.decision(view.kind) is Decision.UPHELD and filled.upheld is None:  # its form is labels.csv
        filled = replace(filled, upheld=filled.labels, labels=None)
    try:
        declaration.check_fits(view, decisions.given | filled.given, decisions.threshold)
    except WrongDecision as error:
        option = _OPTIONS[error.decision]
        raise NotAnswered(f"{error.asked}: {'add' if error.wanted else 'leave out'} {option}") from None
    return filled


def _mention(others: tuple[str, ...]) -> None:
    """Name the files that nobody signed: anybody may have put them there, even the person's own computer."""
    if others:
        named = ", ".join(map(shown, others[:5])) + (f" and {len(others) - 5} others" if len(others) > 5 else "")
        note(
            f"Note: these files are not part of the question and were not read: {named}. Do not open them, unless they "
            "are your own."
        )


def _show(shown: Preview) -> None:
    click.echo("\n".join(screen.lines(shown)) + "\n")


def _confirm(*, yes: bool) -> None:
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise NotAnswered("nobody is there to confirm this; nothing was signed. Add --yes to sign without being asked")
    try:
        with progress.held():
            confirmed = click.confirm("Sign this?", default=False)
    except click.Abort:  # Ctrl-C, or the end of the input
        click.echo()
        confirmed = False
    if not confirmed:
        raise NotAnswered("not confirmed; nothing was signed or kept")


def _write(out: Path, data: bytes) -> None:
    """Write the file, whole or not at all. The answer is already remembered, so the command can be run again."""
    try:
        with files.new_file(out) as stream:
            stream.write(data)
    except Refused as refusal:
        raise Refused(f"{refusal}; run the command again") from None
