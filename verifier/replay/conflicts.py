"""V19: did everyone give one answer to each question?

A conflict names an answer on record, and seals its author's other answer to the same question. Both are signed by one
key, so that nothing signed before a change of keys can be held against what was signed after it. Only Trent's clock
could say which of two answers came first, so it suffices that either withdraws the other.
"""

from itertools import pairwise
from typing import NamedTuple

from verifier.checks import Audience, Check
from verifier.plural import count
from verifier.record import keys
from verifier.record.entries import SecondAnswer, Statement, hash_statement, read_evidence
from verifier.record.shapes import Malformed, read
from verifier.replay.answered import Answered
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Conflict
from verifier.replay.forms import FORMS, Kind
from verifier.replay.order import audiences, due_seals, of_round, sealed_in_words

Entry = Candidate[Conflict]

_EVIDENCE = "evidence"
_SHOWN = "the evidence"


def _first(entry: Entry) -> Answered:
    """The answer on record."""
    found = entry.state.answers.at(entry.content.answer)
    if found is None:
        raise RuntimeError("whether there is such an answer is looked at first")
    return found


@condition(Check.CONFLICTS, Blamed.TRENT, "A conflict is about an entry in which a party answers")
def about_an_answer(entry: Entry) -> Broken | None:
    """`answer` is the number of an earlier entry in which a party answers."""
    number = entry.content.answer
    return Broken("such an entry", f"entry {number}") if entry.state.answers.at(number) is None else None


@condition(Check.ORDER, Blamed.TRENT, "A conflict belongs to the round of the answer that it is about")
def of_its_round(entry: Entry) -> Broken | None:
    """`round` is that of this answer."""
    return of_round(entry, _first(entry).round)


_ALICES = (Kind.REPORT, Kind.CLAIM)


@condition(Check.ORDER, Blamed.TRENT, "The evidence of a conflict is sealed for those who may see such an answer")
def sealed_for_its_kind(entry: Entry) -> Broken | None:
    """`evidence` is sealed for Alice, Bob and the court; if the answer is a `report` or a `claim`, for Alice and the
    court.
    """
    parties = entry.form.sealed[_EVIDENCE]
    of_alice = _first(entry).kind in _ALICES
    due = {_EVIDENCE: tuple(each for each in parties if each is not Audience.BOB) if of_alice else parties}
    found = audiences(entry.said)
    return None if found == due else Broken(sealed_in_words(due), sealed_in_words(found))


@condition(Check.CONFLICTS, Blamed.TRENT, "There is no evidence about an answer from before its author's new key")
def under_one_key(entry: Entry) -> Broken | None:
    """No new key of its author's came into force since the answer."""
    first = _first(entry)
    changed = entry.state.rekeyed_in.get(first.author, 0)
    if changed < first.entry:
        return None
    whose = first.author.called
    return Broken(f"an answer under {whose}'s present key, granted in entry {changed}", f"that of entry {first.entry}")


@condition(Check.CONFLICTS, Blamed.TRENT, "A conflict seals one second answer")
def one_evidence(entry: Entry) -> Broken | None:
    """One `evidence` is sealed."""
    found = entry.sealed(_EVIDENCE)
    return None if found == 1 else Broken("one value", count(found, "value"))


class _Second(NamedTuple):
    """The other answer, by its own words."""

    answer: SecondAnswer
    signed: bytes
    hash: bytes


def _second(entry: Entry) -> _Second | None:
    """The evidence, if the copy shows it; raises `Malformed` if it does not have the form of its kind."""
    shown = entry.told.all_of(_EVIDENCE)
    if shown is None:
        return None
    answer, signed = read_evidence(shown[0])
    _check_form(answer.statement, _first(entry), entry.state.matter)
    return _Second(answer, signed, hash_statement(signed))


def _check_form(said: Statement, first: Answered, matter: bytes) -> None:
    """Nothing can stand in the evidence that an answer of its kind does not hold."""
    named = (said.author, said.kind, said.round, said.answers, said.matter)
    if named != (first.author, first.kind, first.round, first.question, matter):
        raise Malformed(f"its author, kind, round, question or matter is not that of entry {first.entry}")
    form = FORMS[first.kind]
    read(form.content, said.content)
    if audiences(said) != due_seals(form, said):
        raise Malformed(f"it seals {sealed_in_words(audiences(said))}")
    commitments = [each for sealed in said.sealed.values() for each in sealed.commitments]
    if not all(sealed.commitments for sealed in said.sealed.values()) or len(set(commitments)) != len(commitments):
        raise Malformed("a sealed field is empty, or a commitment comes twice")
    if not all(one < other for one, other in pairwise(said.replaces)):
        raise Malformed("`replaces` is not in order")


@condition(
    Check.CONFLICTS, Blamed.TRENT, "The evidence of a conflict has the form of the answer on record", shown=_SHOWN
)
def has_form_of_its_kind(entry: Entry) -> Broken | None:
    """The evidence is an object with `signature` and `statement`. The statement's `author`, `kind`, `round`, `answers`
    and `matter` are those of the answer. Its `content` has the fields of its kind, each of its type. It seals the
    fields of its kind, for the audiences of its kind. Its `replaces` is ascending, each sealed field has a commitment,
    and no two commitments are equal.
    """
    try:
        entry.once(_second)
    except Malformed as error:
        first = _first(entry)
        return Broken(f"another {first.kind} of {first.author.called}'s", error)
    return None


@condition(Check.CONFLICTS, Blamed.TRENT, "The evidence of a conflict is signed by its author", shown=_SHOWN)
def signed_by_its_author(entry: Entry) -> Broken | None:
    """The signature of the evidence is valid under its author's key in force."""
    second = entry.once(_second)
    if second is None:
        return None
    author = second.answer.statement.author
    if keys.signed(entry.state.keys[author], "statement", second.signed, second.answer.signature):
        return None
    return Broken(f"a signature by {author.called}'s key", "none that is valid")


@condition(
    Check.CONFLICTS, Blamed.TRENT, "A conflict holds an answer that differs from the one on record", shown=_SHOWN
)
def another_answer(entry: Entry) -> Broken | None:
    """The evidence is not the answer on record."""
    second, first = entry.once(_second), _first(entry)
    if second is None or second.hash != first.statement:
        return None
    return Broken("another answer", f"that of entry {first.entry}")


@condition(
    Check.CONFLICTS,
    Blamed.BOTH,
    "Nobody gives two answers to one question, unless one withdraws the other",
    shown=_SHOWN,
    stops=False,
)
def one_answer(entry: Entry) -> Broken | None:
    """One of the two statements names the other's hash in `replaces`."""
    second, first = entry.once(_second), _first(entry)
    if second is None or second.hash in first.replaces or first.statement in second.answer.statement.replaces:
        return None
    return Broken(
        f"only the answer of entry {first.entry}, {first.statement.hex()}",
        f"a second one, signed by {first.author.called}'s key, {second.hash.hex()}",
        party=first.author,
    )


def take_conflict(entry: Entry) -> None:
    """A second answer that was withdrawn, or that the copy does not show."""
    if entry.once(_second) is None:
        reason = f"this copy does not show the second answer that entry {entry.sequence} seals"
        entry.state.tally.leave(Check.CONFLICTS, reason)
    else:
        entry.state.tally.passed(Check.CONFLICTS)
