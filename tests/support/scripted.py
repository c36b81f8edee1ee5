"""A matter in which everything happens that can happen, played by a script that reads only the matter's state.

So it is the same in every run, and can be continued after an interruption. The eventful course of the cheats, in
`tests/support/forging/eventful.py`, is different: its script has its own memory, since Trent's cheats bend the state.

    round 1   two claims of privilege, one upheld, one overruled; Alice is asked for late ones and has none
    round 2   Bob withholds his link, and the court gives it; a late claim, overruled; Bob is slow with his labels, the
              court denies the order; he gets a new key and labels
    round 3   Bob does not label his first wave, and the court goes on without him; then all agree to one round more
    round 4   Alice does not report
"""

from collections import Counter

from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter.asking import Answer
from protocol.matter.kind import Entry
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run
from tests.support import answers

BASES = {1: "Advice of counsel", 2: "Prepared for litigation"}

SILENCES = {(2, "link"): 0, (2, "labels"): 1, (3, "labels"): 2, (4, "report"): 3}
"""In which round a party does not give what, and how many orders there were before."""

DENIED = 1
"""Which order the court denies."""


def second_key(plan: Simulated) -> SigningKey:
    """Bob's new key."""
    return SigningKey(plan.secret(Role.BOB, "second key"))


class ScriptedRun(Run):
    """Plays the script; `step` adds one entry."""

    seen: Counter[str]
    last: Entry

    def _deliver(self, told: Entry) -> None:
        if not told.sequence:
            self.seen = Counter()
        super()._deliver(told)
        self.seen[told.statement.kind] += 1
        self.last = told
        if self.seen["rekeyed"]:
            self.bob.key = second_key(self.plan)

    def step(self) -> bool:
        return self._intervene() if self.state.awaits else (self._propose() or self.advance())

    def _intervene(self) -> bool:
        """Somebody answers, or does not."""
        asks = self.state.awaits
        ordering = Role.COURT in asks and asks[Role.COURT].kind in ("order", "rekeyed")
        role = Role.COURT if ordering else min(asks)
        silent = SILENCES.get((len(self.state.rounds), asks[role].kind)) == self.seen["order"]
        if silent and role is not Role.COURT:
            self.desk.default(role, self.last.hash)
        elif asks[role].kind == "labels" and self.seen["order"] == DENIED + 1 and not self.seen["rekey"]:
            self.desk.rekey(role, second_key(self.plan).public)
        else:
            self.desk.accept(self._answer(role, asks[role].kind))
        return True

    def _answer(self, role: Role, kind: str) -> Answer:
        alice, court = self.alice, self.court
        match kind:
            case "report" if len(self.state.rounds) == 1:
                report = alice.strategy.report(alice.rule, alice.truth, 1)
                return answers.report(alice, report.labels, report.threshold, BASES)
            case "claim":
                last = self.state.rounds[-1].size
                return answers.claim(alice, {last: "Joint defence"} if self.seen["late"] == 2 else {})
            case "privilege":
                asked = self.state.rounds[-1].privilege.asked
                return answers.uphold(court, [position == 1 for position in asked])
            case "order":
                return self._order()
            case "rekeyed":
                return answers.rekeyed(court, True)
            case "amended":
                return answers.amended(self.parties[role], True)
        return self.parties[role].answer()

    def _order(self) -> Answer:
        """The court's order, with the link from the deposit if one was asked for."""
        silence = self.state.silence
        assert silence is not None
        link = None
        if silence.awaited.kind == "link":
            link = self.plan.chain(silence.absent).link(self.state.draws)
        return answers.order(self.court, self.seen["order"] != DENIED, link)

    def _propose(self) -> bool:
        """What Trent asks although he need not."""
        state, rounds = self.state, len(self.state.rounds)
        if state.current is None:
            if rounds == 1 and state.drawing is None:
                self.cosign()  # by Bob's first key; a second time it changes nothing
            if rounds != 3 or self.seen["amend"]:
                return False
            self.desk.amend(4)
            return True
        if self.seen["late"] >= min(rounds, 2):
            return False
        self.desk.late()
        return True
