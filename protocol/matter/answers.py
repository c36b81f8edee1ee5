"""Whether a party's signed statement may be added now: a check without I/O that changes nothing.

A statement is refused, with the reason, if it comes out of turn, answers another question or another round, is signed
by another key, was answered already, or is not complete. What is accepted goes to the log as it is.
"""

from collections.abc import Sequence

from ledger import entries, keys, records
from ledger.entries import Opening, SignedStatement, Statement
from ledger.errors import LedgerError
from ledger.log import Addition
from ledger.records import Malformed
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import checking
from protocol.matter.naming import called
from protocol.matter.state import MatterState, Told
from protocol.matter.statements import SHAPES, Kind
from protocol.matter.turns import waiting


def accept(state: MatterState, signed: SignedStatement, openings: Sequence[Opening] = ()) -> Addition:
    """The addition that the log is asked for, or `OutOfTurn` with what is wrong."""
    said = signed.statement
    _check_turn(state, said)
    _check_signature(state, signed)
    asks = tuple(sorted(SHAPES[Kind(said.kind)].asks))
    told = Told(sequence=state.size, hash=entries.NO_ENTRY, statement=said, openings=tuple(openings), asks=asks)
    try:
        checking.check(state, told)
        _check_openings(told)
    except Malformed as error:
        raise OutOfTurn(f"{said.author.called}'s {said.kind}: {error}") from None
    return Addition(statement=said, signature=signed.signature, openings=told.openings, asks=asks)


def conflict(state: MatterState, signed: SignedStatement) -> Addition:
    """The addition that keeps a party's second answer to a question on record, as evidence."""
    said = signed.statement
    if state.claims is not None:
        raise OutOfTurn(
            "the matter is closed, and its record takes nothing more, not even evidence. Keep the file: beside a copy "
            "it proves by itself that two answers were signed"
        )
    if said.matter != state.matter or said.answers is None or (said.author, said.answers) not in state.answered:
        raise OutOfTurn(f"{said.author.called} has given no answer to this question: there is no conflict")
    if state.answered[said.author, said.answers] == entries.hash_statement(entries.encode_statement(said)):
        raise OutOfTurn(f"{said.author.called} has given this very answer: there is no conflict")
    _check_signature(state, signed)
    statement = Statement(
        answers=None,
        author=Role.TRENT,
        content=records.to_value(signed),
        kind=entries.CONFLICT,
        matter=state.matter,
        replaces=(),
        round=said.round,
        sealed={},
    )
    return Addition(statement=statement)


def _check_turn(state: MatterState, said: Statement) -> None:
    if said.matter != state.matter:
        raise OutOfTurn(f"the {said.kind} is for another matter, {said.matter.hex()}")
    if said.answers is not None and (said.author, said.answers) in state.answered:
        raise OutOfTurn(f"{said.author.called} has answered this question already")
    if said.answers is not None and (said.author, said.answers) in state.overtaken:
        raise OutOfTurn(
            f"{said.author.called}'s {called(said.kind)} comes too late: by the court's order the matter went on "
            "without it"
        )
    awaited = state.awaits.get(said.author)
    if state.silence is not None and (said.author, said.answers) == (
        state.silence.absent,
        state.silence.awaited.question,
    ):
        raise OutOfTurn(
            f"the court has been asked for an order because {said.author.called} did not answer, so that nothing is "
            f"asked of {said.author.called} now. Keep this file, and tell the court that the answer has come: if the "
            "court denies the order, it can be accepted"
        )
    if awaited is None:
        raise OutOfTurn(f"nothing is asked of {said.author.called} now; {waiting(state)}")
    if said.kind != awaited.kind:
        raise OutOfTurn(
            f"{said.author.called} is asked for the {called(awaited.kind)}, not for the {called(said.kind)}"
        )
    if said.round != awaited.round:
        raise OutOfTurn(f"the {called(said.kind)} is for round {said.round}; it is round {awaited.round}")
    if said.answers != awaited.question:
        raise OutOfTurn(
            f"the {called(said.kind)} answers another question than the one that {said.author.called} was asked last"
        )


def _check_openings(told: Told) -> None:
    """What is in the log opens its commitments, which every reader of it checks; an answer has no such reader yet."""
    for opening in told.openings:
        if entries.commitment_of(opening) != told.statement.sealed[opening.field].commitments[opening.index]:
            raise Malformed(f"the opening of {opening.field!r}, number {opening.index}, does not open its commitment")


def _check_signature(state: MatterState, signed: SignedStatement) -> None:
    said = signed.statement
    try:
        message = entries.encode_statement(said)
    except LedgerError as error:
        raise OutOfTurn(f"the {said.kind} cannot be recorded: {error}") from None
    if not keys.holds(entries.statement_signed(state.keys[said.author], message, signed.signature)):
        replaced = [
            f": it is signed with a former key, which the court replaced in entry {entry}. The new key must sign"
            for key, entry in state.former_keys.items()
            if keys.holds(entries.statement_signed(key, message, signed.signature))
        ]
        why = replaced[0] if replaced else ""
        raise OutOfTurn(
            f"the {called(said.kind)} is not signed by the key that {said.author.called} has in this matter{why}"
        )
