"""Trent's desk: the one way from a signed answer, or a move of his own, to the stored entry.

1. `fold.check`: it is its author's turn, and the entry keeps the rules of the review, which nothing checks again.
2. `Log.prepare`: the entry keeps the rules of the chain, which knows nothing about the review, and its signature and
   openings hold. Nothing is written yet.
3. What must not be lost is kept: before the entry is written, and only from a verified answer.
4. `Log.write`: the entry is on disk.
5. `fold.tell`: the state goes on, and the listener is told.

A stored matter is told from its first entry, so to go on after an interruption is to open the file again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, Self

from ledger import entries, keys
from ledger.attachments import CHUNK
from ledger.entries import Addition, SignedStatement
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.log import Log
from ledger.records import Malformed
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.matter import fold, kinds, turn
from protocol.matter.asking import Answer
from protocol.matter.fold import BrokenRule, Checked
from protocol.matter.kind import C, Entry, Kind
from protocol.matter.kinds import amend, claims, clawback, conflict, default, late, logged, rekey, stamped
from protocol.matter.kinds.amend import Amend
from protocol.matter.kinds.clawback import Clawback
from protocol.matter.kinds.default import Default
from protocol.matter.kinds.late import Late
from protocol.matter.kinds.logged import Logged
from protocol.matter.kinds.rekey import Rekey
from protocol.matter.kinds.stamped import Stamped
from protocol.matter.seal import Seal
from protocol.matter.state import Matter

Clock = Callable[[int], int]
"""The time of an entry in UTC seconds, given the number of entries before it."""

Listener = Callable[[Entry], None]


class Neutral(Protocol):
    """Who knows Trent's next move."""

    def move(self, matter: Matter, stored: Callable[[Digest], bytes]) -> Addition | None:
        """His next entry when it is his turn; None when there is none. `stored` reads attachments."""


def _nobody_listens(entry: Entry) -> None:
    """Nobody but the state is told."""


def _nothing_to_keep() -> None:
    """Nothing is kept besides the entry."""


class Desk:
    """One matter, open for writing by nobody else. Use it as a context manager."""

    log: Log

    def __init__(self, listener: Listener = _nobody_listens) -> None:
        self.state = Matter()
        self.listener = listener

    @classmethod
    def create(
        cls, path: Path, key: SigningKey, clock: Clock, opening: Addition, listener: Listener = _nobody_listens
    ) -> Self:
        """A new matter with its opening, which is checked before there is a file."""
        desk = cls(listener)
        checked = desk.checked(opening)
        desk.log = Log.create(path, key, desk._ticking(clock))
        try:
            desk._store(opening, checked)
        except BaseException:
            desk.log.close()
            raise
        return desk

    @classmethod
    def open(cls, path: Path, key: SigningKey, clock: Clock, listener: Listener = _nobody_listens) -> Self:
        """Go on with a matter, wherever it stopped. It has no entry if it stopped before its opening was stored."""
        desk = cls(listener)
        desk.read(path, key, clock)
        return desk

    def read(self, path: Path, key: SigningKey, clock: Clock) -> None:
        """Open the file, and tell the state all that it holds."""
        self.log = Log.open(path, key, self._ticking(clock), lambda opened: self._follow(Entry.stored(opened)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.log.close()

    def accept(self, answer: Answer, keep: Callable[[], object] = _nothing_to_keep) -> None:
        """Add a party's answer, or raise `OutOfTurn` with the reason and change nothing.

        `keep` is called once the answer is verified, and before it is stored.
        """
        said = answer.signed.statement
        if said.matter != self.state.number:
            raise OutOfTurn(f"the {said.kind} is for another matter, {said.matter.hex()}")
        if said.author is Role.TRENT:  # whose words nobody hands in
            raise OutOfTurn(turn.refusal(self.state, said))
        addition = kinds.by_party(answer)
        try:
            checked = self.checked(addition)
        except OutOfTurn:
            raise OutOfTurn(turn.refusal(self.state, said)) from None
        except BrokenRule as broken:
            raise OutOfTurn(f"{said.author.called}'s {said.kind}: {broken.reason}") from None
        self._store(addition, checked, keep, answer.signed)

    def keep_as_evidence(self, signed: SignedStatement, seal: Seal) -> None:
        """Put a second, different answer to a question on record under Trent's seal, which changes nothing else."""
        state = self.state
        if state.concluded:
            raise OutOfTurn(
                "the matter is closed, and nothing can be added to its record, not even evidence. Keep the file: "
                "together with a copy it proves that two answers were signed"
            )
        try:
            addition = conflict.evidence(state, signed, seal)
        except Malformed as error:
            raise OutOfTurn(str(error)) from None
        self._store(addition, self.checked(addition))

    def add(self, addition: Addition) -> None:
        """Add an entry of Trent's own if it may come next, or raise and change nothing."""
        self._store(addition, self.checked(addition))

    def advance(self, neutral: Neutral) -> bool:
        """Make Trent's next move, if it is his turn. False when there is nothing for him to add."""
        waits = self.state.awaits and self.state.to_repeat is None
        move = None if waits else neutral.move(self.state, self.attachment)
        if move is not None:
            self.add(move)
        return move is not None

    def default(self, absent: Role, served: Digest) -> None:
        """Ask the court to go on without this party's answer; `served` is the last entry that it was shown."""
        self._propose(default.KIND, Default(absent=absent, served=served))

    def rekey(self, role: Role, key: PublicKey) -> None:
        """Ask the court to grant a party a new key."""
        self._propose(rekey.KIND, Rekey(key=key, role=role))

    def amend(self, rounds: int | None, limit: str | None = None) -> int:
        """Ask all parties for another number of rounds; None means as many as have begun. Returns the number.

        A limit of None stays as it is.
        """
        self.check_free(amend.KIND)
        asked = max(1, self.state.begun) if rounds is None else rounds
        limit = self.state.terms.limit_in_force if limit is None else limit
        self._propose(amend.KIND, Amend(limit=limit, rounds=asked))
        return asked

    def late(self) -> None:
        """Ask Alice for claims of privilege after her report."""
        self._propose(late.KIND, Late(), len(self.state.rounds))

    def clawback(self) -> None:
        """Ask Alice what she wants back of what Bob was shown."""
        self.check_free(clawback.KIND)
        if not self.state.shown_to_bob():
            raise OutOfTurn("Bob was shown nothing that Alice has not asked back before, so there is nothing to ask")
        self._propose(clawback.KIND, Clawback())

    def check_between(self) -> None:
        """Raise if no stamp or proof can go on record now: it must be of the record as it stands, between rounds."""
        if self.state.concluded:
            raise OutOfTurn(
                "the claims are made, and no stamp or proof goes on record after them. Keep the file with the copies. "
                "`tallystick-verify stamp` checks a stamp of the checkpoint, and `tallystick log add` enters the end"
            )
        if not self.state.between:
            raise OutOfTurn(
                "a round is open, or others must answer first. Stamps and proofs go on record between rounds, directly "
                "after what they are of: get a new one when the round is closed, before `tallystick matter next`"
            )

    def stamp(self, token: Digest) -> None:
        """Put the hash of a time stamp of the record as it stands on record."""
        self._propose(stamped.KIND, Stamped(root=self.state.tree.root(), token=token))

    def prove(self, proof: str) -> None:
        """Put a proof on record that the operator's log has the record as it stands."""
        self._propose(logged.KIND, Logged(proof=proof, root=self.state.tree.root()))

    def conclude(self) -> None:
        """State what the matter can claim."""
        self._propose(claims.KIND, claims.claims(self.state))

    def attachment(self, digest: Digest) -> bytes:
        """A stored attachment of the matter."""
        return b"".join(self.log.store.attachment(digest, CHUNK))

    def checked(self, addition: Addition) -> Checked:
        """The entry to add, if the rules allow it next."""
        return fold.check(self.state, Entry.added(addition, self.state.size))

    def check_free(self, kind: Kind[Any]) -> None:
        """Raise, with what to do first, if this may not come while others must answer."""
        if not turn.is_free(self.state, kind):
            raise OutOfTurn(
                f"others must answer first: {turn.waiting(self.state)}. Give their answers to `tallystick matter "
                "accept`, then run this command again, before `tallystick matter next`"
            )

    def _propose(self, kind: Kind[C], content: C, number: int = 0) -> None:
        """Add an entry that Trent may choose to make."""
        self.check_free(kind)
        try:
            self.add(kind.by_trent(self.state.number, content, number))
        except Malformed as error:
            raise OutOfTurn(str(error)) from None

    def _store(
        self,
        addition: Addition,
        checked: Checked,
        keep: Callable[[], object] = _nothing_to_keep,
        signed: SignedStatement | None = None,
    ) -> None:
        """Store an entry that the rules allow; `signed` is the party's statement in it."""
        try:
            prepared = self.log.prepare([addition])
        except LedgerError as error:
            if signed is None:
                raise
            said = signed.statement
            raise OutOfTurn(self._unsigned(signed) or f"{said.author.called}'s {said.kind}: {error}") from None
        keep()
        (digest,) = self.log.write(prepared)
        self.listener(fold.tell(self.state, checked, digest))

    def _follow(self, entry: Entry) -> None:
        fold.follow(self.state, entry)
        self.listener(entry)

    def _unsigned(self, signed: SignedStatement) -> str:
        """Why the log refused a statement, if it was because of its signature."""
        said, message = signed.statement, entries.encode_statement(signed.statement)

        def signed_by(key: PublicKey) -> bool:
            return keys.holds(entries.statement_signed(key, message, signed.signature))

        if signed_by(self.state.keys[said.author]):
            return ""
        replaced = [
            f": it is signed with a former key, which the court replaced in entry {entry}. The new key must sign"
            for key, entry in self.state.former_keys.items()
            if signed_by(key)
        ]
        return (
            f"the {kinds.called(said.kind)} is not signed by the key that {said.author.called} has in this matter"
            f"{replaced[0] if replaced else ''}"
        )

    def _ticking(self, clock: Clock) -> Callable[[], int]:
        return lambda: clock(self.state.size)
