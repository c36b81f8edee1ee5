"""Trent's hand in the mailbox: he puts questions, takes answers, and leaves receipts. Only this side has his key.

Everything can be done a second time, after a crash at any point: what is there already is left as it is.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ledger import reading
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.roles import Role
from protocol.box import layout, notices, sealing
from protocol.box.layout import Mailbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """An answer in the mailbox, as its party sealed it."""

    role: Role
    answer: Digest  # the SHA-256 of the sealed bytes, which names it


@dataclass(frozen=True, slots=True, kw_only=True)
class Clerk:
    """The mailbox of one matter, with Trent's key."""

    box: Mailbox
    key: SigningKey
    matter: Digest

    def enrol(self, in_force: Mapping[Role, PublicKey], size: int) -> None:
        """Say whose keys are in force, in a matter of `size` entries; at the start, and whenever a key changes."""
        self.box.tidy(self.matter)
        self.box.list_parties(notices.parties(self.key, self.matter, in_force, size))

    def put(self, role: Role, task: str, entry: Digest, package: Path | bytes, reader: PublicKey) -> str:
        """Put a question for a party, unless it is there; its name. `task` is `Task.name`, `entry` what asks."""
        name = layout.question_name(task, entry)
        with io.BytesIO(package) if isinstance(package, bytes) else reading.opened(package) as source:
            self.box.put_question(self.matter, role, name, source, reader)
        return name

    def waiting(self, role: Role) -> list[str]:
        """The names of the questions that a party finds."""
        return [each.name for each in self.box.questions(self.matter, role)]

    def withdraw(self, role: Role, name: str) -> None:
        """Take away a question that is answered, void or asked of a key that was replaced."""
        self.box.withdraw(self.matter, role, name)

    def arrived(self) -> list[Arrived]:
        """The answers without a receipt, the oldest of each party first."""
        return [
            Arrived(role=role, answer=answer)
            for role in layout.PARTIES
            for answer in self.box.answers(self.matter, role)
        ]

    def read(self, arrived: Arrived) -> bytes:
        """What a party has sent, unsealed.

        Refused with `DamagedAnswer`: then it is dropped. Refused with `BadSeal` or another `BadBox`: then it gets a
        receipt that says so.
        """
        return sealing.unsealed(self.box.answer(self.matter, arrived.role, arrived.answer), self.key)

    def accept(self, arrived: Arrived, words: str, *, entry: int | None = None) -> None:
        """Leave a receipt for an answer that is on record or kept; the sealed bytes go."""
        self._receipt(arrived, words, accepted=True, entry=entry)

    def refuse(self, arrived: Arrived, reason: str) -> None:
        """Leave a receipt for an answer that is refused; the sealed bytes go. The party may send another."""
        self._receipt(arrived, reason, accepted=False, entry=None)

    def drop(self, arrived: Arrived) -> None:
        """Remove an answer that was damaged in the mailbox, so that its party can send the same bytes again."""
        self.box.drop(self.matter, arrived.role, arrived.answer)

    def _receipt(self, arrived: Arrived, words: str, *, accepted: bool, entry: int | None) -> None:
        self.box.put_receipt(
            notices.receipt(
                self.key, self.matter, arrived.role, arrived.answer, accepted=accepted, words=words, entry=entry
            )
        )
