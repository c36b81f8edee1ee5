"""V19: did everyone give one answer to each question?

The chain has checked that the evidence in a conflict is genuine. Only Trent's clock could say which of two answers
came first, so it suffices that either withdraws the other.
"""

from typing import Any, NamedTuple

from verifier.checks import Check
from verifier.record.copy import Told
from verifier.record.entries import Statement, hash_statement, read_evidence
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.state import Answered, State

Entry = Candidate[Any]


class _Second(NamedTuple):
    """The answer in a conflict, by its hash, and the one on record."""

    statement: Statement
    hash: bytes
    first: Answered | None


def _second(entry: Entry) -> _Second:
    evidence, signed = read_evidence(entry.said.content)
    other = evidence.statement
    first = entry.state.answers.get((other.author, other.answers or b""))
    return _Second(other, hash_statement(signed), first)


@condition(Check.ORDER, Blamed.TRENT, "A conflict holds evidence, and asks, releases and seals nothing")
def nothing_but_evidence(entry: Entry) -> Broken | None:
    """It asks, releases and seals nothing, and its `round` is that of the evidence."""
    body, said, due = entry.body, entry.said, entry.once(_second).statement.round
    if not (body.asks or body.releases or said.sealed) and said.round == due:
        return None
    return Broken(f"an entry of round {due} that holds nothing else", "another one")


@condition(Check.CONFLICTS, Blamed.TRENT, "A conflict is about a question of this matter that its author has answered")
def answered_before(entry: Entry) -> Broken | None:
    """The evidence is about a question of this matter that its author has answered on record."""
    return Broken("such a question", "another one") if entry.once(_second).first is None else None


@condition(Check.CONFLICTS, Blamed.TRENT, "A conflict holds an answer that differs from the one on record")
def another_answer(entry: Entry) -> Broken | None:
    """The evidence is not the answer on record."""
    second = entry.once(_second)
    if second.first is None or second.hash != second.first.statement:
        return None
    return Broken("another answer", f"that of entry {second.first.entry}")


@condition(
    Check.CONFLICTS,
    Blamed.BOTH,
    "Nobody gives two answers to one question, unless one withdraws the other",
    stops=False,
)
def one_answer(entry: Entry) -> Broken | None:
    """One of the two statements names the other's hash in `replaces`."""
    statement, digest, first = entry.once(_second)
    if first is None or digest in first.replaces or first.statement in statement.replaces:
        return None
    return Broken(
        f"only the answer of entry {first.entry}, {first.statement.hex()}",
        f"a second one, signed by {statement.author.called}'s key, {digest.hex()}",
        party=statement.author,
        rests_on=(first.entry,),
    )


def take_conflict(entry: Entry) -> None:
    """An answer that was withdrawn."""
    entry.state.tally.passed(Check.CONFLICTS)


def note(state: State, told: Told) -> None:
    """Remember what a party answered."""
    said = told.entry.said
    if said.answers is not None:
        statement = hash_statement(told.entry.statement_bytes)
        state.answers[said.author, said.answers] = Answered(told.entry.body.sequence, statement, said.replaces)
