"""Whether somebody may speak now."""

from typing import TYPE_CHECKING

from ledger import entries
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter.naming import called
from protocol.matter.statements import Kind

if TYPE_CHECKING:
    from protocol.matter.state import MatterState, Told  # the state stands above this module

INTERVENES = (Kind.DEFAULT, Kind.REKEY)
"""What Trent may add while Alice or Bob must answer: it asks the court how to go on."""


def check(state: "MatterState", told: "Told") -> None:
    """Raise `OutOfTurn` unless an entry of this kind and author has its place here."""
    said = told.statement
    known = said.kind in (entries.CONFLICT, *Kind) and (said.kind == Kind.OPEN) == (state.size == 0)
    if not known or told.sequence != state.size or state.claims is not None:
        raise OutOfTurn(f"entry {told.sequence} is a '{said.kind}', which has no place here in this protocol")
    if said.kind == entries.CONFLICT:
        if told.asks or told.releases or said.sealed:
            raise OutOfTurn(f"entry {told.sequence}: a conflict neither asks, releases nor seals anything")
    elif said.author is Role.TRENT:
        _check_trent(state, told)
    else:
        awaited = state.awaits.get(said.author)
        due = None if awaited is None else (awaited.kind, awaited.question, awaited.round)
        if due != (said.kind, said.answers, said.round):
            raise OutOfTurn(f"entry {told.sequence}: nobody waits for this '{said.kind}' of {said.author.called}'s")


def _check_trent(state: "MatterState", told: "Told") -> None:
    """Before all have signed the opening the court must answer it, so that nothing intervenes there."""
    kind = told.statement.kind
    if not is_free(state, kind):
        raise OutOfTurn(f"entry {told.sequence}: Trent's '{kind}' comes while others must answer: {waiting(state)}")


def is_free(state: "MatterState", kind: str) -> bool:
    """Whether nobody must answer before Trent may add this."""
    return not state.awaits or (kind in INTERVENES and Role.COURT not in state.awaits)


def waiting(state: "MatterState") -> str:
    """In words, for whom the matter waits."""
    if state.claims is not None:
        return "the matter is closed"
    if not state.awaits:
        return "it is Trent's turn"
    return "the matter waits for " + ", ".join(
        f"{role.called}'s {called(each.kind)}" for role, each in state.awaits.items()
    )
