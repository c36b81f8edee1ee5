"""Whose turn it is: the questions that are open in a matter."""

from dataclasses import dataclass

from verifier.checks import Role
from verifier.record.copy import Told
from verifier.replay.forms import FORMS, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """What a party must say next, and to which entry."""

    kind: Kind
    question: bytes
    entry: int  # the question's number
    round: int


class Turns:
    """The questions that are open in a matter."""

    def __init__(self) -> None:
        self.awaited: dict[Role, Awaited] = {}
        self.suspended: tuple[Role, Awaited] | None = None  # while the court is asked about somebody's silence
        self.signed = False  # whether all have signed the opening
        self.over = False  # once the claims are made
        self._hashes: list[bytes] = []  # of all entries

    def go_on(self, told: Told, kind: Kind) -> None:
        """The entry is accepted: its author's question is answered, and it asks its own."""
        said = told.entry.said
        self.awaited.pop(said.author, None)
        for role, asked in FORMS[kind].asks.items():
            self.awaited[role] = Awaited(
                kind=asked, question=told.hash, entry=told.entry.body.sequence, round=said.round
            )
        self.signed = self.signed or not self.awaited
        self.over = kind is Kind.CLAIMS

    def note(self, told: Told) -> None:
        """Remember an entry, which may be served on somebody."""
        self._hashes.append(told.hash)

    def since(self, awaited: Awaited) -> list[bytes]:
        """The question and all entries after it."""
        return self._hashes[awaited.entry :]

    def suspend(self, role: Role) -> None:
        """Nobody waits for this party until the court has said how to go on."""
        self.suspended = role, self.awaited.pop(role)

    def resume(self, *, waiting: bool) -> None:
        """The court has decided: the party must answer as before, or need not any more."""
        if self.suspended is not None and waiting:
            role, awaited = self.suspended
            self.awaited[role] = awaited
        self.suspended = None

    def expected(self) -> str:
        """Whose answers are missing, in words."""
        return " and ".join(f"{role.called}'s {each.kind}" for role, each in sorted(self.awaited.items()))
