"""A matter replayed: a fold over its entries that recomputes every label-verification decision.

It stops at the first entry that breaks a rule. What follows rests on that entry, and it would not be fair to judge a
party by its answer to a question that should never have been asked.
"""

from collections.abc import Callable
from typing import Any

from verifier.checks import Check
from verifier.record.copy import Told
from verifier.replay import catalogue, claims
from verifier.replay.condition import Candidate
from verifier.replay.contents import Claims
from verifier.replay.detail import RoundDetail, detail
from verifier.replay.state import CorpusReplay, Disclosed, Outsiders, State
from verifier.replay.terms import check_version
from verifier.tally import Tally


class Replay:
    """A matter that is told its entries one by one."""

    def __init__(
        self,
        tally: Tally,
        *,
        corpus: CorpusReplay | None = None,
        outside: Outsiders | None = None,
        disclosed: Callable[[Disclosed], None] | None = None,
        detailed: bool = False,
        witness: Callable[[Candidate[Any]], None] | None = None,
    ) -> None:
        self.state = State(
            tally=tally, corpus=corpus, outside=outside, disclosed=disclosed, details=[] if detailed else None
        )
        self.stopped: str | None = None  # why nothing more is replayed
        self._tally, self._witness = tally, witness

    def tell(self, told: Told) -> None:
        """Replay one entry that the chain has admitted."""
        if self.stopped is not None:
            return
        if not told.sound:
            self.stopped = f"an opening at or before entry {told.entry.body.sequence} is missing or false"
            return
        if told.entry.body.sequence == 0:
            check_version(told)
        entry: Candidate[Any] = Candidate(self.state, told)
        broken = catalogue.first_broken(entry)
        if broken is not None:
            condition, finding = broken
            self._tally.fail(finding)
            if condition.stops:
                self.stopped = f"the replay ends at entry {finding.entry}, which breaks {finding.check}"
                return
        catalogue.KINDS[told.entry.said.kind].take(entry)  # a condition that does not stop the replay is the last one
        if entry.kind is not None:
            self.state.turns.go_on(told, entry.kind)
            self.state.answers.add(told.entry, entry.kind)
        self.state.turns.note(told)
        self._tally.passed(Check.ORDER)
        if self._witness is not None:
            self._witness(entry)

    def recomputed(self) -> Claims | None:
        """What can be claimed of the closed rounds."""
        return None if self.state.first is None else claims.recomputed(self.state)

    def details(self) -> tuple[RoundDetail, ...]:
        """The rounds position by position, the open one last, if they were asked for."""
        kept, current = self.state.details, self.state.current
        if kept is None:
            return ()
        return (*kept, detail(current, self.state.opened.terms)) if current is not None else tuple(kept)

    @property
    def waits_for(self) -> str:
        """Whose turn it is, in words."""
        return self.state.turns.expected() or ("nobody" if self.state.claims else "Trent")
