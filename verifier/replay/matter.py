"""A matter replayed: a fold over its entries that recomputes every label-verification decision.

It stops at the first entry that breaks a rule. What follows rests on that entry, and to judge a party by its answer to
a question that should never have been asked would not be fair.
"""

from collections.abc import Callable
from typing import Any

from verifier.checks import Check, Role
from verifier.findings import Fault
from verifier.record.copy import Told
from verifier.record.entries import CONFLICT
from verifier.replay import batches, claims, closing, opening, orders, privilege, reviewing
from verifier.replay.conflicts import Conflicts
from verifier.replay.contents import Claims, Kind
from verifier.replay.rounds import RoundDetail, detail
from verifier.replay.state import CorpusReplay, Disclosed, State
from verifier.replay.turns import broken
from verifier.tally import Tally

_STEPS: dict[Kind, Callable[[State, Any, Told], None]] = {
    Kind.OPEN: opening.open_matter,
    Kind.AGREED: opening.agreed,
    Kind.DEPOSITED: opening.deposited,
    Kind.DRAW: batches.draw,
    Kind.LINK: batches.link,
    Kind.BATCH: batches.batch,
    Kind.REPORT: reviewing.report,
    Kind.CAMERA: privilege.camera,
    Kind.PRIVILEGE: privilege.ruled,
    Kind.LATE: privilege.late,
    Kind.CLAIM: privilege.claim,
    Kind.DISCLOSURE: reviewing.disclosure,
    Kind.LABELS: reviewing.labels,
    Kind.DISPUTE: reviewing.dispute,
    Kind.RULINGS: reviewing.rulings,
    Kind.CLOSED: closing.closed,
    Kind.DEFAULT: orders.default,
    Kind.ORDER: orders.order,
    Kind.REKEY: orders.rekey,
    Kind.REKEYED: orders.rekeyed,
    Kind.AMEND: orders.amend,
    Kind.AMENDED: orders.amended,
    Kind.CLAIMS: closing.claims,
}


class Replay:
    """A matter that is told its entries."""

    def __init__(
        self,
        tally: Tally,
        *,
        corpus: CorpusReplay | None = None,
        disclosed: Callable[[Disclosed], None] | None = None,
        detailed: bool = False,
    ) -> None:
        self.state = State(tally=tally, corpus=corpus, disclosed=disclosed, details=[] if detailed else None)
        self.stopped: str | None = None  # why nothing more is replayed
        self._tally, self._turns, self._conflicts = tally, self.state.turns, Conflicts()

    def tell(self, told: Told) -> None:
        """Go on by one entry that the chain has admitted."""
        if self.stopped is not None:
            return
        if not told.sound:
            self.stopped = f"an opening at or before entry {told.entry.body.sequence} is missing or false"
            return
        if told.entry.body.sequence == 0:
            opening.check_method(told)
        try:
            if told.entry.said.kind == CONFLICT:
                self._tell_conflict(told)
            else:
                kind, content = self._turns.take(told)
                _STEPS[kind](self.state, content, told)
                self._turns.go_on(told, kind)
                self._conflicts.note(told)
            self._turns.note(told)
            self._tally.passed(Check.ORDER)
        except Fault as fault:
            self._tally.fail(fault.finding)
            self.stopped = f"the replay ends at entry {fault.finding.entry}, which breaks {fault.finding.check}"

    def recomputed(self) -> Claims | None:
        """What can be claimed of the rounds that are closed."""
        state = self.state
        if state.opening is None:
            return None
        return claims.recompute(state.opening, state.rounds, state.evidence, defaults=state.defaults)

    def details(self) -> tuple[RoundDetail, ...]:
        """The rounds position by position, the open one last, if they were asked for."""
        kept, current = self.state.details, self.state.current
        if kept is None:
            return ()
        return (*kept, detail(current, self.state.opened.terms)) if current is not None else tuple(kept)

    @property
    def waits_for(self) -> str:
        """In words, whose turn it is."""
        waiting = [f"{role.called}'s {each.kind}" for role, each in sorted(self._turns.awaited.items())]
        return " and ".join(waiting) or ("nobody" if self.state.claims else "Trent")

    def _tell_conflict(self, told: Told) -> None:
        """Evidence changes nothing in the matter."""
        if self.state.claims is not None:
            raise broken(told, Check.ORDER, Role.TRENT, "Nothing follows the claims", "the end", "a conflict")
        finding = self._conflicts.judge(told)
        if finding is None:
            self._tally.passed(Check.CONFLICTS)
        else:
            self._tally.fail(finding)
