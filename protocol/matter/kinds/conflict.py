"""`conflict`: a second, different answer to a question, on record as evidence; it changes nothing else.

Sealed: `evidence`, the other answer as its author signed it, for those who may see an answer of its kind. It has the
form of its kind, so nothing stands in it that such an answer does not hold.
"""

from typing import Any

from ledger import entries, keys, records
from ledger.entries import Addition, SignedStatement, Statement
from ledger.records import Malformed, Natural, Record
from ledger.roles import Audience, Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.seal import Seal
from protocol.matter.state import Answered, Matter
from protocol.matter.values import OWNERS, PARTIES

_FIELD = "evidence"


class Conflict(Record, frozen=True, kw_only=True):
    """Which answer on record the evidence contradicts."""

    answer: Natural  # the number of its entry


def audiences(said: Statement) -> tuple[Audience, ...]:
    """Who may see a second answer like this one: if its kind seals something, only those who may see that."""
    return OWNERS if said.kind in ("report", "claim") else PARTIES


def evidence(matter: Matter, signed: SignedStatement, seal: Seal) -> Addition:
    """The entry that holds a second answer to a question that was answered."""
    said = signed.statement
    if said.answers is None or (said.author, said.answers) not in matter.answered:
        raise Malformed(f"{said.author.called} has not answered this question yet: there is no conflict")
    known = matter.answered[said.author, said.answers]
    _check_evidence(matter, known, signed)
    fields = {_FIELD: (audiences(known.statement), [records.to_value(signed)])}
    sealed, openings = seal.close(str(matter.size), fields)
    content = Conflict(answer=known.entry)
    return KIND.by_trent(matter.number, content, said.round, sealed=sealed, openings=openings)


def blind(matter: Matter, content: Conflict, entry: Entry) -> None:
    """It is about an answer on record, under the key that its author still has."""
    known = _known(matter, content)
    requirements.of_round(entry, known.statement.round)
    if entry.statement.sealed[_FIELD].audiences != audiences(known.statement):
        raise Malformed("the evidence is not sealed for those who may see an answer of its kind")
    requirements.sealed(entry, _FIELD, 1)
    _check_key(matter, known)


def check(matter: Matter, content: Conflict, entry: Entry) -> None:
    """The evidence proves a second answer to the same question."""
    value: Any = entry.values(_FIELD)[0]
    _check_evidence(matter, _known(matter, content), records.from_value(SignedStatement, value))


def _known(matter: Matter, content: Conflict) -> Answered:
    found = next((each for each in matter.answered.values() if each.entry == content.answer), None)
    if found is None:
        raise Malformed(f"entry {content.answer} is not a party's answer")
    return found


def _check_key(matter: Matter, known: Answered) -> None:
    author = known.statement.author
    if known.key != matter.keys[author]:
        raise Malformed(
            f"{author.called} got a new key since the answer of entry {known.entry}: no second answer to it is "
            "evidence any more"
        )


def _check_evidence(matter: Matter, known: Answered, signed: SignedStatement) -> None:
    """Raise unless a signed statement is another answer to the question that was answered."""
    _check_key(matter, known)
    said, first = signed.statement, known.statement
    if _question(said) != _question(first):
        raise Malformed(f"the evidence does not answer the question that entry {known.entry} answers")
    try:
        known.check_form(said)
    except Malformed as error:
        raise Malformed(f"the evidence does not have the form of a '{first.kind}': {error}") from None
    message = entries.encode_statement(said)
    if not keys.holds(entries.statement_signed(known.key, message, signed.signature)):
        raise Malformed(f"the evidence is not signed by the key that {said.author.called} has in this matter")
    if message == entries.encode_statement(first):
        raise Malformed(f"{said.author.called} gave this same answer: there is no conflict")


def _question(said: Statement) -> tuple[object, ...]:
    return said.author, said.answers, said.kind, said.round, said.matter


def event(content: Conflict) -> str:
    """What it is about."""
    return f"a second answer to the question that entry {content.answer} answers is on record as evidence"


KIND = Kind(
    name="conflict",
    record=Conflict,
    authors=(Role.TRENT,),
    when=When.ANY_TIME,
    asks={},
    seals={_FIELD: ()},  # for whom depends on the answer
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=nothing,
    asking=None,
    words=Words(called="evidence", event=event),
)
