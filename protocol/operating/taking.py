"""What becomes of one thing that a party posted: an answer, an objection or a wish.

The answer itself decides, by what it holds and who signed it; where it lay proves nothing. A receipt is written only
when the answer is on record, or can never be. If the disk fails, or the court must first decide whether the answer
still counts, it stays in the mailbox and is taken later.
"""

from dataclasses import dataclass

from ledger.errors import Fault, Refused
from ledger.records import Malformed
from ledger.roles import Role
from ledger.schema import MatterBusy
from protocol.errors import OutOfTurn, ProtocolError
from protocol.exchange import answer_file, objection_file
from protocol.exchange.errors import BadAnswer
from protocol.exchange.office import Office
from protocol.matter import naming
from protocol.matter.kinds import called
from protocol.operating.kept import Kept
from protocol.operating.wishes import Wanted, Wishes
from protocol.parties import objection, wish
from protocol.parties.errors import BadObjection
from protocol.parties.question import ASKED, COSIGN
from protocol.parties.reply import Reply
from protocol.parties.wish import BadWish

_OBJECTION = b'{"objection":'


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What is said of it in the receipt. What is accepted without an entry is kept, and does not go on record."""

    accepted: bool
    words: str  # what was accepted, or why it was refused; for the party
    entry: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """Takes what parties post, for one office."""

    office: Office
    kept: Kept
    wishes: Wishes

    def take(self, role: Role, data: bytes, now: int) -> Taken | None:
        """What becomes of it; None if that cannot be said yet."""
        if data.startswith(_OBJECTION):
            return self._objection(role, data)
        if data.startswith(wish.BEGINNING):
            return self._wish(role, data, now)
        try:
            answer = answer_file.decode(data, "what was posted")
        except BadAnswer as error:
            return refused(str(error))
        if answer.role is not role:
            return refused(f"this is {answer.role.called}'s answer, but it was posted as {role.called}'s")
        return self._answer(answer, data)

    def sentence(self, role: Role, taken: Taken) -> str:
        """What became of it, for Trent."""
        return f"{naming.introduced(self.office.state.opening.caption, role)}: {taken.words}"

    def _answer(self, answer: Reply, data: bytes) -> Taken | None:
        said = None if answer.answer is None else answer.answer.statement
        what = "cosignature" if said is None else called(said.kind) + (f" of round {said.round}" if said.round else "")
        if self._court_decides(answer):
            return None
        try:
            found = self.office.accept(answer)
        except MatterBusy:
            raise
        except (ProtocolError, Malformed, Fault) as error:
            if isinstance(error, OutOfTurn) and self._contradicts(answer):
                self.kept.keep("second-answers", answer.role, data)
            return refused(f"{what}: {error}")
        except Refused as error:
            if answer.cosignature is None:  # about this machine, not about the answer
                raise
            return refused(f"{what}: {error}")
        where = "" if found.entry is None else f", entry {found.entry} of the record"
        warning = f". Note: {found.warning}" if found.warning else ""
        return Taken(accepted=True, words=f"accepted: {what}{where}{warning}", entry=found.entry)

    def _court_decides(self, answer: Reply) -> bool:
        """Whether the court was asked to go on without this answer, and has not said yet."""
        silence = self.office.state.silence
        if silence is None or silence.absent is not answer.role:
            return False
        if answer.answer is None:
            return silence.awaited.kind == COSIGN
        return answer.answer.statement.answers == silence.awaited.question

    def _contradicts(self, answer: Reply) -> bool:
        said = None if answer.answer is None else answer.answer.statement
        if said is None or said.answers is None:
            return False
        known = self.office.state.answered.get((said.author, said.answers))
        return known is not None and known.statement != said

    def _objection(self, role: Role, data: bytes) -> Taken:
        state = self.office.state
        try:
            found = objection_file.decode(data, "what was posted")
            if (found.objection.matter, found.objection.role) != (state.number, role):
                raise BadObjection("it is an objection in another matter, or of another party")
            objection.check_signatures(found, state.keys[role], state.keys[Role.TRENT])
        except BadObjection as error:
            return refused(f"objection: {error}")
        self.kept.keep("objections", role, data)
        asked = found.asked
        where = f" in round {asked.round}" if asked.round else ""
        return Taken(
            accepted=True,
            words=f"objection to the question {ASKED.get(asked.kind, asked.kind)}{where}: Trent is shown it. It does "
            "not go on record. Give it to the court too, so that its author does not count as silent",
        )

    def _wish(self, role: Role, data: bytes, now: int) -> Taken:
        state = self.office.state
        try:
            found = wish.read(data, state.number, state.keys[Role.ALICE])
            if role is not Role.ALICE:
                raise BadWish("only Alice can wish for this")
        except BadWish as error:
            return refused(f"wish: {error}")
        what = "to be asked for late claims" if found.wanted == "late" else "to be asked what to claw back"
        current = state.current
        if state.concluded or (found.wanted == "late" and current is None):
            return refused(f"wish {what}: no round is open, so it is too late for it")
        number = 0 if current is None else current.number
        self.wishes.add(Wanted(by=role, number=found.number, round=number, since=now, what=found.wanted))
        return Taken(accepted=True, words=f"wish {what}: the question comes as soon as nobody else must answer")


def author(data: bytes) -> Role:
    """Whose answer or objection a file claims to be, if it did not come through the mailbox."""
    if data.startswith(_OBJECTION):
        return objection_file.decode(data, "the file").objection.role
    if data.startswith(wish.BEGINNING):
        return Role.ALICE
    return answer_file.decode(data, "the file").role


def refused(words: str) -> Taken:
    """What changes nothing, and why."""
    return Taken(accepted=False, words=f"refused: {words}")
