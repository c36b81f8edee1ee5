"""A matter as a fold over its entries, without I/O: each entry is checked once, and then changes the state.

A party's answer before it is added, Trent's own moves, and every entry of a stored matter pass the same check, so a
state never rests on something that the rules forbid. Everything except the choice of batches is recomputed. A reader
without the openings checks what everybody can check.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ledger import entries, records
from ledger.entries import Statement
from ledger.hashing import Digest
from ledger.records import Malformed
from ledger.roles import Role, listed
from protocol.matter import kinds, turn
from protocol.matter.kind import Entry, Kind
from protocol.matter.state import Answered, Awaited, Matter


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An entry that may come next, with its content, typed."""

    kind: Kind[Any]
    content: Any
    entry: Entry


class BrokenRule(Malformed):
    """An entry that breaks a rule of the review."""

    def __init__(self, entry: Entry, reason: str) -> None:
        super().__init__(f"entry {entry.sequence} ({entry.statement.kind}): {reason}")
        self.reason = reason


def check(matter: Matter, entry: Entry) -> Checked:
    """The entry, if it may come next; raises `OutOfTurn` or `BrokenRule` with what is wrong, and changes nothing."""
    kind = turn.check(matter, entry)
    try:
        _check_shape(kind, entry)
        content = records.from_value(kind.record, entry.statement.content)
        kind.blind(matter, content, entry)
        if entry.openings is not None:
            kind.check(matter, content, entry)
    except Malformed as error:
        raise BrokenRule(entry, str(error)) from None
    return Checked(kind=kind, content=content, entry=entry)


def tell(matter: Matter, checked: Checked, digest: Digest) -> Entry:
    """Change the state by an entry that was checked here and is now stored under this hash."""
    kind, entry = checked.kind, replace(checked.entry, hash=digest)
    said = entry.statement
    matter.sequences[digest] = entry.sequence
    matter.tree.add(digest)
    kind.take(matter, checked.content, entry)
    if said.author is not Role.TRENT:
        question = matter.awaits.pop(said.author).question
        matter.answered[said.author, question] = Answered(
            entry=entry.sequence, statement=said, key=matter.keys[said.author], check_form=_FORMS[kind.name]
        )
    for role, asked in kind.asked(said.content).items():
        asking = kinds.KINDS[asked].asking
        silence = None if asking is None else asking.silence
        silenced = None if silence is None else silence.take
        matter.awaits[role] = Awaited(kind=asked, question=digest, round=said.round, silenced=silenced)
    matter.size += 1
    return entry


def follow(matter: Matter, entry: Entry) -> None:
    """Check a stored entry and change the state by it, or raise and change nothing."""
    tell(matter, check(matter, entry), entry.hash)


def _check_shape(kind: Kind[Any], entry: Entry) -> None:
    said = entry.statement
    _check_author_and_seals(kind, said)
    if kind.asks is not None and entry.asks != tuple(sorted(kind.asked(said.content))):
        raise Malformed(f"it asks {listed(entry.asks) if entry.asks else 'nobody'}")
    if entry.releases and not kind.releases:
        raise Malformed("it releases values that it may not release")
    expected = [(name, index) for name in sorted(said.sealed) for index in range(entry.sealed(name))]
    if entry.openings is not None and [(each.field, each.index) for each in entry.openings] != expected:
        raise Malformed("it must come with the openings of all that it seals, in order")


def _check_author_and_seals(kind: Kind[Any], said: Statement) -> None:
    if said.author not in kind.authors:
        raise Malformed(f"{said.author.called} may not say this")
    for name, audiences in kind.seals.items():
        if name not in said.sealed and name not in kind.optional:
            raise Malformed(f"it does not seal {name!r}")
        if audiences and name in said.sealed and said.sealed[name].audiences != audiences:
            raise Malformed(f"{name!r} must be sealed for {' and '.join(each.called for each in audiences)}")
    if not said.sealed.keys() <= kind.seals.keys():
        raise Malformed("it seals values that it may not seal")


def _form(kind: Kind[Any]) -> Callable[[Statement], None]:
    def check_form(said: Statement) -> None:
        """Raise unless a statement could be on record as an answer of this kind, whatever it says."""
        entries.check_sets(said)
        _check_author_and_seals(kind, said)
        records.from_value(kind.record, said.content)

    return check_form


_FORMS = {name: _form(kind) for name, kind in kinds.KINDS.items()}
