"""Whether somebody may speak now."""

from collections.abc import Mapping
from typing import Any

from ledger.entries import Statement
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import kinds
from protocol.matter.kind import Entry, Kind, When
from protocol.matter.state import Awaited, Matter


def check(matter: Matter, entry: Entry) -> Kind[Any]:
    """The entry's kind. Raises `OutOfTurn` unless an entry of this kind and author may come here."""
    said = entry.statement
    kind = kinds.KINDS.get(said.kind)
    over = matter.concluded and (kind is None or kind.when not in (When.TO_THE_END, When.ASKED))
    misplaced = entry.sequence != matter.size or over
    if kind is None or misplaced or (kind.when is When.FIRST) != (matter.size == 0):
        raise OutOfTurn(f"entry {entry.sequence} is a '{said.kind}', which may not come here in this protocol")
    if said.author is Role.TRENT:
        if not is_free(matter, kind):
            raise OutOfTurn(
                f"entry {entry.sequence}: Trent's '{said.kind}' comes too early; others must answer first: "
                f"{waiting(matter)}"
            )
    elif kind.when is not When.ANY_TIME:
        awaited = matter.awaits.get(said.author)
        due = None if awaited is None else (awaited.kind, awaited.question, awaited.round)
        if due != (said.kind, said.answers, said.round):
            raise OutOfTurn(f"entry {entry.sequence}: nobody asked for this '{said.kind}' of {said.author.called}'s")
    return kind


def is_free(matter: Matter, kind: Kind[Any]) -> bool:
    """Whether nobody must answer, or be asked again, before Trent may add this.

    Until all have signed the opening, the court must answer it, so only evidence may come in between.
    """
    if kind.when in (When.BESIDE_PARTIES, When.TO_THE_END):
        return Role.COURT not in matter.awaits
    return kind.when is When.ANY_TIME or not (matter.awaits or matter.void)


def waiting(matter: Matter) -> str:
    """Whom the matter waits for, in words."""
    waits = [f"the matter waits for {_owed(matter.awaits)}"] if matter.awaits else []
    again = [f"Trent must ask again for {_owed(matter.void)}"] if matter.void else []
    if matter.concluded and not waits:
        return "the matter is closed"
    if matter.size and matter.between:
        return unseen(matter) or "it is Trent's turn"
    return "; ".join(waits + again) or "it is Trent's turn"


def unseen(matter: Matter) -> str:
    """What must go on record before the next round or the claims, in words; empty if nothing."""
    missing = " and ".join(matter.unwitnessed)
    return f"before the review goes on, Trent must put {missing} on record" if missing else ""


def _owed(owed: Mapping[Role, Awaited]) -> str:
    return ", ".join(f"{role.called}'s {kinds.called(each.kind)}" for role, each in owed.items())


def refusal(matter: Matter, said: Statement) -> str:
    """Why the matter does not wait for this answer of a party, in words."""
    who, what, answered = said.author.called, kinds.called(said.kind), (said.author, said.answers)
    if answered in matter.answered:
        return f"{who} has answered this question already"
    if answered in matter.overtaken:
        return f"{who}'s {what} comes too late: by the court's order the matter went on without it"
    if answered in matter.voided:
        return f"the court has granted {who} a new key since, which must answer the question that Trent asks again"
    silence = matter.silence
    if silence is not None and answered == (silence.absent, silence.awaited.question):
        return (
            f"the court has been asked for an order because {who} did not answer, so nothing is asked of {who} "
            "now. Keep this file, and tell the court that the answer has come: if the court denies the order, the "
            "answer can be accepted"
        )
    awaited = matter.awaits.get(said.author)
    if awaited is None:
        return f"nothing is asked of {who} now; {waiting(matter)}"
    if said.kind != awaited.kind:
        return f"{who} is asked for the {kinds.called(awaited.kind)}, not for the {what}"
    if said.round != awaited.round:
        return f"the {what} is for round {said.round}, but this is round {awaited.round}"
    return f"the {what} answers another question than the one that {who} was asked last"
