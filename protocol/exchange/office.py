"""Trent's office: a real matter's file and his key, for everything that needs no documents.

It accepts answers, asks the court for orders and everybody for amendments, and closes the matter. Everything is checked
before anything is written, and an entry is on disk before anybody is told of it.
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ledger import checkpoints, entries, notes
from ledger.entries import SignedStatement
from ledger.errors import Refused
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.notes import BadNote
from ledger.roles import Role, listed
from ledger.schema import MatterBusy
from protocol.errors import OutOfTurn
from protocol.exchange import at_work, tasks
from protocol.exchange.keeping import Keep
from protocol.exchange.register import Register
from protocol.exchange.tasks import Task
from protocol.matter import course, turn
from protocol.matter.asking import Answer
from protocol.matter.desk import Desk
from protocol.matter.kind import Entry
from protocol.matter.kinds import called, conflict
from protocol.matter.seal import Seal
from protocol.matter.state import Matter
from protocol.parties import memory, secrets
from protocol.parties.question import COSIGN, proposed
from protocol.parties.reply import Reply
from protocol.parties.secrets import SealedRoot


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of an answer."""

    role: Role
    what: str
    round: int
    entry: int | None  # where it stands in the record; None for a cosignature, which is not an entry
    new: bool
    warning: str = ""


class NeverOpened(Refused):
    """A matter's file that has no opening entry yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has no entries: opening it was interrupted; run `tallystick matter open` again")


def clock() -> int:
    """Trent's clock in UTC seconds. Nothing depends on it."""
    return int(time.time())


class Office:
    """The desk of a real matter, with what Trent keeps beside his key, and what was asked of whom.

    Two copies of one matter's file are never at work at once under one key: each would sign a history of its own.
    """

    def __init__(self, path: Path, key: SigningKey, key_file: Path) -> None:
        self.key = key
        self._path = path
        self.register = Register()
        self.desk = Desk(self._listen)
        try:
            self.desk.read(path, key, lambda _: clock())
        except MatterBusy:
            at_work.check(path)
            raise
        with ExitStack() as closing:
            closing.callback(self.log.close)
            if not self.state.size:
                raise NeverOpened(path)
            closing.enter_context(memory.locked(key_file, self.state.number))
            self.keep = Keep.beside(key_file, self.state.number)
            self.keep.check(path, self.register.hashes)
            self.keep.signed(self.register.hashes)
            self._closing = closing.pop_all()
        self.desk.listener = self._note

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    @property
    def state(self) -> Matter:
        """Where the matter stands."""
        return self.desk.state

    @property
    def log(self) -> Log:
        """The matter's file."""
        return self.desk.log

    def tasks(self) -> list[Task]:
        """What is asked of whom now."""
        return tasks.tasks(self.state, self.register, self.log.history.head, self.cosigned())

    def accept(self, answer: Reply) -> Receipt:
        """Add an answer, or raise with the reason and change nothing."""
        if answer.matter != self.state.number:
            raise OutOfTurn(f"the answer is for another matter, {answer.matter.hex()}")
        signed = answer.answer
        if signed is None:
            return self._cosign(answer.role, answer.cosignature or "")
        if self._on_record(signed):
            warning = (
                self._keep_deposit(answer, signed) if self._is_of_use(signed) else ""
            )  # the deposit may have been lost
            return self._receipt(signed, new=False, warning=warning)
        self.desk.accept(
            Answer(signed=signed, openings=tuple(answer.openings)), keep=lambda: self._keep_deposit(answer, signed)
        )
        return self._receipt(signed, new=True)

    def keep_as_evidence(self, answer: Reply) -> Receipt:
        """Put a second, different answer to a question on record, which changes nothing else."""
        if answer.answer is None:
            raise OutOfTurn("a cosignature does not answer a question: there is nothing to keep as evidence")
        seal = Seal(secret=secrets.seal(self.key, self.state.number), matter=self.state.number)
        self.desk.keep_as_evidence(answer.answer, seal)
        said = answer.answer.statement
        readers = listed(tuple(Role(each) for each in conflict.audiences(said)))
        return Receipt(
            role=said.author,
            what=f"second {called(said.kind)}",
            round=said.round,
            entry=self.state.size - 1,
            new=True,
            warning=f"the copies of {readers} show it. Other copies show only that there is a second answer",
        )

    def default(self, absent: Role) -> None:
        """Ask the court to go on without a party's answer."""
        if self.state.silence is not None and self.state.silence.absent is absent:
            raise OutOfTurn(f"the court has been asked about {absent.called}'s silence already; its order comes first")
        awaited, state = self.state.awaits.get(absent), self.state
        if awaited is not None:
            self.desk.default(absent, self.register.hashes[self.register.served(absent, awaited.question) - 1])
        elif not state.concluded:
            raise OutOfTurn(f"{absent.called} is not in default: nothing is asked of {absent.called} now")
        elif absent in self.cosigned():
            raise OutOfTurn(f"{absent.called} has signed the end of the record")
        else:
            self.desk.default(absent, self.register.hashes[-1])

    def amend(self, rounds: int | None, *, stop: bool, limit: str | None) -> str:
        """Ask all parties for another number of rounds, or for another limit. Returns what would change, in words."""
        state = self.state
        self.desk.amend(None if stop else state.terms.rounds if rounds is None else rounds, limit)
        if state.amendment is None:
            raise RuntimeError("nothing was proposed")
        return proposed({"rounds": state.amendment.rounds, "limit": state.amendment.limit}, state.terms)

    def close(self) -> None:
        """State the claims, and write the checkpoint that all are to sign. Steps already done are not repeated."""
        if not self.state.concluded:
            if not course.held(self.state):
                closed, agreed = len(self.state.batches), self.state.terms.rounds
                first = "" if self.state.awaits else ": run `tallystick matter next` first"
                raise OutOfTurn(
                    f"the matter cannot be closed yet: {closed} of {agreed} batches are closed, and "
                    f"{turn.waiting(self.state)}{first}. To stop early, all must agree: tallystick matter amend --stop"
                )
            if missing := turn.unseen(self.state):
                raise OutOfTurn(
                    f"the matter cannot be closed yet: {missing}. See `tallystick stamp` and `tallystick log`"
                )
            self.desk.conclude()
        self.mend()

    def mend(self) -> None:
        """Write the checkpoint of a closed matter's last entry, even if the close was interrupted before it."""
        if self.state.concluded and not self.state.awaits:
            self.log.checkpoint()

    def _listen(self, entry: Entry) -> None:
        """Take note of an entry of the file. A simulation is refused at its first entry, whatever the key."""
        self.register.tell(entry)
        if self.state.opening.simulation is not None:
            raise Refused(
                f"{self._path} is a simulation, in which one program plays all parties: there is nobody to ask"
            )

    def _note(self, entry: Entry) -> None:
        """Take note of a new entry, and keep how far Trent has signed."""
        self.register.tell(entry)
        self.keep.signed(self.register.hashes)

    def cosigned(self) -> list[Role]:
        """Who has signed the checkpoint of the whole record."""
        note = self.log.store.notes().get(self.log.history.size)
        return [] if note is None else checkpoints.signers(note, self.log.history.keys)

    def _on_record(self, signed: SignedStatement) -> bool:
        """Whether this same answer is on record; raises if a different answer to its question is."""
        said = signed.statement
        known = None if said.answers is None else self.state.answered.get((said.author, said.answers))
        if known is not None and known.statement != said:
            evidence = "To put this one on record as evidence that two were signed, add --as-evidence"
            kept = "The matter is closed: keep the file, which together with a copy proves that two were signed"
            raise OutOfTurn(
                f"{said.author.called} gave a different answer to this question before, and the first answer stands. "
                f"{evidence if not self.state.concluded else kept}"
            )
        return known is not None

    def _is_of_use(self, signed: SignedStatement) -> bool:
        """Whether the deposit of an answer on record is still the one to pass on: a later key needs another."""
        said = signed.statement
        if said.kind != "rekeyed":
            return True
        return bool(said.content["key"] == self.state.keys[Role(said.content["role"])].hex())

    def _keep_deposit(self, answer: Reply, signed: SignedStatement) -> str:
        """Keep what is sealed for the court, or by it for a new key, until it can be passed on. May return a warning.

        A deposit is sealed but not signed, so Trent cannot tell which of two is the right one.
        """
        said, before = signed.statement, None
        if said.kind == "agreed":
            before = self.keep.deposits().get(said.author)
            self.keep.deposit(said.author, _sealed(answer))
        elif said.kind == "rekeyed" and said.content["granted"]:
            role = Role(said.content["role"])
            before = self.keep.returned().get(role)
            self.keep.bring_back(role, _sealed(answer))
        if before in (None, answer.deposit):
            return ""
        return (
            "its sealed deposit differs from the one already kept, and replaces it; if its reader finds it wrong, "
            "accept the earlier file again"
        )

    def _receipt(self, signed: SignedStatement, *, new: bool, warning: str = "") -> Receipt:
        said = signed.statement
        entry = self.register.answered[said.author, entries.hash_statement(entries.encode_statement(said))]
        return Receipt(role=said.author, what=said.kind, round=said.round, entry=entry, new=new, warning=warning)

    def _cosign(self, role: Role, line: str) -> Receipt:
        """Keep a cosignature of the closed matter."""
        size = self.state.size
        self.mend()
        kept = self.log.store.notes().get(size)
        if kept is None:
            raise OutOfTurn(
                "there is no checkpoint to cosign: the matter is not closed, or has entries after its checkpoint"
            )
        try:
            (parsed,) = notes.parse(f"{kept.text}\n{line}").signatures
        except (BadNote, ValueError):
            raise Refused("the cosignature is damaged; ask the party to send the file again") from None
        new = parsed not in kept.signatures
        if new:
            self.log.cosign(size, role, parsed)
        return Receipt(role=role, what=COSIGN, round=0, entry=None, new=new)


def _sealed(answer: Reply) -> SealedRoot:
    if answer.deposit is None:
        raise OutOfTurn(
            f"{answer.role.called}'s answer lacks the sealed deposit of the coin chain; ask the party for a new answer"
        )
    return answer.deposit
