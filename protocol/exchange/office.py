"""Trent's office: a real matter's file with his key, for all that needs no documents.

It accepts answers, asks the court for orders and everybody for amendments, and closes the matter. All is checked before
anything is written, and an entry is on disk before anybody is told of it.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ledger import checkpoints, entries, notes
from ledger.entries import NO_ENTRY, SignedStatement
from ledger.errors import Refused
from ledger.keys import PublicKey, SigningKey
from ledger.log import Addition, Log
from ledger.notes import BadNote
from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.exchange import asking
from protocol.exchange.asking import Task
from protocol.exchange.keeping import Keep
from protocol.exchange.register import Register
from protocol.matter import additions, answers, proposals, summary, turns
from protocol.matter.naming import called
from protocol.matter.state import MatterState, Told
from protocol.matter.statements import Kind, Opening
from protocol.parties.question import COSIGN
from protocol.parties.reply import Reply
from protocol.parties.secrets import SealedRoot


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of an answer."""

    role: Role
    what: str
    round: int
    entry: int | None  # where it stands in the record; a cosignature stands beside it
    new: bool
    warning: str = ""


class NeverOpened(Refused):
    """A file that was made and has no opening yet."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} has no entries: opening it was interrupted; give `tallystick matter open` again")


def clock() -> int:
    """Trent's clock in UTC seconds; it decides nothing."""
    return int(time.time())


class Office:
    """One matter, open for writing; nobody else writes to it meanwhile."""

    def __init__(self, path: Path, key: SigningKey, key_file: Path) -> None:
        self.state = MatterState()
        self.register = Register()
        self.log = Log.open(path, key, clock, lambda opened: self._tell(summary.told(opened)))
        try:
            if not self.state.size:
                raise NeverOpened(path)
            check_real(path, self.state.opening)
            self.keep = Keep.beside(key_file, self.state.matter)
            self.keep.check(path, self.register.hashes)
            self.keep.signed(self.register.hashes)
        except BaseException:
            self.log.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.log.close()

    def tasks(self) -> list[Task]:
        """What is asked of whom now."""
        return asking.tasks(self.state, self.register, self.log.history.head, cosigned(self.log))

    def accept(self, answer: Reply) -> Receipt:
        """Add an answer, or raise with the reason and change nothing."""
        if answer.matter != self.state.matter:
            raise OutOfTurn(f"the answer is for another matter, {answer.matter.hex()}")
        if answer.answer is None:
            return self._cosign(answer.role, answer.cosignature or "")
        if self._on_record(answer.answer):
            warning = ""
            if self._is_of_use(answer.answer):
                warning = self._keep_deposit(answer, answer.answer)  # which may have been lost
            return self._receipt(answer.answer, new=False, warning=warning)
        addition = answers.accept(self.state, answer.answer, answer.openings)
        self._keep_deposit(answer, answer.answer)
        self._append(addition)
        return self._receipt(answer.answer, new=True)

    def keep_as_evidence(self, answer: Reply) -> Receipt:
        """Put a second, different answer to a question on record, which changes nothing else."""
        if answer.answer is None:
            raise OutOfTurn("a cosignature is no answer to a question: there is nothing to keep as evidence")
        self._append(answers.conflict(self.state, answer.answer))
        said = answer.answer.statement
        return Receipt(
            role=said.author, what=f"second {called(said.kind)}", round=said.round, entry=self.state.size - 1, new=True
        )

    def default(self, absent: Role) -> None:
        """Ask the court to go on without a party's answer."""
        awaited = self.state.awaits.get(absent)
        if self.state.silence is not None and self.state.silence.absent is absent:
            raise OutOfTurn(f"the court has been asked about {absent.called}'s silence already; its order comes first")
        if awaited is None:
            raise OutOfTurn(f"{absent.called} is not in default: nothing is asked of {absent.called} now")
        self._check_free(Kind.DEFAULT)
        served = self.register.hashes[self.register.served(absent, awaited.question) - 1]
        self._append(proposals.default(self.state, absent, served))

    def rekey(self, role: Role, key: PublicKey) -> None:
        """Ask the court for a new key of a party's."""
        self._check_free(Kind.REKEY)
        self._append(proposals.rekey(self.state, role, key))

    def amend(self, rounds: int | None) -> int:
        """Ask all parties for another number of rounds; None: as many as have begun. Returns how many."""
        self._check_free(Kind.AMEND)
        asked = max(1, self.state.begun) if rounds is None else rounds
        self._append(proposals.amend(self.state, asked))
        return asked

    def late(self) -> None:
        """Ask Alice for claims of privilege after her report."""
        self._check_free(Kind.LATE)
        self._append(proposals.late(self.state))

    def close(self) -> None:
        """State the claims, and the checkpoint that all are to sign; what was done before is not done again."""
        if self.state.claims is None:
            if not asking.held(self.state):
                closed, agreed = len(self.state.closed), self.state.terms.rounds
                first = "" if self.state.awaits else ": give `tallystick matter next` first"
                raise OutOfTurn(
                    f"the matter cannot be closed yet: {closed} of {agreed} rounds are closed, and "
                    f"{turns.waiting(self.state)}{first}. To stop early, all must agree: tallystick matter amend --stop"
                )
            self._append(proposals.close(self.state))
        self.log.checkpoint()

    def _check_free(self, kind: Kind) -> None:
        """Raise, with what to do first, if this may not come while others must answer."""
        if turns.is_free(self.state, kind):
            return
        raise OutOfTurn(
            f"this comes while others must answer: {turns.waiting(self.state)}. Give that to `tallystick matter "
            "accept` first, and then this command again, before `next`"
        )

    def _append(self, addition: Addition) -> None:
        sequence = self.state.size
        self.state.check(additions.told(addition, sequence, NO_ENTRY))
        (digest,) = self.log.append([addition])
        self._tell(additions.told(addition, sequence, digest))
        self.keep.signed(self.register.hashes)

    def _tell(self, told: Told) -> None:
        self.state.tell(told)
        self.register.tell(told)

    def _on_record(self, signed: SignedStatement) -> bool:
        """Whether this very answer is on record; raises if another one to its question is."""
        said = signed.statement
        known = None if said.answers is None else self.state.answered.get((said.author, said.answers))
        if known is not None and known != entries.hash_statement(entries.encode_statement(said)):
            evidence = "To have this one on record as evidence that two were signed, give --as-evidence"
            kept = "The matter is closed: keep the file, which beside a copy proves that two were signed"
            raise OutOfTurn(
                f"{said.author.called} has answered this question otherwise, and the first answer stands. "
                f"{evidence if self.state.claims is None else kept}"
            )
        return known is not None

    def _is_of_use(self, signed: SignedStatement) -> bool:
        """Whether the deposit of an answer on record is still the one to pass on: later keys need another."""
        said = signed.statement
        if said.kind != Kind.REKEYED:
            return True
        return bool(said.content["key"] == self.state.keys[Role(said.content["role"])].hex())

    def _keep_deposit(self, answer: Reply, signed: SignedStatement) -> str:
        """Keep what is sealed for the court, or by it for a new key, until it can be passed on; a warning, if any.

        A deposit is sealed, and not signed: Trent cannot tell which of two is the right one.
        """
        said, before = signed.statement, None
        if said.kind == Kind.AGREED:
            before = self.keep.deposits().get(said.author)
            self.keep.deposit(said.author, _sealed(answer))
        elif said.kind == Kind.REKEYED and said.content["granted"]:
            role = Role(said.content["role"])
            before = self.keep.returned().get(role)
            self.keep.bring_back(role, _sealed(answer))
        if before in (None, answer.deposit):
            return ""
        return (
            "the sealed deposit in it is another one than was kept, and takes its place; if its reader finds it wrong, "
            "accept the earlier file again"
        )

    def _receipt(self, signed: SignedStatement, *, new: bool, warning: str = "") -> Receipt:
        said = signed.statement
        entry = self.register.answered[said.author, entries.hash_statement(entries.encode_statement(said))]
        return Receipt(role=said.author, what=said.kind, round=said.round, entry=entry, new=new, warning=warning)

    def _cosign(self, role: Role, line: str) -> Receipt:
        """Keep a cosignature of the closed matter."""
        size = self.state.size
        mend(self.state, self.log)
        kept = self.log.store.notes().get(size)
        if kept is None:
            raise OutOfTurn("there is no checkpoint to cosign: the matter is not closed, or has gone on since")
        try:
            (parsed,) = notes.parse(f"{kept.text}\n{line}").signatures
        except (BadNote, ValueError):
            raise Refused("the cosignature is damaged; ask the party to send the file again") from None
        new = parsed not in kept.signatures
        if new:
            self.log.cosign(size, role, parsed)
        return Receipt(role=role, what=COSIGN, round=0, entry=None, new=new)


def mend(state: MatterState, log: Log) -> None:
    """A closed matter has its checkpoint, also where the close was interrupted before it was written."""
    if state.claims is not None:
        log.checkpoint()


def cosigned(log: Log) -> list[Role]:
    """Who has signed the checkpoint of all that there is."""
    note = log.store.notes().get(log.history.size)
    return [] if note is None else checkpoints.signers(note, log.history.keys)


def check_real(path: Path, opening: Opening) -> None:
    """Raise unless this is a matter between real parties."""
    if opening.simulation is not None:
        raise Refused(f"{path} is a simulation, in which one program plays all parties: there is nobody to ask")


def _sealed(answer: Reply) -> SealedRoot:
    if answer.deposit is None:
        raise OutOfTurn(
            f"{answer.role.called}'s answer lacks the sealed deposit of the coin chain; it must be made again"
        )
    return answer.deposit
