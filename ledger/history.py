"""The rules of a chain, as a state machine without I/O.

`History` takes entries in order, and either accepts each or says why not:

1. Trent's signature is valid over the body's bytes, else the entry is damaged.
2. The entry is of this matter and next in sequence, else the file is damaged (anyone can drop or swap lines).
   From here on Trent's own valid signature covers every broken rule, so it is his fault.
3. It names the hash of the entry before it: two entries by Trent that do not fit are two histories.
4. The first entry, and no other, opens the matter and enrols four keys. If one of them is unusable, it cannot be used
   to blame anybody, and the entry is damaged; if two are the same, that is Trent's fault.
5. The statement is of this matter. If Trent speaks, it answers nothing and carries no second signature.
6. If a party speaks, its own signature is valid, and it answers a question of this round that it was asked and has
   not answered yet.
7. Sets are written in order: who is asked, who may open a field, what is replaced, what is released. No commitment
   stands twice in a statement, which would show that two sealed values are equal. A release looks back.
8. A `rekeyed` that the court grants names Alice or Bob and an acceptable key that none of the four has or has had. It
   is that party's key from the next entry on. What was signed with a key remains its owner's word, so a key that was
   given up, perhaps because it was stolen, never comes back. What the party was asked before is void: a new key
   answers only questions that were put to it, in a history that shows the change.

The state is the head, the keys, the open questions and the tree's frontier: it does not grow with the chain.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Self

from ledger import entries, merkle, records
from ledger.checkpoints import Checkpoint
from ledger.entries import (
    FORMAT,
    NO_ENTRY,
    OPEN,
    REKEYED,
    Body,
    Enrolment,
    NewKey,
    Statement,
    WireEntry,
)
from ledger.errors import Damaged, Fault, UnknownFormat
from ledger.hashing import Digest
from ledger.keys import PublicKey, Signed, holds
from ledger.records import Malformed
from ledger.roles import Audience, Role

_place = attrgetter("audience", "entry", "field")


class _Broken(Exception):
    """A rule is broken, under Trent's signature."""


@dataclass(slots=True)
class History:
    """The state of a chain after the entries that it has taken."""

    matter: Digest = NO_ENTRY
    head: Digest = NO_ENTRY
    keys: dict[Role, PublicKey] = field(default_factory=dict)  # those in force; replaced as a whole, never changed
    former: tuple[tuple[int, dict[Role, PublicKey]], ...] = ()  # up to which size other keys were in force
    questions: dict[tuple[Role, Digest], int] = field(default_factory=dict)  # who was asked by which entry: the round
    tree: merkle.Frontier = field(default_factory=merkle.Frontier)
    holds: Callable[[Signed], bool] = holds  # or a faster function with the same answer

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.tree.size

    def copy(self) -> Self:
        """An independent history at the same place."""
        return replace(self, questions=self.questions.copy(), tree=self.tree.copy())

    def admit(self, wire: WireEntry) -> Digest:
        """Check one signed entry by all rules, go on, and return its hash."""
        enrolment = self.keys or enrolled(wire.entry.body.statement)
        if not self.holds(entries.entry_signed(enrolment[Role.TRENT], wire.body_bytes, wire.entry.signature)):
            raise Damaged(f"entry {wire.entry.body.sequence} does not carry Trent's signature")
        return self.extend(wire.entry.body, wire.body_bytes)

    def extend(self, body: Body, body_bytes: bytes) -> Digest:
        """Rules 2 to 8, then go on; the caller vouches for Trent's signature. Changes nothing if it raises."""
        self._check_place(body)
        enrolment = self.keys or enrolled(body.statement)
        try:
            self._check_statement(body, body_bytes, enrolment)
            _check_sets(body)
            renewed = self._renewed(body.statement, enrolment)
        except _Broken as broken:
            raise Fault(Role.TRENT, f"entry {body.sequence}: {broken}", entry=body.sequence) from None
        digest = entries.hash_entry(body_bytes)
        if body.statement.answers is not None:
            del self.questions[body.statement.author, body.statement.answers]
        if renewed is not enrolment:
            self.former += ((self.size, enrolment),)
            asked = self.questions.items()
            self.questions = {key: number for key, number in asked if renewed[key[0]] == enrolment[key[0]]}
        self.matter, self.keys, self.head = body.matter, renewed, digest
        for role in body.asks:
            self.questions[role, digest] = body.statement.round
        self.tree.add(digest)
        return digest

    def keys_at(self, size: int) -> dict[Role, PublicKey]:
        """The keys that were in force after this many entries."""
        return next((keys for last, keys in self.former if size <= last), self.keys)

    def state(self) -> Checkpoint:
        """What a checkpoint states at this place."""
        return Checkpoint(matter=self.matter, size=self.size, root=self.tree.root(), head=self.head)

    def _check_place(self, body: Body) -> None:
        if body.sequence != self.size:
            raise Damaged(f"entry {body.sequence} is in the place of entry {self.size}")
        if self.size and body.matter != self.matter:
            raise Damaged(f"entry {body.sequence} is of another matter, {body.matter.hex()}")
        if body.previous != self.head:
            raise Fault(
                Role.TRENT,
                f"entry {body.sequence}: Trent signed it as the successor of {body.previous.hex()}, "
                f"but the entry before it is {self.head.hex()}, which he signed too: two histories",
                entry=body.sequence,
            )

    def _check_statement(self, body: Body, body_bytes: bytes, enrolment: dict[Role, PublicKey]) -> None:
        said = body.statement
        if said.matter != body.matter:
            raise _Broken("the statement was made for another matter")
        if (said.kind == OPEN) != (body.sequence == 0):
            raise _Broken("a matter is opened by its first entry, and only there")
        if not self.size and len(set(enrolment.values())) != len(Role):
            raise _Broken("the opening must enrol four different keys")
        if said.author is not Role.TRENT:
            self._check_answer(body, body_bytes, enrolment[said.author])
        elif said.answers or said.replaces or body.signature:
            raise _Broken("a statement by Trent must answer nobody and carry no second signature")

    def _check_answer(self, body: Body, body_bytes: bytes, key: PublicKey) -> None:
        said, signature = body.statement, body.signature
        statement_bytes = entries.statement_within(body_bytes, body)
        if not (signature and self.holds(entries.statement_signed(key, statement_bytes, signature))):
            raise _Broken(f"the statement is not signed by {said.author.called}'s key")
        if said.answers is None or (said.author, said.answers) not in self.questions:
            raise _Broken(f"{said.author.called} was not asked this, has answered already, or got a new key since")
        if said.round != self.questions[said.author, said.answers]:
            raise _Broken(f"{said.author.called} answers for another round than the question's")

    def _renewed(self, said: Statement, keys: dict[Role, PublicKey]) -> dict[Role, PublicKey]:
        """The keys that are in force after a statement."""
        if said.kind != REKEYED or said.author is not Role.COURT or said.content.get("granted") is not True:
            return keys
        try:
            new = records.from_value(NewKey, said.content)
        except Malformed as error:
            raise _Broken(f"the court granted an invalid new key ({error})") from None
        if new.role not in (Role.ALICE, Role.BOB):
            raise _Broken(
                f"the court granted a new key to {new.role.called}; only Alice's and Bob's keys are ever replaced"
            )
        if any(new.key in each.values() for each in (keys, *(before for _, before in self.former))):
            raise _Broken(f"the court granted {new.role.called} a key that one of the four parties has or had")
        return keys | {new.role: new.key}


def enrolled(opening: Statement) -> dict[Role, PublicKey]:
    """The keys that a matter's first statement enrols. Nobody has signed anything yet, so nobody is blamed."""
    try:
        enrolment = records.from_value(Enrolment, opening.content)
    except Malformed as error:
        raise Damaged(f"the first entry does not open a matter: {error}") from None
    if enrolment.format != FORMAT:
        raise UnknownFormat("matter", enrolment.format, FORMAT)
    if enrolment.keys.keys() != set(Role):
        raise Damaged("the first entry does not enrol a key for each of Alice, Bob, the court and Trent")
    return enrolment.keys


def _check_sets(body: Body) -> None:
    if not entries.ascending(body.asks) or Role.TRENT in body.asks:
        raise _Broken("`asks` must name parties other than Trent, in order")
    try:
        entries.check_sets(body.statement)
    except Malformed as error:
        raise _Broken(str(error)) from None
    if not entries.ascending(tuple(map(_place, body.releases))):
        raise _Broken("releases must be in order of audience, entry and field")
    for release in body.releases:
        if release.entry >= body.sequence or release.audience is Audience.PUBLIC:
            raise _Broken("a release must name an earlier entry and an audience other than the public")
        if release.indices is not None and not (release.indices and entries.ascending(release.indices)):
            raise _Broken("the indices of a release must be in order")
