"""A simulated matter with all that can happen beside the ordinary: privilege, silence, a new key, amendments.

Round 1: Alice is silent about a link; she claims privilege with her report, and late; then T is amended.
Round 2: she loses her key before her report; Bob does not answer a wave, is waited for, and then not any more.
Round 3: she does not report, and claims late what is due to Bob all the same; Bob refuses another T.
Round 4: Bob does not give his link; the rest is ordinary, with claims and disputes.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter.asking import Answer
from protocol.simulation.identity import Simulated
from protocol.simulation.parties import Alice, Court
from tests.support import answers
from tests.support.forging.running import CheatingRun

NEW_KEY = SigningKey(sha256(b"Alice's new key").digest())
NEW_KEYS = {Role.ALICE: NEW_KEY, Role.BOB: SigningKey(sha256(b"Bob's new key").digest())}

AGREED: dict[str, Any] = {"rounds": 3, "k": 1, "batch": 9, "delta": "0.9", "seed": "2"}
"""What an eventful matter needs: three rounds, of which the parties make four, few draws, and a seed whose coins leave
Alice something to claim late in round 1.
"""


def waits_for(role: Role, kind: str, number: int) -> Callable[["EventfulRun"], bool]:
    def waits(run: "EventfulRun") -> bool:
        awaited = run.state.awaits.get(role)
        return awaited is not None and (awaited.kind, awaited.round) == (kind, number)

    return waits


def _free(run: "EventfulRun") -> bool:
    return not (run.state.awaits or run.state.void)


def after_first_wave(number: int) -> Callable[["EventfulRun"], bool]:
    return lambda run: _free(run) and run.number == number and bool(run.state.rounds[-1].waves)


def closed(number: int) -> Callable[["EventfulRun"], bool]:
    return lambda run: not run.state.awaits and run.state.current is None and len(run.state.rounds) == number


def silent(role: Role) -> Callable[["EventfulRun"], object]:
    return lambda run: run.desk.default(role, run.head)


def new_key(role: Role) -> Callable[["EventfulRun"], object]:
    return lambda run: run.desk.rekey(role, NEW_KEYS[role].public)


Events = list[tuple[Callable[["EventfulRun"], bool], Callable[["EventfulRun"], object]]]

EVENTS: Events = [
    (waits_for(Role.ALICE, "link", 1), silent(Role.ALICE)),
    (after_first_wave(1), lambda run: run.desk.late()),
    (closed(1), lambda run: run.desk.amend(4)),
    (waits_for(Role.ALICE, "report", 2), new_key(Role.ALICE)),
    (waits_for(Role.BOB, "labels", 2), silent(Role.BOB)),
    (waits_for(Role.BOB, "labels", 2), silent(Role.BOB)),
    (waits_for(Role.ALICE, "report", 3), silent(Role.ALICE)),
    (lambda run: not run.state.awaits and run.number == 3, lambda run: run.desk.late()),
    (closed(3), lambda run: run.desk.amend(5)),
    (waits_for(Role.BOB, "link", 4), silent(Role.BOB)),
]
"""When Trent adds what nobody foresaw, each once and in this order."""


class EventfulRun(CheatingRun):
    """Plays the events in their order; between them the matter goes on as always."""

    events: Events = EVENTS
    denied: int = 2  # the number of the order, from 1, that is not granted: Bob's first silence about labels

    def __init__(self, corpus: Corpus, plan: Simulated, path: Path, **cheat: Any) -> None:
        self._left = list(self.events)
        self._orders = 0
        super().__init__(corpus, plan, path, **cheat)

    @property
    def number(self) -> int:
        """The open round's number, 0 between rounds."""
        return self.state.rounds[-1].number if self.state.current else 0

    @property
    def head(self) -> Digest:
        """What everybody has been shown."""
        return self.desk.log.history.head

    def step(self) -> bool:
        if self._left and Role.COURT not in self.state.awaits and self._left[0][0](self):
            _, event = self._left.pop(0)
            event(self)
            return True
        return super().step()

    def answer(self) -> Answer:
        asked = self.state.awaits
        first = Role.COURT if asked.get(Role.COURT) and asked[Role.COURT].kind in ("order", "rekeyed") else min(asked)
        party = self.parties[first]
        kind = asked[first].kind
        if kind == "amended":
            return answers.amended(party, first is not Role.BOB or self.state.terms.rounds == 3)
        if isinstance(party, Alice):
            return self._alice(party, kind)
        return self._court(party, kind) if isinstance(party, Court) else party.answer()

    def _alice(self, alice: Alice, kind: str) -> Answer:
        current = self.state.rounds[-1] if self.state.rounds else None
        if kind == "report" and current is not None and current.number != 2:
            report = alice.strategy.report(alice.rule, alice.truth, current.number)
            return answers.report(alice, report.labels, report.threshold, {1: "advice of counsel", 2: "work product"})
        if kind == "claim" and current is not None:
            shown = {position for wave in current.waves for position in wave}
            hidden = [each for each in range(3, current.size + 1) if each not in shown]
            return answers.claim(alice, {position: f"noticed late: {position}" for position in hidden[-2:]})
        return alice.answer()

    def _court(self, court: Court, kind: str) -> Answer:
        if kind == "privilege" and court.question is not None:
            return answers.uphold(
                court, [position % 2 == 1 for position in court.question.statement.content["positions"]]
            )
        if kind == "rekeyed" and self.state.rekeying is not None:
            role = self.state.rekeying.role
            self.parties[role].key = NEW_KEYS[role]
            return answers.rekeyed(court, True)
        if kind == "order" and self.state.silence is not None:
            self._orders += 1
            silence = self.state.silence
            is_link = silence.awaited.kind == "link"
            link = self.plan.chain(silence.absent).link(self.state.draws) if is_link else None
            return answers.order(court, self._orders != self.denied, link)
        return court.answer()


RENEWED: Events = [
    (waits_for(Role.ALICE, "report", 1), silent(Role.ALICE)),
    (waits_for(Role.ALICE, "report", 2), new_key(Role.ALICE)),
    (waits_for(Role.BOB, "labels", 2), silent(Role.BOB)),
    (waits_for(Role.BOB, "labels", 2), new_key(Role.BOB)),
    (after_first_wave(2), lambda run: run.desk.late()),
    (closed(2), lambda run: run.desk.amend(4)),
    (lambda run: run.state.concluded, silent(Role.BOB)),
]
"""Both get new keys while they owe an answer, and the matter ends without Bob's signature."""


class RenewedRun(EventfulRun):
    """Plays what comes of new keys: questions asked again and a skipped draw. At the end, a signature is missing."""

    events = RENEWED

    def cosign(self, without: tuple[Role, ...] = ()) -> None:
        super().cosign((*without, *self.state.excused))
