"""The answers on record, each in a fixed number of bytes: a matter may have very many, and any may get a conflict."""

from array import array
from bisect import bisect_left
from typing import NamedTuple

from verifier.checks import Role
from verifier.record.entries import Entry, hash_statement
from verifier.replay.forms import Kind

_ROLES, _KINDS = tuple(Role), tuple(Kind)
_HASH = 32


class Answered(NamedTuple):
    """A party's answer on record, against which a second one is judged."""

    entry: int
    author: Role
    kind: Kind
    round: int
    question: bytes  # the hash of the entry that it answers
    statement: bytes  # its own hash
    replaces: tuple[bytes, ...]


class AnswersOnRecord:
    """Every answer so far, found by the number of its entry."""

    def __init__(self) -> None:
        self._entries, self._rounds = array("Q"), array("Q")  # both up to 2^53
        self._authors, self._kinds = bytearray(), bytearray()
        self._questions, self._statements = bytearray(), bytearray()
        self._replaces: dict[int, tuple[bytes, ...]] = {}  # of the few answers that replace others

    def add(self, entry: Entry, kind: Kind) -> None:
        """Remember an entry, if a party answers in it."""
        said = entry.said
        if said.answers is None:
            return
        self._entries.append(entry.body.sequence)
        self._rounds.append(said.round)
        self._authors.append(_ROLES.index(said.author))
        self._kinds.append(_KINDS.index(kind))
        self._questions += said.answers
        self._statements += hash_statement(entry.statement_bytes)
        if said.replaces:
            self._replaces[entry.body.sequence] = said.replaces

    def at(self, entry: int) -> Answered | None:
        """The answer in the entry with this number, if a party answers there."""
        place = bisect_left(self._entries, entry)
        if place == len(self._entries) or self._entries[place] != entry:
            return None
        hashes = slice(place * _HASH, place * _HASH + _HASH)
        return Answered(
            entry=entry,
            author=_ROLES[self._authors[place]],
            kind=_KINDS[self._kinds[place]],
            round=self._rounds[place],
            question=bytes(self._questions[hashes]),
            statement=bytes(self._statements[hashes]),
            replaces=self._replaces.get(entry, ()),
        )
