"""Whether a party's signed statement may be added now: a check without I/O that changes nothing.

A statement is refused, with the reason, if it comes out of turn, answers another question or another round, is signed
by another key, was answered already, or is not complete. What is accepted goes to the log as it is.
"""

from collections.abc import Sequence

from ledger import coins, entries, keys, records
from ledger.entries import Opening, SignedStatement, Statement
from ledger.hashing import Digest
from ledger.log import Addition
from ledger.records import Malformed
from ledger.roles import Audience, Role
from protocol.errors import OutOfTurn
from protocol.matter import statements
from protocol.matter.state import Awaited, MatterState, report_of
from protocol.matter.statements import Kind
from protocol.rules import base

REPORT_AUDIENCES = (Audience.ALICE, Audience.COURT)
"""Who may open Alice's report before the round closes; Trent gets the openings with it."""


def accept(state: MatterState, signed: SignedStatement, openings: Sequence[Opening] = ()) -> Addition:
    """The addition that the log is asked for, or `OutOfTurn` with what is wrong."""
    said = signed.statement
    awaited = _in_turn(state, said)
    key = state.opening.keys[said.author]
    if not keys.holds(entries.statement_signed(key, entries.encode_statement(said), signed.signature)):
        raise OutOfTurn(f"the {said.kind} is not signed by the key that the matter enrolled for {said.author}")
    try:
        _check_content(state, awaited, said, openings)
    except Malformed as error:
        raise OutOfTurn(f"{said.author}'s {said.kind}: {error}") from None
    asks = (Role.BOB,) if said.kind == Kind.REPORT else ()
    return Addition(statement=said, signature=signed.signature, openings=tuple(openings), asks=asks)


def _in_turn(state: MatterState, said: Statement) -> Awaited:
    if said.matter != state.matter:
        raise OutOfTurn(f"the {said.kind} is for another matter, {said.matter.hex()}")
    if said.answers is not None and (said.author, said.answers) in state.answered:
        raise OutOfTurn(f"{said.author} has answered this question already")
    awaited = state.awaits.get(said.author)
    if awaited is None:
        raise OutOfTurn(f"nothing is asked of {said.author} now; {waiting(state)}")
    if said.kind != awaited.kind:
        raise OutOfTurn(f"{said.author} is asked for {awaited.kind!r}, not for {said.kind!r}")
    if said.round != awaited.round:
        raise OutOfTurn(f"the {said.kind} is for round {said.round}; it is round {awaited.round}")
    if said.answers != awaited.question:
        raise OutOfTurn(f"the {said.kind} answers another question than the one that {said.author} was asked last")
    if said.kind == Kind.DEPOSITED and not {Role.ALICE, Role.BOB}.isdisjoint(state.awaits):
        raise OutOfTurn("the court holds no deposit before Alice and Bob have named their anchors")
    return awaited


def waiting(state: MatterState) -> str:
    """In words, for whom the matter waits."""
    if state.claims is not None:
        return "the matter is closed"
    if not state.awaits:
        return "it is Trent's turn"
    return "the matter waits for " + ", ".join(f"{role}'s {each.kind}" for role, each in state.awaits.items())


def _check_content(state: MatterState, awaited: Awaited, said: Statement, openings: Sequence[Opening]) -> None:
    if said.kind != Kind.REPORT and (said.sealed or openings):
        raise Malformed("it seals values where nothing is to be sealed")
    match awaited.kind:
        case Kind.AGREED:
            records.from_value(statements.Agreed, said.content)
        case Kind.DEPOSITED:
            _check_deposit(state, records.from_value(statements.Deposited, said.content))
        case Kind.LINK:
            link = records.from_value(statements.Link, said.content)
            _check_link(state, said.author, state.draws, link.draw, link.link)
        case Kind.REPORT:
            report = records.from_value(statements.Reported, said.content)
            _check_link(state, said.author, state.draws + 1, report.draw, report.link)
            _check_report(state, said, openings)
        case Kind.LABELS | Kind.RULINGS:
            labels = records.from_value(statements.Labels, said.content).labels
            current = state.rounds[-1]
            asked = current.disclosed if awaited.kind == Kind.LABELS else current.disputed
            if len(labels) != len(asked):
                raise Malformed(f"{len(labels)} labels, where {len(asked)} documents were asked about")


def _check_deposit(state: MatterState, deposited: statements.Deposited) -> None:
    if deposited.anchors != {role: state.links[role] for role in coins.DRAWERS}:
        raise Malformed("the deposited chains are not those whose anchors Alice, Bob and Trent have named")


def _check_link(state: MatterState, role: Role, due: int, draw: int, link: Digest) -> None:
    if draw != due:
        raise Malformed(f"the link is for draw {draw}, where draw {due} is due")
    if not coins.follows(matter=state.matter, role=role, draw=draw, link=link, before=state.links[role]):
        raise Malformed(f"the link is not number {draw} of the chain that {role} has committed to")


def _check_report(state: MatterState, said: Statement, openings: Sequence[Opening]) -> None:
    expected = {"labels": state.rounds[-1].size} | ({"threshold": 1} if state.rule.reports_threshold else {})
    if said.sealed.keys() != expected.keys():
        raise Malformed(f"a report of this protocol seals {' and '.join(sorted(expected))}")
    for name, sealed in said.sealed.items():
        if sealed.audiences != REPORT_AUDIENCES:
            raise Malformed(f"{name!r} must be sealed for Alice and the court")
        if len(sealed.commitments) != expected[name]:
            raise Malformed(f"{name!r} seals {len(sealed.commitments)} values, where {expected[name]} are asked for")
    if [(each.field, each.index) for each in openings] != [
        (name, index) for name in sorted(expected) for index in range(expected[name])
    ]:
        raise Malformed("the report must come with the openings of all that it seals, in order")
    for opening in openings:
        if entries.commitment_of(opening) != said.sealed[opening.field].commitments[opening.index]:
            raise Malformed(f"the opening of {opening.field!r}, number {opening.index}, does not open its commitment")
        if opening.field == "labels" and not (opening.value is None or type(opening.value) is bool):
            raise Malformed(f"label {opening.index} must be true, false or null")
        if opening.field == "threshold" and type(opening.value) is not int:
            raise Malformed("the threshold must be a rank")
    problem = base.malformed(state.rule, state.rounds[-1].size, report_of(openings))
    if problem:
        raise Malformed(problem)
