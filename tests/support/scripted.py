"""A matter in which all happens that can happen, played by a script that reads nothing but the matter's state.

So it is the same in every run, and one that was interrupted is gone on with. The eventful course of the cheats, in
`tests/support/forging/eventful.py`, is another: its script has a memory
of its own, since Trent's cheats bend the state.

    round 1   two claims of privilege, one upheld, one overruled; Alice is asked for late ones and has none
    round 2   Bob withholds his link, and the court gives it; a late claim, overruled; Bob is slow with his labels, the
              court denies the order; he gets a new key and labels
    round 3   Bob does not label his first wave, and the court goes on without him; then all agree to one round more
    round 4   Alice does not report
"""

from collections import Counter

from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.matter import proposals
from protocol.matter.state import Told
from protocol.matter.statements import Kind
from protocol.parties.base import Answer
from protocol.simulation.identity import Simulated
from protocol.simulation.run import Run

BASES = {1: "Advice of counsel", 2: "Prepared for litigation"}

SILENCES = {(2, Kind.LINK): 0, (2, Kind.LABELS): 1, (3, Kind.LABELS): 2, (4, Kind.REPORT): 3}
"""In which round a party does not give what, and how many orders there were before."""

DENIED = 1
"""Which order the court denies."""


def second_key(plan: Simulated) -> SigningKey:
    """Bob's new key."""
    return SigningKey(plan.secret(Role.BOB, "second key"))


class ScriptedRun(Run):
    """Plays the script; `step` adds one entry."""

    seen: Counter[str]
    last: Told

    def _deliver(self, told: Told) -> None:
        if not told.sequence:
            self.seen = Counter()
        super()._deliver(told)
        self.seen[told.statement.kind] += 1
        self.last = told
        if self.seen[Kind.REKEYED]:
            self.bob.key = second_key(self.plan)

    def step(self) -> bool:
        return self._intervene() if self.engine.asks else (self._propose() or self.desk.advance())

    def _intervene(self) -> bool:
        """Somebody answers, or does not."""
        asks = self.engine.asks
        ordering = Role.COURT in asks and asks[Role.COURT].kind in (Kind.ORDER, Kind.REKEYED)
        role = Role.COURT if ordering else min(asks)
        silent = SILENCES.get((len(self.state.rounds), asks[role].kind)) == self.seen[Kind.ORDER]
        if silent and role is not Role.COURT:
            self.append(proposals.default(self.state, role, self.last.hash))
        elif asks[role].kind is Kind.LABELS and self.seen[Kind.ORDER] == DENIED + 1 and not self.seen[Kind.REKEY]:
            self.append(proposals.rekey(self.state, role, second_key(self.plan).public))
        else:
            self.desk.accept(self._answer(role, asks[role].kind))
        return True

    def _answer(self, role: Role, kind: Kind) -> Answer:
        alice, court = self.alice, self.court
        match kind:
            case Kind.REPORT if len(self.state.rounds) == 1:
                report = alice.strategy.report(alice.rule, alice.truth, 1)
                return alice.report(report.labels, report.threshold, BASES)
            case Kind.CLAIM:
                last = self.state.rounds[-1].size
                return alice.claim({last: "Joint defence"} if self.seen[Kind.LATE] == 2 else {})
            case Kind.PRIVILEGE:
                asked = self.state.rounds[-1].privilege.asked
                return court.rule_on_privilege([position == 1 for position in asked])
            case Kind.ORDER:
                return self._order()
            case Kind.REKEYED:
                return court.rekeyed(granted=True)
            case Kind.AMENDED:
                return self.parties[role].amended(accepted=True)
        return self.parties[role].answer()

    def _order(self) -> Answer:
        """The court's order: with the link from the deposit, where one was asked for."""
        silence = self.state.silence
        assert silence is not None
        link = None
        if silence.awaited.kind is Kind.LINK:
            link = self.plan.chain(silence.absent).link(self.state.draws)
        return self.court.order(self.seen[Kind.ORDER] != DENIED, link)

    def _propose(self) -> bool:
        """What Trent need not ask, and does."""
        state, rounds = self.state, len(self.state.rounds)
        if state.current is None:
            if rounds == 1 and state.drawing is None:
                self.cosign()  # by Bob's first key; a second time it changes nothing
            if rounds != 3 or self.seen[Kind.AMEND]:
                return False
            self.append(proposals.amend(self.state, 4))
            return True
        if self.seen[Kind.LATE] >= min(rounds, 2):
            return False
        self.append(proposals.late(self.state))
        return True
