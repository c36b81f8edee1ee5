"""What was asked of whom, and how much of the record each party has certainly seen.

A party has seen all entries up to the question that it answered last, since its answer binds that entry. Whoever holds
a new key has seen nothing until the first answer under it, and is asked again what the former key left open.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ledger import entries
from ledger.canonical import Value
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter import reasons
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """A question as it was put to a party."""

    sequence: int
    kind: str  # of the answer that is wanted
    number: int  # which one of its kind to this party in its round, from 1
    content: dict[str, Any]  # what the entry says


class Register:
    """A fold over a matter's entries."""

    def __init__(self) -> None:
        self.hashes: list[Digest] = []  # of the entries
        self.puts: dict[tuple[Role, Digest], Put] = {}
        self.rekeyed: dict[Role, int] = {}  # the entry by which a party's key was replaced last
        self.seen = dict.fromkeys(Role, 0)  # how many entries, from the first, the holder of the key has seen
        self.answered: dict[tuple[Role, Digest], int] = {}  # where each answer stands, by its hash
        self.bases: dict[tuple[int, int], Value] = {}  # what Alice claims, by entry and index: a basis, or a class
        self.reasons: dict[tuple[int, int], str] = {}  # Bob's, by round and position
        self._wave: list[int] = []  # the last one
        self._asked: Counter[tuple[Role, str, int]] = Counter()

    def tell(self, entry: Entry) -> None:
        """Take note of one entry."""
        self.hashes.append(entry.hash)
        said = entry.statement
        if said.answers is not None:
            self.seen[said.author] = self.puts[said.author, said.answers].sequence + 1
            digest = entries.hash_statement(entries.encode_statement(said))
            self.answered[said.author, digest] = entry.sequence
        for opening in entry.openings or ():
            if opening.field == "privilege" and opening.value is not None:
                self.bases[entry.sequence, opening.index] = opening.value
        if said.kind == "disclosure":
            self._wave = said.content["positions"]
        if said.kind == "labels":
            given = reasons.by_place(
                {each.index: each.value for each in entry.openings or () if each.field == reasons.FIELD}
            )
            self.reasons |= {(said.round, self._wave[index]): reason for index, reason in given.items()}
        if said.kind == "rekeyed" and said.content["granted"]:
            role = Role(said.content["role"])
            self.rekeyed[role], self.seen[role] = entry.sequence, 0
        for role, kind, content in self._asks(entry):
            self._asked[role, kind, said.round] += 1
            number = self._asked[role, kind, said.round]
            self.puts[role, entry.hash] = Put(sequence=entry.sequence, kind=kind, number=number, content=content)

    def _asks(self, entry: Entry) -> Iterator[tuple[Role, str, dict[str, Any]]]:
        """Whom the entry asks, for what, and what the question says. One that is asked again says what it said."""
        said = entry.statement
        asks = KINDS[said.kind].asks
        if asks is None:
            (role,) = entry.asks
            first = self.puts[role, Digest.parse(said.content["question"])]
            yield role, first.kind, first.content
            return
        for role, kind in KINDS[said.kind].asked(said.content).items():
            yield role, kind, said.content

    def served(self, role: Role, question: Digest) -> int:
        """How many entries a party gets with a question: up to the question."""
        return self.puts[role, question].sequence + 1
