"""Whose turn it is: the questions that are open in a matter, and those that a new key has made void."""

from dataclasses import dataclass

from verifier.checks import Role
from verifier.record.copy import Told
from verifier.replay.forms import FORMS, Kind
from verifier.replay.recent import RecentEntries


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
        self.void: dict[Role, Awaited] = {}  # asked before the party's new key, and to be asked again
        self.suspended: tuple[Role, Awaited] | None = None  # while the court is asked about somebody's silence
        self.signed = False  # whether all have signed the opening
        self.ended: int | None = None  # the claims' entry, once they are made
        self._recent = RecentEntries()

    @property
    def over(self) -> bool:
        """Whether the claims are made."""
        return self.ended is not None

    def go_on(self, told: Told, kind: Kind) -> None:
        """The entry is accepted: its author's question is answered, and it asks its own."""
        body, said = told.entry.body, told.entry.said
        self.awaited.pop(said.author, None)
        form = FORMS[kind]
        asks = {role: self.void.pop(role).kind for role in body.asks} if form.repeats else form.asked(said.content)
        for role, asked in asks.items():
            self.awaited[role] = Awaited(kind=asked, question=told.hash, entry=body.sequence, round=said.round)
        self.signed = self.signed or not self.awaited
        if kind is Kind.CLAIMS:
            self.ended = body.sequence

    def note(self, told: Told) -> None:
        """Remember an entry, which may be served on somebody, and forget those that no longer can be."""
        number = told.entry.body.sequence
        self._recent.add(number, told.hash)
        questions = [each.entry for each in self.awaited.values()]
        questions += [self.suspended[1].entry] if self.suspended is not None else []
        questions += [self.ended] if self.ended is not None else []
        self._recent.forget_before(min(questions, default=number + 1))

    def may_be_served(self, digest: bytes, asked: int) -> bool:
        """Whether this is the hash of an entry that was there to be served: the one that asks, or a later one.

        `asked` is the entry that asks an open question, or that holds the claims.
        """
        return self._recent.holds(digest, asked)

    def owes(self, role: Role, kind: Kind) -> bool:
        """Whether a party was asked for this and has not given it; the question is open, or void."""
        return any(role in asked and asked[role].kind is kind for asked in (self.awaited, self.void))

    def make_void(self, role: Role) -> Awaited | None:
        """A party has a new key, which never answers a question from before it; returns the question."""
        question = self.awaited.pop(role, None)
        if question is not None:
            self.void[role] = question
        return question

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
        """Whose answers are missing, and whom Trent must ask again, in words."""
        answers = [f"{role.called}'s {each.kind}" for role, each in sorted(self.awaited.items())]
        again = [f"Trent to ask {role.called} again for the {each.kind}" for role, each in sorted(self.void.items())]
        return " and ".join(answers + again)
